/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a compile writes: the archive, the depfile, and the record by which the next compile sees
 * that there is nothing to do. */
#ifndef COMPILE_OUTPUT_H
#define COMPILE_OUTPUT_H

#include "base/buffer.h"
#include "compile/compile_arguments.h"
#include "compile/compile_result.h"
#include "compile/inputs.h"
#include "toolkit/toolkit.h"

struct compile_output {
    const struct compile_arguments *arguments;
    const struct toolkit *toolkit;
    const char *working_folder;
    char *record_path;
    char *link_folder;     /* for paths that a depfile can't hold */
    struct cbn_sha256 key; /* of the record: see compile_key.h */
};

/* Names the files. What else is in `output` is the caller's, who fills it in; the names are freed by
 * compile_output_free(). */
cubinet_status compile_output_name(struct compile_output *output);

/* Checks before the long work what would fail after it. */
cubinet_status compile_output_check(const struct compile_output *output);

/* Does what a compile would do to the files around the archive if that is what it would make, and adds to
 * `messages` what it would say; says whether it did. */
cubinet_status compile_output_skip(const struct compile_output *output, struct buffer *messages,
                                   bool *out_skipped);

/* Writes the depfile, the archive, the record, and at last the archive's time. The depfile comes before the
 * archive: make takes an archive without one for up to date, whatever header changes. */
cubinet_status compile_output_write(const struct compile_output *output, const struct inputs *inputs,
                                    const struct compile_result *result);

void compile_output_free(struct compile_output *output);

#endif
