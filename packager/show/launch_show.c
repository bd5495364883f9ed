/* SPDX-License-Identifier: Apache-2.0 */
#include "show/launch_show.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "image/launch_record.h"

/* What separates a part from those before it. */
static const char *before_next(const struct buffer *text)
{
    return text->size ? ", " : "";
}

static void append_sides(struct buffer *text, const char *what, const uint32_t sides[3])
{
    if (sides[0] == 0) {
        return;
    }
    buffer_printf(text, "%s%s %u", before_next(text), what, sides[0]);
    if (sides[1] > 1 || sides[2] > 1) {
        buffer_printf(text, "x%u", sides[1]);
    }
    if (sides[2] > 1) {
        buffer_printf(text, "x%u", sides[2]);
    }
}

static void append_hidden(struct buffer *text, const cubinet_hidden_param *hidden)
{
    const char *kind = hidden_kind_name(hidden->kind);
    buffer_printf(text, "%shidden %u %s", before_next(text), hidden->param, kind ? kind : "of another kind");
    if (hidden->dimensions) {
        buffer_printf(text, " (%u-dimensional)", hidden->dimensions);
    }
    if (hidden->bytes_per_block) {
        buffer_printf(text, " (%llu bytes a block", (unsigned long long)hidden->bytes_per_block);
        if (hidden->alignment) {
            buffer_printf(text, ", aligned to %u", hidden->alignment);
        }
        buffer_puts(text, ")");
    }
}

static void append_names(struct buffer *text, const cubinet_launch_record *record)
{
    for (uint32_t i = 0; i < record->param_name_count; i++) {
        const cubinet_param_name *name = &record->param_names[i];
        const char *separator = i == 0 ? before_next(text) : "; ";
        buffer_printf(text, "%s%s%s%s%s", separator, i == 0 ? "(" : "", name->type[0] ? name->type : "?",
                      name->name[0] ? " " : "", name->name);
    }
    if (record->param_name_count) {
        buffer_puts(text, ")");
    }
}

void launch_append_text(const cubinet_launch_record *record, struct buffer *text)
{
    if (record->dynamic_shared_bytes != CUBINET_UNKNOWN) {
        buffer_printf(text, "%u bytes of dynamic shared memory", record->dynamic_shared_bytes);
    } else if (record->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED) {
        buffer_puts(text, "dynamic shared memory, bytes not recorded");
    }
    append_sides(text, "block of", record->block);
    append_sides(text, "grid times", record->grid_factor);
    append_sides(text, "cluster of", record->cluster);
    if (record->flags & CUBINET_RECORD_COOPERATIVE) {
        buffer_printf(text, "%scooperative", before_next(text));
    }
    if (record->flags & CUBINET_RECORD_WAITS) {
        buffer_printf(text, "%swaits for the kernel before", before_next(text));
    }
    if (record->flags & CUBINET_RECORD_TRIGGERS) {
        buffer_printf(text, "%slets the next kernel start", before_next(text));
    }
    for (uint32_t i = 0; i < record->hidden_count; i++) {
        append_hidden(text, &record->hidden[i]);
    }
    append_names(text, record);
}

static void set_sides(json_t *object, const char *key, const uint32_t sides[3])
{
    if (sides[0]) {
        json_object_set_new(
            object, key,
            json_pack("[I, I, I]", (json_int_t)sides[0], (json_int_t)sides[1], (json_int_t)sides[2]));
    }
}

static json_t *hidden_json(const cubinet_hidden_param *hidden)
{
    const char *kind = hidden_kind_name(hidden->kind);
    json_t *object = json_pack("{s:I, s:o}", "parameter", (json_int_t)hidden->param, "kind",
                               kind ? json_string(kind) : json_integer((json_int_t)hidden->kind));
    if (hidden->bytes_per_block) {
        json_object_set_new(object, "bytes_per_block", json_integer((json_int_t)hidden->bytes_per_block));
    }
    if (hidden->alignment) {
        json_object_set_new(object, "alignment", json_integer((json_int_t)hidden->alignment));
    }
    if (hidden->dimensions) {
        json_object_set_new(object, "dimensions", json_integer((json_int_t)hidden->dimensions));
    }
    return object;
}

static json_t *lists_json(json_t *object, const cubinet_launch_record *record)
{
    json_t *hidden = json_array();
    json_t *names = json_array();
    for (uint32_t i = 0; i < record->hidden_count; i++) {
        json_array_append_new(hidden, hidden_json(&record->hidden[i]));
    }
    for (uint32_t i = 0; i < record->param_name_count; i++) {
        json_array_append_new(names,
                              json_pack("{s:o, s:o}", "name", json_output_text(record->param_names[i].name),
                                        "type", json_output_text(record->param_names[i].type)));
    }
    if (record->hidden_count) {
        json_object_set(object, "hidden", hidden);
    }
    if (record->param_name_count) {
        json_object_set(object, "parameters", names);
    }
    json_decref(hidden);
    json_decref(names);
    return object;
}

json_t *launch_json(const cubinet_launch_record *record)
{
    json_t *object = json_object();
    if (record->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED) {
        json_object_set_new(object, "takes_dynamic_shared", json_true());
    }
    if (record->dynamic_shared_bytes != CUBINET_UNKNOWN) {
        json_object_set_new(object, "dynamic_shared_bytes",
                            json_integer((json_int_t)record->dynamic_shared_bytes));
    }
    set_sides(object, "block", record->block);
    set_sides(object, "grid_factor", record->grid_factor);
    set_sides(object, "cluster", record->cluster);
    if (record->flags & CUBINET_RECORD_COOPERATIVE) {
        json_object_set_new(object, "cooperative", json_true());
    }
    if (record->flags & CUBINET_RECORD_WAITS) {
        json_object_set_new(object, "waits", json_true());
    }
    if (record->flags & CUBINET_RECORD_TRIGGERS) {
        json_object_set_new(object, "triggers", json_true());
    }
    lists_json(object, record);
    if (json_object_size(object) == 0) {
        json_decref(object);
        return json_null();
    }
    return object;
}

static cubinet_status add_launch(struct text_table *table, const struct shown_archive *shown,
                                 const struct listing_module *module, uint32_t image, uint32_t kernel)
{
    struct buffer text = {0};
    bool held;
    cubinet_kernel_resources resources;
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_status status = listing_resources(shown->archive, module, image, kernel, &resources, &held);
    if (!status && held) {
        status = cubinet_archive_get_launch_record(shown->archive, module->number, image, kernel, &record);
        if (!status) {
            launch_append_text(&record, &text);
        }
    }
    if (text.size) {
        text_table_add(table, "%s", module->kernel_names[kernel]);
        text_table_add(table, "%s", text.data);
    }
    table->cells.failed = table->cells.failed || text.failed;
    buffer_free(&text);
    return status;
}

cubinet_status launch_print(const struct shown_archive *shown, const struct listing_module *module,
                            uint32_t image)
{
    struct text_table table = {.alignment = "ll"};
    cubinet_status status = CUBINET_OK;
    text_table_add(&table, "KERNEL");
    text_table_add(&table, "LAUNCH");
    size_t heading_count = table.cell_count;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status = add_launch(&table, shown, module, image, i);
    }
    if (status || (table.cell_count == heading_count && !table.cells.failed)) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 4, stdout);
}
