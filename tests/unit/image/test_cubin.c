/* SPDX-License-Identifier: Apache-2.0 */
/* What is read from the cubins of tests/golden/cubin. The numbers were compared with what ptxas printed when
 * the cubins were made (make.py there), those of sm_90 and sm_90a with cuFuncGetAttribute() and
 * cuFuncGetParamInfo() on an H200 too. */
#include "cubin_fixture.h"

#include "image/cubin.h"
#include "loader/core/archive/format.h"

#include <cubinet/status.h>

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 4 };

struct expected {
    const char *cubin;
    const char *kernel;
    uint32_t registers;
    uint32_t static_shared_bytes;
    uint32_t local_bytes;
    uint32_t max_threads_per_block;
    uint32_t max_block[3];
    uint32_t required_block[3];
    uint32_t min_blocks;
    uint32_t required_cluster[3];
    uint32_t max_cluster_blocks;
    uint32_t param_bytes;
    uint32_t param_count;
    struct {
        uint32_t offset, size;
    } params[MAX_PARAMS];
};

#define NO_PARAMS                                                                                            \
    0, 0,                                                                                                    \
    {                                                                                                        \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
#define SHAPES_PARAMS                                                                                        \
    32, 4,                                                                                                   \
    {                                                                                                        \
        {0, 1}, {8, 8}, {16, 2},                                                                             \
        {                                                                                                    \
            24, 8                                                                                            \
        }                                                                                                    \
    }
#define STACK_PARAMS                                                                                         \
    20, 3,                                                                                                   \
    {                                                                                                        \
        {0, 8}, {8, 8},                                                                                      \
        {                                                                                                    \
            16, 4                                                                                            \
        }                                                                                                    \
    }
#define POINTER_PARAM                                                                                        \
    8, 1,                                                                                                    \
    {                                                                                                        \
        {                                                                                                    \
            0, 8                                                                                             \
        }                                                                                                    \
    }
#define RANKED_PARAMS                                                                                        \
    5008, 2,                                                                                                 \
    {                                                                                                        \
        {0, 5000},                                                                                           \
        {                                                                                                    \
            5000, 8                                                                                          \
        }                                                                                                    \
    }
#define UNKNOWN CUBINET_UNKNOWN

static const struct expected expectations[] = {
    {"sm_60_cuda12.9", "empty", 2, 0, 0, 1024, {0}, {0}, 0, {0}, 0, NO_PARAMS},
    {"sm_60_cuda12.9", "recursive", 19, 0, 40, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_60_cuda12.9", "shapes", 12, 124, 0, 200, {200, 1, 1}, {0}, UNKNOWN, {0}, 0, SHAPES_PARAMS},
    {"sm_60_cuda12.9", "stack", 25, 0, 96, 1024, {0}, {0}, 0, {0}, 0, STACK_PARAMS},
    {"sm_75_cuda13.0", "empty", 4, 0, 0, 1024, {0}, {0}, 0, {0}, 0, NO_PARAMS},
    {"sm_75_cuda13.0", "recursive", 24, 0, 40, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_75_cuda13.0", "shapes", 13, 124, 0, 200, {200, 1, 1}, {0}, UNKNOWN, {0}, 0, SHAPES_PARAMS},
    {"sm_75_cuda13.0", "stack", 26, 0, 96, 1024, {0}, {0}, 0, {0}, 0, STACK_PARAMS},
    {"sm_80_cuda12.4", "barriers", 6, 0, 0, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_80_cuda12.4", "spilling", 32, 0, 64, 1024, {1024, 1, 1}, {0}, UNKNOWN, {0}, 0, STACK_PARAMS},
    {"sm_80_cuda13.0", "barriers", 6, 0, 0, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_80_cuda13.0", "spilling", 32, 0, 64, 1024, {1024, 1, 1}, {0}, UNKNOWN, {0}, 0, STACK_PARAMS},
    {"sm_90_cuda13.0", "shapes", 14, 124, 0, 200, {200, 1, 1}, {0}, UNKNOWN, {0}, 0, SHAPES_PARAMS},
    {"sm_90_nvjitlink13.0", "recursive", 24, 0, 0, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_90_nvjitlink13.0", "stack", 27, 0, 96, 1024, {0}, {0}, 0, {0}, 0, STACK_PARAMS},
    {"sm_90a_cuda12.9", "cluster", 4, 0, 0, 1024, {0}, {0}, 0, {2, 3, 1}, 0, NO_PARAMS},
    {"sm_90a_cuda12.9", "ranked", 8, 0, 0, 64, {64, 1, 1}, {0}, UNKNOWN, {0}, 4, RANKED_PARAMS},
    {"sm_90a_cuda12.9", "sized", 6, 0, 0, 1024, {0}, {32, 2, 1}, UNKNOWN, {1, 1, 1}, 0, POINTER_PARAM},
    {"sm_90a_cuda13.0", "cluster", 4, 0, 0, 1024, {0}, {0}, 0, {2, 3, 1}, 0, NO_PARAMS},
    {"sm_90a_cuda13.0", "ranked", 8, 0, 0, 64, {64, 1, 1}, {0}, UNKNOWN, {0}, 4, RANKED_PARAMS},
    {"sm_90a_cuda13.0", "sized", 6, 0, 0, 1024, {0}, {32, 2, 1}, UNKNOWN, {1, 1, 1}, 0, POINTER_PARAM},
    {"sm_100a_cuda12.9", "empty", 4, 0, 0, 1024, {0}, {0}, 0, {0}, 0, NO_PARAMS},
    {"sm_100f_cuda13.0", "shapes", 13, 124, 0, 200, {200, 1, 1}, {0}, UNKNOWN, {0}, 0, SHAPES_PARAMS},
    {"sm_120_cuda13.0", "recursive", 24, 0, 40, 1024, {0}, {0}, 0, {0}, 0, POINTER_PARAM},
    {"sm_120_cuda13.0", "stack", 30, 0, 96, 1024, {0}, {0}, 0, {0}, 0, STACK_PARAMS},
};

static struct contents read_fixture(const char *name)
{
    size_t size;
    unsigned char *bytes = cubin_fixture(name, &size);
    struct contents contents;
    cubinet_status status = cubin_read(bytes, size, &contents);
    if (status) {
        fail_msg("%s: %s", name, cubinet_error_message());
    }
    free(bytes); /* the contents must stand alone */
    return contents;
}

static const struct expected *expected_of(const char *cubin, const char *kernel)
{
    for (size_t i = 0; i < COUNT(expectations); i++) {
        if (strcmp(expectations[i].cubin, cubin) == 0 && strcmp(expectations[i].kernel, kernel) == 0) {
            return &expectations[i];
        }
    }
    fail_msg("%s has an unexpected kernel %s", cubin, kernel);
    return NULL;
}

static void check_kernel(const struct contents_kernel *kernel, const struct expected *expected)
{
    const cubinet_kernel_resources *resources = &kernel->resources;
    assert_int_equal(resources->registers, expected->registers);
    assert_int_equal(resources->static_shared_bytes, expected->static_shared_bytes);
    assert_int_equal(resources->local_bytes, expected->local_bytes);
    assert_int_equal(resources->constant_bytes, 20); /* table, which is in every one of them */
    assert_int_equal(resources->max_threads_per_block, expected->max_threads_per_block);
    assert_memory_equal(resources->max_block, expected->max_block, sizeof(expected->max_block));
    assert_memory_equal(resources->required_block, expected->required_block,
                        sizeof(expected->required_block));
    assert_int_equal(resources->min_blocks, expected->min_blocks);
    assert_memory_equal(resources->required_cluster, expected->required_cluster,
                        sizeof(expected->required_cluster));
    assert_int_equal(resources->max_cluster_blocks, expected->max_cluster_blocks);
    assert_int_equal(resources->param_bytes, expected->param_bytes);
    assert_int_equal(resources->param_count, expected->param_count);
    assert_ptr_equal(resources->params, kernel->params);
    for (size_t i = 0; i < expected->param_count; i++) {
        assert_int_equal(resources->params[i].offset, expected->params[i].offset);
        assert_int_equal(resources->params[i].size, expected->params[i].size);
    }
}

static void resources_are_what_the_driver_reports(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t i = 0; i < COUNT(cubin_fixtures); i++) {
        struct contents contents = read_fixture(cubin_fixtures[i]);
        for (size_t k = 0; k < contents.kernel_count; k++, checked++) {
            check_kernel(&contents.kernels[k], expected_of(cubin_fixtures[i], contents.kernels[k].name));
        }
        contents_free(&contents);
    }
    assert_int_equal(checked, COUNT(expectations));
}

static const struct contents_kernel *kernel_of(const struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i].name, name) == 0) {
            return &contents->kernels[i];
        }
    }
    fail_msg("there is no kernel %s", name);
    return NULL;
}

/* CUDA 12.4 does not note spills, so they are known only of a kernel without a stack; and what is noted about
 * Pascal's code is not read. */
static void spills_and_barriers_are_what_ptxas_says(void **state)
{
    (void)state;
    static const struct {
        const char *cubin;
        const char *kernel;
        uint32_t stores;
        uint32_t loads;
        uint32_t barriers;
    } cases[] = {
        {"sm_80_cuda13.0", "spilling", 88, 112, 0},
        {"sm_80_cuda13.0", "barriers", 0, 0, 5},
        {"sm_80_cuda12.4", "spilling", UNKNOWN, UNKNOWN, 0},
        {"sm_80_cuda12.4", "barriers", 0, 0, 5},
        {"sm_60_cuda12.9", "stack", UNKNOWN, UNKNOWN, 0},
        {"sm_60_cuda12.9", "shapes", 0, 0, 1},
        {"sm_75_cuda13.0", "stack", 0, 0, 0},
        {"sm_75_cuda13.0", "shapes", 0, 0, 1},
        {"sm_90_nvjitlink13.0", "recursive", 0, 0, 0},
        {"sm_120_cuda13.0", "stack", 0, 0, 0},
        {"sm_100f_cuda13.0", "shapes", 0, 0, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct contents contents = read_fixture(cases[i].cubin);
        const cubinet_kernel_resources *resources = &kernel_of(&contents, cases[i].kernel)->resources;
        assert_int_equal(resources->spill_store_bytes, cases[i].stores);
        assert_int_equal(resources->spill_load_bytes, cases[i].loads);
        assert_int_equal(resources->barriers, cases[i].barriers);
        contents_free(&contents);
    }
}

/* Finds a run of bytes, which must be there once. */
static unsigned char *find_bytes(unsigned char *bytes, size_t size, const void *run, size_t run_size)
{
    unsigned char *found = memmem(bytes, size, run, run_size);
    assert_non_null(found);
    assert_null(memmem(found + 1, (size_t)(bytes + size - found) - 1, run, run_size));
    return found;
}

static void notes_and_barriers_out_of_range_are_damage(void **state)
{
    (void)state;
    static const unsigned char barriers[] = {0x02, 0x4c, 0x05};
    static const unsigned char annotations[] = {0x04, 0x55};
    size_t size;
    unsigned char *bytes = cubin_fixture("sm_80_cuda13.0", &size);
    struct contents contents;

    unsigned char *place = find_bytes(bytes, size, barriers, sizeof(barriers));
    place[2] = 17;
    assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), "damaged cubin: a kernel has more barriers than there are");
    place[2] = 16;
    assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_OK);
    assert_int_equal(kernel_of(&contents, "barriers")->resources.barriers, 16);
    contents_free(&contents);

    place = find_bytes(bytes, size, annotations, sizeof(annotations));
    memset(place + 8, 0xff, 4); /* the first note's offset */
    assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(),
                        "damaged cubin: a note about a kernel's code is of an instruction that is not there");
    free(bytes);
}

