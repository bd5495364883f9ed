/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/numbers.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static float of_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* To the nearest, of two the even one. */
static uint32_t shift_round(uint32_t value, unsigned shift)
{
    uint32_t half = (uint32_t)1 << (shift - 1);
    uint32_t rest = value & ((half << 1) - 1);
    uint32_t kept = value >> shift;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint16_t to_half(float number)
{
    enum { MANTISSA = 13, LEAST = 113, INFINITE = 143 };
    uint32_t bits = bits_of(number);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t exponent = bits >> 23 & 0xff;
    uint32_t fraction = bits & 0x7fffff;
    if (exponent == 0xff) {
        return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 : 0));
    }
    if (exponent >= INFINITE) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (exponent >= LEAST) {
        return (uint16_t)(sign | shift_round((exponent - LEAST + 1) << 23 | fraction, MANTISSA));
    }
    unsigned shift = MANTISSA + LEAST - exponent;
    return (uint16_t)(sign | (shift > 24 ? 0 : shift_round(fraction | 0x800000, shift)));
}

static float from_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    if (exponent == 0x1f) {
        return of_bits(sign | 0x7f800000 | fraction << 13);
    }
    if (exponent == 0) {
        float number = ldexpf((float)fraction, -24);
        return sign ? -number : number;
    }
    return of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static uint16_t to_bfloat(float number)
{
    return isnan(number) ? 0x7fc0 : (uint16_t)shift_round(bits_of(number), 16);
}

void number_store_real(enum tune_type type, double number, void *place)
{
    float single = (float)number;
    uint16_t half;
    switch (type) {
    case TUNE_F16:
        half = to_half(single);
        memcpy(place, &half, sizeof(half));
        break;
    case TUNE_BF16:
        half = to_bfloat(single);
        memcpy(place, &half, sizeof(half));
        break;
    case TUNE_F32:
        memcpy(place, &single, sizeof(single));
        break;
    default:
        memcpy(place, &number, sizeof(number));
        break;
    }
}

void number_store_whole(enum tune_type type, int64_t number, void *place)
{
    if (tune_type_is_real(type)) {
        number_store_real(type, (double)number, place);
        return;
    }
    /* The machine is little-endian, as GPUs are. */
    memcpy(place, &number, tune_type_size(type));
}

double number_load_real(enum tune_type type, const void *place)
{
    uint16_t half;
    float single;
    double number;
    switch (type) {
    case TUNE_F16:
        memcpy(&half, place, sizeof(half));
        return (double)from_half(half);
    case TUNE_BF16:
        memcpy(&half, place, sizeof(half));
        return (double)of_bits((uint32_t)half << 16);
    case TUNE_F32:
        memcpy(&single, place, sizeof(single));
        return (double)single;
    default:
        memcpy(&number, place, sizeof(number));
        return number;
    }
}
