/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tuning_record_json.h"

#include "archive/draft_tuning.h"
#include "base/json_input.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static cubinet_status read_text(const char *key, const json_t *value, const char **out_text)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != json_string_length(value)) {
        return json_input_wrong(key, "a string");
    }
    *out_text = text;
    return CUBINET_OK;
}

static cubinet_status read_three(const char *key, const json_t *value, uint64_t most, uint64_t out[3])
{
    if (json_array_size(value) != 3) { /* 0: not an array */
        return json_input_wrong(key, "an array of three numbers");
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < 3; i++) {
        status = json_input_number(key, json_array_get(value, i), most, &out[i]);
    }
    return status;
}

static cubinet_status read_sides(const char *key, const json_t *value, uint32_t sides[3])
{
    uint64_t numbers[3];
    cubinet_status status = read_three(key, value, UINT32_MAX, numbers);
    for (size_t i = 0; !status && i < 3; i++) {
        sides[i] = (uint32_t)numbers[i];
    }
    return status;
}

/* "9.0": a compute capability as 10 × major + minor, a release as 1000 × major + 10 × minor. */
static cubinet_status read_version(const char *key, const json_t *value, uint32_t major, uint32_t minor,
                                   uint32_t *out_number)
{
    const char *text = json_string_value(value);
    unsigned parts[2];
    char rest;
    if (!text || sscanf(text, "%3u.%2u%c", &parts[0], &parts[1], &rest) != 2) {
        return json_input_wrong(key, "a version, such as \"9.0\"");
    }
    *out_number = parts[0] * major + parts[1] * minor;
    return CUBINET_OK;
}

static int hex_digit(char digit)
{
    const char *digits = "0123456789abcdef";
    const char *found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

static cubinet_status read_digest(const char *key, const json_t *value, uint8_t digest[16])
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 32) {
        return json_input_wrong(key, "a digest of 32 hexadecimal digits");
    }
    for (size_t i = 0; i < 16; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return json_input_wrong(key, "a digest of 32 hexadecimal digits");
        }
        digest[i] = (uint8_t)(high << 4 | low);
    }
    return CUBINET_OK;
}

static cubinet_status read_target(const char *key, const json_t *value, cubinet_target *out_target)
{
    const char *name = json_string_value(value);
    return name && !cubinet_target_parse(name, out_target)
               ? CUBINET_OK
               : json_input_wrong(key, "a target, such as \"sm_90\" or \"compute_80\"");
}

static cubinet_status read_rule(const char *key, const json_t *value, uint32_t *out_rule)
{
    const char *name = json_string_value(value);
    for (uint32_t rule = 1; name && grid_rule_name(rule); rule++) {
        if (strcmp(grid_rule_name(rule), name) == 0) {
            *out_rule = rule;
            return CUBINET_OK;
        }
    }
    return json_input_wrong(key, "\"fixed\", \"per-block\", \"per-thread\" or \"flat\"");
}

/* How a member is read, and where to. */
struct member {
    const char *key;
    enum { TEXT, NUMBER_32, NUMBER_64, SIDES, EXTENT, COMPUTE, RELEASE, DIGEST, TARGET, RULE, FLAG } form;
    size_t offset; /* in the record */
    uint32_t flag;
    bool is_optional;
};

#define AT(member) offsetof(cubinet_tuning, member)

