/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program that reads one file and writes one: ptxas, tileiras. Both files are in memory, so that
 * none is left behind, whatever ends the process. A signal that ends this process ends the program, too. */
#ifndef ASSEMBLER_PROGRAM_H
#define ASSEMBLER_PROGRAM_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

#include <stddef.h>

/* What the program's arguments call its input and its output. */
#define ASSEMBLER_INPUT  "/proc/self/fd/3"
#define ASSEMBLER_OUTPUT "/proc/self/fd/4"

struct assembler_program {
    const char *path;
    const struct cbn_text_list *arguments; /* without the program's name */
    char **environment;                    /* NULL: this process's */
    const char *input_name;                /* in what it says, in the place of ASSEMBLER_INPUT */
};

struct assembler_answer {
    int exit;   /* its status; 128 and the signal's number if a signal ended it */
    char *data; /* what it wrote, with a zero byte after it; NULL if it failed */
    size_t size;
    char *log; /* what it said, "" if nothing */
};

/* Runs it, from any thread. On success the caller frees the answer, which may be that the program failed. */
cubinet_status assembler_program_run(const struct assembler_program *program, const char *data, size_t size,
                                     struct assembler_answer *out_answer);
void assembler_answer_free(struct assembler_answer *answer);

#endif
