/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/read_values.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <cubinet/tuning.h>

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
    out_shape->count = count;
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

/* The members of a launch, and what is known when they are evaluated. */
static const struct choice_member {
    const char *key;
    enum names_stage stage;
    uint32_t grid_rule; /* that it is the value of; 0: none */
} members[] = {
    {"block", NAMES_INSTANCE, 0},
    {"elements_per_thread", NAMES_BLOCK, CUBINET_GRID_PER_THREAD},
    {"elements_per_block", NAMES_BLOCK, CUBINET_GRID_PER_BLOCK},
    {"tile", NAMES_BLOCK, CUBINET_GRID_FLAT},
    {"grid", NAMES_BLOCK, CUBINET_GRID_FIXED},
    {"grid_limit", NAMES_BLOCK, 0},
    {"cluster", NAMES_BLOCK, 0},
    {"dynamic_shared_bytes", NAMES_GRID, 0},
};

static struct tune_shapes *shapes_of(const struct choice_member *member, struct tune_choices *choices)
{
    return member->grid_rule                        ? &choices->grid_value
           : strcmp(member->key, "block") == 0      ? &choices->block
           : strcmp(member->key, "grid_limit") == 0 ? &choices->grid_limit
                                                    : &choices->cluster;
}

static cubinet_status read_choice(const struct place *place, const struct choice_member *member,
                                  const json_t *value, bool is_list, const struct tune_instance *instance,
                                  struct tune_choices *choices)
{
    struct expression_values names = {0};
    cubinet_status status = names_add(&names, member->stage, instance);
    if (!status && member->grid_rule && choices->grid_rule) {
        status = place_fail(place->parent, NULL,
                            "one of \"elements_per_thread\", \"elements_per_block\", \"tile\" and \"grid\"");
    }
    if (member->grid_rule) {
        choices->grid_rule = member->grid_rule;
    }
    if (!status && member->stage == NAMES_GRID) {
        status = read_shared(place, value, is_list, &names, &choices->shared);
    } else if (!status) {
        status = read_shapes(place, value, is_list, &names, shapes_of(member, choices));
    }
    expression_values_free(&names);
    return status;
}

cubinet_status read_choices(const struct place *place, const json_t *object, bool is_list,
                            const struct tune_instance *instance, struct tune_choices *out_choices)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < sizeof(members) / sizeof(members[0]); i++) {
        const struct place member = {.parent = place, .key = members[i].key};
        const json_t *value = json_object_get(object, members[i].key);
        if (value) {
            status = read_choice(&member, &members[i], value, is_list, instance, out_choices);
        }
    }
    if (!status && out_choices->block.count == 0) {
        const struct place member = {.parent = place, .key = "block"};
        status = place_fail(&member, NULL, is_list ? "an array of blocks" : "a block");
    }
    if (!out_choices->grid_rule) {
        out_choices->grid_rule = CUBINET_GRID_PER_THREAD;
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
    shapes_free(&choices->grid_value);
    shapes_free(&choices->grid_limit);
    shapes_free(&choices->cluster);
    texts_free(&choices->shared);
}
