/* SPDX-License-Identifier: Apache-2.0 */
/* How many parameters kernels have: never less than the driver finds, whatever was done to the code. */
#include "cubin_fixture.h"

#include "loader/link/nv_info.h"
#include "loader/link/param_count.h"
#include "loader/link/read_cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static struct cbn_param_counts count_in_cubin(const unsigned char *bytes, size_t size)
{
    struct cbn_elf elf;
    struct cbn_param_counts counts;
    assert_int_equal(cbn_elf_open(&elf, bytes, size), CUBINET_OK);
    assert_true(cbn_param_counts_of_cubin(&elf, &counts));
    return counts;
}

static void test_cubins_of_compilers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cubin_fixtures); i++) {
        size_t size;
        unsigned char *bytes = cubin_fixture(cubin_fixtures[i], &size);
        struct cbn_cubin cubin;
        assert_int_equal(cbn_cubin_read(bytes, size, &cubin), CUBINET_OK);
        struct cbn_param_counts counts = count_in_cubin(bytes, size);
        assert_true(cubin.kernel_count > 0);
        for (size_t k = 0; k < cubin.kernel_count; k++) {
            assert_int_equal(cbn_params_at_most(&counts, cubin.kernels[k].name),
                             cubin.kernels[k].resources.param_count);
        }
        cbn_param_counts_free(&counts);
        cbn_cubin_free(&cubin);
        free(bytes);
    }
}

/* "shapes" has four parameters, "empty" has none. */
static const char subject[] = "sm_75_cuda13.0";

/* A section's header, in the cubin. Those of the fixtures are aligned. */
static Elf64_Shdr *header_of(unsigned char *bytes, const char *name, size_t *out_number)
{
    const Elf64_Ehdr *header = (const void *)bytes;
    Elf64_Shdr *sections = (void *)(bytes + header->e_shoff);
    const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;
    for (size_t i = 1; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, name) == 0) {
            *out_number = i;
            return &sections[i];
        }
    }
    fail_msg("the cubin has no section '%s'", name);
    return NULL;
}

typedef void change_fn(unsigned char *bytes, size_t size);

static struct cbn_param_counts count_in_changed(change_fn *change)
{
    size_t size;
    unsigned char *bytes = cubin_fixture(subject, &size);
    change(bytes, size);
    struct cbn_param_counts counts = count_in_cubin(bytes, size);
    free(bytes);
    return counts;
}

static void link_to_another(unsigned char *bytes, size_t size)
{
    size_t number;
    (void)size;
    header_of(bytes, ".text.empty", &number);
    size_t ignored;
    header_of(bytes, ".nv.info.shapes", &ignored)->sh_info = (Elf64_Word)number;
}

static void test_a_list_of_two_kernels_counts_for_both(void **state)
{
    (void)state;
    struct cbn_param_counts counts = count_in_changed(link_to_another);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), 4);
    assert_int_equal(cbn_params_at_most(&counts, "empty"), 4);
    assert_int_equal(cbn_params_at_most(&counts, "stack"), 3);
    cbn_param_counts_free(&counts);
}

/* Makes one list a second one of "shapes". */
static void name_as_another(unsigned char *bytes, size_t size)
{
    size_t number;
    (void)size;
    Elf64_Word name = header_of(bytes, ".nv.info.shapes", &number)->sh_name;
    header_of(bytes, ".nv.info.stack", &number)->sh_name = name;
}

static void test_two_lists_are_added_up(void **state)
{
    (void)state;
    struct cbn_param_counts counts = count_in_changed(name_as_another);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), 4 + 3);
    assert_int_equal(cbn_params_at_most(&counts, "stack"), 3);
    cbn_param_counts_free(&counts);
}

/* Gives the parameters that are listed of "shapes" other numbers, in the list's order. */
static void number_params(unsigned char *bytes, const unsigned char numbers[4])
{
    size_t section_number;
    size_t done = 0;
    const Elf64_Shdr *section = header_of(bytes, ".nv.info.shapes", &section_number);
    struct cbn_nv_info_reader reader = {.bytes = bytes + section->sh_offset, .size = section->sh_size};
    struct cbn_nv_info_record record;
    struct cbn_nv_info_param param;
    while (cbn_nv_info_next(&reader, &record) > 0) {
        if (cbn_nv_info_param(&record, &param)) {
            bytes[record.data + 4 - bytes] = numbers[done++];
        }
    }
    assert_int_equal(done, 4);
}

static void leave_numbers_out(unsigned char *bytes, size_t size)
{
    (void)size;
    number_params(bytes, (const unsigned char[]){40, 41, 0, 1});
}

static void repeat_numbers(unsigned char *bytes, size_t size)
{
    (void)size;
    number_params(bytes, (const unsigned char[]){1, 1, 0, 0});
}

static void test_the_larger_number_counts(void **state)
{
    (void)state;
    struct cbn_param_counts counts = count_in_changed(leave_numbers_out);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), 42);
    cbn_param_counts_free(&counts);
    counts = count_in_changed(repeat_numbers);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), 4);
    cbn_param_counts_free(&counts);
}

