/* SPDX-License-Identifier: Apache-2.0 */
/* A pass of NVRTC over a source of which the host code is skipped (source/host_skip.h). */
#ifndef HOST_PASS_H
#define HOST_PASS_H

#include "compile/front_end.h"
#include "interpose/replaced_files.h"
#include "source/host_skip.h"

struct host_pass {
    struct host_skip skip;
    char **texts; /* one for each file of the unit, NULL where it stays as it is */
    struct replaced_file *replaced;
    bool is_silent;    /* the user wants no warnings */
    bool is_needed;    /* the source has host code, which NVRTC would refuse */
    bool has_left_out; /* what files leave out for NVRTC alone is read */
};

/* Reads the source for a pass with these options, if host code is to be skipped at all. Then what its files
 * leave out for NVRTC alone is read, too, unless the pass refuses it: nvcc compiles it, and other host code
 * may need it. */
cubinet_status host_pass_begin(const struct compile_work *work, const struct compile_pass *pass,
                               const struct cbn_text_list *options, struct host_pass *out_pass);

/* Makes the texts, has headers replaced by theirs, and returns the source's. */
cubinet_status host_pass_apply(struct host_pass *host, const char *text, const char **out_text);

/* Drops what NVRTC's log of the last run has errors about, and prints that if `verbose`. Whether another run
 * is worth its time. */
cubinet_status host_pass_learn(struct host_pass *host, const char *log, bool verbose, bool *out_again);

/* Takes warnings about what is left of host code out of the log. Whether device code uses the host's types:
 * then the log has an error of it. */
bool host_pass_quiet(const struct host_pass *host, char *log);

void host_pass_end(struct host_pass *host);

#endif
