/* SPDX-License-Identifier: Apache-2.0 */
/* Where NVRTC keeps what it precompiles: it maps one block of memory for that when it first needs it, and a
 * precompiled header can be used only where that block has the same address as when it was made. It asks
 * mmap(), and the command exports its own (pch_heap.c), which gives that block an address that is the same in
 * every process, and large pages. */
#ifndef PCH_HEAP_H
#define PCH_HEAP_H

#include <stddef.h>

/* Places the next block of exactly `size` bytes that is mapped anywhere; 0: none. */
void pch_heap_place(size_t size);

#endif
