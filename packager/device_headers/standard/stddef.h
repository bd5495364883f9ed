// SPDX-License-Identifier: Apache-2.0
// size_t, ptrdiff_t and NULL are NVRTC's own.
#ifndef CUBINET_STD_STDDEF_H
#define CUBINET_STD_STDDEF_H

typedef decltype(nullptr) nullptr_t;

typedef struct {
    long long _Integer;
    alignas(16) double _Floating;
} max_align_t;

#undef offsetof // libcu++ defines one that is not a constant
#define offsetof(type, member) (static_cast<size_t>(__INTADDR__(&static_cast<type *>(0)->member)))

#endif
