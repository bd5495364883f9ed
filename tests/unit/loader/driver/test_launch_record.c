/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that take from the kernel's launch record what their caller leaves out. */
#include "image/contents.h"
#include "loader/driver/cuda_abi.h"
#include "machine.h"
#include "unit.h"

#include <string.h>

enum { FROM_TRITON_BYTES = 20480, SCRATCH_BYTES = 96 };

struct setup {
    cubinet_driver *driver;
    cubinet_module *module;
};

static struct contents_kernel *kernel_of(struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i].name, name) == 0) {
            return &contents->kernels[i];
        }
    }
    fail_msg("no kernel '%s'", name);
    return NULL;
}

static void hide(struct contents *contents, const char *name, cubinet_hidden_param hidden)
{
    assert_int_equal(launch_record_add_hidden(&kernel_of(contents, name)->launch, &hidden), CUBINET_OK);
}

/* As a kernel of Triton's with num_ctas of 2, and kernels of Warp's. */
static void record(struct contents *contents)
{
    cubinet_launch_record *program = &kernel_of(contents, "program")->launch.known;
    assert_true(program->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED);
    program->dynamic_shared_bytes = FROM_TRITON_BYTES;
    program->block[0] = 128;
    program->grid_factor[0] = 2;
    program->cluster[0] = 2;
    hide(
        contents, "program",
        (cubinet_hidden_param){
            .param = 2, .kind = CUBINET_HIDDEN_SCRATCH, .bytes_per_block = SCRATCH_BYTES, .alignment = 1024});
    hide(contents, "program", (cubinet_hidden_param){.param = 3, .kind = CUBINET_HIDDEN_PROFILE});
    static const char *const names[] = {"line", "plane", "space", "time"};
    for (uint32_t i = 0; i < 4; i++) {
        hide(contents, names[i],
             (cubinet_hidden_param){.param = 0, .kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = i + 1});
        kernel_of(contents, names[i])->launch.known.block[0] = 64;
    }
}

static struct setup set_up_with(machine_lie_fn *lie)
{
    struct setup setup = {.driver = machine_start("9.0", NULL, NULL)};
    cubinet_archive *archive = machine_lying_archive("compute_80=hidden", lie, NULL);
    setup.module = machine_load(setup.driver, archive, 0);
    cubinet_archive_close(archive);
    return setup;
}

static struct setup set_up(void)
{
    return set_up_with(record);
}

static void tear_down(struct setup *setup)
{
    simdriver_fail_none();
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    machine_stop(setup->driver);
}

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in the message: %s\n", part, cubinet_error_message());
        fail();
    }
}

static CUdeviceptr data = 0x1234000;
static uint32_t count = 77;

static cubinet_status launch_program(const struct setup *setup, const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(count)};
    return cubinet_kernel_launch(machine_kernel(setup->module, "program"), config, args, 2);
}

static void expect_sides(const unsigned int found[3], unsigned int x, unsigned int y, unsigned int z)
{
    assert_int_equal(found[0], x);
    assert_int_equal(found[1], y);
    assert_int_equal(found[2], z);
}

