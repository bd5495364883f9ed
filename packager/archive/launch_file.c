/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/launch_file.h"

#include "base/json_input.h"
#include "base/name_check.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = 4096 };

/* An entry that has been read. */
struct entry {
    const char *kernel; /* a name, an expression, or a pattern of either */
    const char *module; /* a pattern; NULL: any */
    cubinet_target target;
    bool has_target;
    struct launch_record record;
};

static cubinet_status read_text(const char *key, const json_t *value, const char **out_text)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != json_string_length(value)) {
        return json_input_wrong(key, "a string");
    }
    cubinet_status status = text[0] ? name_check(key, text) : CUBINET_OK;
    if (!status) {
        *out_text = text;
    }
    return status;
}

/* One to three numbers from 1 on. */
static cubinet_status read_sides(const char *key, const json_t *value, uint32_t sides[3])
{
    static const char wanted[] = "an array of one to three numbers from 1 on";
    size_t count = json_array_size(value);
    if (count < 1 || count > 3) { /* as what is not an array has */
        return json_input_wrong(key, wanted);
    }
    for (size_t i = 0; i < 3; i++) {
        uint64_t side = 1;
        if (i < count &&
            (json_input_number(key, json_array_get(value, i), UINT32_MAX - 1, &side) || side == 0)) {
            return json_input_wrong(key, wanted);
        }
        sides[i] = (uint32_t)side;
    }
    return CUBINET_OK;
}

static cubinet_status read_flag(const char *key, const json_t *value, uint32_t flag, uint32_t *flags)
{
    if (!json_is_boolean(value)) {
        return json_input_wrong(key, "true or false");
    }
    *flags |= json_is_true(value) ? flag : 0;
    return CUBINET_OK;
}

static cubinet_status read_kind(const json_t *value, uint32_t *out_kind)
{
    const char *name = json_string_value(value);
    for (uint32_t kind = 1; name && hidden_kind_name(kind); kind++) {
        if (strcmp(hidden_kind_name(kind), name) == 0) {
            *out_kind = kind;
            return CUBINET_OK;
        }
    }
    return json_input_wrong("kind", "\"scratch\", \"profile\" or \"launch-bounds\"");
}

static cubinet_status read_hidden_member(const char *key, const json_t *value, cubinet_hidden_param *hidden)
{
    uint64_t number = 0;
    cubinet_status status = CUBINET_OK;
    if (strcmp(key, "kind") == 0) {
        return read_kind(value, &hidden->kind);
    }
    if (strcmp(key, "parameter") == 0) {
        status = json_input_number(key, value, MOST_PARAMS - 1, &number);
        hidden->param = (uint32_t)number;
    } else if (strcmp(key, "bytes_per_block") == 0) {
        status = json_input_number(key, value, INT64_MAX, &hidden->bytes_per_block);
    } else if (strcmp(key, "alignment") == 0) {
        status = json_input_number(key, value, 1 << 30, &number);
        hidden->alignment = (uint32_t)number;
    } else if (strcmp(key, "dimensions") == 0) {
        status = json_input_number(key, value, 4, &number);
        hidden->dimensions = (uint32_t)number;
    } else {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a hidden parameter has no \"%s\"", key);
    }
    return status;
}

static cubinet_status check_hidden(const cubinet_hidden_param *hidden, bool has_param)
{
    bool is_bounds = hidden->kind == CUBINET_HIDDEN_LAUNCH_BOUNDS;
    if (!has_param || !hidden->kind) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "a hidden parameter needs \"parameter\" and \"kind\"");
    }
    if (hidden->alignment & (hidden->alignment - 1)) {
        return json_input_wrong("alignment", "a power of two");
    }
    if (is_bounds ? hidden->dimensions == 0 || hidden->bytes_per_block || hidden->alignment
                  : hidden->dimensions != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "launch bounds, and they alone, have \"dimensions\"; they have no memory");
    }
    return CUBINET_OK;
}

static cubinet_status read_hidden(const json_t *list, struct launch_record *record)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list)) {
        return json_input_wrong("hidden", "an array");
    }
    json_array_foreach(list, i, item)
    {
        const char *key;
        json_t *value;
        cubinet_hidden_param hidden = {0};
        cubinet_status status =
            json_is_object(item) ? CUBINET_OK : json_input_wrong("hidden", "an array of objects");
        json_object_foreach((json_t *)item, key, value)
        {
            status = status ? status : read_hidden_member(key, value, &hidden);
        }
        if (!status) {
            status = check_hidden(&hidden, json_object_get(item, "parameter") != NULL);
        }
        if (!status) {
            status = launch_record_add_hidden(record, &hidden);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_names(const json_t *list, struct launch_record *record)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list) || json_array_size(list) > MOST_PARAMS) {
        return json_input_wrong("parameters", "an array of at most 4,096 objects");
    }
    json_array_foreach(list, i, item)
    {
        const char *key;
        json_t *value;
        const char *name = "";
        const char *type = "";
        cubinet_status status =
            json_is_object(item) ? CUBINET_OK : json_input_wrong("parameters", "an array of objects");
        json_object_foreach((json_t *)item, key, value)
        {
            bool is_name = strcmp(key, "name") == 0;
            if (!status && !is_name && strcmp(key, "type") != 0) {
                status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a parameter has no \"%s\"", key);
            }
            status = status ? status : read_text(key, value, is_name ? &name : &type);
        }
        if (!status) {
            status = launch_record_add_name(record, name, type);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_target(const json_t *value, struct entry *entry)
{
    const char *name = json_string_value(value);
    if (!name || cubinet_target_parse(name, &entry->target)) {
        return json_input_wrong("target", "one such as \"sm_90\" or \"compute_80\"");
    }
    entry->has_target = true;
    return CUBINET_OK;
}

/* What the record has of numbers and flags. */
static cubinet_status read_known(const char *key, const json_t *value, cubinet_launch_record *known)
{
    uint64_t bytes = 0;
    if (strcmp(key, "dynamic_shared_bytes") == 0) {
        cubinet_status status = json_input_number(key, value, UINT32_MAX - 1, &bytes);
        known->dynamic_shared_bytes = (uint32_t)bytes;
        return status;
    }
    if (strcmp(key, "takes_dynamic_shared") == 0) {
        return read_flag(key, value, CUBINET_RECORD_TAKES_DYNAMIC_SHARED, &known->flags);
    }
    if (strcmp(key, "cooperative") == 0) {
        return read_flag(key, value, CUBINET_RECORD_COOPERATIVE, &known->flags);
    }
    if (strcmp(key, "waits") == 0 ||
        strcmp(key, "triggers") == 0) { /* which `inspect` shows, and code says */
        uint32_t ignored = 0;
        return read_flag(key, value, 1, &ignored);
    }
    uint32_t *sides = strcmp(key, "block") == 0         ? known->block
                      : strcmp(key, "grid_factor") == 0 ? known->grid_factor
                      : strcmp(key, "cluster") == 0     ? known->cluster
                                                        : NULL;
    return sides ? read_sides(key, value, sides)
                 : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a launch has no \"%s\"", key);
}

