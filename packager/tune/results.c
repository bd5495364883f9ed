/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/results.h"

#include "tune/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_near(double found, double right, const struct tolerance *tolerance)
{
    if (isnan(found) || isnan(right)) {
        return isnan(found) && isnan(right);
    }
    if (isinf(found) || isinf(right)) {
        return found == right;
    }
    return fabs(found - right) <= tolerance->absolute + tolerance->relative * fabs(right);
}

static int64_t load_signed(enum tune_type type, const void *place)
{
    int8_t byte;
    int16_t half;
    int32_t word;
    int64_t whole;
    switch (type) {
    case TUNE_I8:
        memcpy(&byte, place, sizeof(byte));
        return byte;
    case TUNE_I16:
        memcpy(&half, place, sizeof(half));
        return half;
    case TUNE_I32:
        memcpy(&word, place, sizeof(word));
        return word;
    default:
        memcpy(&whole, place, sizeof(whole));
        return whole;
    }
}

static void write_number(enum tune_type type, const void *place, char text[40])
{
    if (tune_type_is_real(type)) {
        snprintf(text, 40, "%.9g", number_load_real(type, place));
    } else if (type == TUNE_I8 || type == TUNE_I16 || type == TUNE_I32 || type == TUNE_I64) {
        snprintf(text, 40, "%" PRId64, load_signed(type, place));
    } else {
        uint64_t whole = 0;
        memcpy(&whole, place, tune_type_size(type));
        snprintf(text, 40, "%" PRIu64, whole);
    }
}

bool results_agree(enum tune_type type, const void *found, const void *right, size_t count,
                   const struct tolerance *tolerance, struct difference *out_difference)
{
    size_t size = tune_type_size(type);
    bool is_real = tune_type_is_real(type);
    if (memcmp(found, right, count * size) == 0) {
        return true; /* as a rule, and so much faster */
    }
    for (size_t i = 0; i < count; i++) {
        const char *a = (const char *)found + i * size;
        const char *b = (const char *)right + i * size;
        if (memcmp(a, b, size) == 0 ||
            (is_real && is_near(number_load_real(type, a), number_load_real(type, b), tolerance))) {
            continue;
        }
        out_difference->index = i;
        write_number(type, a, out_difference->found);
        write_number(type, b, out_difference->right);
        return false;
    }
    return true;
}