static void the_target_and_toolkit_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *cubin;
        const char *target;
        uint32_t toolkit;
    } cases[] = {
        {"sm_60_cuda12.9", "sm_60", 12090},     {"sm_75_cuda13.0", "sm_75", 13000},
        {"sm_80_cuda12.4", "sm_80", 12040},     {"sm_80_cuda13.0", "sm_80", 13000},
        {"sm_90_cuda13.0", "sm_90", 13000},     {"sm_90_nvjitlink13.0", "sm_90", 13000},
        {"sm_90a_cuda12.9", "sm_90a", 12090},   {"sm_90a_cuda13.0", "sm_90a", 13000},
        {"sm_100a_cuda12.9", "sm_100a", 12090}, {"sm_100f_cuda13.0", "sm_100f", 13000},
        {"sm_120_cuda13.0", "sm_120", 13000},
    };
    assert_int_equal(COUNT(cases), COUNT(cubin_fixtures));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct contents contents = read_fixture(cases[i].cubin);
        char name[CUBINET_TARGET_NAME_SIZE];
        assert_string_equal(cubinet_target_name(contents.target, name), cases[i].target);
        assert_int_equal(contents.toolkit, cases[i].toolkit);
        assert_int_equal(contents.ptx_isa, 0);
        contents_free(&contents);
    }
}

