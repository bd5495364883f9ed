/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/pch_heap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The block at the address for it, in large pages where the kernel has them. */
static void *map_block(size_t size, int protection, int flags, int file, off_t offset)
{
    void *wanted = (void *)(uintptr_t)HEAP_ADDRESS;
    void *block = next_mmap(wanted, size, protection, flags | MAP_FIXED_NOREPLACE, file, offset);
    if (block != MAP_FAILED) {
        madvise(block, size, MADV_HUGEPAGE);
    }
    return block;
}

static bool is_in_block(const void *address, size_t size)
{
    uintptr_t start = (uintptr_t)address;
    size_t block = atomic_load(&placed_size);
    return start >= HEAP_ADDRESS && size <= block && start - HEAP_ADDRESS <= block - size;
}

/* NVRTC takes memory of the block by mapping pieces of a file without a name over it, of which each page
 * costs a fault, a page of the file and a copy once it is written to. What the file has, zeros, is read into
 * the block instead. What comes from the data of precompiled headers stays mapped: less than half of it is
 * written to. */
static bool read_into_block(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    struct stat about;
    return (flags & MAP_FIXED) && (flags & MAP_PRIVATE) && !(flags & MAP_ANONYMOUS) &&
           (protection & PROT_WRITE) && is_in_block(address, size) && fstat(file, &about) == 0 &&
           about.st_nlink == 0 && pread(file, address, size, offset) == (ssize_t)size;
}

__attribute__((visibility("default"))) void *mmap(void *address, size_t size, int protection, int flags,
                                                  int file, off_t offset)
{
    if (!address && size > 0 && size == atomic_load(&placed_size) && (flags & MAP_ANONYMOUS)) {
        void *block = map_block(size, protection, flags, file, offset);
        if (block != MAP_FAILED) {
            return block;
        }
    }
    if (read_into_block(address, size, protection, flags, file, offset)) {
        return address;
    }
    return next_mmap(address, size, protection, flags, file, offset);
}
