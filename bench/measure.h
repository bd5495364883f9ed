/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs that measure share. Whatever fails ends them with a message. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

/* A call whose result is 0, or else the program ends. `subject` is what the call is about. */
#define MUST_OF(subject, call)                                                                               \
    do {                                                                                                     \
        int must_result = (int)(call);                                                                       \
        if (must_result) {                                                                                   \
            die(subject, #call, must_result);                                                                \
        }                                                                                                    \
    } while (0)
#define MUST(call) MUST_OF(NULL, call)

/* Ends the program: "bench_link: SUBJECT: WHAT failed (RESULT) MESSAGE", with Cubinet's message. subject: may
 * be NULL */
__attribute__((noreturn)) void die(const char *subject, const char *what, int result);

/* Microseconds since some moment. */
double now(void);

/* The median, for which the times are sorted. */
double median_of(double *times, size_t count);

/* The bytes of a file, which the caller frees. out_size: may be NULL */
void *slurp(const char *path, size_t *out_size);

#endif
