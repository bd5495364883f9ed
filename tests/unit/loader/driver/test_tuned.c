/* SPDX-License-Identifier: Apache-2.0 */
/* Launches suggested by tuning records, and choices among instances. */
#include "allocations.h"
#include "archive/draft.h"
#include "loader/driver/module.h"
#include "machine.h"
#include "unit.h"

#include <pthread.h>
#include <string.h>

#define ON_90  "sm_90"
#define PARTED "sm_90=scale_90+tile_90+clustered_90"

struct setup {
    cubinet_driver *driver;
    cubinet_module *module;
};

static struct setup set_up_on(const char *device, const char *images, machine_tune_fn *tune)
{
    struct setup setup = {.driver = machine_start(device, NULL, NULL)};
    cubinet_archive *archive = machine_tuned_archive(images, tune);
    setup.module = machine_load(setup.driver, archive, 0);
    cubinet_archive_close(archive);
    return setup;
}

static struct setup set_up(const char *images, machine_tune_fn *tune)
{
    return set_up_on("9.0", images, tune);
}

static void tear_down(struct setup *setup)
{
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    machine_stop(setup->driver);
}

static void put(struct draft_module *module, const cubinet_tuning *tuning)
{
    assert_int_equal(draft_put_tuning(module, tuning), CUBINET_OK);
}

/* "scale" alone for two extents, and "any", of which each kernel is the best for one. */
static void tune(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, ON_90, "scale", "scale", 1000, 64);
    put(module, &record);
    record = machine_tuning(module, ON_90, "scale", "scale", 100000, 512);
    record.grid_rule = CUBINET_GRID_PER_BLOCK;
    record.grid_value[0] = 2048;
    put(module, &record);
    record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.default_kernel = "scale";
    put(module, &record);
    record = machine_tuning(module, ON_90, "any", "scale", 1 << 20, 320);
    record.dynamic_shared_bytes = 512;
    record.cluster[0] = 4;
    put(module, &record);
}

struct found {
    cubinet_kernel *kernel;
    cubinet_launch_config config;
    cubinet_tuned_info info;
};

static struct found get(const struct setup *setup, const char *what, uint64_t x,
                        const cubinet_suggest_options *options)
{
    const uint64_t extent[3] = {x, 0, 1};
    struct found found = {.config = {.size = sizeof(found.config)}, .info = {.size = sizeof(found.info)}};
    cubinet_status status = cubinet_module_get_tuned(setup->module, what, extent, options, &found.kernel,
                                                     &found.config, &found.info);
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
    return found;
}

static const char *name_of(const cubinet_kernel *kernel)
{
    cubinet_kernel_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_kernel_get_info(kernel, &info), CUBINET_OK);
    return info.name;
}

static cubinet_launch_config suggest(const struct setup *setup, const char *name, uint64_t x, uint32_t flags)
{
    const uint64_t extent[3] = {x, 1, 1};
    const cubinet_suggest_options options = {.size = sizeof(options), .flags = flags};
    cubinet_launch_config config = {.size = sizeof(config)};
    assert_int_equal(
        cubinet_kernel_suggest_launch(machine_kernel(setup->module, name), extent, &options, &config, NULL),
        CUBINET_OK);
    return config;
}

static void expect_same(const cubinet_launch_config *a, const cubinet_launch_config *b)
{
    assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
    assert_memory_equal(a->block, b->block, sizeof(a->block));
    assert_memory_equal(a->cluster, b->cluster, sizeof(a->cluster));
    assert_int_equal(a->dynamic_shared_bytes, b->dynamic_shared_bytes);
    assert_int_equal(a->flags, b->flags);
}

static void expect_untuned(const struct setup *setup, const char *what, const char *kernel, uint64_t x,
                           const cubinet_suggest_options *options, uint32_t reason)
{
    struct found found = get(setup, what, x, options);
    assert_string_equal(name_of(found.kernel), kernel);
    assert_int_equal(found.info.source, CUBINET_TUNED_NONE);
    assert_int_equal(found.info.reason, reason);
    cubinet_suggest_options without = {.size = sizeof(without)};
    without = options ? *options : without;
    without.flags |= CUBINET_SUGGEST_NO_TUNING;
    cubinet_launch_config config = {.size = sizeof(config)};
    const uint64_t extent[3] = {x, 1, 1};
    assert_int_equal(cubinet_kernel_suggest_launch(found.kernel, extent, &without, &config, NULL),
                     CUBINET_OK);
    expect_same(&found.config, &config);
}

