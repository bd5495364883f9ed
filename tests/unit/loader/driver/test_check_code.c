/* SPDX-License-Identifier: Apache-2.0 */
/* Code that claims more bytes than it has must not reach the driver, which would read them. */
#include "archive_sample.h"
#include "loader/driver/check_code.h"
#include "unit.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A cubin as far as its tables go: one segment, and two sections, of which the second has the names. */
struct small_cubin {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[2];
    char names[8];
};

enum { MACHINE_CUDA = 190 };

static struct small_cubin make_cubin(void)
{
    struct small_cubin cubin = {
        .header =
            {
                .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                .e_type = ET_EXEC,
                .e_machine = MACHINE_CUDA,
                .e_phoff = offsetof(struct small_cubin, segment),
                .e_phentsize = sizeof(Elf64_Phdr),
                .e_phnum = 1,
                .e_shoff = offsetof(struct small_cubin, sections),
                .e_shentsize = sizeof(Elf64_Shdr),
                .e_shnum = 2,
                .e_shstrndx = 1,
            },
        .segment = {.p_type = PT_LOAD, .p_filesz = sizeof(struct small_cubin)},
        .sections[1] = {.sh_type = SHT_STRTAB,
                        .sh_offset = offsetof(struct small_cubin, names),
                        .sh_size = sizeof(((struct small_cubin *)0)->names)},
    };
    return cubin;
}

static cubinet_status check(cubinet_image_kind kind, const void *code, size_t size)
{
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    const cubinet_image_info info = {
        .size = sizeof(info), .target = {.kind = kind, .number = 90, .suffix = 'a'}, .raw_size = size};
    struct cbn_elf elf;
    cubinet_status status = cbn_check_code(archive, SAMPLE_SEGSUM, &info, code, &elf);
    cubinet_archive_close(archive);
    built_free(&built);
    return status;
}

static void expect_refused(const struct small_cubin *cubin, const char *why)
{
    char message[256];
    snprintf(message, sizeof(message),
             "the archive in memory is damaged: sm_90a of module 'segmented_sum': not a cubin: %s", why);
    assert_int_equal(check(CUBINET_IMAGE_CUBIN, cubin, sizeof(*cubin)), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), message);
}

static void test_whole_cubins_pass(void **state)
{
    (void)state;
    struct small_cubin cubin = make_cubin();
    assert_int_equal(check(CUBINET_IMAGE_CUBIN, &cubin, sizeof(cubin)), CUBINET_OK);
}

static void test_what_lies_outside_is_refused(void **state)
{
    (void)state;
    struct small_cubin cubin = make_cubin();
    cubin.segment.p_filesz++;
    expect_refused(&cubin, "a segment lies outside the file");
    cubin = make_cubin();
    cubin.segment.p_offset = UINT64_MAX;
    expect_refused(&cubin, "a segment lies outside the file");
    cubin = make_cubin();
    cubin.header.e_phnum = UINT16_MAX;
    expect_refused(&cubin, "its segment table is cut off");
    cubin = make_cubin();
    cubin.header.e_phentsize = 1;
    expect_refused(&cubin, "its segment table is cut off");
    cubin = make_cubin();
    cubin.header.e_shnum = UINT16_MAX;
    expect_refused(&cubin, "its section table is cut off");
    cubin = make_cubin();
    cubin.sections[1].sh_size = UINT64_MAX;
    expect_refused(&cubin, "a string table is missing or cut off");
}

static void test_other_files_are_no_cubins(void **state)
{
    (void)state;
    assert_int_equal(check(CUBINET_IMAGE_CUBIN, ".version 9.0\n", 13), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "it is not an ELF file"));
}

static void test_machine_code_is_no_ptx(void **state)
{
    (void)state;
    struct small_cubin cubin = make_cubin();
    assert_int_equal(check(CUBINET_IMAGE_PTX, &cubin, sizeof(cubin)), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), "the archive in memory is damaged: compute_90a of module "
                                                 "'segmented_sum': not PTX: it is machine code");
    assert_int_equal(check(CUBINET_IMAGE_PTX, "\x50\xed\x55\xba", 4), CUBINET_ERROR_DAMAGED);
    assert_int_equal(check(CUBINET_IMAGE_PTX, "P", 1), CUBINET_OK); /* what it is, the driver says */
    assert_int_equal(check(CUBINET_IMAGE_PTX, "// PTX\n.version 9.0\n", 20), CUBINET_OK);
}

static cubinet_status check_tileir(const void *code, size_t size, int number)
{
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    const cubinet_image_info info = {
        .size = sizeof(info), .target = {.kind = CUBINET_IMAGE_TILEIR, .number = number}, .raw_size = size};
    struct cbn_elf elf;
    cubinet_status status = cbn_check_code(archive, SAMPLE_SEGSUM, &info, code, &elf);
    cubinet_archive_close(archive);
    built_free(&built);
    return status;
}

static void test_tile_ir_ends_where_it_ends(void **state)
{
    (void)state;
    static const char code[] = "\x7fTileIR\0\x0d\x01\0\0\x02\x01\x00\0";
    assert_int_equal(check_tileir(code, sizeof(code) - 1, 131), CUBINET_OK);
    assert_int_equal(check_tileir(code, sizeof(code) - 2, 131), CUBINET_ERROR_DAMAGED);
    assert_string_equal(
        cubinet_error_message(),
        "the archive in memory is damaged: tile_131 of module 'segmented_sum': not Tile IR: an "
        "end without its marker at offset 15");
    assert_int_equal(check_tileir(code, sizeof(code) - 1, 133), CUBINET_ERROR_DAMAGED);
    assert_int_equal(check_tileir("// PTX\n.version 9.0\n", 20, 131), CUBINET_ERROR_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_cubins_pass),
        cmocka_unit_test(test_what_lies_outside_is_refused),
        cmocka_unit_test(test_other_files_are_no_cubins),
        cmocka_unit_test(test_machine_code_is_no_ptx),
        cmocka_unit_test(test_tile_ir_ends_where_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