static void test_completes_a_launch(void **state)
{
    (void)state;
    struct setup setup = set_up();
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {5, 3}, .stream = (CUstream)(uintptr_t)0x55};
    assert_int_equal(launch_program(&setup, &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    expect_sides(seen.grid, 10, 3, 1);
    expect_sides(seen.block, 128, 1, 1);
    expect_sides(seen.cluster, 2, 1, 1);
    assert_int_equal(seen.dynamic_shared_bytes, FROM_TRITON_BYTES);
    assert_int_equal(seen.arg_count, 4);
    assert_memory_equal(seen.args[0], &data, sizeof(data));
    assert_memory_equal(seen.args[1], &count, sizeof(count));
    struct simdriver_memory memory = simdriver_last_memory();
    CUdeviceptr scratch = 0;
    CUdeviceptr profile = 1;
    memcpy(&scratch, seen.args[2], sizeof(scratch));
    memcpy(&profile, seen.args[3], sizeof(profile));
    assert_int_equal(scratch % 1024, 0);
    assert_true(scratch >= memory.address);
    assert_true(scratch + 30 * SCRATCH_BYTES <= memory.address + memory.bytes);
    assert_int_equal(profile, 0);
    assert_ptr_equal(memory.stream, config.stream);
    assert_ptr_equal(memory.freed_in, config.stream);
    assert_int_equal(memory.live, 0);
    assert_false(memory.freed_too_soon);
    tear_down(&setup);
}

static void test_takes_what_the_caller_gives(void **state)
{
    (void)state;
    struct setup setup = set_up();
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {4}, .block = {32}, .cluster = {4}, .dynamic_shared_bytes = 60000};
    assert_int_equal(launch_program(&setup, &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    expect_sides(seen.grid, 8, 1, 1);
    expect_sides(seen.block, 32, 1, 1);
    expect_sides(seen.cluster, 4, 1, 1);
    assert_int_equal(seen.dynamic_shared_bytes, 60000);
    assert_int_equal(simdriver_dynamic_shared("program", 0), 60000);
    tear_down(&setup);
}

static void test_takes_nothing_of_the_record(void **state)
{
    (void)state;
    struct setup setup = set_up();
    CUdeviceptr scratch = 0x777;
    CUdeviceptr profile = 0x888;
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(count), CUBINET_ARG(scratch),
                                CUBINET_ARG(profile)};
    cubinet_launch_config config = {
        .size = sizeof(config), .grid = {5}, .block = {32}, .flags = CUBINET_LAUNCH_NO_RECORD};
    cubinet_kernel *kernel = machine_kernel(setup.module, "program");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 4), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("dynamic_shared_bytes is 0");
    config.dynamic_shared_bytes = 64;
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 2), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("takes 4 arguments; 2 were given");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 4), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    expect_sides(seen.grid, 5, 1, 1);
    expect_sides(seen.cluster, 0, 0, 0);
    assert_memory_equal(seen.args[2], &scratch, sizeof(scratch));
    /* Arguments for every parameter are taken with the rest of the record, too. */
    config.flags = 0;
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 4), CUBINET_OK);
    seen = simdriver_last_launch();
    expect_sides(seen.grid, 10, 1, 1);
    assert_memory_equal(seen.args[3], &profile, sizeof(profile));
    assert_int_equal(simdriver_calls("cuMemAllocAsync"), 0);
    tear_down(&setup);
}

static void test_refuses_wrong_arguments(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_kernel *kernel = machine_kernel(setup.module, "program");
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}};
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(data), CUBINET_ARG(data)};
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 3), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message(
        "'program' takes 2 arguments, and 2 hidden ones that the launch record says; 3 were given");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 1), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    assert_int_equal(cubinet_kernel_launch(kernel, &config, NULL, 2), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, SIZE_MAX - 1),
                     CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("2 hidden ones that the launch record says; 18446744073709551614 were given");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 2), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("argument 1 (of 4, from 0) has 8 bytes; the parameter has 4");
    const cubinet_launch_config vast = {.size = sizeof(vast), .grid = {0x80000000}};
    assert_int_equal(launch_program(&setup, &vast), CUBINET_ERROR_LIMIT);
    expect_message("grid dimension x is 2147483648, times the 2 of its launch record");
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    assert_int_equal(simdriver_calls("cuMemAllocAsync"), 0);
    tear_down(&setup);
}

/* Whatever fails, what was allocated is freed, and the first failure is told. */
static void test_driver_failures(void **state)
{
    (void)state;
    static const struct {
        const char *function;
        const char *message;
    } cases[] = {
        {"cuMemAllocAsync", "allocating 3903 bytes of scratch memory for kernel 'program'"},
        {"cuLaunchKernelEx", "launching kernel 'program'"},
        {"cuMemFreeAsync", "freeing the scratch memory of kernel 'program'"},
    };
    struct setup setup = set_up();
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {5, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        simdriver_fail(cases[i].function, 1, CBN_CU_NOT_SUPPORTED, false);
        assert_int_equal(launch_program(&setup, &config), CUBINET_ERROR_DRIVER);
        expect_message(cases[i].message);
        simdriver_fail_none();
        assert_int_equal(simdriver_last_memory().live, 0);
    }
    simdriver_fail("cuLaunchKernelEx", 1, CBN_CU_NOT_SUPPORTED, false);
    simdriver_fail("cuMemFreeAsync", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(launch_program(&setup, &config), CUBINET_ERROR_DRIVER);
    expect_message("launching kernel 'program'");
    tear_down(&setup);
}

static void record_vast_scratch(struct contents *contents)
{
    hide(contents, "program",
         (cubinet_hidden_param){
             .param = 2, .kind = CUBINET_HIDDEN_SCRATCH, .bytes_per_block = UINT64_MAX / 2});
    hide(contents, "line", (cubinet_hidden_param){.param = 0, .kind = 77});
    hide(contents, "plane",
         (cubinet_hidden_param){.param = 0, .kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = 5});
}

/* What a newer archive, or one that somebody altered, may say. */
static void test_records_that_cannot_be_followed(void **state)
{
    (void)state;
    struct setup setup = set_up_with(record_vast_scratch);
    CUdeviceptr other = 0;
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(count), CUBINET_ARG(other)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {3}, .block = {32}, .dynamic_shared_bytes = 8};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "program"), &config, args, 3),
                     CUBINET_ERROR_LIMIT);
    expect_message("are more than 2^64");
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "line"), &config, args, 1),
                     CUBINET_ERROR_NEWER_FORMAT);
    expect_message("of a kind (77) that this version of Cubinet does not know");
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "plane"), &config, args, 1),
                     CUBINET_ERROR_NEWER_FORMAT);
    tear_down(&setup);
}

