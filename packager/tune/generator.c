/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/generator.h"

#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/support/error.h"
#include "tune/names.h"
#include "tune/numbers.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of one argument. */
#define MOST_BYTES ((int64_t)1 << 38)

/* SplitMix64 of a place in a sequence. */
static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t bits = seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

/* A number of an argument: whole, or with a fraction where no expression says it. */
struct amount {
    int64_t whole;
    double real;
};

static cubinet_status amount_of(const struct tune_value *value, const struct expression_values *names,
                                struct amount *out_amount)
{
    out_amount->real = value->number;
    out_amount->whole = names_whole(value->number);
    cubinet_status status =
        value->text ? expression_evaluate(value->text, names, &out_amount->whole) : CUBINET_OK;
    if (value->text) {
        out_amount->real = (double)out_amount->whole;
    }
    return status;
}

static void fill_random(const struct tune_argument *argument, const struct amount *low,
                        const struct amount *high, struct generated *out)
{
    size_t size = tune_type_size(argument->type);
    uint64_t span = (uint64_t)high->whole - (uint64_t)low->whole + 1;
    for (size_t i = 0; i < out->count; i++) {
        uint64_t bits = random_bits(argument->seed, i);
        char *place = (char *)out->data + i * size;
        if (tune_type_is_real(argument->type)) {
            double share = (double)(bits >> 11) * 0x1p-53;
            number_store_real(argument->type, low->real + (high->real - low->real) * share, place);
        } else {
            uint64_t chosen = span ? bits % span : bits;
            number_store_whole(argument->type, (int64_t)((uint64_t)low->whole + chosen), place);
        }
    }
}

static void fill_ramp(const struct tune_argument *argument, const struct amount *start,
                      const struct amount *step, struct generated *out)
{
    size_t size = tune_type_size(argument->type);
    for (size_t i = 0; i < out->count; i++) {
        char *place = (char *)out->data + i * size;
        if (tune_type_is_real(argument->type)) {
            number_store_real(argument->type, start->real + step->real * (double)i, place);
        } else {
            number_store_whole(argument->type, (int64_t)((uint64_t)start->whole + (uint64_t)step->whole * i),
                               place);
        }
    }
}

cubinet_status generate_from_file(const struct tune_argument *argument, const char *folder, const char *path,
                                  size_t count, void **out_data)
{
    struct buffer full = {0};
    char *data = NULL;
    size_t size = 0;
    size_t needed = count * tune_type_size(argument->type);
    buffer_printf(&full, "%s%s", path[0] == '/' ? "" : folder, path);
    cubinet_status status = full.failed ? cbn_error_memory() : file_read(full.data, &data, &size);
    if (!status && size < needed) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "'%s' has %zu bytes; %zu are needed, for %zu values of type %s", full.data, size,
                           needed, count, tune_type_name(argument->type));
        free(data);
    }
    buffer_free(&full);
    if (!status) {
        *out_data = data;
    }
    return status;
}

static cubinet_status fill(const struct tune_argument *argument, const struct expression_values *names,
                           const char *folder, struct generated *out)
{
    struct amount first;
    struct amount second;
    if (argument->fill == TUNE_FILE) {
        return generate_from_file(argument, folder, argument->file, out->count, &out->data);
    }
    cubinet_status status = amount_of(&argument->first, names, &first);
    if (!status) {
        status = amount_of(&argument->second, names, &second);
    }
    if (!status && argument->fill == TUNE_RANDOM &&
        (tune_type_is_real(argument->type) ? second.real < first.real : second.whole < first.whole)) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "\"high\" is less than \"low\"");
    }
    if (status) {
        return status;
    }
    out->data = calloc(out->count, tune_type_size(argument->type));
    if (!out->data) {
        return cbn_error_memory();
    }
    if (argument->fill == TUNE_RANDOM) {
        fill_random(argument, &first, &second, out);
    } else if (argument->fill == TUNE_RAMP) {
        fill_ramp(argument, &first, &second, out);
    }
    return CUBINET_OK;
}

cubinet_status generate(const struct tune_argument *argument, const struct expression_values *names,
                        const char *folder, struct generated *out_generated)
{
    struct generated made = {0};
    size_t size = tune_type_size(argument->type);
    cubinet_status status;
    if (argument->fill == TUNE_SCALAR) {
        struct amount amount;
        status = amount_of(&argument->first, names, &amount);
        if (!status && tune_type_is_real(argument->type)) {
            number_store_real(argument->type, amount.real, made.scalar);
        } else if (!status) {
            number_store_whole(argument->type, amount.whole, made.scalar);
        }
        made.bytes = size;
    } else {
        int64_t count = 0;
        status = names_evaluate(&argument->elements, names, 1, MOST_BYTES / (int64_t)size, &count);
        made.count = (size_t)count;
        made.bytes = made.count * size;
        status = status ? status : fill(argument, names, folder, &made);
    }
    if (status) {
        return argument->name[0] ? cbn_error_context(status, "argument '%s'", argument->name) : status;
    }
    *out_generated = made;
    return CUBINET_OK;
}
