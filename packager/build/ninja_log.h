/* SPDX-License-Identifier: Apache-2.0 */
/* Ninja's log: how long each step took. */
#ifndef NINJA_LOG_H
#define NINJA_LOG_H

#include <cubinet/status.h>

#include <jansson.h>
#include <stddef.h>

struct ninja_step {
    char *output; /* path of the first, if there are several */
    long start;   /* milliseconds from the start of Ninja */
    long milliseconds;
    char command[24]; /* its hash, in hexadecimal */
};

struct ninja_steps {
    struct ninja_step *items; /* the slowest first */
    size_t count;
};

/* What the log in a folder has of each output: for ninja_log_steps() to tell what is new. NULL if memory is
 * out; a log that is not there has nothing. */
json_t *ninja_log_read(const char *folder);

/* The steps that the log has since `before`, which the caller frees. */
cubinet_status ninja_log_steps(const char *folder, const json_t *before, struct ninja_steps *out_steps);
void ninja_steps_free(struct ninja_steps *steps);

#endif
