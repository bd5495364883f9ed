/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/names.h"

#include "loader/core/support/error.h"

#include <stdio.h>

cubinet_status names_set_sides(struct expression_values *values, const char *prefix, const uint64_t sides[3])
{
    cubinet_status status = CUBINET_OK;
    for (int i = 0; !status && i < 3; i++) {
        char name[EXPRESSION_NAME_SIZE];
        snprintf(name, sizeof(name), "%s.%c", prefix, 'x' + i);
        status = expression_set(values, name, (int64_t)sides[i]);
    }
    return status;
}

static cubinet_status add_instance(struct expression_values *values, const struct tune_instance *instance)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && instance && i < instance->values.count; i++) {
        status = expression_set(values, instance->values.items[i].name, instance->values.items[i].value);
    }
    return status;
}

cubinet_status names_add(struct expression_values *values, enum names_stage stage,
                         const struct tune_instance *instance)
{
    static const uint64_t one[3] = {1, 1, 1};
    cubinet_status status = names_set_sides(values, "extent", one);
    if (!status) {
        status = expression_set(values, "device.multiprocessors", 1);
    }
    if (!status && stage >= NAMES_INSTANCE) {
        status = add_instance(values, instance);
    }
    if (!status && stage >= NAMES_BLOCK) {
        status = names_set_sides(values, "block", one);
    }
    if (!status && stage >= NAMES_BLOCK) {
        status = expression_set(values, "threads", 1);
    }
    if (!status && stage >= NAMES_GRID) {
        status = names_set_sides(values, "elements", one);
    }
    if (!status && stage >= NAMES_GRID) {
        status = names_set_sides(values, "grid", one);
    }
    if (!status && stage >= NAMES_ALL) {
        status = expression_set(values, "shared", 1);
    }
    return !status && stage >= NAMES_ALL ? names_set_sides(values, "cluster", one) : status;
}

int64_t names_whole(double number)
{
    if (!(number > -0x1p63)) {
        return INT64_MIN;
    }
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

cubinet_status names_evaluate(const struct tune_value *value, const struct expression_values *values,
                              int64_t least, int64_t most, int64_t *out_number)
{
    int64_t number = names_whole(value->number);
    cubinet_status status = value->text ? expression_evaluate(value->text, values, &number) : CUBINET_OK;
    if (!status && (number < least || number > most)) {
        return cbn_error(CUBINET_ERROR_LIMIT, "%s%s%s is %lld, and %lld to %lld is allowed",
                         value->text ? "\"" : "", value->text ? value->text : "the number",
                         value->text ? "\"" : "", (long long)number, (long long)least, (long long)most);
    }
    if (!status) {
        *out_number = number;
    }
    return status;
}