static void test_uses_a_record(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    struct found found = get(&setup, "scale", 1000, NULL);
    assert_string_equal(name_of(found.kernel), "scale");
    assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
    assert_int_equal(found.info.reason, CUBINET_UNTUNED_NOT);
    assert_int_equal(found.info.tuning, 2);
    assert_int_equal(found.info.extent[0], 1000);
    assert_int_equal(found.info.time_ns, 800);
    assert_int_equal(found.info.noise_ns, 3);
    assert_int_equal(found.info.untuned_time_ns, 1000);
    assert_int_equal(found.info.untuned_noise_ns, 5);
    assert_int_equal(found.config.block[0], 64);
    assert_int_equal(found.config.grid[0], 16);
    cubinet_launch_config config = suggest(&setup, "scale", 1000, 0);
    expect_same(&config, &found.config);
    tear_down(&setup);
}

static void test_uses_the_nearest_record(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    struct found found = get(&setup, "scale<float>", 90000, NULL); /* by its expression */
    assert_int_equal(found.info.source, CUBINET_TUNED_NEAREST);
    assert_int_equal(found.info.extent[0], 100000);
    assert_int_equal(found.config.block[0], 512);
    assert_int_equal(found.config.grid[0], 44);
    found = get(&setup, "scale", 1001, NULL);
    assert_int_equal(found.info.extent[0], 1000);
    assert_int_equal(found.config.grid[0], 16);
    expect_untuned(&setup, "scale", "scale", 999, NULL, CUBINET_UNTUNED_OUTSIDE);
    expect_untuned(&setup, "scale", "scale", 100001, NULL, CUBINET_UNTUNED_OUTSIDE);
    tear_down(&setup);
}

static void test_chooses_an_instance(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    struct found found = get(&setup, "any", 1024, NULL);
    assert_string_equal(name_of(found.kernel), "tile");
    assert_int_equal(found.config.block[0], 96);
    assert_int_equal(found.config.grid[0], 11);
    found = get(&setup, "any", 900000, NULL);
    assert_string_equal(name_of(found.kernel), "scale");
    assert_int_equal(found.config.block[0], 320);
    assert_int_equal(found.config.dynamic_shared_bytes, 512);
    assert_int_equal(found.config.cluster[0], 4);
    assert_int_equal(found.config.grid[0], 2816);
    expect_untuned(&setup, "any", "scale", 8, NULL, CUBINET_UNTUNED_OUTSIDE);
    tear_down(&setup);
}

/* A kernel that was chosen in a set is suggested what was found there, too, but first what was for it alone.
 */
static void test_suggests_for_a_kernel(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    cubinet_launch_config config = suggest(&setup, "tile", 1024, 0);
    assert_int_equal(config.block[0], 96);
    config = suggest(&setup, "scale", 1 << 20, 0);
    assert_int_equal(config.block[0], 320);
    struct found found = get(&setup, "tile", 1024, NULL);
    assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
    assert_int_equal(found.config.block[0], 96);
    expect_untuned(&setup, "tile", "tile", 1025, NULL, CUBINET_UNTUNED_OUTSIDE);
    expect_untuned(&setup, "clustered", "clustered", 1024, NULL, CUBINET_UNTUNED_NO_RECORD);
    tear_down(&setup);
}

static void test_estimates_a_tuned_launch(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    const uint64_t extent[3] = {100000, 1, 1};
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_launch_estimate estimate = {.size = sizeof(estimate)};
    assert_int_equal(cubinet_kernel_suggest_launch(machine_kernel(setup.module, "scale"), extent, NULL,
                                                   &config, &estimate),
                     CUBINET_OK);
    assert_int_equal(config.grid[0], 49);
    assert_int_equal(estimate.blocks, 49);
    assert_int_equal(estimate.rounds[0], 1);
    assert_int_equal(estimate.resident_blocks, 4 * MACHINE_MULTIPROCESSORS);
    assert_true(estimate.waves < 1);
    tear_down(&setup);
}

