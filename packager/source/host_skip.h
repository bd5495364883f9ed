/* SPDX-License-Identifier: Apache-2.0 */
/* Skips what a source and its project's headers have for the host: the text without it, with every line where
 * it was.
 *
 * nvcc gives host code to the host's compiler. Here it is blanked before NVRTC sees it: functions that are
 * not annotated, variables that are not constants, main(). What may be needed on both sides stays, as types
 * do, constexpr functions and constants. Of functions that use templates of kernels a skeleton stays, so that
 * the instances are made that they launch (skeleton.h).
 *
 * What stays by mistake, the compiler refuses: host_skip_learn() drops it by what the compiler says, and the
 * source is compiled once more. Nothing of the device's is ever dropped, nor a data member of a class that
 * stays, nor what nvcc would check; and of what device code may name, so much is left that it is an error
 * there (host_heads.h). */
#ifndef HOST_SKIP_H
#define HOST_SKIP_H

#include "base/buffer.h"
#include "cxx/cxx_unit.h"
#include "source/host_parts.h"

struct host_skip {
    struct cxx_unit unit;
    struct declarations declarations;
    struct host_parts parts;
    struct host_line { /* includes that are blanked */
        uint16_t file;
        uint32_t line;
    } * lines;
    size_t line_count;
    bool is_gcc;         /* the files want a compiler that they know: gcc's macros are defined in them */
    bool has_lambdas;    /* that are annotated: nvcc's extended ones */
    bool has_statements; /* statement expressions are refused, and become lambdas */
    bool is_relocatable;
    bool is_stuck;       /* the compiler refuses code of the host's that can't be dropped */
    struct buffer notes; /* a line for each of the compiler's errors that something was dropped for */
};

/* Reads the source. `relocatable`: the code will be linked, so what is not called stays in it. */
cubinet_status host_skip_read(const struct cxx_settings *settings, bool relocatable,
                              struct host_skip *out_skip);

/* The texts to compile, one for each file of the unit: NULL for one that stays as it is. The caller frees
 * them and the array. */
cubinet_status host_skip_texts(const struct host_skip *skip, char ***out_texts);

/* Drops what the errors in NVRTC's log are about. Whether that was anything. */
cubinet_status host_skip_learn(struct host_skip *skip, const char *log, bool *out_learned);

/* Leaves nothing of what operators may launch, in headers first. Whether there was anything. */
bool host_skip_stop_guessing(struct host_skip *skip);

/* Adds to the messages, for each function or variable of the host's that the log says is not there, that it
 * is the host's. `path`: the source's, for the messages. */
void host_skip_explain(const struct host_skip *skip, const char *path, const char *log,
                       struct buffer *messages);

/* Adds the errors for which something was dropped that the log names, or that such an error names. */
cubinet_status host_skip_causes(const struct host_skip *skip, const char *log, struct buffer *causes);

/* Adds the names of the templates of kernels that host code uses: the source itself, or a header where the
 * compiler refused a use. What else headers have is up to who calls it: the instances that were made are all
 * that this source wants. */
cubinet_status host_skip_used(const struct host_skip *skip, struct cbn_text_list *names);

/* Whether a file has statement expressions, which NVRTC refuses. */
bool host_skip_has_statements(const struct host_skip *skip);

/* Whether a line of a file, as the log names it, is of a function of which a skeleton was made. */
bool host_skip_has_line(const struct host_skip *skip, const char *path, size_t path_size, size_t line);

/* Whether a line has a variable of the device's. */
bool host_skip_has_device_variable(const struct host_skip *skip, const char *path, size_t path_size,
                                   size_t line);

/* Whether what is there is of a function for the device alone. `column`: from 0. */
bool host_skip_is_device(const struct host_skip *skip, const char *path, size_t path_size, size_t line,
                         size_t column);

void host_skip_free(struct host_skip *skip);

#endif
