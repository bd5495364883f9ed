// SPDX-License-Identifier: Apache-2.0
// What nvcc and gcc, which it takes for the host's compiler, define, and NVRTC does not. Included before sources with host
// code. __GNUC__ is not among them: NVRTC's own header would include glibc's, and libcu++ would use what NVRTC lacks.
#ifndef CUBINET_STD_NVCC_MACROS_H
#define CUBINET_STD_NVCC_MACROS_H

#define __NVCC__                1
#define __linux__               1
#define __linux                 1
#define __gnu_linux__           1
#define __unix__                1
#define __unix                  1
#define __ELF__                 1
#define _LP64                   1
#define __CHAR_BIT__            8
#define __SIZEOF_SHORT__        2
#define __SIZEOF_INT__          4
#define __SIZEOF_LONG__         8
#define __SIZEOF_LONG_LONG__    8
#define __SIZEOF_INT128__       16
#define __SIZEOF_POINTER__      8
#define __SIZEOF_SIZE_T__       8
#define __SIZEOF_PTRDIFF_T__    8
#define __SIZEOF_WCHAR_T__      4
#define __SIZEOF_WINT_T__       4
#define __SIZEOF_FLOAT__        4
#define __SIZEOF_DOUBLE__       8
#define __SIZEOF_LONG_DOUBLE__  16
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__    4321
#define __ORDER_PDP_ENDIAN__    3412
#define __BYTE_ORDER__          __ORDER_LITTLE_ENDIAN__
#define __FLOAT_WORD_ORDER__    __ORDER_LITTLE_ENDIAN__
#define __SIZE_TYPE__           unsigned long
#define __PTRDIFF_TYPE__        long
#define __INT_MAX__             2147483647
#define __LONG_MAX__            9223372036854775807L
#define __LONG_LONG_MAX__       9223372036854775807LL

#ifdef __aarch64__
#define __AARCH64EL__ 1
#else
#define __x86_64__ 1
#define __x86_64   1
#define __amd64__  1
#define __amd64    1
#define __SSE__    1
#define __SSE2__   1
#endif

#endif