static void test_ignores_records(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    const cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_SUGGEST_NO_TUNING};
    expect_untuned(&setup, "scale", "scale", 1000, &options, CUBINET_UNTUNED_IGNORED);
    expect_untuned(&setup, "any", "scale", 1024, &options, CUBINET_UNTUNED_IGNORED);
    expect_untuned(&setup, "clustered", "clustered", 1024, &options, CUBINET_UNTUNED_IGNORED);
    tear_down(&setup);
}

static uint32_t eight_bytes(uint32_t threads, void *user)
{
    (void)user;
    return 8 * threads;
}

static void test_options_that_a_record_does_not_have(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    const cubinet_suggest_options refused[] = {
        {.size = sizeof(refused[0]), .max_block_threads = 32},
        {.size = sizeof(refused[0]), .elements_per_thread = 2},
        {.size = sizeof(refused[0]), .dynamic_shared_bytes = 128},
        {.size = sizeof(refused[0]), .dynamic_shared_fn = eight_bytes},
        {.size = sizeof(refused[0]), .cluster = {2, 1, 1}},
        {.size = sizeof(refused[0]), .flags = CUBINET_LAUNCH_COOPERATIVE},
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        expect_untuned(&setup, "scale", "scale", 1000, &refused[i], CUBINET_UNTUNED_OPTIONS);
    }
    const cubinet_suggest_options none = {.size = sizeof(none), .flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED};
    expect_untuned(&setup, "any", "scale", 1 << 20, &none, CUBINET_UNTUNED_OPTIONS);
    const cubinet_suggest_options taken[] = {
        {.size = sizeof(taken[0]), .max_block_threads = 64},
        {.size = sizeof(taken[0]), .elements_per_thread = 1},
        {.size = sizeof(taken[0]), .cluster = {1}},
        {.size = sizeof(taken[0]), .flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED},
    };
    for (size_t i = 0; i < COUNT(taken); i++) {
        struct found found = get(&setup, "scale", 1000, &taken[i]);
        assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
    }
    const cubinet_suggest_options shared = {
        .size = sizeof(shared), .dynamic_shared_bytes = 512, .cluster = {4}};
    assert_int_equal(get(&setup, "any", 1 << 20, &shared).info.source, CUBINET_TUNED_EXACT);
    tear_down(&setup);
}

static uint32_t no_bytes(uint32_t threads, void *user)
{
    (void)threads;
    (void)user;
    return 0;
}

/* A record without bytes was measured with those of the kernel's launch record, which are recorded afterwards
 * here. */
static void test_bytes_of_the_launch_record(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    machine_kernel(setup.module, "scale")->record.launch.dynamic_shared_bytes = 4096;
    const cubinet_suggest_options refused[] = {
        {.size = sizeof(refused[0]), .flags = CUBINET_LAUNCH_NO_DYNAMIC_SHARED},
        {.size = sizeof(refused[0]), .dynamic_shared_fn = no_bytes},
        {.size = sizeof(refused[0]), .dynamic_shared_bytes = 512},
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        expect_untuned(&setup, "scale", "scale", 1000, &refused[i], CUBINET_UNTUNED_OPTIONS);
        bool is_none = refused[i].dynamic_shared_bytes == 0;
        cubinet_launch_config config = get(&setup, "scale", 1000, &refused[i]).config;
        assert_int_equal(config.flags, is_none ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED : 0);
        assert_int_equal(config.dynamic_shared_bytes, refused[i].dynamic_shared_bytes);
    }
    const cubinet_suggest_options taken[] = {
        {.size = sizeof(taken[0])},
        {.size = sizeof(taken[0]), .dynamic_shared_bytes = 4096},
    };
    for (size_t i = 0; i < COUNT(taken); i++) {
        struct found found = get(&setup, "scale", 1000, &taken[i]);
        assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
        assert_int_equal(found.config.dynamic_shared_bytes, 4096);
        assert_int_equal(found.config.flags, 0);
    }
    tear_down(&setup);
}