/* In the ELF header, and again with each kernel. */
static void set_toolkit(unsigned char *bytes, size_t size, uint32_t tens)
{
    static const unsigned char record[] = {0x04, 0x37, 0x04, 0x00};
    unsigned char *end = bytes + size;
    cbn_put32(&bytes[offsetof(Elf64_Ehdr, e_version)], tens);
    for (unsigned char *at = bytes; (at = memmem(at, (size_t)(end - at), record, sizeof(record))) != NULL;) {
        at += sizeof(record);
        cbn_put32(at, tens);
    }
}

static void what_is_not_a_release_is_no_toolkit(void **state)
{
    (void)state;
    static const struct {
        uint32_t tens;
        uint32_t toolkit;
    } cases[] = {{65, 6050}, {9999, 999090}, {10000, 0}, {9, 0}, {UINT32_MAX, 0}};
    size_t size;
    unsigned char *bytes = cubin_fixture("sm_80_cuda12.4", &size);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct contents contents;
        set_toolkit(bytes, size, cases[i].tens);
        assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_OK);
        assert_int_equal(contents.toolkit, cases[i].toolkit);
        contents_free(&contents);
    }
    free(bytes);
}

static void globals_are_the_sources_variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cubin_fixtures); i++) {
        struct contents contents = read_fixture(cubin_fixtures[i]);
        assert_int_equal(contents.global_count, 3);
        const struct contents_global *globals = contents.globals;
        assert_string_equal(globals[0].name, "flags");
        assert_int_equal(globals[0].bytes, 3);
        assert_false(globals[0].is_constant);
        assert_string_equal(globals[1].name, "table");
        assert_int_equal(globals[1].bytes, 20);
        assert_true(globals[1].is_constant);
        assert_string_equal(globals[2].name, "total");
        assert_int_equal(globals[2].bytes, 8);
        assert_false(globals[2].is_constant);
        contents_free(&contents);
    }
}

