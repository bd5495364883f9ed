/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/place.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"

#include <stdlib.h>
#include <string.h>

static void write_place(struct buffer *text, const struct place *place)
{
    if (!place) {
        buffer_puts(text, "$");
        return;
    }
    write_place(text, place->parent);
    if (place->key) {
        buffer_printf(text, ".%s", place->key);
    } else {
        buffer_printf(text, "[%zu]", place->index);
    }
}

/* A short form of a value: a long one is cut. */
static void write_found(struct buffer *text, const json_t *found)
{
    enum { MOST = 60 };
    char *dump = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!dump) {
        buffer_puts(text, "something else");
    } else if (strlen(dump) > MOST) {
        buffer_printf(text, "%.*s…", MOST, dump);
    } else {
        buffer_puts(text, dump);
    }
    free(dump);
}

cubinet_status place_fail(const struct place *place, const json_t *found, const char *needed)
{
    struct buffer text = {0};
    write_place(&text, place);
    buffer_puts(&text, ": ");
    if (found) {
        buffer_puts(&text, "found ");
        write_found(&text, found);
        buffer_puts(&text, "; ");
    }
    cubinet_status status =
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s%s is needed", text.data ? text.data : "", needed);
    buffer_free(&text);
    return status;
}

cubinet_status place_context(const struct place *place, cubinet_status status)
{
    struct buffer text = {0};
    if (status) {
        write_place(&text, place);
        status = cbn_error_context(status, "%s", text.data ? text.data : "");
    }
    buffer_free(&text);
    return status;
}

cubinet_status place_text(const struct place *place, const json_t *value, const char **out_text)
{
    const char *text = json_string_value(value);
    if (!text || !*text || strlen(text) != json_string_length(value)) {
        return place_fail(place, value, "a text that is not empty");
    }
    *out_text = text;
    return CUBINET_OK;
}

cubinet_status place_integer(const struct place *place, const json_t *value, int64_t least, int64_t most,
                             int64_t *out_number)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > most) {
        char needed[96];
        snprintf(needed, sizeof(needed), "a whole number from %lld to %lld", (long long)least,
                 (long long)most);
        return place_fail(place, value, needed);
    }
    *out_number = number;
    return CUBINET_OK;
}

cubinet_status place_real(const struct place *place, const json_t *value, double *out_number)
{
    if (!json_is_number(value)) {
        return place_fail(place, value, "a number");
    }
    *out_number = json_number_value(value);
    return CUBINET_OK;
}

cubinet_status place_flag(const struct place *place, const json_t *value, bool *out_flag)
{
    if (!json_is_boolean(value)) {
        return place_fail(place, value, "true or false");
    }
    *out_flag = json_is_true(value);
    return CUBINET_OK;
}

cubinet_status place_sides(const struct place *place, const json_t *value, uint64_t most, uint64_t sides[3])
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (count < 1 || count > 3) {
        return place_fail(place, value, "a whole number from 1 on, or an array of one to three of them");
    }
    for (size_t i = 0; i < 3; i++) {
        int64_t side = 1;
        const struct place item = {.parent = place, .index = i};
        cubinet_status status = CUBINET_OK;
        if (i < count) {
            status = json_is_array(value)
                         ? place_integer(&item, json_array_get(value, i), 1, (int64_t)most, &side)
                         : place_integer(place, value, 1, (int64_t)most, &side);
        }
        if (status) {
            return status;
        }
        sides[i] = (uint64_t)side;
    }
    return CUBINET_OK;
}

static bool is_among(const char *const *names, const char *key)
{
    for (; *names; names++) {
        if (strcmp(*names, key) == 0) {
            return true;
        }
    }
    return false;
}

cubinet_status place_members(const struct place *place, const json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object)) {
        return place_fail(place, object, "an object");
    }
    json_object_foreach((json_t *)object, key, value)
    {
        if (is_among(names, key)) {
            continue;
        }
        struct cbn_nearest nearest;
        cbn_nearest_start(&nearest, key, strlen(key));
        for (const char *const *name = names; *name; name++) {
            cbn_nearest_offer(&nearest, *name);
        }
        const char *found = cbn_nearest_found(&nearest);
        const struct place member = {.parent = place, .key = key};
        cubinet_status status =
            found
                ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an unknown member; the nearest is \"%s\"", found)
                : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an unknown member; \"%s\" is one", names[0]);
        return place_context(&member, status);
    }
    return CUBINET_OK;
}
