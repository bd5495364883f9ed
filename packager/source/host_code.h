/* SPDX-License-Identifier: Apache-2.0 */
/* Host code in a CUDA source: main(), and functions that launch kernels with <<<…>>> or call the host's side
 * of CUDA and its libraries. Read from the source's tokens, after NVRTC refused it, so as to say what to do
 * in place of what NVRTC says of each of its lines.
 */
#ifndef HOST_CODE_H
#define HOST_CODE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct host_function {
    size_t first_line; /* of its declaration, from 1 */
    size_t last_line;  /* that of its closing brace */
    size_t line;       /* of what tells that it is the host's */
    bool is_main;      /* it is main() */
    const char
        *call; /* the function of the host's that it calls, in the source; NULL: it launches a kernel */
    size_t call_size;
};

struct host_code {
    struct host_function *functions; /* in the order of the source */
    size_t count;
};

/* Finds the functions. What NVRTC's macros (__CUDACC_RTC__, __CUDACC__, __CUDA_ARCH__) or `#if 0` leave out
 * is not looked at; nor are, where a condition is not known, its other branches. A function that is annotated
 * may launch kernels and call the runtime: that is device code. The source has to stay as long as what was
 * found. */
cubinet_status host_code_find(const char *source, struct host_code *out_code);

/* Whether a line is in one of them. */
bool host_code_has_line(const struct host_code *code, size_t line);

void host_code_free(struct host_code *code);

#endif
