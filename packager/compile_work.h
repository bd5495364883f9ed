/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of a compile share this: front_end.c has NVRTC compile, compile.c makes images of the
 * result. */
#ifndef COMPILE_WORK_H
#define COMPILE_WORK_H

#include "compile.h"

/* One compile in work: what all of its steps share. */
struct compile_work {
    struct compile_tools *tools;
    const struct compile_request *request;
    struct draft_module *module;
    struct buffer *messages;
    const char *text; /* of the source */
    size_t warnings;
};

struct compile_name {
    char text[CUBINET_TARGET_NAME_SIZE];
};

/* A target's name, to be used in the same expression. */
struct compile_name compile_name_of(cubinet_target target);

/* Prints what is about to run if the user wants to see it, at once: a compile may take long. */
void compile_say(const struct compile_work *work, const char *program, const struct string_list *options);

/* One pass of NVRTC over the source. What it says goes to the messages. The caller frees the result. */
cubinet_status compile_front_end(struct compile_work *work, cubinet_target source, bool lto,
                                 struct nvrtc_result *out_result);

#endif
