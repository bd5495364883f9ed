/* SPDX-License-Identifier: Apache-2.0 */
/* What an NVRTC compiles for, asked by a child process: a library that crashes or never returns when it is
 * loaded ends the child alone. */
#ifndef NVRTC_ASK_H
#define NVRTC_ASK_H

#include "process/compile_limits.h"

#include <stddef.h>

enum { NVRTC_MOST_TARGETS = 256 };

struct nvrtc_answer {
    int version; /* 1000 × major + 10 × minor */
    size_t count;
    int numbers[NVRTC_MOST_TARGETS]; /* compute capabilities without suffixes, ascending */
};

/* Returns the exit status: EXIT_OK, or what the command has to end with, after the reason has been printed.
 *
 * path: of the library
 * subject: what is worked on, for messages */
int nvrtc_ask(const char *path, const struct limits *limits, const char *subject,
              struct nvrtc_answer *out_answer);

#endif
