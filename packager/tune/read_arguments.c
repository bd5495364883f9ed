/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/read_arguments.h"

#include "loader/core/support/error.h"
#include "tune/read_values.h"

#include <stdlib.h>
#include <string.h>

static const struct type_facts {
    const char *name;
    size_t size;
    bool is_real;
} types[TUNE_TYPE_COUNT] = {
    [TUNE_I8] = {"i8", 1, false},    [TUNE_U8] = {"u8", 1, false},   [TUNE_I16] = {"i16", 2, false},
    [TUNE_U16] = {"u16", 2, false},  [TUNE_I32] = {"i32", 4, false}, [TUNE_U32] = {"u32", 4, false},
    [TUNE_I64] = {"i64", 8, false},  [TUNE_U64] = {"u64", 8, false}, [TUNE_F16] = {"f16", 2, true},
    [TUNE_BF16] = {"bf16", 2, true}, [TUNE_F32] = {"f32", 4, true},  [TUNE_F64] = {"f64", 8, true},
};

size_t tune_type_size(enum tune_type type)
{
    return types[type].size;
}

const char *tune_type_name(enum tune_type type)
{
    return types[type].name;
}

bool tune_type_is_real(enum tune_type type)
{
    return types[type].is_real;
}

static cubinet_status read_type(const struct place *place, const json_t *value, enum tune_type *out_type)
{
    const char *name = json_string_value(value);
    for (int i = 0; name && i < TUNE_TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out_type = (enum tune_type)i;
            return CUBINET_OK;
        }
    }
    return place_fail(place, value,
                      "one of \"i8\", \"u8\", \"i16\", \"u16\", \"i32\", \"u32\", \"i64\", \"u64\", "
                      "\"f16\", \"bf16\", \"f32\" and \"f64\"");
}

