/* SPDX-License-Identifier: Apache-2.0 */
#include "pch_heap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* One terabyte above the library: see fixed_address.c. */
#define HEAP_ADDRESS UINT64_C(0x310000000000)

static atomic_size_t placed_size;

void pch_heap_place(size_t size)
{
    atomic_store(&placed_size, size);
}

static void *next_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    static _Atomic(void *) found;
    void *(*next)(void *, size_t, int, int, int, off_t);
    void *function = atomic_load(&found);
    if (!function) {
        function = dlsym(RTLD_NEXT, "mmap");
        atomic_store(&found, function);
    }
    memcpy(&next, &function, sizeof(next));
    return next(address, size, protection, flags, file, offset);
}

__attribute__((visibility("default"))) void *mmap(void *address, size_t size, int protection, int flags,
                                                  int file, off_t offset)
{
    if (!address && size > 0 && size == atomic_load(&placed_size) && (flags & MAP_ANONYMOUS)) {
        void *wanted = (void *)(uintptr_t)HEAP_ADDRESS;
        void *got = next_mmap(wanted, size, protection, flags | MAP_FIXED_NOREPLACE, file, offset);
        if (got != MAP_FAILED) {
            return got;
        }
    }
    return next_mmap(address, size, protection, flags, file, offset);
}
