/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/read_instances.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTANCES = 1024, MOST_VARIABLES = 8 };

/* A name of "for" and the value that it has at present. */
struct variable {
    const char *name;
    const json_t *list;
    size_t at;
};

struct variables {
    struct variable items[MOST_VARIABLES];
    size_t count;
};

/* A text as it is, a number in decimal digits. */
static const char *text_of(const json_t *value, char digits[32])
{
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    snprintf(digits, 32, "%lld", (long long)json_integer_value(value));
    return digits;
}

static const json_t *value_of(const struct variable *variable)
{
    return json_array_get(variable->list, variable->at);
}

/* Writes the pattern with its @NAME@s replaced. */
static cubinet_status expand(const struct place *place, const char *pattern,
                             const struct variables *variables, char **out_text)
{
    struct buffer text = {0};
    while (*pattern) {
        bool found = false;
        for (size_t i = 0; *pattern == '@' && !found && i < variables->count; i++) {
            size_t length = strlen(variables->items[i].name);
            char digits[32];
            found = strncmp(pattern + 1, variables->items[i].name, length) == 0 && pattern[length + 1] == '@';
            if (found) {
                buffer_puts(&text, text_of(value_of(&variables->items[i]), digits));
                pattern += length + 2;
            }
        }
        if (*pattern == '@' && !found) {
            buffer_free(&text);
            return place_context(place,
                                 cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                           "\"for\" has no name for what stands at \"%.24s\"", pattern));
        }
        if (!found) {
            buffer_append(&text, pattern++, 1);
        }
    }
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}

/* Numbers are known to expressions by their names. */
static cubinet_status add_numbers(const struct variables *variables, struct tune_instance *instance)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < variables->count; i++) {
        const json_t *value = value_of(&variables->items[i]);
        if (json_is_integer(value)) {
            status = expression_set(&instance->values, variables->items[i].name, json_integer_value(value));
        }
    }
    return status;
}

static cubinet_status add_instance(const struct place *place, const char *pattern,
                                   const struct variables *variables, struct tune_set *set)
{
    struct tune_instance *items = array_grow(set->instances, set->instance_count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    if (set->instance_count == MOST_INSTANCES) {
        return place_fail(place, NULL, "a set of at most 1024 instances");
    }
    set->instances = items;
    struct tune_instance *added = &items[set->instance_count++];
    *added = (struct tune_instance){0};
    cubinet_status status = expand(place, pattern, variables, &added->kernel);
    if (!status) {
        status = add_numbers(variables, added);
    }
    for (size_t i = 0; !status && i + 1 < set->instance_count; i++) {
        if (strcmp(items[i].kernel, added->kernel) == 0) {
            status = place_context(place, cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                                    "the instance '%s' is there twice", added->kernel));
        }
    }
    return status;
}

/* The next combination, the last name's values first; false after the last one. */
static bool advance(struct variables *variables)
{
    for (size_t i = variables->count; i-- > 0;) {
        struct variable *variable = &variables->items[i];
        if (++variable->at < json_array_size(variable->list)) {
            return true;
        }
        variable->at = 0;
    }
    return false;
}

static bool is_name(const char *text)
{
    bool is_good = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (; is_good && *text; text++) {
        is_good = isalnum((unsigned char)*text) || *text == '_';
    }
    return is_good;
}

static cubinet_status check_values(const struct place *place, const json_t *list)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return place_fail(place, list, "an array of texts or whole numbers");
    }
    json_array_foreach((json_t *)list, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        bool is_alike = json_is_integer(item) == json_is_integer(json_array_get(list, 0));
        if ((!json_is_integer(item) && !json_is_string(item)) || !is_alike) {
            return place_fail(&at, item, "a text or a whole number, as the others of the list");
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_variables(const struct place *place, const json_t *object,
                                     struct variables *variables)
{
    const char *key;
    json_t *list;
    if (!json_is_object(object) || json_object_size(object) > MOST_VARIABLES) {
        return place_fail(place, object, "an object of at most 8 names, each with an array of values");
    }
    json_object_foreach((json_t *)object, key, list)
    {
        const struct place at = {.parent = place, .key = key};
        cubinet_status status =
            is_name(key) ? check_values(&at, list) : place_fail(&at, NULL, "a name of letters, digits and _");
        if (status) {
            return status;
        }
        variables->items[variables->count++] = (struct variable){.name = key, .list = list};
    }
    return CUBINET_OK;
}

static cubinet_status read_patterns(const struct place *place, const json_t *list,
                                    struct variables *variables, struct tune_set *set)
{
    size_t i;
    json_t *item;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return place_fail(place, list, "an array of kernels' names or expressions");
    }
    json_array_foreach((json_t *)list, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        const char *pattern = NULL;
        cubinet_status status = place_text(&at, item, &pattern);
        do {
            status = status ? status : add_instance(&at, pattern, variables, set);
        } while (!status && advance(variables));
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

cubinet_status read_instances(const struct place *place, const json_t *object, struct tune_set *set)
{
    const json_t *kernel = json_object_get(object, "kernel");
    const json_t *list = json_object_get(object, "instances");
    const json_t *lists = json_object_get(object, "for");
    const struct place one = {.parent = place, .key = "kernel"};
    const struct place many = {.parent = place, .key = "instances"};
    const struct place names = {.parent = place, .key = "for"};
    struct variables variables = {0};
    const char *text = NULL;
    cubinet_status status = CUBINET_OK;
    if (!kernel == !list) {
        return place_fail(place, NULL, "one of \"kernel\" and \"instances\"");
    }
    if (lists) {
        status = read_variables(&names, lists, &variables);
    }
    if (!status && kernel) {
        status = place_text(&one, kernel, &text);
        status = status ? status : add_instance(&one, text, &variables, set);
    } else if (!status) {
        status = read_patterns(&many, list, &variables, set);
    }
    if (!status && !set->name && set->instance_count == 1) {
        set->name = strdup(set->instances[0].kernel);
        status = set->name ? CUBINET_OK : cbn_error_memory();
    }
    if (!status && !set->name) {
        const struct place name = {.parent = place, .key = "name"};
        status = place_fail(&name, NULL, "a name for the set of instances");
    }
    return status;
}