static cubinet_status launch_extent(const struct setup *setup, const char *name,
                                    const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(data)};
    return cubinet_kernel_launch(machine_kernel(setup->module, name), config, args, 1);
}

/* launch_bounds_t<N>: uint32_t shape[N]; size_t size; size_t coord_mult. */
static void expect_bounds(uint32_t dimensions, const uint32_t *extent, uint64_t threads, uint64_t shared)
{
    struct simdriver_launch seen = simdriver_last_launch();
    size_t place = dimensions > 2 ? 16 : 8;
    uint64_t numbers[2];
    assert_int_equal(seen.arg_sizes[0], place + 16);
    assert_memory_equal(seen.args[0], extent, dimensions * sizeof(*extent));
    memcpy(numbers, seen.args[0] + place, sizeof(numbers));
    assert_int_equal(numbers[0], threads);
    assert_int_equal(numbers[1], shared);
    assert_memory_equal(seen.args[1], &data, sizeof(data));
}

static void test_launch_bounds(void **state)
{
    (void)state;
    struct setup setup = set_up();
    const cubinet_launch_config line = {.size = sizeof(line), .extent = {1000}};
    assert_int_equal(launch_extent(&setup, "line", &line), CUBINET_OK);
    expect_bounds(1, (const uint32_t[]){1000}, 1000, 1);
    expect_sides(simdriver_last_launch().grid, 16, 1, 1);
    expect_sides(simdriver_last_launch().block, 64, 1, 1);
    const cubinet_launch_config tiles = {
        .size = sizeof(tiles), .extent = {7, 5}, .threads_per_element = 64, .grid = {2, 3}};
    assert_int_equal(launch_extent(&setup, "plane", &tiles), CUBINET_OK);
    expect_bounds(2, (const uint32_t[]){7, 5}, 2240, 64);
    expect_sides(simdriver_last_launch().grid, 2, 3, 1);
    const cubinet_launch_config space = {.size = sizeof(space), .extent = {2, 0, 4}, .block = {4}};
    assert_int_equal(launch_extent(&setup, "space", &space), CUBINET_OK);
    expect_bounds(3, (const uint32_t[]){2, 1, 4}, 8, 1);
    expect_sides(simdriver_last_launch().grid, 2, 1, 1);
    const cubinet_launch_config time = {.size = sizeof(time), .extent = {2, 3, 4, 5}, .cluster = {4}};
    assert_int_equal(launch_extent(&setup, "time", &time), CUBINET_OK);
    expect_bounds(4, (const uint32_t[]){2, 3, 4, 5}, 120, 1);
    expect_sides(simdriver_last_launch().grid, 4, 1, 1);
    /* Fewer dimensions than the kernel numbers: the others are 1. */
    assert_int_equal(launch_extent(&setup, "time", &line), CUBINET_OK);
    expect_bounds(4, (const uint32_t[]){1000, 1, 1, 1}, 1000, 1);
    tear_down(&setup);
}

