/* SPDX-License-Identifier: Apache-2.0 */
/* Device code in other bytes, and in LLVM's containers. */
#include "unit.h"

#include "image/embedded.h"
#include "loader/core/archive/format.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, SECTIONS = 3 };

/* A cubin of a header, some bytes and a section table at its end; returns its size. */
static size_t make_cubin(unsigned char *out)
{
    Elf64_Ehdr header = {.e_type = ET_EXEC, .e_machine = EM_CUDA, .e_shnum = SECTIONS};
    Elf64_Shdr sections[SECTIONS] = {{0}};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shoff = 100;
    sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = 64, .sh_size = 20};
    sections[2] = (Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_offset = 64, .sh_size = 1 << 20};
    memcpy(out, &header, sizeof(header));
    memcpy(out + 100, sections, sizeof(sections));
    return 100 + sizeof(sections);
}

static void a_cubin_is_found_anywhere(void **state)
{
    (void)state;
    unsigned char bytes[ROOM] = "\x7f"
                                "ELF, and no header";
    size_t size = make_cubin(bytes + 33);
    make_cubin(bytes + 1000);
    struct embedded_reader reader = {.bytes = bytes, .size = sizeof(bytes)};
    struct embedded found;
    assert_true(embedded_next(&reader, &found));
    assert_ptr_equal(found.bytes, bytes + 33);
    assert_int_equal(found.size, size);
    assert_false(found.is_fatbin);
    assert_true(embedded_next(&reader, &found));
    assert_ptr_equal(found.bytes, bytes + 1000);
    assert_false(embedded_next(&reader, &found));
}

static void a_cubin_may_lack_its_last_byte(void **state)
{
    (void)state;
    unsigned char bytes[ROOM] = {0};
    size_t size = make_cubin(bytes);
    assert_int_equal(embedded_cubin_size(bytes, size), size);
    assert_int_equal(embedded_cubin_size(bytes, size - 1), size);
    assert_int_equal(embedded_cubin_size(bytes, size - 2), 0);
    assert_int_equal(embedded_cubin_size(bytes, 63), 0);
}

/* Each is cut off, whatever it says. */
static void sizes_beyond_the_bytes_are_none(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {ROOM, UINT64_MAX, UINT64_MAX - 63, (uint64_t)1 << 63};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        unsigned char bytes[ROOM] = {0};
        make_cubin(bytes);
        cbn_put64(bytes + 40, numbers[i]); /* e_shoff */
        assert_int_equal(embedded_cubin_size(bytes, sizeof(bytes)), 0);
        make_cubin(bytes);
        cbn_put64(bytes + 100 + 64 + 32, numbers[i]); /* sh_size */
        assert_int_equal(embedded_cubin_size(bytes, sizeof(bytes)), 0);
        make_cubin(bytes);
        cbn_put64(bytes + 32, numbers[i]); /* e_phoff */
        cbn_put16(bytes + 54, 56);
        cbn_put16(bytes + 56, 1);
        assert_int_equal(embedded_cubin_size(bytes, sizeof(bytes)), 0);
    }
}

/* Headers that overlap, each with as many sections as there is room for, must not take hours. */
static void overlapping_headers_end(void **state)
{
    (void)state;
    enum { LARGE = 8 << 20 };
    unsigned char *bytes = calloc(1, LARGE);
    assert_non_null(bytes);
    for (size_t at = 0; at + 64 <= LARGE / 2; at += 64) {
        make_cubin(bytes + at);
        cbn_put16(bytes + at + 60, UINT16_MAX - 1);
        cbn_put64(bytes + at + 40, 64);
    }
    struct embedded_reader reader = {.bytes = bytes, .size = LARGE};
    struct embedded found;
    while (embedded_next(&reader, &found)) {
    }
    assert_true(reader.looked <= LARGE / 64 + 2 * UINT16_MAX);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubin_is_found_anywhere),
        cmocka_unit_test(a_cubin_may_lack_its_last_byte),
        cmocka_unit_test(sizes_beyond_the_bytes_are_none),
        cmocka_unit_test(overlapping_headers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