static void tune_default(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.flags = CUBINET_TUNING_DEFAULT | CUBINET_TUNING_COLD | CUBINET_TUNING_CHECKED;
    record.untuned_time_ns = record.time_ns;
    record.untuned_noise_ns = record.noise_ns;
    put(module, &record);
    record.extent[0] = 2048;
    put(module, &record);
}

/* At its own extent that configuration was measured; at others the rule that made it is asked. */
static void test_default_stays(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune_default);
    struct found found = get(&setup, "any", 1024, NULL);
    assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
    assert_int_equal(found.config.block[0], 96);
    expect_untuned(&setup, "any", "tile", 1500, NULL, CUBINET_UNTUNED_DEFAULT);
    assert_int_equal(get(&setup, "any", 1500, NULL).info.tuning, 0);
    tear_down(&setup);
}

static void tune_elsewhere(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.gpu = "NVIDIA H200";
    put(module, &record);
    record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.multiprocessor_count = 114;
    put(module, &record);
    record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.compute = 100;
    put(module, &record);
    record = machine_tuning(module, "compute_80", "any", "tile", 1024, 96);
    put(module, &record);
    record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    record.digest[5] ^= 1;
    put(module, &record);
}

/* Another GPU, a part of the same, another image of the module, and one that it does not have. */
static void test_records_that_do_not_count(void **state)
{
    (void)state;
    struct setup setup = set_up("sm_90 compute_80", tune_elsewhere);
    expect_untuned(&setup, "any", "tile", 1024, NULL, CUBINET_UNTUNED_NO_RECORD);
    expect_untuned(&setup, "scale", "scale", 1024, NULL, CUBINET_UNTUNED_NO_RECORD);
    tear_down(&setup);
}

static void tune_limits(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, ON_90, "wide", "scale", 1024, 2048); /* threads */
    put(module, &record);
    record = machine_tuning(module, ON_90, "bounds", "tile", 1024, 512);
    put(module, &record);
    record = machine_tuning(module, ON_90, "shared", "scale", 1024, 128);
    record.dynamic_shared_bytes = 1 << 20;
    put(module, &record);
    record = machine_tuning(module, ON_90, "grid", "scale", INT64_MAX, 1);
    put(module, &record);
    record = machine_tuning(module, ON_90, "tall", "scale", 1, 32);
    put(module, &record);
    record.extent[1] = 1 << 20;
    record.grid_value[1] = 1 << 10;
    put(module, &record);
    record = machine_tuning(module, ON_90, "together", "scale", 1024, 128);
    record.flags = CUBINET_TUNING_COOPERATIVE;
    put(module, &record);
    record.extent[0] = 4096;
    record.grid_limit[0] = 20;
    put(module, &record);
}

/* Whoever makes an archive may write down anything. */
static void test_records_beyond_limits(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune_limits);
    expect_untuned(&setup, "wide", "scale", 1024, NULL, CUBINET_UNTUNED_LIMIT);
    expect_untuned(&setup, "wide", "scale", 1024, NULL, CUBINET_UNTUNED_LIMIT);
    expect_untuned(&setup, "bounds", "tile", 1024, NULL, CUBINET_UNTUNED_LIMIT);
    expect_untuned(&setup, "shared", "scale", 1024, NULL, CUBINET_UNTUNED_LIMIT);
    expect_untuned(&setup, "grid", "scale", INT64_MAX, NULL, CUBINET_UNTUNED_LIMIT);
    const uint64_t between[3] = {1, 100000, 1}; /* the first record has a block for each */
    struct found found = {.config = {.size = sizeof(found.config)}, .info = {.size = sizeof(found.info)}};
    assert_int_equal(cubinet_module_get_tuned(setup.module, "tall", between, NULL, &found.kernel,
                                              &found.config, &found.info),
                     CUBINET_OK);
    assert_int_equal(found.info.source, CUBINET_TUNED_NEAREST);
    assert_int_equal(found.config.grid[1], 98);
    const uint64_t low[3] = {1, 900, 1};
    assert_int_equal(
        cubinet_module_get_tuned(setup.module, "tall", low, NULL, &found.kernel, &found.config, &found.info),
        CUBINET_OK);
    assert_int_equal(found.config.grid[1], 900);
    tear_down(&setup);
}