static void cut_off(unsigned char *bytes, size_t size)
{
    size_t number;
    (void)size;
    header_of(bytes, ".nv.info.shapes", &number)->sh_size -= 2;
}

static void test_a_list_that_is_cut_off_may_have_any_number(void **state)
{
    (void)state;
    struct cbn_param_counts counts = count_in_changed(cut_off);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), UINT32_MAX);
    assert_int_equal(cbn_params_at_most(&counts, "stack"), 3);
    cbn_param_counts_free(&counts);
}

/* Gives three kernels the same list, of records without a parameter, which is more than a third of the file.
 */
static void overlap(unsigned char *bytes, size_t size)
{
    static const char *const names[] = {".nv.info.recursive", ".nv.info.stack", ".nv.info.shapes"};
    static const unsigned char record[] = {1, 0x3e, 0, 0};
    size_t number;
    size_t start = header_of(bytes, ".nv.constant0.recursive", &number)->sh_offset;
    size_t end = ((const Elf64_Ehdr *)bytes)->e_shoff;
    for (size_t at = start; at < end; at += sizeof(record)) {
        memcpy(bytes + at, record, sizeof(record));
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        Elf64_Shdr *section = header_of(bytes, names[i], &number);
        section->sh_offset = start;
        section->sh_size = end - start;
    }
    assert_true(2 * (end - start) < size && 3 * (end - start) > size);
}

static void test_no_more_bytes_are_read_than_the_file_has(void **state)
{
    (void)state;
    struct cbn_param_counts counts = count_in_changed(overlap);
    assert_int_equal(cbn_params_at_most(&counts, "stack"), 0);
    assert_int_equal(cbn_params_at_most(&counts, "shapes"), UINT32_MAX);
    cbn_param_counts_free(&counts);
}

static struct cbn_param_counts count_in_ptx(const char *ptx)
{
    struct cbn_param_counts counts;
    assert_true(cbn_param_counts_of_ptx(ptx, strlen(ptx), &counts));
    return counts;
}

static void test_ptx(void **state)
{
    (void)state;
    struct cbn_param_counts counts =
        count_in_ptx(".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".func (.param .b32 r) helper(.param .b32 a, .param .b32 b) { ret; }\n"
                     ".visible .entry none() { ret; }\n"
                     ".visible .entry empty { ret; }\n"
                     ".weak .entry some(.param .u64 .ptr .global .align 16 some_0,\n"
                     "  .param .align 8 .b8 some_1[24], // , .param .u32 comment\n"
                     "  .param .f32 some_2) .maxntid 128 { .param .b32 inner; ret; }\n");
    assert_int_equal(counts.count, 3);
    assert_int_equal(cbn_params_at_most(&counts, "helper"), UINT32_MAX);
    assert_int_equal(cbn_params_at_most(&counts, "none"), 0);
    assert_int_equal(cbn_params_at_most(&counts, "empty"), 0);
    assert_int_equal(cbn_params_at_most(&counts, "some"), 3);
    cbn_param_counts_free(&counts);
}

static void test_any_number_of_kernels(void **state)
{
    (void)state;
    enum { KERNELS = 100, LINE_SIZE = 64 };
    char *ptx = calloc(KERNELS + 1, LINE_SIZE);
    assert_non_null(ptx);
    char *end = stpcpy(ptx, ".version 8.0\n.target sm_80\n");
    for (int i = 0; i < KERNELS; i++) {
        end += sprintf(end, ".entry k%d(%s) { ret; }\n", i, i % 2 ? ".param .b32 a, .param .b32 b" : "");
    }
    struct cbn_param_counts counts = count_in_ptx(ptx);
    assert_int_equal(counts.count, KERNELS);
    assert_int_equal(cbn_params_at_most(&counts, "k0"), 0);
    assert_int_equal(cbn_params_at_most(&counts, "k99"), 2);
    assert_int_equal(cbn_params_at_most(&counts, "k100"), UINT32_MAX);
    cbn_param_counts_free(&counts);
    free(ptx);
}

static void test_ptx_that_is_not_understood_may_have_any_number(void **state)
{
    (void)state;
    static const char *const parameters[] = {".param .b32 p<4>", ".param .b32 a, .param .b8 b[x]"};
    for (size_t i = 0; i < COUNT(parameters); i++) {
        char ptx[128];
        snprintf(ptx, sizeof(ptx), ".version 8.0\n.target sm_80\n.entry k(%s) { ret; }\n", parameters[i]);
        struct cbn_param_counts counts = count_in_ptx(ptx);
        assert_int_equal(cbn_params_at_most(&counts, "k"), UINT32_MAX);
        cbn_param_counts_free(&counts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubins_of_compilers),
        cmocka_unit_test(test_a_list_of_two_kernels_counts_for_both),
        cmocka_unit_test(test_two_lists_are_added_up),
        cmocka_unit_test(test_the_larger_number_counts),
        cmocka_unit_test(test_a_list_that_is_cut_off_may_have_any_number),
        cmocka_unit_test(test_no_more_bytes_are_read_than_the_file_has),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_any_number_of_kernels),
        cmocka_unit_test(test_ptx_that_is_not_understood_may_have_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
