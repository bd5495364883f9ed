/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_split.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "ptx/splitting/ptx_groups.h"
#include "ptx/splitting/ptx_references.h"
#include "ptx/splitting/ptx_renumber.h"
#include "ptx/splitting/ptx_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a part's text is put together from. */
struct writer {
    const struct ptx_units *units;
    size_t *mark;    /* for each unit the last group that needs it */
    size_t *reached; /* room for all units */
};

/* Appends what a part consists of, in the order of the text, each statement on a line of its own. Comments
 * between statements are left out but for those at the start: they may be about what is in another part. */
static void append_marked(const struct writer *writer, size_t group, struct buffer *out)
{
    for (size_t i = 0; i < writer->units->count; i++) {
        const struct ptx_unit *unit = &writer->units->items[i];
        if (unit->kind == PTX_UNIT_HEAD || writer->mark[i] == group) {
            buffer_append(out, unit->text.at, (size_t)(unit->text.end - unit->text.at));
            buffer_puts(out, "\n");
        }
    }
}

/* False if memory is out. */
static bool make_part(const struct writer *writer, const struct ptx_groups *groups, size_t number,
                      struct ptx_part *out_part)
{
    const struct ptx_group *group = &groups->items[number];
    struct buffer text = {0};
    struct buffer renumbered = {0};
    for (size_t i = 0; i < group->member_count; i++) {
        ptx_groups_mark(writer->units, group->members[i], number, writer->mark, writer->reached);
    }
    append_marked(writer, number, &text);
    if (!text.failed) {
        ptx_append_renumbered(text.data, text.size, &renumbered);
    }
    renumbered.failed |= text.failed;
    buffer_free(&text);
    out_part->size = renumbered.size;
    out_part->text = buffer_take(&renumbered);
    return out_part->text != NULL;
}

static bool make_parts(const struct ptx_units *units, const struct ptx_groups *groups,
                       struct ptx_parts *parts)
{
    size_t count = units->count + 1;
    struct writer writer = {units, calloc(count, sizeof(size_t)), calloc(count, sizeof(size_t))};
    parts->items = calloc(groups->count, sizeof(*parts->items));
    bool is_made = writer.mark && writer.reached && parts->items;
    for (size_t i = 0; is_made && i < count; i++) {
        writer.mark[i] = SIZE_MAX;
    }
    for (size_t i = 0; is_made && i < groups->count; i++) {
        is_made = make_part(&writer, groups, i, &parts->items[i]);
        parts->count += is_made;
    }
    free(writer.mark);
    free(writer.reached);
    return is_made;
}

static bool refuse(struct ptx_parts *parts, const char *reason, struct cbn_ptx_token name)
{
    const char *before = name.size ? ": " : "";
    return asprintf(&parts->reason, "%s%s%.*s", reason, before, (int)(name.size < 500 ? name.size : 500),
                    name.size ? name.text : "") >= 0;
}

static bool split_units(const struct ptx_units *units, struct ptx_parts *parts)
{
    if (units->reason) {
        return refuse(parts, units->reason, units->reason_name);
    }
    struct ptx_groups groups = ptx_groups_make(units);
    bool is_split = !groups.failed;
    if (is_split && groups.count < 2) {
        is_split = refuse(parts,
                          groups.joint.size ? "its kernels belong together, as with the variable"
                                            : "its kernels belong together",
                          groups.joint);
    } else if (is_split) {
        is_split = make_parts(units, &groups, parts);
    }
    ptx_groups_free(&groups);
    return is_split;
}

cubinet_status ptx_split(const char *text, size_t size, struct ptx_parts *out_parts)
{
    struct ptx_parts parts = {0};
    while (size > 0 && text[size - 1] == '\0') {
        size--;
    }
    struct ptx_units units = ptx_units_read((struct cbn_ptx_lexer){text, text + size});
    if (!units.failed && !units.reason) {
        ptx_references_find(&units);
    }
    bool is_split = !units.failed && split_units(&units, &parts);
    ptx_units_free(&units);
    if (!is_split) {
        ptx_parts_free(&parts);
        return cbn_error_memory();
    }
    *out_parts = parts;
    return CUBINET_OK;
}

void ptx_parts_free(struct ptx_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        free(parts->items[i].text);
    }
    free(parts->items);
    free(parts->reason);
    *parts = (struct ptx_parts){0};
}
