/* SPDX-License-Identifier: Apache-2.0 */
/* Which images a compile makes: nvcc's --gencode and -arch, and CMake's architecture words, read into virtual
 * architectures and what is made from each. */
#ifndef ARCH_H
#define ARCH_H

#include <cubinet/status.h>
#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>

/* One virtual architecture: one pass of the compiler's front end (two with LTO-IR). */
struct arch_virtual {
    cubinet_target target; /* compute_… */
    cubinet_target *outputs;
    size_t output_count;
};

struct arch_plan {
    struct arch_virtual *virtuals; /* in the order in which they were first named */
    size_t virtual_count;
};

/* What the toolkit makes: nvrtcGetSupportedArchs(), which lists numbers without suffixes. */
struct arch_supported {
    int *numbers; /* ascending */
    size_t count;
    int version; /* NVRTC's, 1000 × major + 10 × minor */
};

/* Receives the compute capabilities of this machine's GPUs for the word `native`. Fails with a message if
 * there are none. */
typedef cubinet_status (*arch_native_fn)(int *out_numbers, size_t capacity, size_t *out_count);

/* Adds what `--gencode arch=compute_80,code=[sm_80,sm_86,compute_80]` asks for. Grammar and rules are nvcc's,
 * save that code for suffix `a` is only made from its own virtual architecture (ptxas refuses the rest). */
cubinet_status arch_add_gencode(struct arch_plan *plan, const char *text);

/* Adds what `-arch=` asks for: nvcc's `sm_80` (cubin and PTX) and `compute_80` (PTX), or CMake's words
 * separated by ',' or ';': `80`, `80-real`, `80-virtual`, `90a`, `100f`, `all`, `all-major`, `native`;
 * and `80-lto`, `80-optix` and `portable`, which runs everywhere. Where nothing is known to be supported,
 * words that stand for several are refused. */
cubinet_status arch_add_words(struct arch_plan *plan, const char *text,
                              const struct arch_supported *supported, arch_native_fn native);

/* Adds what `-arch=compute_80 -code=sm_80,sm_86` asks for. */
cubinet_status arch_add_code(struct arch_plan *plan, const char *arch, const char *code);

/* Fails if there is nothing to make, or something that the toolkit can't make: the message lists what it can
 * and names the nearest. */
cubinet_status arch_check(const struct arch_plan *plan, const struct arch_supported *supported);

/* Removes from the plan what is not an image of `kind`. PTX, LTO-IR and OptiX-IR are then made of every
 * virtual architecture, whether they were asked for or not, as nvcc's -ptx, -ltoir and -optix-ir do; machine
 * code is only there if it was. */
cubinet_status arch_keep_only(struct arch_plan *plan, cubinet_image_kind kind);

/* Whether an image of that kind is among the outputs. */
bool arch_makes(const struct arch_virtual *virtual, cubinet_image_kind kind);
bool arch_plan_makes(const struct arch_plan *plan, cubinet_image_kind kind);

/* The names of all that a plan makes, such as "sm_80, sm_86, compute_80", which the caller frees; NULL if
 * memory is out. */
char *arch_plan_text(const struct arch_plan *plan);

void arch_plan_free(struct arch_plan *plan);

#endif