/* More blocks than were measured may not be resident. */
static void test_cooperative_records(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune_limits);
    struct found found = get(&setup, "together", 4096, NULL);
    assert_int_equal(found.config.flags, CUBINET_LAUNCH_COOPERATIVE);
    assert_int_equal(found.config.grid[0], 20);
    assert_int_equal(get(&setup, "together", 4000, NULL).config.grid[0], 20);
    found = get(&setup, "together", 1100, NULL);
    assert_int_equal(found.info.source, CUBINET_TUNED_NONE);
    assert_int_equal(found.info.reason, CUBINET_UNTUNED_LIMIT);
    const cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_LAUNCH_COOPERATIVE};
    assert_int_equal(get(&setup, "together", 1024, &options).info.source, CUBINET_TUNED_EXACT);
    tear_down(&setup);
}

static void tune_dynamic(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, "compute_80", "direct", "direct", 1024, 96);
    put(module, &record);
    record.extent[0] = 2048;
    record.dynamic_shared_bytes = 4096;
    put(module, &record);
}

/* A launch that was measured without dynamic shared memory says so, where the kernel can use some. */
static void test_dynamic_shared(void **state)
{
    (void)state;
    struct setup setup = set_up("compute_80=dynamic", tune_dynamic);
    struct found found = get(&setup, "direct", 1024, NULL);
    assert_int_equal(found.config.dynamic_shared_bytes, 0);
    assert_int_equal(found.config.flags, CUBINET_LAUNCH_NO_DYNAMIC_SHARED);
    found = get(&setup, "direct", 2048, NULL);
    assert_int_equal(found.config.dynamic_shared_bytes, 4096);
    assert_int_equal(found.config.flags, 0);
    tear_down(&setup);
}

static void tune_line(struct draft_module *module)
{
    module->images[0].uses[0].launch.known.block[0] =
        0; /* nothing is recorded: it is the extent that counts */
    for (size_t i = 0; i < module->images[0].use_count; i++) {
        if (strcmp(module->images[0].uses[i].kernel, "plane") == 0) {
            const cubinet_hidden_param hidden = {.kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = 2};
            assert_int_equal(launch_record_add_hidden(&module->images[0].uses[i].launch, &hidden),
                             CUBINET_OK);
        }
    }
    cubinet_tuning record = machine_tuning(module, "compute_80", "plane", "plane", 1024, 64);
    record.extent[1] = 3;
    put(module, &record);
    record.extent[0] = UINT64_C(1) << 40;
    record.grid_limit[0] = 8;
    put(module, &record);
}

/* A kernel of Warp's is given the extent, which has 32 bits there. */
static void test_launch_bounds(void **state)
{
    (void)state;
    struct setup setup = set_up("compute_80=hidden", tune_line);
    const uint64_t extent[3] = {1024, 3, 1};
    struct found found = {.config = {.size = sizeof(found.config)}, .info = {.size = sizeof(found.info)}};
    assert_int_equal(cubinet_module_get_tuned(setup.module, "plane", extent, NULL, &found.kernel,
                                              &found.config, &found.info),
                     CUBINET_OK);
    assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
    assert_int_equal(found.config.extent[0], 1024);
    assert_int_equal(found.config.extent[1], 3);
    assert_int_equal(found.config.extent[2], 0);
    const uint64_t large[3] = {UINT64_C(1) << 40, 3, 1};
    assert_int_equal(cubinet_module_get_tuned(setup.module, "plane", large, NULL, &found.kernel,
                                              &found.config, &found.info),
                     CUBINET_ERROR_LIMIT);
    assert_non_null(strstr(cubinet_error_message(), "takes an extent of at most 2^32 - 1 along each axis; "));
    tear_down(&setup);
}

static void tune_large(struct draft_module *module)
{
    for (uint64_t i = 0; i < 3; i++) {
        cubinet_tuning record = machine_tuning(module, ON_90, "scale", "scale", (UINT64_C(1) << 40) + i,
                                               (uint32_t)(64 * (i + 1)));
        record.grid_limit[0] = 100;
        put(module, &record);
    }
}