/* Sets the register count of every kernel. */
static void set_registers(unsigned char *bytes, size_t size, unsigned char registers)
{
    static const unsigned char record[] = {4, 0x2f, 8, 0};
    for (size_t i = 0; i + 12 <= size; i += 4) {
        if (memcmp(bytes + i, record, sizeof(record)) == 0) {
            bytes[i + 8] = registers;
        }
    }
}

/* The numbers for sm_90 are what an H200 said of kernels with that many registers. */
static void registers_limit_the_block(void **state)
{
    (void)state;
    static const struct {
        const char *cubin;
        unsigned char registers;
        uint32_t threads;
    } cases[] = {
        {"sm_90_nvjitlink13.0", 24, 1024}, {"sm_90_nvjitlink13.0", 64, 1024},
        {"sm_90_nvjitlink13.0", 65, 896},  {"sm_90_nvjitlink13.0", 72, 896},
        {"sm_90_nvjitlink13.0", 80, 768},  {"sm_90_nvjitlink13.0", 88, 640},
        {"sm_90_nvjitlink13.0", 96, 640},  {"sm_90_nvjitlink13.0", 100, 512},
        {"sm_90_nvjitlink13.0", 128, 512}, {"sm_90_nvjitlink13.0", 129, 384},
        {"sm_90_nvjitlink13.0", 168, 384}, {"sm_90_nvjitlink13.0", 169, 256},
        {"sm_90_nvjitlink13.0", 254, 256}, {"sm_60_cuda12.9", 88, 704},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        unsigned char *bytes = cubin_fixture(cases[i].cubin, &size);
        set_registers(bytes, size, cases[i].registers);
        struct contents contents;
        assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_OK);
        const struct contents_kernel *last = &contents.kernels[contents.kernel_count - 1];
        assert_string_equal(last->name, "stack");
        assert_int_equal(last->resources.registers, cases[i].registers);
        assert_int_equal(last->resources.max_threads_per_block, cases[i].threads);
        contents_free(&contents);
        free(bytes);
    }
}

static void no_alignment_is_needed(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = cubin_fixture("sm_75_cuda13.0", &size);
    for (size_t shift = 1; shift < 8; shift++) {
        unsigned char *memory = malloc(size + shift);
        assert_non_null(memory);
        memcpy(memory + shift, bytes, size);
        struct contents contents;
        assert_int_equal(cubin_read(memory + shift, size, &contents), CUBINET_OK);
        assert_int_equal(contents.kernel_count, 4);
        check_kernel(&contents.kernels[2], expected_of("sm_75_cuda13.0", "shapes"));
        contents_free(&contents);
        free(memory);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_are_what_the_driver_reports),
        cmocka_unit_test(spills_and_barriers_are_what_ptxas_says),
        cmocka_unit_test(notes_and_barriers_out_of_range_are_damage),
        cmocka_unit_test(the_target_and_toolkit_are_read),
        cmocka_unit_test(what_is_not_a_release_is_no_toolkit),
        cmocka_unit_test(globals_are_the_sources_variables),
        cmocka_unit_test(registers_limit_the_block),
        cmocka_unit_test(no_alignment_is_needed),
    };
    return cmocka_run_group_tests_name("cubin", tests, NULL, NULL);
}
