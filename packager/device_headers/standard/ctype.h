// SPDX-License-Identifier: Apache-2.0
// The "C" locale's characters.
#ifndef CUBINET_STD_CTYPE_H
#define CUBINET_STD_CTYPE_H

__host__ __device__ inline int isdigit(int __c)
{
    return __c >= '0' && __c <= '9';
}

__host__ __device__ inline int islower(int __c)
{
    return __c >= 'a' && __c <= 'z';
}

__host__ __device__ inline int isupper(int __c)
{
    return __c >= 'A' && __c <= 'Z';
}

__host__ __device__ inline int isalpha(int __c)
{
    return islower(__c) || isupper(__c);
}

__host__ __device__ inline int isalnum(int __c)
{
    return isalpha(__c) || isdigit(__c);
}

__host__ __device__ inline int isblank(int __c)
{
    return __c == ' ' || __c == '\t';
}

__host__ __device__ inline int iscntrl(int __c)
{
    return (__c >= 0 && __c < ' ') || __c == 0x7f;
}

__host__ __device__ inline int isgraph(int __c)
{
    return __c > ' ' && __c < 0x7f;
}

__host__ __device__ inline int isprint(int __c)
{
    return __c >= ' ' && __c < 0x7f;
}

__host__ __device__ inline int ispunct(int __c)
{
    return isgraph(__c) && !isalnum(__c);
}

__host__ __device__ inline int isspace(int __c)
{
    return __c == ' ' || (__c >= '\t' && __c <= '\r');
}

__host__ __device__ inline int isxdigit(int __c)
{
    return isdigit(__c) || (__c >= 'a' && __c <= 'f') || (__c >= 'A' && __c <= 'F');
}

__host__ __device__ inline int tolower(int __c)
{
    return isupper(__c) ? __c - 'A' + 'a' : __c;
}

__host__ __device__ inline int toupper(int __c)
{
    return islower(__c) ? __c - 'a' + 'A' : __c;
}

#endif