/* Large extents that differ by one are told apart. */
static void test_large_extents(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune_large);
    for (uint64_t i = 0; i < 3; i++) {
        struct found found = get(&setup, "scale", (UINT64_C(1) << 40) + i, NULL);
        assert_int_equal(found.info.source, CUBINET_TUNED_EXACT);
        assert_int_equal(found.config.block[0], 64 * (i + 1));
    }
    struct found found = get(&setup, "scale", (UINT64_C(1) << 40) + 3, NULL); /* in steps of 2^16 the same */
    assert_int_equal(found.info.source, CUBINET_TUNED_NEAREST);
    assert_int_equal(found.config.block[0], 64);
    tear_down(&setup);
}

/* The first call for a kernel of another part loads that. */
static void test_image_of_parts(void **state)
{
    (void)state;
    struct setup setup = set_up(PARTED, tune);
    struct found found = get(&setup, "any", 1024, NULL);
    assert_string_equal(name_of(found.kernel), "tile");
    assert_non_null(cubinet_kernel_get_handle(found.kernel));
    found = get(&setup, "any", 1 << 20, NULL);
    assert_string_equal(name_of(found.kernel), "scale");
    assert_non_null(cubinet_kernel_get_handle(found.kernel));
    tear_down(&setup);
    setup = set_up(PARTED, tune); /* the first name asked for is not a set */
    found = get(&setup, "clustered", 1, NULL);
    assert_string_equal(name_of(found.kernel), "clustered");
    tear_down(&setup);
}

static void tune_with_missing(struct draft_module *module)
{
    cubinet_tuning record = machine_tuning(module, ON_90, "any", "tile", 1024, 96);
    const char *instances[] = {"absent"};
    record.default_kernel = "lost";
    record.instances = instances;
    record.instance_count = 1;
    put(module, &record);
    record = machine_tuning(module, ON_90, "gone", "tile", 1024, 96);
    record.kernel = record.default_kernel = "lost";
    put(module, &record);
}

/* A slice may have left the default instance out. */
static void test_default_that_is_not_there(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune_with_missing);
    expect_untuned(&setup, "any", "tile", 7, NULL, CUBINET_UNTUNED_OUTSIDE);
    const uint64_t extent[3] = {7, 1, 1};
    struct found found = {.config = {.size = sizeof(found.config)}};
    assert_int_equal(
        cubinet_module_get_tuned(setup.module, "gone", extent, NULL, &found.kernel, &found.config, NULL),
        CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(), "lost"));
    tear_down(&setup);
}

static void no_tuning(struct draft_module *module)
{
    (void)module;
}

static void test_without_records(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, no_tuning);
    expect_untuned(&setup, "scale", "scale", 1000, NULL, CUBINET_UNTUNED_NO_RECORD);
    expect_untuned(&setup, "scale<float>", "scale", 1000, NULL, CUBINET_UNTUNED_NO_RECORD);
    tear_down(&setup);
}

enum { THREADS = 8, CALLS = 200 };

/* Asks for both extents again and again, and returns how often it was told what was measured. */
static void *ask(void *module)
{
    uintptr_t right = 0;
    for (uint64_t i = 0; i < CALLS; i++) {
        const uint64_t extent[3] = {i % 2 ? 1024 : 1 << 20, 1, 1};
        cubinet_kernel *kernel = NULL;
        cubinet_launch_config config = {.size = sizeof(config)};
        cubinet_status status = cubinet_module_get_tuned(module, "any", extent, NULL, &kernel, &config, NULL);
        right += !status && config.block[0] == (i % 2 ? 96 : 320);
    }
    return (void *)right;
}

/* Any thread may be the first to ask, of an image in parts too. */
static void test_threads(void **state)
{
    (void)state;
    static const char *const images[] = {ON_90, PARTED};
    for (size_t i = 0; i < COUNT(images); i++) {
        struct setup setup = set_up(images[i], tune);
        pthread_t threads[THREADS];
        for (size_t j = 0; j < THREADS; j++) {
            assert_int_equal(pthread_create(&threads[j], NULL, ask, setup.module), 0);
        }
        for (size_t j = 0; j < THREADS; j++) {
            void *right = NULL;
            pthread_join(threads[j], &right);
            assert_int_equal((uintptr_t)right, CALLS);
        }
        tear_down(&setup);
    }
}

