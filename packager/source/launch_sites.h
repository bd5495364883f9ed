/* SPDX-License-Identifier: Apache-2.0 */
/* Where a source, and the headers of its project, launch kernels: `scale<T, 256><<<…>>>(x)`, and what gives a
 * kernel to a function that launches it, as `&scale<T, 256>` and `cudaLaunchKernel(scale<T, 256>, …)` do.
 *
 * Names are looked up as far as a reader of text can: which kernel `scale` is, its namespaces tell. */
#ifndef LAUNCH_SITES_H
#define LAUNCH_SITES_H

#include "loader/core/support/text_list.h"
#include "source/host_skip.h"

struct launch_site {
    char *file;
    uint32_t line;
    size_t order;                   /* in which sites were found */
    char *expression;               /* as it is written, on one line: "ns::scale<T, 256>" */
    struct cbn_text_list kernels;   /* qualified names, without unnamed namespaces, of what it may be */
    struct cbn_text_list arguments; /* of the template, as they are written */
    bool is_template;
    bool is_certain; /* it is in no template and no #if, so nothing decides whether it is compiled */
};

struct launch_sites {
    struct launch_site *items;
    size_t count;
};

/* Adds the sites of a source that was read. */
cubinet_status launch_sites_add(const struct host_skip *skip, struct launch_sites *sites);

/* Sorts them by file and line, and drops what is there twice: a source is read for each architecture. */
void launch_sites_sort(struct launch_sites *sites);

void launch_sites_free(struct launch_sites *sites);

#endif
