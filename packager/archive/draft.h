/* SPDX-License-Identifier: Apache-2.0 */
/* An archive in the making: modules, images and what is known of them, in memory. Subcommands fill one from
 * compiles or from archives, and archive_writer.h files it.
 *
 * Everything is kept in the order in which an archive lists it, so the order of adding makes no difference.
 */
#ifndef DRAFT_H
#define DRAFT_H

#include "archive/draft_tuning.h"
#include "image/contents.h"
#include "loader/core/support/text_list.h"
#include "origin/property_list.h"
#include "origin/provenance.h"

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draft_kernel {
    char *name;       /* lowered */
    char *expression; /* as the user wrote it; NULL if the kernel was not asked for by one */
};

struct draft_global {
    char *name;
    char *expression;
    uint64_t bytes;
    uint32_t flags; /* CUBINET_GLOBAL_CONSTANT and so on: those of every image */
};

/* A kernel in an image. */
struct draft_use {
    char *kernel;                       /* lowered name */
    cubinet_kernel_resources resources; /* its params point to `params` */
    cubinet_param *params;
    struct launch_record launch;
};

struct draft_image {
    cubinet_target target;
    uint32_t toolkit;
    uint32_t ptx_isa;
    uint32_t link_floor;
    const unsigned char *data; /* raw: `owned`, or in a file that `lender` has mapped */
    unsigned char *owned;
    cubinet_archive *lender; /* retained; NULL: none */
    size_t size;
    struct draft_use *uses; /* in byte order of kernels */
    size_t use_count;
    struct symbol_list symbols; /* in the order of an archive */
    char *origin;               /* for messages: the file that it came from */
    struct provenance provenance;
    /* An image of parts is as many draft_images, one right after the other. */
    uint32_t part;                /* number of this one; 0 of an ordinary image */
    uint32_t part_count;          /* 1: an ordinary image */
    struct cbn_text_list globals; /* of a part: lowered names of the module's globals in it */
};

struct draft_module {
    char *name;
    struct draft_image
        *images; /* in cubinet_target_compare()'s order, parts in that of their first kernels */
    size_t image_count;
    struct draft_kernel *kernels; /* in byte order of names */
    size_t kernel_count;
    struct draft_global *globals; /* in byte order of names */
    size_t global_count;
    struct draft_tunings tunings;
};

struct draft {
    char *archive_version; /* NULL: none */
    char *abi;             /* NULL: none */
    struct property_list properties;
    struct draft_module *modules; /* in byte order of names */
    size_t module_count;
};

void draft_free(struct draft *draft);

/* The module of that name, added if it is not there. The name is copied. Modules that were returned before
 * may move. NULL if memory is out. */
struct draft_module *draft_module(struct draft *draft, const char *name);

/* Whether some image of the module consists of parts. */
bool draft_has_parts(const struct draft_module *module);

/* The number of a kernel, or of a global, that the module has. */
size_t draft_kernel_number(const struct draft_module *module, const char *name);
size_t draft_global_number(const struct draft_module *module, const char *name);

/* Drops modules without images, as long as there are more than `least` modules. */
void draft_drop_empty(struct draft *draft, size_t least);

/* The module of that name; NULL if there is none. */
struct draft_module *draft_find_module(const struct draft *draft, const char *name);

/* Whether an image, or a part of one, has a kernel of that lowered name. */
bool draft_image_has(const struct draft_image *image, const char *kernel);

/* Records a kernel or global and its expression (NULL: none). One that is there without an expression gets
 * it. Of two that differ in white space alone, the first in byte order stays; two others are
 * CUBINET_ERROR_INVALID_ARGUMENT, since an archive records one. A global keeps the largest size. */
cubinet_status draft_add_kernel(struct draft_module *module, const char *name, const char *expression);
cubinet_status draft_add_global(struct draft_module *module, const char *name, const char *expression,
                                uint64_t bytes, uint32_t flags);

/* Adds an image, whose bytes it takes over (also on failure), and from `contents` the kernels and globals in
 * it; `contents` stays the caller's. NULL contents: an image that says nothing of itself (LTO-IR). The same
 * target twice is CUBINET_ERROR_INVALID_ARGUMENT with a message that names both origins, unless the bytes are
 * equal: then the second is let go. out_image may be NULL; the image may move when another is added. */
cubinet_status draft_add_image(struct draft_module *module, cubinet_target target, unsigned char *data,
                               size_t size, const struct contents *contents, const char *origin,
                               struct draft_image **out_image);

/* A part of an image, on its way into a draft. */
struct draft_part {
    unsigned char *data;
    size_t size;
    const struct contents *contents; /* its kernels and globals */
};

/* Adds an image of `count` parts in any order, as draft_add_image() adds one; their bytes are taken over,
 * also on failure. Each has a kernel, and no kernel or global is in two of them; all are cubins or all PTX,
 * of one toolkit and one version of PTX, that need no other image: otherwise it is
 * CUBINET_ERROR_INVALID_ARGUMENT. One part is an ordinary image. out_first may be NULL: the first of `count`
 * images that follow each other; they may move when another is added. */
cubinet_status draft_add_parts(struct draft_module *module, cubinet_target target,
                               const struct draft_part *parts, size_t count, const char *origin,
                               struct draft_image **out_first);

/* Adds to what is known of how a kernel of the image is launched. What is recorded already stays where the
 * record says nothing of it, and gives way where it does. Names of parameters are left out of an image that
 * does not tell how many there are. `kernel` is the lowered name;
 * CUBINET_ERROR_NOT_FOUND if the image has none of that name, CUBINET_ERROR_INVALID_ARGUMENT if the record
 * does not fit the kernel's parameters. */
cubinet_status draft_add_launch(const struct draft_module *module, struct draft_image *image,
                                const char *kernel, const struct launch_record *record);

/* Adds one module of an open archive, with every image; `origin` is the archive's path, for messages. */
cubinet_status draft_add_archive_module(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const char *origin);

/* As draft_add_archive_module(), with those images alone for whose number `wanted` is true, and the kernels
 * that are in them. If none is wanted, nothing is added. */
cubinet_status draft_add_archive_images(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const bool *wanted, const char *origin);

/* Adds the tuning records of a module of an open archive to one that may have other images. */
cubinet_status draft_add_archive_tunings(struct draft_module *to, const cubinet_archive *archive,
                                         uint32_t module);

/* Adds every module and image of an open archive; `origin` is its path, for messages. Images that are stored
 * as they are in a file are not read into memory; the archive may be closed all the same. */
cubinet_status draft_add_archive(struct draft *draft, const cubinet_archive *archive, const char *origin);

#endif
