/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/property_list.h"

#include "base/array.h"
#include "base/name_check.h"
#include "loader/core/support/error.h"
#include "origin/spdx_license.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void property_free(struct property *property)
{
    free(property->key);
    free(property->value);
    free(property->origin);
}

/* The place where a key is, or belongs. */
static size_t find(const struct property_list *list, const char *key)
{
    size_t place = 0;
    while (place < list->count && strcmp(list->items[place].key, key) < 0) {
        place++;
    }
    return place;
}

static bool is_at(const struct property_list *list, size_t place, const char *key)
{
    return place < list->count && strcmp(list->items[place].key, key) == 0;
}

static cubinet_status insert(struct property_list *list, size_t place, struct property property)
{
    struct property *items = array_grow(list->items, list->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    list->items = items;
    memmove(items + place + 1, items + place, (list->count - place) * sizeof(*items));
    items[place] = property;
    list->count++;
    return CUBINET_OK;
}

/* origin: NULL if the user gave it */
static cubinet_status put(struct property_list *list, const char *key, const char *value, const char *origin)
{
    struct property property = {strdup(key), strdup(value), origin ? strdup(origin) : NULL};
    size_t place = find(list, key);
    if (!property.key || !property.value || (origin && !property.origin)) {
        property_free(&property);
        return cbn_error_memory();
    }
    if (is_at(list, place, key)) {
        property_free(&list->items[place]);
        list->items[place] = property;
        return CUBINET_OK;
    }
    cubinet_status status = insert(list, place, property);
    if (status) {
        property_free(&property);
    }
    return status;
}

static cubinet_status check(const char *key, const char *value)
{
    cubinet_status status = name_check("a property's key", key);
    if (!status && value[0] != '\0') {
        status = name_check("a property's value", value);
    }
    return !status && value[0] != '\0' && strcmp(key, PROPERTY_LICENSE) == 0 ? spdx_license_check(value)
                                                                             : status;
}

cubinet_status property_list_set(struct property_list *list, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not a property; write KEY=VALUE", text);
    }
    char *key = strndup(text, (size_t)(equals - text));
    if (!key) {
        return cbn_error_memory();
    }
    cubinet_status status = check(key, equals + 1);
    if (!status) {
        status = put(list, key, equals + 1, NULL);
    }
    free(key);
    return status;
}

cubinet_status property_list_set_license(struct property_list *list, const char *expression)
{
    cubinet_status status = spdx_license_check(expression);
    return status ? status : put(list, PROPERTY_LICENSE, expression, NULL);
}

cubinet_status property_list_add(struct property_list *list, const struct property_list *other)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < other->count; i++) {
        status = put(list, other->items[i].key, other->items[i].value, other->items[i].origin);
    }
    return status;
}

static cubinet_status keep_one(struct property_list *list, const char *key, const char *value,
                               const char *origin)
{
    size_t place = find(list, key);
    if (!is_at(list, place, key)) {
        return put(list, key, value, origin);
    }
    const struct property *there = &list->items[place];
    if (!there->origin || strcmp(there->value, value) == 0) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "the property '%s' is '%s' in '%s' and '%s' in '%s'; say which to write with --set "
                     "'%s=...'",
                     key, there->value, there->origin, value, origin, key);
}

cubinet_status property_list_keep(struct property_list *list, const cubinet_archive *archive,
                                  const char *origin)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    for (uint32_t i = 0; !status && i < info.property_count; i++) {
        const char *key;
        const char *value;
        status = cubinet_archive_get_property(archive, i, &key, &value);
        if (!status) {
            status = keep_one(list, key, value, origin);
        }
    }
    return status;
}

void property_list_free(struct property_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        property_free(&list->items[i]);
    }
    free(list->items);
    *list = (struct property_list){0};
}
