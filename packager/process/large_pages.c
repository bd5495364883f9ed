/* SPDX-License-Identifier: Apache-2.0 */
#include "process/large_pages.h"

#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

enum {
    MIB = 1 << 20,
    LARGE_PAGE = 2 * MIB,
    RESERVED = 400 * MIB, /* addresses: what is not used takes no memory */
};

/* For glibc in other programs. Theirs grows in steps of at least a large page. */
static const char tunables[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:"
    "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=1073741824";

/* Where memory is limited, addresses that are set aside count as well. */
static bool is_limited(void)
{
    struct rlimit data;
    struct rlimit addresses;
    return getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur != RLIM_INFINITY ||
           getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY;
}

/* Makes the heap large at once, and has it stay so: grown bit by bit, it has no range of 2 MB that is free
 * when its first byte is used. */
static void reserve_heap(void)
{
    mallopt(M_MMAP_THRESHOLD, 1024 * MIB);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    char *block = malloc(RESERVED);
    if (!block) {
        return;
    }
    uintptr_t start = ((uintptr_t)block + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t end = ((uintptr_t)block + RESERVED) / LARGE_PAGE * LARGE_PAGE;
    madvise((void *)start, end - start, MADV_HUGEPAGE);
    free(block);
}

void large_pages_use(void)
{
    if (is_limited()) {
        return;
    }
    reserve_heap();
    setenv("GLIBC_TUNABLES", tunables, 0);
}

#else

void large_pages_use(void)
{
}

#endif
