/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_CHARACTERS_H
#define CHECK_CHARACTERS_H

#include <cctype>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

struct check_layout {
    char a;
    double b;
    short c[3];
};

__device__ inline int check_sign(int value)
{
    return (value > 0) - (value < 0);
}

__device__ __noinline__ inline void check_strings(check_values &out)
{
    char text[32];
    std::strcpy(text, "device");
    std::strcat(text, " code");
    std::strncat(text, "+++", 2);
    CHECK_SHOW(std::strlen(text), check_sign(std::strcmp(text, "device code")),
               check_sign(std::strcmp("a", "\xe4")), std::strncmp(text, "devil", 3),
               check_sign(std::strncmp(text, "devil", 5)));
    CHECK_SHOW(std::strchr(text, 'c') - text, std::strrchr(text, 'e') - text,
               std::strchr(text, '#') == nullptr, std::strchr(text, 0) - text,
               std::strstr(text, "ce c") - text, std::strspn(text, "dev"), std::strcspn(text, "co "));
    std::memmove(text + 2, text, 6);
    CHECK_SHOW(text[0], text[3], text[7], std::memcmp(text, "dedevi", 6),
               check_sign(std::memcmp(text, "dedevj", 6)));
    std::strncpy(text, "ab", 5);
    CHECK_SHOW(text[2], text[4], text[5], static_cast<const char *>(std::memchr(text, 'b', 5)) - text);
    std::memset(text, 'x', 3);
    std::memcpy(text + 1, "yz", 2);
    CHECK_SHOW(text[0], text[1], text[2]);
}

__device__ __noinline__ inline void check_characters(check_values &out)
{
    check_strings(out);
    for (int c = 0; c < 128; c += 3) {
        CHECK_SHOW((std::isalnum(c) != 0) + 2 * (std::isalpha(c) != 0) + 4 * (std::isblank(c) != 0) +
                   8 * (std::iscntrl(c) != 0) + 16 * (std::isdigit(c) != 0) + 32 * (std::isgraph(c) != 0) +
                   64 * (std::islower(c) != 0) + 128 * (std::isprint(c) != 0) + 256 * (std::ispunct(c) != 0) +
                   512 * (std::isspace(c) != 0) + 1024 * (std::isupper(c) != 0) +
                   2048 * (std::isxdigit(c) != 0));
        CHECK_SHOW(std::tolower(c), std::toupper(c));
    }
    CHECK_SHOW(CHAR_BIT, SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX, INT_MIN, INT_MAX, UINT_MAX, LONG_MIN,
               LLONG_MAX, ULLONG_MAX);
    CHECK_SHOW(FLT_MAX, FLT_MIN, FLT_EPSILON, FLT_DIG, FLT_MANT_DIG, FLT_MAX_10_EXP, FLT_TRUE_MIN, DBL_MAX,
               DBL_MIN, DBL_EPSILON, DBL_MIN_EXP, DBL_TRUE_MIN, FLT_RADIX);
    CHECK_SHOW(INT8_MIN, UINT16_MAX, INT32_MIN, INT64_MAX, UINT64_MAX, SIZE_MAX, INTPTR_MAX, PTRDIFF_MIN,
               INT64_C(1) << 40, UINT64_C(0xffffffffff), sizeof(std::int_least16_t), sizeof(intptr_t),
               sizeof(std::uintmax_t));
    CHECK_SHOW(offsetof(check_layout, b), offsetof(check_layout, c[2]), sizeof(std::max_align_t) >= 16,
               std::to_integer<int>(std::byte{0x5a} << 1 & std::byte{0x3f}), sizeof(std::nullptr_t));
    CHECK_SHOW(std::div(-17, 5).quot, std::div(-17, 5).rem, std::lldiv(1LL << 40, 1000).quot, std::abs(-3),
               std::labs(-4L), std::abs(-2.5), std::llabs(-5LL));
    int *zeros = static_cast<int *>(std::calloc(4, sizeof(int)));
    CHECK_SHOW(zeros[0] + zeros[3]);
    std::free(zeros);
}

#endif
