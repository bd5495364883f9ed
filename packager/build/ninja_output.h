/* SPDX-License-Identifier: Apache-2.0 */
/* What Ninja prints, on its way to the user: status lines become one line that changes on a terminal, and
 * stay lines elsewhere. */
#ifndef NINJA_OUTPUT_H
#define NINJA_OUTPUT_H

#include "build/progress.h"
#include "loader/core/support/text_list.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct ninja_output {
    FILE *file;                    /* stdout or stderr */
    bool is_quiet;                 /* no status lines */
    bool is_live;                  /* the file is a terminal: status lines take each other's place */
    struct progress progress;      /* filled in by the caller as far as it is known */
    struct cbn_text_list warnings; /* the compilers' lines that have one */

    int pipe;
    pthread_t thread;
    atomic_bool has_ended; /* Ninja has */
    double start;
    bool is_painted; /* the terminal's cursor is after a status line */
};

/* Chooses how to print to a file. */
void ninja_output_init(struct ninja_output *output, FILE *file, bool is_quiet);

/* Starts a thread that reads Ninja's output from a pipe, which it closes in the end. */
cubinet_status ninja_output_start(struct ninja_output *output, int pipe);

/* Call when Ninja has ended: waits until all that it printed is printed. */
void ninja_output_finish(struct ninja_output *output);

void ninja_output_free(struct ninja_output *output);

#endif
