/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/fixed_address.h"

#include "base/array.h"
#include "loader/core/archive/elf_file.h"
#include "loader/core/support/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far from where Linux puts programs, stacks and libraries, and from the address sanitizer's shadow. Above a
 * third of the address space, from where the kernel searches upwards if it finds nothing on the way down. */
#define LIBRARY_ADDRESS UINT64_C(0x300000000000)

/* Where the kernel stops looking, unless it is asked for more. */
#ifdef __x86_64__
#define ADDRESS_END UINT64_C(0x7ffffffff000)
#else
#define ADDRESS_END UINT64_C(0x1000000000000)
#endif

/* Left at both ends of each hole: for the stack and the heap to grow, and for small mappings. */
#define ROOM (UINT64_C(8) << 20)

struct range {
    uint64_t start;
    uint64_t end;
};

/* The size of the mapping by which the loader takes room for a library, in bytes; 0 if it cannot be read. */
static uint64_t measure(const void *library, size_t library_size)
{
    struct cbn_elf_file elf;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end = 0;
    uint64_t alignment = page;
    if (!cbn_elf_file_open(&elf, library, library_size) || elf.segment_count < elf.header.e_phnum) {
        return 0;
    }
    for (size_t i = 0; i < elf.segment_count; i++) {
        Elf64_Phdr part;
        if (!cbn_elf_file_segment(&elf, i, &part) && part.p_type == PT_LOAD) {
            uint64_t part_end = part.p_vaddr + part.p_memsz;
            end = part_end > end ? part_end : end;
            alignment = part.p_align > alignment ? part.p_align : alignment;
        }
    }
    /* The loader aligns what needs more than a page itself, in a mapping that is larger by that much. */
    uint64_t size = (end + page - 1) / page * page;
    return end == 0 ? 0 : size + (alignment > page ? alignment : 0);
}

static uint64_t measure_file(const char *library)
{
    struct stat about;
    int file = open(library, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    void *bytes = fstat(file, &about) == 0 && about.st_size > 0
                      ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED) {
        return 0;
    }
    uint64_t size = measure(bytes, (size_t)about.st_size);
    munmap(bytes, (size_t)about.st_size);
    return size;
}

static cubinet_status reserve(struct fixed_address *address, uint64_t start, uint64_t end)
{
    if (start >= end) {
        return CUBINET_OK;
    }
    struct reserved_memory *grown = array_grow(address->reserved, address->count, sizeof(*grown));
    if (!grown) {
        return cbn_error_memory();
    }
    address->reserved = grown;
    void *wanted = (void *)(uintptr_t)start;
    void *got = mmap(wanted, (size_t)(end - start), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        return cbn_error(CUBINET_ERROR_IO, "the address space cannot be reserved: %s", strerror(errno));
    }
    address->reserved[address->count++] = (struct reserved_memory){got, (size_t)(end - start)};
    return got == wanted ? CUBINET_OK
                         : cbn_error(CUBINET_ERROR_IO, "the kernel reserves no memory at a given address");
}

/* Reserves what is free between two mappings, except for `window`. */
static cubinet_status fill(struct fixed_address *address, struct range hole, struct range window,
                           bool *has_window)
{
    if (hole.end <= hole.start || hole.end - hole.start <= 2 * ROOM) {
        return CUBINET_OK;
    }
    struct range inner = {hole.start + ROOM, hole.end - ROOM};
    if (window.start < inner.start || window.end > inner.end) {
        return reserve(address, inner.start, inner.end);
    }
    *has_window = true;
    cubinet_status status = reserve(address, inner.start, window.start);
    return status ? status : reserve(address, window.end, inner.end);
}

/* The mappings of this process, by address. */
static cubinet_status read_mappings(struct range **out_ranges, size_t *out_count)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) {
        return cbn_error(CUBINET_ERROR_IO, "/proc/self/maps cannot be read: %s", strerror(errno));
    }
    struct range *ranges = NULL;
    size_t count = 0;
    char *line = NULL;
    size_t capacity = 0;
    cubinet_status status = CUBINET_OK;
    while (!status && getline(&line, &capacity, maps) > 0) {
        struct range range;
        struct range *grown = array_grow(ranges, count, sizeof(*grown));
        ranges = grown ? grown : ranges;
        if (!grown) {
            status = cbn_error_memory();
        } else if (sscanf(line, "%" SCNx64 "-%" SCNx64, &range.start, &range.end) == 2) {
            ranges[count++] = range;
        }
    }
    free(line);
    fclose(maps);
    *out_ranges = ranges;
    *out_count = count;
    return status;
}

static cubinet_status fill_holes(struct fixed_address *address, struct range window)
{
    struct range *ranges = NULL;
    size_t count = 0;
    bool has_window = false;
    cubinet_status status = read_mappings(&ranges, &count);
    uint64_t end = 0;
    for (size_t i = 0; !status && i < count && ranges[i].start < ADDRESS_END; i++) {
        status = fill(address, (struct range){end, ranges[i].start}, window, &has_window);
        end = ranges[i].end;
    }
    if (!status) {
        status = fill(address, (struct range){end, ADDRESS_END}, window, &has_window);
    }
    free(ranges);
    if (!status && !has_window) {
        status = cbn_error(CUBINET_ERROR_IO, "something else lies at the address for NVRTC");
    }
    return status;
}

cubinet_status fixed_address_prepare(const char *library, struct fixed_address *out_address)
{
    struct fixed_address address = {0};
    uint64_t size = measure_file(library);
    if (size <= 2 * ROOM) {
        return cbn_error(CUBINET_ERROR_IO, "%s is not a library of a size that can be placed", library);
    }
    cubinet_status status = fill_holes(&address, (struct range){LIBRARY_ADDRESS, LIBRARY_ADDRESS + size});
    if (status) {
        fixed_address_release(&address);
        return status;
    }
    *out_address = address;
    return CUBINET_OK;
}

void fixed_address_release(struct fixed_address *address)
{
    for (size_t i = 0; i < address->count; i++) {
        munmap(address->reserved[i].address, address->reserved[i].size);
    }
    free(address->reserved);
    *address = (struct fixed_address){0};
}

const void *fixed_address_of(const void *symbol)
{
    Dl_info about;
    return dladdr(symbol, &about) != 0 ? about.dli_fbase : NULL;
}

void *fixed_address_wanted(void)
{
    return (void *)(uintptr_t)LIBRARY_ADDRESS;
}