static const struct member members[] = {
    {"kernel", TEXT, AT(kernel), 0, false},
    {"gpu", TEXT, AT(gpu), 0, false},
    {"compute", COMPUTE, AT(compute), 0, false},
    {"multiprocessors", NUMBER_32, AT(multiprocessor_count), 0, false},
    {"extent", EXTENT, AT(extent), 0, false},
    {"target", TARGET, AT(target), 0, false},
    {"digest", DIGEST, AT(digest), 0, false},
    {"block", SIDES, AT(block), 0, false},
    {"cluster", SIDES, AT(cluster), 0, true},
    {"grid_rule", RULE, AT(grid_rule), 0, false},
    {"grid_value", SIDES, AT(grid_value), 0, false},
    {"grid_limit", SIDES, AT(grid_limit), 0, true},
    {"dynamic_shared_bytes", NUMBER_32, AT(dynamic_shared_bytes), 0, true},
    {"default_stays", FLAG, AT(flags), CUBINET_TUNING_DEFAULT, true},
    {"cold", FLAG, AT(flags), CUBINET_TUNING_COLD, true},
    {"checked", FLAG, AT(flags), CUBINET_TUNING_CHECKED, true},
    {"cooperative", FLAG, AT(flags), CUBINET_TUNING_COOPERATIVE, true},
    {"time_ns", NUMBER_64, AT(time_ns), 0, false},
    {"noise_ns", NUMBER_64, AT(noise_ns), 0, false},
    {"untuned_time_ns", NUMBER_64, AT(untuned_time_ns), 0, true},
    {"untuned_noise_ns", NUMBER_64, AT(untuned_noise_ns), 0, true},
    {"candidates", NUMBER_32, AT(candidate_count), 0, false},
    {"measurements", NUMBER_32, AT(measurement_count), 0, true},
    {"date", NUMBER_64, AT(date), 0, false},
    {"driver", RELEASE, AT(driver_version), 0, false},
    {"toolkit", RELEASE, AT(toolkit), 0, true},
    {"sm_clock_mhz", NUMBER_32, AT(sm_clock_mhz), 0, true},
    {"memory_clock_mhz", NUMBER_32, AT(memory_clock_mhz), 0, true},
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static cubinet_status read_flag(const struct member *member, const json_t *value, uint32_t *flags)
{
    if (!json_is_boolean(value)) {
        return json_input_wrong(member->key, "true or false");
    }
    *flags |= json_is_true(value) ? member->flag : 0;
    return CUBINET_OK;
}

static cubinet_status read_number_32(const char *key, const json_t *value, uint32_t *out_number)
{
    uint64_t number = 0;
    cubinet_status status = json_input_number(key, value, UINT32_MAX, &number);
    *out_number = (uint32_t)number;
    return status;
}

static cubinet_status read_member(const struct member *member, const json_t *value, cubinet_tuning *tuning)
{
    const char *key = member->key;
    void *out = (char *)tuning + member->offset;
    switch (member->form) {
    case TEXT:
        return read_text(key, value, out);
    case NUMBER_32:
        return read_number_32(key, value, out);
    case NUMBER_64:
        return json_input_number(key, value, INT64_MAX, out);
    case SIDES:
        return read_sides(key, value, out);
    case EXTENT:
        return read_three(key, value, INT64_MAX, out);
    case COMPUTE:
        return read_version(key, value, 10, 1, out);
    case RELEASE:
        return read_version(key, value, 1000, 10, out);
    case DIGEST:
        return read_digest(key, value, out);
    case TARGET:
        return read_target(key, value, out);
    case RULE:
        return read_rule(key, value, out);
    case FLAG:
        return read_flag(member, value, out);
    }
    return CUBINET_OK;
}

/* What `inspect` adds for those who read it. */
static bool is_told(const char *key)
{
    return strcmp(key, "void") == 0;
}

static bool is_member(const char *key)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(members[i].key, key) == 0) {
            return true;
        }
    }
    return is_told(key);
}

cubinet_status tuning_record_read(const json_t *object, cubinet_tuning *tuning)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it is not an object");
    }
    json_object_foreach((json_t *)object, key, value)
    {
        if (!is_member(key)) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a tuning record has no \"%s\"", key);
        }
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < MEMBERS; i++) {
        value = json_object_get(object, members[i].key);
        bool is_there = value && !json_is_null(value);
        if (is_there) {
            status = read_member(&members[i], value, tuning);
        } else if (!members[i].is_optional) {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it has no \"%s\"", members[i].key);
        }
    }
    return status;
}
