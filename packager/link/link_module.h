/* SPDX-License-Identifier: Apache-2.0 */
/* Linking what `cubinet link` was given, once for each architecture, to a module of a draft. */
#ifndef LINK_MODULE_H
#define LINK_MODULE_H

#include "archive/draft.h"
#include "base/buffer.h"
#include "link/link_inputs.h"
#include "toolkit/arch.h"
#include "toolkit/parts_choice.h"

#include <cubinet/link.h>

#include <stdbool.h>

struct link_request {
    const char *module;    /* name */
    const char *toolkit;   /* or NULL: the default one, or else where nvJitLink is found */
    const char *nvjitlink; /* path, or NULL: the toolkit's */
    const struct arch_plan *plan;
    const struct link_inputs *pieces;
    const struct link_inputs *libraries;
    const cubinet_link_options *options;
    const struct cbn_text_list *required; /* expressions that the module must have */
    enum parts_choice parts;
    bool no_device_runtime; /* never link libcudadevrt */
    bool verbose;
};

/* Adds the module with an image for each architecture to `draft`, by the name expressions that the pieces
 * have for what is in it. What nvJitLink had to say goes to `messages`. */
cubinet_status link_module(const struct link_request *request, struct draft *draft, struct buffer *messages);

#endif
