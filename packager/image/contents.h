/* SPDX-License-Identifier: Apache-2.0 */
/* What an image says of itself: its target, its kernels and what they need, its globals. Read from a cubin's
 * ELF (cubin.h) or from PTX (ptx.h). */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "image/launch_record.h"
#include "image/symbol_list.h"

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contents_kernel {
    char *name;                         /* lowered */
    char *expression;                   /* what its source calls it, where that is told; NULL */
    cubinet_kernel_resources resources; /* its params point to `params` */
    cubinet_param *params;
    struct launch_record launch;
};

struct contents_global {
    char *name; /* lowered */
    uint64_t bytes;
    bool is_constant;
    bool is_managed;
};

struct contents {
    cubinet_target target; /* the suffix as far as the image tells: facts differ by kind, see the readers */
    uint32_t toolkit;      /* 13000 for CUDA 13.0; 0 if the image does not tell */
    uint32_t ptx_isa;      /* of PTX, 90 for 9.0; of a cubin 0 */
    struct contents_kernel *kernels; /* in byte order of names */
    size_t kernel_count;
    struct contents_global *globals; /* in byte order of names; those the host can name */
    size_t global_count;
    struct symbol_list symbols; /* contents_sort() puts them in order, too */
};

/* Frees what is inside and zeroes it; half-built contents are fine. */
void contents_free(struct contents *contents);

/* CUBINET_GLOBAL_CONSTANT and so on. */
uint32_t contents_global_flags(const struct contents_global *global);

/* Makes room for one more and returns it zeroed (a kernel's resources with `size` set and numbers unknown or
 * not given, no parameters); NULL if memory is out. The name is copied. Kernels, globals or parameters that
 * were returned before may move. */
struct contents_kernel *contents_add_kernel(struct contents *contents, const char *name, size_t name_size);
struct contents_global *contents_add_global(struct contents *contents, const char *name, size_t name_size);
cubinet_param *contents_add_param(struct contents_kernel *kernel);

/* Leaves names alone: for an image that is not made yet of what these are the contents of. */
void contents_keep_names(struct contents *contents);

/* Drops globals that are weak, unused and not among the names to keep: relocatable code has every static
 * member of every template in CUDA's headers. `symbols`: of the same PTX, all of them */
void contents_drop_unused_globals(struct contents *contents, const struct symbol_list *symbols,
                                  const char *const *keep, size_t keep_count);

/* Records that a kernel takes dynamic shared memory, of contents that are sorted: for
 * cbn_dynamic_shared_of_ptx() and …_of_cubin(), with the contents for `user`. */
void contents_note_dynamic_shared(void *contents, const char *name, size_t size);

/* Records that a kernel waits for the one before it, or lets the one after it start, of contents that are
 * sorted: for cbn_dependency_of_ptx() and …_of_cubin(), with the contents for `user`. */
bool contents_note_dependency(void *contents, const char *name, size_t size, unsigned flags);

/* Records what is known of launches of the kernels in `source`, which these were made from, and these do not
 * show: that they take dynamic shared memory, and names of parameters. */
cubinet_status contents_take_launches(struct contents *contents, const struct contents *source);

/* Moves kernels and globals over, which have other names than those that are there. */
cubinet_status contents_move(struct contents *to, struct contents *from);

bool contents_has_kernel(const struct contents *contents, const char *name);

/* Whether an image that says this of itself is for the target. Only the options that were noted tell an 'f'.
 */
bool contents_fit(const struct contents *contents, cubinet_target target);

/* Sorts kernels and globals by name. */
void contents_sort(struct contents *contents);

#endif
