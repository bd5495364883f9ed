/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_tunings.h"

#include "archive/draft_tuning.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The digest of a row of the image table: made once, because many records may be of one image. */
struct row_digest {
    enum { NOT_READ, READ, UNREADABLE } state;
    uint8_t bytes[16];
};

/* The record that is looked at. */
struct subject {
    const cubinet_archive *archive;
    const struct cbn_block *block;
    const struct listing_module *module;
    uint64_t image_limit;
    struct row_digest *rows;
    cubinet_tuning tuning;
    struct problems *problems;
    char where[256]; /* for messages */
};

/* An image that can't be read is reported as that. */
static const struct row_digest *digest_of(const struct subject *subject, uint32_t image, uint32_t part)
{
    struct row_digest *row = &subject->rows[cbn_block_first_row(subject->block, image) + part];
    bool is_wanted =
        subject->image_limit == 0 || subject->module->images[image].raw_size <= subject->image_limit;
    if (row->state == NOT_READ) {
        bool is_read = is_wanted && !cubinet_archive_get_code_digest(
                                        subject->archive, subject->module->number, image, part, row->bytes);
        row->state = is_read ? READ : UNREADABLE;
    }
    return row;
}

/* A record is of an image that has its digest, and a void one of no image that the module has. */
static void check_image(const struct subject *subject, uint32_t image, uint32_t kernel)
{
    uint32_t part;
    bool is_its = subject->tuning.image == image;
    if (cubinet_target_compare(subject->module->images[image].target, subject->tuning.target) != 0 ||
        !cbn_archive_image_has_kernel(subject->archive, subject->module->number, image, kernel) ||
        cubinet_archive_find_part(subject->archive, subject->module->number, image, kernel, &part)) {
        return;
    }
    const struct row_digest *digest = digest_of(subject, image, part);
    if (digest->state != READ) {
        return;
    }
    bool is_true = memcmp(digest->bytes, subject->tuning.digest, sizeof(digest->bytes)) == 0;
    if (is_true && subject->tuning.image == CUBINET_UNKNOWN) {
        problems_add(subject->problems, "%s: the index says that it is void, and the module has its image",
                     subject->where);
    } else if (!is_true && is_its) {
        problems_add(subject->problems, "%s: its image does not have the digest that was measured",
                     subject->where);
    }
}

static void check_images(const struct subject *subject)
{
    uint32_t kernel;
    if (!cbn_find_string(&subject->block->kernels, &subject->block->strings, CBN_KERNEL_NAME,
                         subject->tuning.kernel, &kernel)) {
        return;
    }
    for (uint32_t i = 0; i < subject->module->image_count; i++) {
        check_image(subject, i, kernel);
    }
}

static void check_reserved(const struct cbn_block *block, const struct listing_module *module,
                           struct problems *problems)
{
    for (uint32_t i = 0; i < block->gpus.count; i++) {
        if (cbn_get32(cbn_row(&block->gpus, i) + CBN_GPU_ZERO)) {
            problems_add(problems, "module '%s', GPU %u: a reserved member is set", module->name, i);
        }
    }
    for (uint32_t i = 0; i < block->tunings.count; i++) {
        uint32_t flags = cbn_get32(cbn_row(&block->tunings, i) + CBN_TUNING_FLAGS);
        if (flags & ~(uint32_t)CBN_TUNING_FLAGS_KNOWN) {
            problems_add(problems,
                         "module '%s', tuning %u: the index records flags 0x%x, of which 0x%x exist",
                         module->name, i, flags, (unsigned)CBN_TUNING_FLAGS_KNOWN);
        }
    }
}

static void check_records(struct subject *subject)
{
    for (uint32_t i = 0; i < subject->block->tunings.count; i++) {
        subject->tuning = (cubinet_tuning){.size = sizeof(subject->tuning)};
        if (cubinet_archive_get_tuning(subject->archive, subject->module->number, i, &subject->tuning)) {
            continue; /* it exists */
        }
        snprintf(subject->where, sizeof(subject->where), "module '%.48s', tuning %u of '%.64s'",
                 subject->module->name, i, subject->tuning.what);
        if (tuning_check(&subject->tuning)) {
            problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
        }
        check_images(subject);
    }
}

void check_tunings(const cubinet_archive *archive, const struct listing_module *module, uint64_t image_limit,
                   struct problems *problems)
{
    struct subject subject = {
        .archive = archive, .module = module, .image_limit = image_limit, .problems = problems};
    if (cbn_archive_block(archive, module->number, &subject.block)) {
        return; /* which was reported with the index */
    }
    subject.rows = calloc(subject.block->images.count, sizeof(*subject.rows));
    if (!subject.rows) {
        problems->lines.failed = true;
        return;
    }
    check_reserved(subject.block, module, problems);
    check_records(&subject);
    free(subject.rows);
}