static cubinet_status read_member(const char *key, const json_t *value, struct entry *entry)
{
    if (strcmp(key, "kernel") == 0) {
        return read_text(key, value, &entry->kernel);
    }
    if (strcmp(key, "module") == 0) {
        return read_text(key, value, &entry->module);
    }
    if (strcmp(key, "target") == 0) {
        return read_target(value, entry);
    }
    if (strcmp(key, "hidden") == 0) {
        return read_hidden(value, &entry->record);
    }
    return strcmp(key, "parameters") == 0 ? read_names(value, &entry->record)
                                          : read_known(key, value, &entry->record.known);
}

static bool names_kernel(const struct entry *entry, const struct draft_kernel *kernel)
{
    const char *expression = kernel->expression ? kernel->expression : kernel->name;
    return strcmp(entry->kernel, kernel->name) == 0 || cbn_expression_equal(entry->kernel, expression) ||
           fnmatch(entry->kernel, kernel->name, 0) == 0 || fnmatch(entry->kernel, expression, 0) == 0;
}

static cubinet_status apply_to_module(const struct entry *entry, const struct draft_module *module,
                                      size_t *io_matches)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < module->kernel_count; i++) {
        const struct draft_kernel *kernel = &module->kernels[i];
        for (size_t j = 0; !status && names_kernel(entry, kernel) && j < module->image_count; j++) {
            struct draft_image *image = &module->images[j];
            bool is_wanted = !entry->has_target || cubinet_target_compare(entry->target, image->target) == 0;
            if (is_wanted && draft_image_has(image, kernel->name)) {
                status = draft_add_launch(module, image, kernel->name, &entry->record);
                ++*io_matches;
            }
        }
    }
    return status;
}

static cubinet_status apply(const struct entry *entry, const struct draft *draft, bool is_part)
{
    size_t matches = 0;
    cubinet_status status = CUBINET_OK;
    if (!entry->kernel) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it has no \"kernel\"");
    }
    for (size_t i = 0; !status && i < draft->module_count; i++) {
        const struct draft_module *module = &draft->modules[i];
        if (!entry->module || fnmatch(entry->module, module->name, 0) == 0) {
            status = apply_to_module(entry, module, &matches);
        }
    }
    if (!status && matches == 0 && !is_part) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                      "no kernel of the inputs is called '%s' in such a module and image", entry->kernel);
    }
    return status;
}

static cubinet_status add_entry(json_t *item, const struct draft *draft, bool is_part)
{
    const char *key;
    json_t *value;
    struct entry entry = {.record = LAUNCH_RECORD_EMPTY};
    cubinet_status status =
        json_is_object(item) ? CUBINET_OK : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it is not an object");
    json_object_foreach(item, key, value)
    {
        status = status ? status : read_member(key, value, &entry);
    }
    if (!status) {
        status = apply(&entry, draft, is_part);
    }
    launch_record_free(&entry.record);
    return status;
}

static cubinet_status add_all(json_t *document, const struct draft *draft, bool is_part)
{
    size_t i;
    json_t *item;
    json_t *list = json_object_get(document, "launches");
    if (!json_is_array(list) || json_object_size(document) != 1) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is not an object with an array \"launches\" and nothing else");
    }
    json_array_foreach(list, i, item)
    {
        cubinet_status status = add_entry(item, draft, is_part);
        if (status) {
            return cbn_error_context(status, "launch %zu", i + 1);
        }
    }
    return CUBINET_OK;
}

static cubinet_status add_file(const char *path, const struct draft *draft, bool is_part)
{
    json_t *document = NULL;
    cubinet_status status = json_input_read(path, &document);
    if (!status) {
        status = add_all(document, draft, is_part);
        status = status ? cbn_error_context(status, "'%s'", path) : CUBINET_OK;
    }
    json_decref(document);
    return status;
}

cubinet_status launch_file_add(const char *path, struct draft *draft)
{
    return add_file(path, draft, false);
}

cubinet_status launch_file_add_known(const char *path, struct draft *draft)
{
    return add_file(path, draft, true);
}
