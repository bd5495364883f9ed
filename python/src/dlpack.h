/* SPDX-License-Identifier: Apache-2.0 */
/* What DLPack 1.3 (https://github.com/dmlc/dlpack) lays down in memory, as far as arguments need it. */
#ifndef PY_DLPACK_H
#define PY_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

struct dl_tensor {
    void *data;
    int32_t device_type;
    int32_t device_id;
    int32_t ndim;
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
};

/* In a capsule named "dltensor". */
struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
};

/* In a capsule named "dltensor_versioned". */
struct dl_managed_versioned {
    uint32_t major;
    uint32_t minor;
    void *context;
    void (*deleter)(struct dl_managed_versioned *self);
    uint64_t flags;
    struct dl_tensor tensor;
};

/* `__dlpack_c_exchange_api__` of a class, in a capsule named "dlpack_exchange_api". */
struct dl_exchange {
    uint32_t major;
    uint32_t minor;
    const struct dl_exchange *previous;
    void *allocate;
    int (*to_managed)(void *object, struct dl_managed_versioned **out_managed);
    void *from_managed;
    int (*to_tensor)(void *object, struct dl_tensor *out_tensor); /* borrows; may be NULL */
    void *current_stream;
};

#endif