static void test_memory_may_be_out(void **state)
{
    (void)state;
    const uint64_t extent[3] = {1024, 1, 1};
    cubinet_kernel *kernel = NULL;
    cubinet_launch_config config = {.size = sizeof(config)};
    unsigned failed = 0;
    for (unsigned failing = 1;; failing++) {
        struct setup setup = set_up(ON_90, tune);
        allocations_watch(failing);
        cubinet_status status =
            cubinet_module_get_tuned(setup.module, "any", extent, NULL, &kernel, &config, NULL);
        bool was_enough = allocations_stop() < failing;
        failed += status == CUBINET_ERROR_OUT_OF_MEMORY;
        assert_true(status == CUBINET_OK || status == CUBINET_ERROR_OUT_OF_MEMORY);
        allocations_watch(0); /* what was made once stays */
        assert_int_equal(cubinet_module_get_tuned(setup.module, "any", extent, NULL, &kernel, &config, NULL),
                         CUBINET_OK);
        if (was_enough) {
            assert_int_equal(
                cubinet_module_get_tuned(setup.module, "any", extent, NULL, &kernel, &config, NULL),
                CUBINET_OK);
            assert_int_equal(allocations_stop(), 0);
        }
        allocations_stop();
        tear_down(&setup);
        if (was_enough) {
            break;
        }
    }
    assert_true(failed >= 5);
}

static void expect_refusal(cubinet_status status, const char *message)
{
    assert_int_equal(status, CUBINET_ERROR_INVALID_ARGUMENT);
    if (!strstr(cubinet_error_message(), message)) {
        fail_msg("'%s' is not in: %s", message, cubinet_error_message());
    }
}

static void test_arguments(void **state)
{
    (void)state;
    struct setup setup = set_up(ON_90, tune);
    cubinet_module *module = setup.module;
    const uint64_t extent[3] = {1, 1, 1};
    cubinet_kernel *kernel = NULL;
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_launch_config unsized = {.size = 0};
    cubinet_tuned_info info = {.size = 1};
    const cubinet_suggest_options unknown = {.size = sizeof(unknown), .flags = 1 << 20};
    const cubinet_suggest_options short_options = {.size = 1};
    expect_refusal(cubinet_module_get_tuned(NULL, "any", extent, NULL, &kernel, &config, NULL), "module");
    expect_refusal(cubinet_module_get_tuned(module, NULL, extent, NULL, &kernel, &config, NULL), "what");
    expect_refusal(cubinet_module_get_tuned(module, "any", NULL, NULL, &kernel, &config, NULL), "extent");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, NULL, NULL, &config, NULL), "out_kernel");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, &unknown, &kernel, &config, NULL),
                   "flags");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, &short_options, &kernel, &config, NULL),
                   "cubinet_suggest_options");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, NULL, &kernel, &config, &info),
                   "cubinet_tuned_info");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, NULL, &kernel, &unsized, NULL),
                   "cubinet_launch_config");
    expect_refusal(cubinet_module_get_tuned(module, "any", extent, NULL, &kernel, NULL, NULL),
                   "cubinet_launch_config");
    assert_null(kernel);
    assert_int_equal(cubinet_module_get_tuned(module, "nothing", extent, NULL, &kernel, &config, NULL),
                     CUBINET_ERROR_NOT_FOUND);
    tear_down(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uses_a_record),
        cmocka_unit_test(test_uses_the_nearest_record),
        cmocka_unit_test(test_chooses_an_instance),
        cmocka_unit_test(test_suggests_for_a_kernel),
        cmocka_unit_test(test_estimates_a_tuned_launch),
        cmocka_unit_test(test_ignores_records),
        cmocka_unit_test(test_options_that_a_record_does_not_have),
        cmocka_unit_test(test_bytes_of_the_launch_record),
        cmocka_unit_test(test_default_stays),
        cmocka_unit_test(test_records_that_do_not_count),
        cmocka_unit_test(test_records_beyond_limits),
        cmocka_unit_test(test_cooperative_records),
        cmocka_unit_test(test_dynamic_shared),
        cmocka_unit_test(test_launch_bounds),
        cmocka_unit_test(test_large_extents),
        cmocka_unit_test(test_image_of_parts),
        cmocka_unit_test(test_default_that_is_not_there),
        cmocka_unit_test(test_without_records),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory_may_be_out),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