static cubinet_status read_fill(const struct place *place, const json_t *value, enum tune_fill *out_fill)
{
    static const char *const names[] = {"zero", "random", "ramp", "file"};
    static const enum tune_fill fills[] = {TUNE_ZERO, TUNE_RANDOM, TUNE_RAMP, TUNE_FILE};
    const char *name = json_string_value(value);
    for (size_t i = 0; name && i < sizeof(fills) / sizeof(fills[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            *out_fill = fills[i];
            return CUBINET_OK;
        }
    }
    return place_fail(place, value, "one of \"zero\", \"random\", \"ramp\" and \"file\"");
}

static cubinet_status copy(const struct place *place, const json_t *value, char **out_text)
{
    const char *text = NULL;
    cubinet_status status = place_text(place, value, &text);
    if (!status) {
        *out_text = strdup(text);
        status = *out_text ? CUBINET_OK : cbn_error_memory();
    }
    return status;
}

static cubinet_status read_number(const struct place *place, const json_t *value,
                                  const struct expression_values *names, struct tune_argument *argument,
                                  struct tune_value *out_value)
{
    return tune_type_is_real(argument->type) ? read_real(place, value, names, out_value)
                                             : read_value(place, value, names, out_value);
}

/* A member that is there. */
static cubinet_status read_member(const struct place *place, const char *key, const json_t *value,
                                  const struct expression_values *names, struct tune_argument *argument)
{
    int64_t seed = 0;
    if (strcmp(key, "value") == 0 || strcmp(key, "low") == 0 || strcmp(key, "start") == 0) {
        free(argument->first.text);
        argument->first = (struct tune_value){0};
        return read_number(place, value, names, argument, &argument->first);
    }
    if (strcmp(key, "high") == 0 || strcmp(key, "step") == 0) {
        argument->second = (struct tune_value){0};
        return read_number(place, value, names, argument, &argument->second);
    }
    if (strcmp(key, "elements") == 0) {
        return read_value(place, value, names, &argument->elements);
    }
    if (strcmp(key, "seed") == 0) {
        cubinet_status status = place_integer(place, value, 0, INT64_MAX, &seed);
        argument->seed = (uint64_t)seed;
        return status;
    }
    if (strcmp(key, "output") == 0) {
        return place_flag(place, value, &argument->is_output);
    }
    if (strcmp(key, "file") == 0) {
        return copy(place, value, &argument->file);
    }
    if (strcmp(key, "expected") == 0) {
        return copy(place, value, &argument->expected);
    }
    return CUBINET_OK; /* "name", "type" and "fill", which were read before */
}

/* The members that an argument of its kind has, and needs. */
static const char *const scalar_members[] = {"value", "type", "name", NULL};
static const char *const zero_members[] = {"elements", "type", "name", "fill", "output", "expected", NULL};
static const char *const random_members[] = {"elements", "type", "name", "fill",     "output",
                                             "seed",     "low",  "high", "expected", NULL};
static const char *const ramp_members[] = {"elements", "type", "name",     "fill", "output",
                                           "start",    "step", "expected", NULL};
static const char *const file_members[] = {"file", "elements", "type",     "name",
                                           "fill", "output",   "expected", NULL};

static const char *const *members_of(enum tune_fill fill)
{
    static const char *const *const members[] = {[TUNE_SCALAR] = scalar_members,
                                                 [TUNE_ZERO] = zero_members,
                                                 [TUNE_RANDOM] = random_members,
                                                 [TUNE_RAMP] = ramp_members,
                                                 [TUNE_FILE] = file_members};
    return members[fill];
}

/* Name, type and fill, by which the others are understood. */
static cubinet_status read_kind(const struct place *place, const json_t *object,
                                struct tune_argument *argument)
{
    const struct place type = {.parent = place, .key = "type"};
    const struct place fill = {.parent = place, .key = "fill"};
    const struct place name = {.parent = place, .key = "name"};
    const json_t *called = json_object_get(object, "name");
    if (!json_is_object(object)) {
        return place_fail(place, object, "an object");
    }
    cubinet_status status = read_type(&type, json_object_get(object, "type"), &argument->type);
    argument->fill = TUNE_SCALAR;
    if (!status && !json_object_get(object, "value")) {
        status = read_fill(&fill, json_object_get(object, "fill"), &argument->fill);
    }
    if (!status && called) {
        status = copy(&name, called, &argument->name);
    } else if (!status) {
        argument->name = strdup("");
        status = argument->name ? CUBINET_OK : cbn_error_memory();
    }
    /* random: 0 to 1, or 0 to 99; ramp: 0, 1, 2, … */
    argument->second.number = argument->fill == TUNE_RANDOM && !tune_type_is_real(argument->type) ? 99 : 1;
    return status;
}

static cubinet_status check(const struct place *place, const json_t *object,
                            const struct tune_argument *argument)
{
    const char *needed = argument->fill == TUNE_SCALAR ? "value" : "elements";
    const struct place member = {.parent = place, .key = needed};
    const struct place file = {.parent = place, .key = "file"};
    const struct place expected = {.parent = place, .key = "expected"};
    if (!json_object_get(object, needed)) {
        return place_fail(&member, NULL, "a whole number or an expression");
    }
    if (argument->fill == TUNE_FILE && !argument->file) {
        return place_fail(&file, NULL, "the path of a file");
    }
    if (argument->expected && !argument->is_output) {
        return place_fail(&expected, NULL, "\"output\": true beside it");
    }
    return CUBINET_OK;
}

static cubinet_status read_argument(const struct place *place, const json_t *object,
                                    const struct expression_values *names, struct tune_argument *argument)
{
    const char *key;
    json_t *value;
    cubinet_status status = read_kind(place, object, argument);
    if (!status) {
        status = place_members(place, object, members_of(argument->fill));
    }
    if (status) {
        return status;
    }
    json_object_foreach((json_t *)object, key, value)
    {
        const struct place member = {.parent = place, .key = key};
        status = status ? status : read_member(&member, key, value, names, argument);
    }
    return status ? status : check(place, object, argument);
}

cubinet_status read_arguments(const struct place *place, const json_t *list, struct tune_set *set)
{
    size_t i;
    json_t *item;
    struct expression_values names = {0};
    if (!json_is_array(list)) {
        return place_fail(place, list, "an array of arguments");
    }
    set->arguments = calloc(json_array_size(list) + 1, sizeof(*set->arguments));
    cubinet_status status = set->arguments ? names_add(&names, NAMES_EXTENT, NULL) : cbn_error_memory();
    json_array_foreach(list, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        if (!status) {
            status = read_argument(&at, item, &names, &set->arguments[set->argument_count++]);
        }
    }
    expression_values_free(&names);
    return status;
}

void argument_free(struct tune_argument *argument)
{
    free(argument->name);
    free(argument->elements.text);
    free(argument->first.text);
    free(argument->second.text);
    free(argument->file);
    free(argument->expected);
}