static void test_refuses_extents(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}};
    assert_int_equal(launch_extent(&setup, "line", &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("'line' takes an extent of up to 1 dimensions");
    config.extent[0] = 5;
    config.extent[1] = 5;
    assert_int_equal(launch_extent(&setup, "line", &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("extent has 2");
    assert_int_equal(launch_program(&setup, &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("'program' takes no extent");
    const cubinet_launch_config large = {.size = sizeof(large), .extent = {1 << 20, 1 << 20}};
    assert_int_equal(launch_extent(&setup, "plane", &large), CUBINET_ERROR_LIMIT);
    expect_message("more than one row of blocks holds");
    const cubinet_launch_config vast = {
        .size = sizeof(vast), .extent = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, .grid = {1}};
    assert_int_equal(launch_extent(&setup, "time", &vast), CUBINET_ERROR_LIMIT);
    expect_message("more than 2^64");
    const cubinet_launch_config reserved = {.size = sizeof(reserved), .grid = {1}, .reserved2 = 1};
    assert_int_equal(launch_program(&setup, &reserved), CUBINET_ERROR_INVALID_ARGUMENT);
    tear_down(&setup);
}

static void record_bytes_and_block(struct contents *contents)
{
    cubinet_launch_record *program = &kernel_of(contents, "program")->launch.known;
    program->dynamic_shared_bytes = FROM_TRITON_BYTES;
    program->block[0] = 128;
    program->flags |= CUBINET_RECORD_COOPERATIVE;
    program->cluster[0] = 2;
    hide(contents, "line",
         (cubinet_hidden_param){.param = 0, .kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = 1});
}

static void test_suggests_by_the_record(void **state)
{
    (void)state;
    struct setup setup = set_up_with(record_bytes_and_block);
    const uint64_t extent[3] = {100000};
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_kernel *kernel = machine_kernel(setup.module, "program");
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, NULL, &config, NULL), CUBINET_OK);
    assert_int_equal(config.block[0], 128);
    assert_int_equal(config.cluster[0], 2);
    assert_int_equal(config.dynamic_shared_bytes, FROM_TRITON_BYTES);
    assert_int_equal(config.flags, CUBINET_LAUNCH_COOPERATIVE);
    uint32_t threads = 0;
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, NULL, &threads, NULL), CUBINET_OK);
    assert_int_equal(threads, 128);
    cubinet_occupancy with = {.size = sizeof(with)};
    cubinet_occupancy without = {.size = sizeof(without)};
    cubinet_launch_config any = {.size = sizeof(any)};
    assert_int_equal(cubinet_kernel_get_occupancy(kernel, &any, &with), CUBINET_OK);
    any.flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED;
    assert_int_equal(cubinet_kernel_get_occupancy(kernel, &any, &without), CUBINET_OK);
    assert_true(with.allocated_shared_bytes_per_block >=
                without.allocated_shared_bytes_per_block + FROM_TRITON_BYTES);
    cubinet_kernel *line = machine_kernel(setup.module, "line");
    config.size = sizeof(config);
    assert_int_equal(cubinet_kernel_suggest_launch(line, extent, NULL, &config, NULL), CUBINET_OK);
    assert_int_equal(config.extent[0], 100000);
    assert_int_equal(launch_extent(&setup, "line", &config), CUBINET_OK);
    const uint64_t large[3] = {UINT64_C(1) << 32};
    assert_int_equal(cubinet_kernel_suggest_launch(line, large, NULL, &config, NULL), CUBINET_ERROR_LIMIT);
    expect_message("'line' takes an extent of at most 2^32 - 1 along each axis");
    expect_bounds(1, (const uint32_t[]){100000}, 100000, 1);
    tear_down(&setup);
}

static uint32_t no_bytes(uint32_t block_threads, void *user)
{
    (void)block_threads;
    (void)user;
    return 0;
}

static void expect_bytes_missing(cubinet_status status)
{
    assert_int_equal(status, CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("the archive does not record how many bytes it uses");
}

/* Nobody says how much dynamic shared memory there is. */
static void test_says_that_bytes_are_missing(void **state)
{
    (void)state;
    struct setup setup = set_up_with(NULL);
    cubinet_kernel *kernel = machine_kernel(setup.module, "program");
    const uint64_t extent[3] = {1000};
    uint32_t number = 0;
    cubinet_launch_config config = {.size = sizeof(config), .block = {32}};
    cubinet_suggest_options options = {.size = sizeof(options)};
    cubinet_block_size_options blocks = {.size = sizeof(blocks)};
    cubinet_launch_config out = {.size = sizeof(out)};
    expect_bytes_missing(cubinet_kernel_get_max_active_blocks(kernel, &config, &number));
    expect_bytes_missing(cubinet_kernel_get_max_block_size(kernel, NULL, &number, NULL));
    expect_message("where this launch uses none of it, a dynamic_shared_fn that returns 0");
    expect_bytes_missing(cubinet_kernel_suggest_launch(kernel, extent, NULL, &out, NULL));
    expect_bytes_missing(cubinet_kernel_get_max_active_clusters(kernel, &config, &number));
    config.flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED;
    options.flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED;
    blocks.dynamic_shared_fn = no_bytes;
    assert_int_equal(cubinet_kernel_get_max_active_blocks(kernel, &config, &number), CUBINET_OK);
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, &blocks, &number, NULL), CUBINET_OK);
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, &options, &out, NULL), CUBINET_OK);
    assert_int_equal(out.flags, CUBINET_LAUNCH_NO_DYNAMIC_SHARED);
    assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 1, 32, &number), CUBINET_OK);
    tear_down(&setup);
}

