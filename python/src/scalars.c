/* SPDX-License-Identifier: Apache-2.0 */
#include "scalars.h"

#include <math.h>
#include <string.h>

bool py_number_of_int(PyObject *value, struct py_number *out_number)
{
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    *out_number = (struct py_number){.class = PY_SIGNED, .i = number};
    if (overflow > 0) {
        *out_number = (struct py_number){.class = PY_UNSIGNED, .u = PyLong_AsUnsignedLongLong(value)};
    } else if (overflow < 0) {
        PyErr_SetString(PyExc_OverflowError, "int too large for 64 bits");
    }
    return !PyErr_Occurred();
}

static int64_t signed_of(const void *bytes, size_t size)
{
    int64_t number = 0;
    memcpy((char *)&number, bytes, size);
    unsigned int unused = 64 - 8 * (unsigned int)size;
    return (int64_t)((uint64_t)number << unused) >> unused;
}

static uint64_t unsigned_of(const void *bytes, size_t size)
{
    uint64_t number = 0;
    memcpy((char *)&number, bytes, size);
    return number;
}

static double half_of(const void *bytes)
{
    uint64_t bits = unsigned_of(bytes, 2);
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double value = exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                   : exponent > 0 ? ldexp(fraction + 1024, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double float_of(const void *bytes, size_t size)
{
    float single;
    double value;
    if (size == 2) {
        return half_of(bytes);
    }
    if (size == 4) {
        memcpy(&single, bytes, size);
        return (double)single;
    }
    memcpy(&value, bytes, size);
    return value;
}

/* ctypes describes a union or a packed structure of any size as a byte. */
static bool is_size_of(char letter, size_t size)
{
    size_t own = strchr("?bB", letter) ? 1 : strchr("hHe", letter) ? 2 : strchr("iIf", letter) ? 4 : 8;
    return size == own || (size == 4 && strchr("lL", letter)); /* which depends on who writes it */
}

bool py_number_of_bytes(const char *format, const void *bytes, size_t size, struct py_number *out_number)
{
    if (!format) {
        return false;
    }
    if (strchr("@=<", format[0])) { /* the order of this machine */
        format++;
    }
    if (!format[0] || format[1] || !is_size_of(format[0], size)) {
        return false;
    }
    out_number->size = (uint32_t)size;
    if (strchr("bhilqn", format[0])) {
        out_number->class = PY_SIGNED;
        out_number->i = signed_of(bytes, size);
        return true;
    }
    if (strchr("?BHILQNP", format[0])) {
        out_number->class = PY_UNSIGNED;
        out_number->u = unsigned_of(bytes, size);
        return true;
    }
    if (!strchr("efd", format[0])) {
        return false;
    }
    out_number->class = PY_FLOAT;
    out_number->f = float_of(bytes, size);
    return true;
}

static const char *write_integer(const struct py_number *number, enum py_class class, uint32_t size,
                                 void *bytes)
{
    unsigned int bits = 8 * size;
    if (number->class == PY_FLOAT) {
        return "which is not an integer";
    }
    bool is_negative = number->class == PY_SIGNED && number->i < 0;
    uint64_t most = class == PY_BOOL ? 1 : UINT64_MAX >> (64 - bits + (class == PY_SIGNED));
    if (is_negative ? class != PY_SIGNED || number->i < -(int64_t)(most)-1 : number->u > most) {
        return "which is out of range";
    }
    memcpy(bytes, &number->u, size); /* little-endian, as every GPU and its host */
    return NULL;
}

/* The bits of a __half, whose fraction has 10, or of a __nv_bfloat16, whose has 7: rounded to even; subnormal
 * and infinite where it has to be. */
static uint16_t bits_of_16(double value, int fraction)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int bias = (1 << (14 - fraction)) - 1;
    int least = 1 - bias; /* exponent that is not of a subnormal */
    int infinity = (2 * bias + 1) << fraction;
    int exponent = size > 0 ? ilogb(size) : least;
    if (isnan(value)) {
        return (uint16_t)(sign | infinity | 1 << (fraction - 1));
    }
    if (exponent > bias) {
        return (uint16_t)(sign | infinity);
    }
    exponent = exponent < least ? least : exponent;
    int steps = (int)nearbyint(ldexp(size, fraction - exponent)); /* its last bit counts one */
    return (uint16_t)(sign | (((exponent - least) << fraction) + steps));
}

/* The number for a type of fewer bits than double has. Of an integer that double would round, the last bit is
 * set instead if anything is lost: rounding then happens once, to that type. */
static double double_to_round(const struct py_number *number)
{
    bool is_negative = number->class == PY_SIGNED && number->i < 0;
    uint64_t size = is_negative ? -number->u : number->u;
    if (number->class == PY_FLOAT) {
        return number->f;
    }
    if (size >> 53) {
        size = (size & ~(uint64_t)2047) | (size & 2047 ? 2048 : 0);
    }
    return is_negative ? -(double)size : (double)size;
}

static const char *write_float(const struct py_number *number, enum py_class class, uint32_t size,
                               void *bytes)
{
    if (number->class == PY_FLOAT && number->size > size) {
        return "which would lose precision";
    }
    double value = double_to_round(number);
    double whole = number->class == PY_FLOAT    ? number->f
                   : number->class == PY_SIGNED ? (double)number->i
                                                : (double)number->u;
    float single = (float)value;
    uint16_t half = bits_of_16(value, class == PY_BFLOAT ? 7 : 10);
    memcpy(bytes, size == 8 ? (void *)&whole : size == 4 ? (void *)&single : (void *)&half, size);
    return NULL;
}

const char *py_number_write(const struct py_number *number, enum py_class class, uint32_t size, void *bytes)
{
    if (class == PY_FLOAT || class == PY_BFLOAT) {
        return write_float(number, class, size, bytes);
    }
    return write_integer(number, class == PY_POINTER ? PY_UNSIGNED : class, size, bytes);
}
