/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/read_values.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status take_expression(const struct place *place, const json_t *value,
                                      const struct expression_values *names, struct tune_value *out_value)
{
    const char *text = NULL;
    cubinet_status status = place_text(place, value, &text);
    if (!status) {
        status = place_context(place, expression_check(text, names));
    }
    if (!status) {
        out_value->text = strdup(text);
        status = out_value->text ? CUBINET_OK : cbn_error_memory();
    }
    return status;
}

cubinet_status read_value(const struct place *place, const json_t *value,
                          const struct expression_values *names, struct tune_value *out_value)
{
    if (json_is_string(value)) {
        return take_expression(place, value, names, out_value);
    }
    if (!json_is_integer(value)) {
        return place_fail(place, value, "a whole number or an expression");
    }
    out_value->number = (double)json_integer_value(value);
    return CUBINET_OK;
}

cubinet_status read_real(const struct place *place, const json_t *value,
                         const struct expression_values *names, struct tune_value *out_value)
{
    if (json_is_string(value)) {
        return take_expression(place, value, names, out_value);
    }
    if (!json_is_number(value)) {
        return place_fail(place, value, "a number or an expression");
    }
    out_value->number = json_number_value(value);
    return CUBINET_OK;
}

cubinet_status read_values(const struct place *place, const json_t *list,
                           const struct expression_values *names, struct tune_texts *out_values)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return place_fail(place, list, "an array of at least one number or expression");
    }
    json_array_foreach(list, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        struct tune_value value = {0};
        cubinet_status status = read_value(&at, item, names, &value);
        struct tune_value *items =
            status ? NULL : array_grow(out_values->items, out_values->count, sizeof(*items));
        if (!items) {
            free(value.text);
            return status ? status : cbn_error_memory();
        }
        out_values->items = items;
        items[out_values->count++] = value;
    }
    return CUBINET_OK;
}

static void shape_free(struct tune_shape *shape)
{
    for (int i = 0; i < 3; i++) {
        free(shape->sides[i].text);
    }
}

static cubinet_status read_shape(const struct place *place, const json_t *value,
                                 const struct expression_values *names, struct tune_shape *out_shape)
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    cubinet_status status = CUBINET_OK;
    if (count < 1 || count > 3) {
        return place_fail(place, value, "a number or an expression, or an array of one to three of them");
    }
    for (size_t i = 0; !status && i < 3; i++) {
        const struct place item = {.parent = place, .index = i};
        out_shape->sides[i].number = 1;
        if (i < count) {
            status = json_is_array(value)
                         ? read_value(&item, json_array_get(value, i), names, &out_shape->sides[i])
                         : read_value(place, value, names, &out_shape->sides[i]);
        }
    }
    return status;
}

static cubinet_status add_shape(const struct place *place, const json_t *value,
                                const struct expression_values *names, struct tune_shapes *shapes)
{
    struct tune_shape *items = array_grow(shapes->items, shapes->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    shapes->items = items;
    items[shapes->count] = (struct tune_shape){0};
    return read_shape(place, value, names, &items[shapes->count++]);
}

static cubinet_status read_shapes(const struct place *place, const json_t *value, bool is_list,
                                  const struct expression_values *names, struct tune_shapes *shapes)
{
    size_t i;
    json_t *item;
    if (!is_list) {
        return add_shape(place, value, names, shapes);
    }
    if (!json_is_array(value) || json_array_size(value) == 0) {
        return place_fail(place, value, "an array of at least one alternative");
    }
    json_array_foreach((json_t *)value, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        cubinet_status status = add_shape(&at, item, names, shapes);
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_shared(const struct place *place, const json_t *value, bool is_list,
                                  const struct expression_values *names, struct tune_texts *texts)
{
    if (is_list) {
        return read_values(place, value, names, texts);
    }
    struct tune_value *item = calloc(1, sizeof(*item));
    if (!item) {
        return cbn_error_memory();
    }
    texts->items = item;
    texts->count = 1;
    return read_value(place, value, names, item);
}

/* One member, with the names that there are when it is evaluated. */
static cubinet_status read_choice(const struct place *place, const char *key, const json_t *value,
                                  bool is_list, const struct tune_instance *instance,
                                  struct tune_choices *choices)
{
    struct expression_values names = {0};
    bool is_block = strcmp(key, "block") == 0;
    bool is_per_thread = strcmp(key, "elements_per_thread") == 0;
    bool is_shared = strcmp(key, "dynamic_shared_bytes") == 0;
    enum names_stage stage = is_block || is_per_thread ? NAMES_INSTANCE
                             : is_shared               ? NAMES_ELEMENTS
                                                       : NAMES_BLOCK;
    cubinet_status status = names_add(&names, stage, instance);
    if (status) {
        expression_values_free(&names);
        return status;
    }
    if (is_shared) {
        status = read_shared(place, value, is_list, &names, &choices->shared);
    } else {
        struct tune_shapes *shapes = is_block                                  ? &choices->block
                                     : is_per_thread                           ? &choices->per_thread
                                     : strcmp(key, "elements_per_block") == 0 ? &choices->per_block
                                                                               : &choices->cluster;
        status = read_shapes(place, value, is_list, &names, shapes);
    }
    expression_values_free(&names);
    return status;
}

cubinet_status read_choices(const struct place *place, const json_t *object, bool is_list,
                            const struct tune_instance *instance, struct tune_choices *out_choices)
{
    static const char *const keys[] = {"block", "elements_per_thread", "elements_per_block",
                                       "dynamic_shared_bytes", "cluster"};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct place member = {.parent = place, .key = keys[i]};
        const json_t *value = json_object_get(object, keys[i]);
        status = value ? read_choice(&member, keys[i], value, is_list, instance, out_choices) : CUBINET_OK;
    }
    if (!status && out_choices->block.count == 0) {
        const struct place member = {.parent = place, .key = "block"};
        status = place_fail(&member, NULL, is_list ? "an array of blocks" : "a block");
    }
    if (!status && out_choices->per_block.count && out_choices->per_thread.count) {
        status = place_fail(place, NULL, "one of \"elements_per_thread\" and \"elements_per_block\"");
    }
    return status;
}

static void shapes_free(struct tune_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        shape_free(&shapes->items[i]);
    }
    free(shapes->items);
}

void texts_free(struct tune_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->items[i].text);
    }
    free(texts->items);
}

void choices_free(struct tune_choices *choices)
{
    shapes_free(&choices->block);
    shapes_free(&choices->per_thread);
    shapes_free(&choices->per_block);
    shapes_free(&choices->cluster);
    texts_free(&choices->shared);
}
