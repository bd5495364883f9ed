/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_clean.h"

#include "loader/core/support/error.h"
#include "ptx/addresses/ptx_offsets.h"
#include "ptx/cleaning/ptx_debug.h"
#include "ptx/cleaning/ptx_names.h"
#include "ptx/cleaning/ptx_paths.h"
#include "ptx/cleaning/ptx_unused.h"

#include <stdlib.h>
#include <string.h>

/* Makes the buffer that a step filled the text of the next one. */
static void advance(struct buffer *text, struct buffer *next)
{
    next->failed |= text->failed;
    buffer_free(text);
    *text = *next;
    *next = (struct buffer){0};
}

static struct ptx_name_tail tail_of(const char *identity)
{
    return ptx_name_tail(identity ? identity : "");
}

cubinet_status ptx_clean(const char *text, size_t size, const struct ptx_clean_options *options,
                         char **out_text, size_t *out_size)
{
    while (size > 0 && text[size - 1] == '\0') {
        size--;
    }
    struct ptx_name_tail tail = tail_of(options->identity);
    struct buffer now = {0};
    struct buffer next = {0};
    if (options->drop_unreferenced) {
        ptx_drop_unused(text, size, options->keep, options->keep_count, &now);
    } else {
        buffer_append(&now, text, size);
    }
    if (!now.failed && options->tell_shared_offsets) {
        ptx_append_shared_offsets(now.data, now.size, &next);
        advance(&now, &next);
    }
    if (!now.failed && options->path_map_count > 0) {
        ptx_map_paths(now.data, now.size, options->path_maps, options->path_map_count, &next);
        advance(&now, &next);
    }
    if (!now.failed && memmem(now.data, now.size, ".section", 8)) {
        ptx_append_stable_debug(now.data, now.size, &tail, &next);
        advance(&now, &next);
    }
    if (!now.failed) {
        ptx_append_stable(now.data, now.size, &tail, &next);
        advance(&now, &next);
    }
    size = now.size;
    char *cleaned = buffer_take(&now);
    if (!cleaned) {
        return cbn_error_memory();
    }
    *out_text = cleaned;
    *out_size = size;
    return CUBINET_OK;
}

cubinet_status ptx_stable_name(const char *name, const char *identity, char **out_name)
{
    struct ptx_name_tail tail = tail_of(identity);
    struct buffer stable = {0};
    ptx_append_stable(name, strlen(name), &tail, &stable);
    char *result = buffer_take(&stable);
    if (!result) {
        return cbn_error_memory();
    }
    *out_name = result;
    return CUBINET_OK;
}
