/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_parts.h"

#include "loader/core/support/error.h"
#include "ptx/reading/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char origin[] = "this link";

/* Bytes of LTO-IR from where on a link is worth making twice, to look at its PTX: its PTX has 4 to 30 times
 * as many. */
enum { LEAST_LTOIR = 1 << 18 };

/* What is against parts; NULL: nothing. Options of nvJitLink may name kernels, or files about them. */
static const char *find_reason(const struct link_request *request, const struct cbn_link_plan *plan,
                               bool calls_runtime)
{
    const cubinet_link_options *options = request->options;
    return !cbn_link_plan_is_ltoir(plan)           ? "a piece is not LTO-IR alone"
           : calls_runtime                         ? "the device runtime is linked to it"
           : (options->flags & CUBINET_LINK_DEBUG) ? "there is debug information"
           : options->raw_option_count > 0         ? "there are options of nvJitLink"
                                                   : NULL;
}

void link_parts_say(const struct link_request *request, cubinet_target target, size_t count,
                    const char *reason)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    if (!request->verbose) {
        return;
    }
    if (reason) {
        fprintf(stderr, "%s: in one part: %s\n", cubinet_target_name(target, name), reason);
    } else {
        fprintf(stderr, "%s: in %zu parts\n", cubinet_target_name(target, name), count);
    }
}

bool link_parts_are_wanted(const struct link_request *request, cubinet_target target,
                           const struct cbn_link_plan *plan, bool calls_runtime)
{
    if (request->parts == PARTS_NONE ||
        (request->parts == PARTS_AUTO && cbn_link_plan_bytes(plan) < LEAST_LTOIR)) {
        return false;
    }
    const char *reason = find_reason(request, plan, calls_runtime);
    if (reason) {
        link_parts_say(request, target, 1, reason);
    }
    return !reason;
}

static cubinet_status read_parts(struct link_parts *parts)
{
    parts->contents = calloc(parts->texts.count, sizeof(*parts->contents));
    cubinet_status status = parts->contents ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < parts->texts.count; i++) {
        status = ptx_read(parts->texts.items[i].text, parts->texts.items[i].size, &parts->contents[i]);
    }
    return status;
}

cubinet_status link_parts_split(const struct link_request *request, cubinet_target target, const char *text,
                                size_t size, struct link_parts *out_parts)
{
    const char *reason = NULL;
    struct link_parts parts = {0};
    if (!parts_are_wanted(request->parts, size)) {
        return CUBINET_OK;
    }
    cubinet_status status = ptx_split(text, size, &parts.texts);
    if (!status) {
        reason = parts.texts.reason ? parts.texts.reason
                                    : parts_find_reason(request->parts, size, parts.texts.count);
        if (reason) {
            link_parts_say(request, target, 1, reason);
        }
    }
    if (!status && reason) {
        ptx_parts_free(&parts.texts);
    } else if (!status) {
        status = read_parts(&parts);
    }
    if (status) {
        link_parts_free(&parts);
        return status;
    }
    *out_parts = parts;
    return CUBINET_OK;
}

void link_parts_free(struct link_parts *parts)
{
    for (size_t i = 0; parts->contents && i < parts->texts.count; i++) {
        contents_free(&parts->contents[i]);
    }
    free(parts->contents);
    ptx_parts_free(&parts->texts);
    *parts = (struct link_parts){0};
}

bool link_parts_have_kernel(const void *parts, const char *name)
{
    const struct link_parts *all = parts;
    for (size_t i = 0; i < all->texts.count; i++) {
        if (contents_has_kernel(&all->contents[i], name)) {
            return true;
        }
    }
    return false;
}

cubinet_status link_parts_file(struct draft_module *module, cubinet_target target, struct draft_part *items,
                               size_t count, int toolkit)
{
    struct draft_image *images = NULL;
    cubinet_status status = draft_add_parts(module, target, items, count, origin, &images);
    for (size_t i = 0; !status && i < count; i++) {
        images[i].toolkit = (uint32_t)toolkit;
    }
    return status;
}

void link_parts_take_texts(struct link_parts *parts, struct draft_part *items)
{
    for (size_t i = 0; i < parts->texts.count; i++) {
        struct ptx_part *text = &parts->texts.items[i];
        items[i] = (struct draft_part){(unsigned char *)text->text, text->size, &parts->contents[i]};
        text->text = NULL;
    }
}
