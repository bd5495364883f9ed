// SPDX-License-Identifier: Apache-2.0
// memcpy() and memset() are NVRTC's own.
#ifndef CUBINET_STD_STRING_H
#define CUBINET_STD_STRING_H

#include "stddef.h"

__host__ __device__ inline void *memmove(void *__to, const void *__from, size_t __size)
{
    unsigned char *__out = static_cast<unsigned char *>(__to);
    const unsigned char *__in = static_cast<const unsigned char *>(__from);
    if (__out < __in) {
        for (size_t __i = 0; __i < __size; __i++) {
            __out[__i] = __in[__i];
        }
    } else {
        for (size_t __i = __size; __i > 0; __i--) {
            __out[__i - 1] = __in[__i - 1];
        }
    }
    return __to;
}

__host__ __device__ inline int memcmp(const void *__a, const void *__b, size_t __size)
{
    const unsigned char *__left = static_cast<const unsigned char *>(__a);
    const unsigned char *__right = static_cast<const unsigned char *>(__b);
    for (size_t __i = 0; __i < __size; __i++) {
        if (__left[__i] != __right[__i]) {
            return __left[__i] < __right[__i] ? -1 : 1;
        }
    }
    return 0;
}

__host__ __device__ inline const void *memchr(const void *__bytes, int __value, size_t __size)
{
    const unsigned char *__at = static_cast<const unsigned char *>(__bytes);
    for (size_t __i = 0; __i < __size; __i++) {
        if (__at[__i] == static_cast<unsigned char>(__value)) {
            return __at + __i;
        }
    }
    return nullptr;
}

__host__ __device__ inline void *memchr(void *__bytes, int __value, size_t __size)
{
    return const_cast<void *>(memchr(static_cast<const void *>(__bytes), __value, __size));
}

__host__ __device__ inline size_t strlen(const char *__text)
{
    size_t __size = 0;
    while (__text[__size]) {
        __size++;
    }
    return __size;
}

__host__ __device__ inline int strncmp(const char *__a, const char *__b, size_t __size)
{
    for (size_t __i = 0; __i < __size; __i++) {
        unsigned char __left = static_cast<unsigned char>(__a[__i]);
        unsigned char __right = static_cast<unsigned char>(__b[__i]);
        if (__left != __right) {
            return __left < __right ? -1 : 1;
        }
        if (__left == 0) {
            return 0;
        }
    }
    return 0;
}

__host__ __device__ inline int strcmp(const char *__a, const char *__b)
{
    return strncmp(__a, __b, static_cast<size_t>(-1));
}

__host__ __device__ inline char *strcpy(char *__to, const char *__from)
{
    size_t __i = 0;
    do {
        __to[__i] = __from[__i];
    } while (__from[__i++]);
    return __to;
}

__host__ __device__ inline char *strncpy(char *__to, const char *__from, size_t __size)
{
    size_t __i = 0;
    for (; __i < __size && __from[__i]; __i++) {
        __to[__i] = __from[__i];
    }
    for (; __i < __size; __i++) {
        __to[__i] = 0;
    }
    return __to;
}

__host__ __device__ inline char *strcat(char *__to, const char *__from)
{
    strcpy(__to + strlen(__to), __from);
    return __to;
}

__host__ __device__ inline char *strncat(char *__to, const char *__from, size_t __size)
{
    char *__end = __to + strlen(__to);
    for (; __size > 0 && *__from; __size--) {
        *__end++ = *__from++;
    }
    *__end = 0;
    return __to;
}

__host__ __device__ inline const char *strchr(const char *__text, int __value)
{
    for (;; __text++) {
        if (*__text == static_cast<char>(__value)) {
            return __text;
        }
        if (!*__text) {
            return nullptr;
        }
    }
}

__host__ __device__ inline char *strchr(char *__text, int __value)
{
    return const_cast<char *>(strchr(static_cast<const char *>(__text), __value));
}

__host__ __device__ inline const char *strrchr(const char *__text, int __value)
{
    const char *__found = nullptr;
    for (;; __text++) {
        if (*__text == static_cast<char>(__value)) {
            __found = __text;
        }
        if (!*__text) {
            return __found;
        }
    }
}

__host__ __device__ inline char *strrchr(char *__text, int __value)
{
    return const_cast<char *>(strrchr(static_cast<const char *>(__text), __value));
}

__host__ __device__ inline const char *strstr(const char *__text, const char *__part)
{
    size_t __size = strlen(__part);
    for (;; __text++) {
        if (strncmp(__text, __part, __size) == 0) {
            return __text;
        }
        if (!*__text) {
            return nullptr;
        }
    }
}

__host__ __device__ inline char *strstr(char *__text, const char *__part)
{
    return const_cast<char *>(strstr(static_cast<const char *>(__text), __part));
}

__host__ __device__ inline size_t strspn(const char *__text, const char *__accepted)
{
    size_t __size = 0;
    while (__text[__size] && strchr(__accepted, __text[__size])) {
        __size++;
    }
    return __size;
}

__host__ __device__ inline size_t strcspn(const char *__text, const char *__refused)
{
    size_t __size = 0;
    while (__text[__size] && !strchr(__refused, __text[__size])) {
        __size++;
    }
    return __size;
}

// What host code names.
#if __has_include("../host_only/cubinet_host/c_string.h")
#include "../host_only/cubinet_host/c_string.h"
#endif

#endif