/* A function that returns 0 says that there is none, whatever is recorded: the launch does not fill it in. */
static void expect_suggested_none(const struct setup *setup)
{
    cubinet_kernel *kernel = machine_kernel(setup->module, "program");
    const uint64_t extent[3] = {1000};
    const cubinet_suggest_options options = {.size = sizeof(options), .dynamic_shared_fn = no_bytes};
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_launch_estimate estimate = {.size = sizeof(estimate)};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, &options, &config, &estimate), CUBINET_OK);
    assert_int_equal(config.dynamic_shared_bytes, 0);
    assert_int_equal(config.flags, CUBINET_LAUNCH_NO_DYNAMIC_SHARED);
    assert_int_equal(cubinet_kernel_get_occupancy(kernel, &config, &occupancy), CUBINET_OK);
    assert_int_equal(estimate.resident_blocks, 132 * occupancy.active_blocks_per_multiprocessor);
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(count), CUBINET_ARG(data), CUBINET_ARG(data)};
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 4), CUBINET_OK);
    assert_int_equal(simdriver_last_launch().dynamic_shared_bytes, 0);
}

static void record_bytes_alone(struct contents *contents)
{
    kernel_of(contents, "program")->launch.known.dynamic_shared_bytes = FROM_TRITON_BYTES;
}

static void test_suggests_no_shared_memory(void **state)
{
    (void)state;
    struct setup setup = set_up_with(NULL);
    expect_suggested_none(&setup);
    tear_down(&setup);
    setup = set_up_with(record_bytes_alone);
    expect_suggested_none(&setup);
    tear_down(&setup);
}

static void test_suggests_no_programs(void **state)
{
    (void)state;
    struct setup setup = set_up();
    const uint64_t extent[3] = {1000};
    cubinet_launch_config out = {.size = sizeof(out)};
    assert_int_equal(
        cubinet_kernel_suggest_launch(machine_kernel(setup.module, "program"), extent, NULL, &out, NULL),
        CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("its grid counts programs");
    tear_down(&setup);
}

static void test_tells_the_record(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_kernel *kernel = machine_kernel(setup.module, "program");
    assert_int_equal(cubinet_kernel_get_launch_record(kernel, &record), CUBINET_OK);
    assert_int_equal(record.flags, CUBINET_RECORD_TAKES_DYNAMIC_SHARED);
    assert_int_equal(record.dynamic_shared_bytes, FROM_TRITON_BYTES);
    assert_int_equal(record.hidden_count, 2);
    assert_int_equal(record.hidden[0].param, 2);
    assert_int_equal(record.hidden[0].alignment, 1024);
    assert_int_equal(record.hidden[1].kind, CUBINET_HIDDEN_PROFILE);
    assert_int_equal(cubinet_kernel_get_launch_record(NULL, &record), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_kernel_get_launch_record(kernel, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    tear_down(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_completes_a_launch),
        cmocka_unit_test(test_takes_what_the_caller_gives),
        cmocka_unit_test(test_takes_nothing_of_the_record),
        cmocka_unit_test(test_refuses_wrong_arguments),
        cmocka_unit_test(test_driver_failures),
        cmocka_unit_test(test_records_that_cannot_be_followed),
        cmocka_unit_test(test_launch_bounds),
        cmocka_unit_test(test_refuses_extents),
        cmocka_unit_test(test_suggests_by_the_record),
        cmocka_unit_test(test_says_that_bytes_are_missing),
        cmocka_unit_test(test_suggests_no_programs),
        cmocka_unit_test(test_suggests_no_shared_memory),
        cmocka_unit_test(test_tells_the_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
