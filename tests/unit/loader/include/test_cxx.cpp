/* SPDX-License-Identifier: Apache-2.0 */
/* The headers for C++, against the simulated driver: compiled as C++17 and C++20, with exceptions and
 * without. */
#include <cubinet/cubinet.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>
#if __cplusplus >= 202002L
#include <ranges>
#include <span>
#endif

extern "C" {
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"
}

#include "test_cxx_other.h"

namespace
{

/* What a failed call said. */
struct failure {
    cubinet_status status;
    int driver_result;
    std::string message;
};

failure failure_of_error(const cubinet::error &error)
{
    assert_int_equal(error.outcome(), cubinet_status_outcome(error.status()));
    return {error.status(), error.driver_result(), error.what()};
}

#ifdef CUBINET_NO_EXCEPTIONS

template <class Call> auto value_of(Call call)
{
    auto result = call();
    if (!result) {
        print_error("%s\n", result.error().what());
    }
    assert_int_equal(result.status(), CUBINET_OK);
    return std::move(result).value();
}

template <class Call> failure failure_of(Call call)
{
    const auto result = call();
    assert_false(result.has_value());
    assert_int_equal(result.status(), result.error().status());
    return failure_of_error(result.error());
}

#else

template <class Call> auto value_of(Call call)
{
    return call();
}

template <class Call> failure failure_of(Call call)
{
    try {
        static_cast<void>(call());
    } catch (const std::runtime_error &error) {
        return failure_of_error(dynamic_cast<const cubinet::error &>(error));
    }
    fail_msg("nothing was thrown");
    return {};
}

#endif

/* The value of a call that must succeed; what a call that must fail said. */
#define VALUE(call)   value_of([&] { return call; })
#define FAILURE(call) failure_of([&] { return call; })

void expect_message(const failure &failed, const char *part)
{
    assert_string_equal(failed.message.c_str(), cubinet_error_message());
    expect_in(failed.message.c_str(), part);
}

cubinet::driver start(const char *devices)
{
    return cubinet::driver(machine_start(devices, nullptr, nullptr));
}

void stop(cubinet::driver driver)
{
    machine_stop(driver.release());
}

cubinet::archive file(const char *images)
{
    return cubinet::archive(machine_archive(images, 0));
}

/* Nothing that owns is copied; all of it is moved. */
template <class Owner>
constexpr bool is_owner = !std::is_copy_constructible_v<Owner> && !std::is_copy_assignable_v<Owner> &&
                          std::is_nothrow_move_constructible_v<Owner> &&
                          std::is_nothrow_move_assignable_v<Owner> && sizeof(Owner) == sizeof(void *);

static_assert(is_owner<cubinet::archive> && is_owner<cubinet::driver> && is_owner<cubinet::module> &&
              is_owner<cubinet::link> && is_owner<cubinet::cache> && is_owner<cubinet::catalog> &&
              is_owner<cubinet::preload>);
static_assert(std::is_trivially_copyable_v<cubinet::kernel> &&
              std::is_trivially_copyable_v<cubinet::archive_view>);
static_assert(std::is_convertible_v<const cubinet::archive &, cubinet::archive_view>);
static_assert(!std::is_convertible_v<std::string_view, cubinet::text>, "which need not end with a NUL");
static_assert(!std::is_convertible_v<std::nullptr_t, cubinet::driver>);
using int_span = cubinet::span<int>;
using const_int_span = cubinet::span<const int>;
static_assert(std::is_convertible_v<std::vector<int> &, int_span> &&
              std::is_convertible_v<int (&)[3], int_span> &&
              std::is_convertible_v<const std::vector<int> &, const_int_span> &&
              std::is_convertible_v<std::vector<int>, const_int_span> &&
              std::is_convertible_v<int_span, const_int_span>);
static_assert(!std::is_convertible_v<const std::vector<int> &, int_span> &&
              !std::is_convertible_v<std::vector<int>, int_span> &&
              !std::is_convertible_v<const_int_span, int_span> &&
              !std::is_convertible_v<std::vector<long> &, const_int_span> &&
              !std::is_convertible_v<int, const_int_span>);
static_assert(std::is_trivially_copyable_v<int_span>);
static_assert(sizeof(cubinet::launch_config) == sizeof(cubinet_launch_config));
static_assert(sizeof(cubinet::launch_record) == sizeof(cubinet_launch_record));
static_assert(sizeof(cubinet::tuning) == sizeof(cubinet_tuning));
static_assert(sizeof(cubinet::kernel_resources) == sizeof(cubinet_kernel_resources));

#if __cplusplus >= 202002L
static_assert(std::random_access_iterator<cubinet::entries<cubinet::kernel_entry>::iterator>);
static_assert(std::ranges::sized_range<cubinet::entries<cubinet::module_entry>>);
static_assert(std::is_convertible_v<cubinet::span<const cubinet_param>, std::span<const cubinet_param>>);
#endif

void test_goes_over_an_archive(void **)
{
    const cubinet::archive archive = file("sm_80 sm_90 compute_80");
    assert_int_equal(archive.modules().size(), 1);
    std::vector<std::string> names, expressions, globals;
    std::vector<int> targets;
    for (const cubinet::module_entry module : archive.modules()) {
        names.push_back(VALUE(module.info()).name);
        for (const cubinet::kernel_entry kernel : VALUE(module.kernels())) {
            expressions.push_back(VALUE(kernel.info()).expression);
        }
        for (const cubinet::image_entry image : VALUE(module.images())) {
            targets.push_back(VALUE(image.info()).target.number);
        }
        for (const cubinet::global_entry global : VALUE(module.globals())) {
            globals.push_back(VALUE(global.info()).name);
        }
    }
    assert_true(names == std::vector<std::string>{DEMO});
    assert_true((expressions == std::vector<std::string>{"clustered", "scale<float>", "tile"}));
    assert_true((targets == std::vector<int>{80, 90, 80}));
    assert_true((globals == std::vector<std::string>{"factor", "table"}));
}

void test_iterators_have_random_access(void **)
{
    const cubinet::archive archive = file("sm_90");
    const cubinet::entries<cubinet::kernel_entry> kernels = VALUE(archive.modules()[0].kernels());
    assert_int_equal(kernels.size(), 3);
    assert_false(kernels.empty());
    assert_true((cubinet::entries<cubinet::kernel_entry>().empty()));
    assert_int_equal(kernels[2].number(), 2);
    auto at = kernels.begin();
    const auto end = kernels.end();
    assert_int_equal(end - at, 3);
    assert_true(at < end && at <= end && end > at && end >= at && at != end && at + 3 == end &&
                3 + at == end);
    assert_int_equal((at++)->number(), 0);
    assert_int_equal((*at--).number(), 1);
    assert_int_equal(at[2].number(), 2);
    assert_int_equal((--(at += 2))->number(), 1);
    assert_int_equal((++at)->number(), 2);
    assert_int_equal((*(end - 3)).number(), 0);
    assert_int_equal((at -= 2)->number(), 0);
    assert_int_equal(std::count_if(kernels.begin(), end,
                                   [](cubinet::kernel_entry kernel) {
                                       return std::strlen(VALUE(kernel.info()).name) == 4;
                                   }),
                     1);
}

void test_describes_kernels_and_images(void **)
{
    const cubinet::archive archive = file("sm_80 sm_90");
    const cubinet::module_entry module = VALUE(archive.find_module(DEMO));
    const cubinet::kernel_entry kernel = VALUE(module.find_kernel("scale<float>"));
    const cubinet::image_entry image = VALUE(module.images())[1];
    const cubinet::kernel_resources resources = VALUE(image.resources(kernel));
    std::vector<unsigned> sizes;
    for (const cubinet_param &param : resources.parameters()) {
        sizes.push_back(param.size);
    }
    assert_true((sizes == std::vector<unsigned>{8, 4, 4}));
#if __cplusplus >= 202002L
    const std::span<const cubinet_param> params = resources.parameters();
    assert_ptr_equal(params.data(), resources.params);
    assert_int_equal(params.size(), 3);
#endif
    cubinet::kernel_resources unknown;
    unknown.param_count = CUBINET_UNKNOWN;
    assert_true(unknown.parameters().empty());
    cubinet::device_profile device;
    device.compute_major = 9;
    assert_int_equal(VALUE(module.select_image(device)).number(), 1);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(VALUE(image.info()).raw_size));
    VALUE(image.read(bytes.data(), bytes.size()));
    assert_memory_equal(bytes.data(), "\177ELF", 4);
    const failure failed = FAILURE(image.read(bytes.data(), 1));
    assert_int_equal(failed.status, CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(VALUE(module.find_global("&factor")).number(), 0);
    assert_int_equal(FAILURE(image.symbol(0)).status, CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(FAILURE(image.origin()).status, CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(VALUE(archive.info()).archive_version, "");
    assert_int_equal(FAILURE(archive.signer(0)).status, CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(FAILURE(archive.property(0)).status, CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(FAILURE(archive.find_property("license")).status, CUBINET_ERROR_NOT_FOUND);
}

void test_opens_files_and_memory(void **)
{
    char folder[] = "/tmp/cubinet-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const std::filesystem::path path = std::filesystem::path(folder) / "a.cubinet";
    machine_archive_file("sm_90", "1.5", path.c_str());
    const cubinet::archive archive = VALUE(cubinet::archive::open(path));
    assert_string_equal(VALUE(archive.info()).archive_version, "1.5");
    assert_true(bool(VALUE(cubinet::archive::open_near(nullptr, path.string()))));
    cubinet::archive_options options;
    options.require_version = ">= 2";
    const failure old = FAILURE(cubinet::archive::open(path, &options));
    assert_int_equal(old.status, CUBINET_ERROR_OTHER_VERSION);
    expect_message(old, "1.5");
    std::filesystem::remove_all(folder);
    const failure missing = FAILURE(cubinet::archive::open(path));
    assert_int_equal(missing.status, CUBINET_ERROR_IO);
    expect_message(missing, path.c_str());
    const failure garbage = FAILURE(cubinet::archive::open_memory("garbage", 7));
    assert_int_equal(garbage.status, CUBINET_ERROR_NOT_ARCHIVE);
}

void test_opens_a_catalog(void **)
{
    char folder[] = "/tmp/cubinet-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const std::filesystem::path path = std::filesystem::path(folder) / "new.cubinet";
    machine_archive_file("sm_80 sm_90", "2", path.c_str());
    machine_archive_file("sm_90", "1", (std::filesystem::path(folder) / "old.cubinet").c_str());
    {
        cubinet::catalog_options options;
        options.flags = CUBINET_CATALOG_NO_ENVIRONMENT;
        const cubinet::catalog catalog = VALUE(cubinet::catalog::open(folder, &options));
        assert_int_equal(catalog.entry_count(), 2);
        assert_string_equal(VALUE(catalog.entry(0)).path, path.c_str());
        assert_int_equal(FAILURE(catalog.entry(2)).status, CUBINET_ERROR_NOT_FOUND);
        const cubinet::catalog_module found = VALUE(catalog.find_module(DEMO));
        assert_string_equal(VALUE(found.archive.info()).archive_version, "2");
        assert_int_equal(VALUE(found.entry.images()).size(), 2);
        assert_int_equal(VALUE(cubinet::archive_view(found.archive).find_module(DEMO)).number(), 0);
        const failure failed = FAILURE(catalog.find_module("other"));
        assert_int_equal(failed.status, CUBINET_ERROR_NOT_FOUND);
        expect_message(failed, folder);
    }
    std::filesystem::remove_all(folder);
}

/* A message is the error's own: later failures do not change it. */
void test_errors_keep_their_message(void **)
{
    const cubinet::error first = [] {
        cubinet_archive *none = nullptr;
        return cubinet::error(cubinet_archive_open("/nonexistent/first", nullptr, &none));
    }();
    const cubinet::error copy = first;
    FAILURE(cubinet::archive::open("/nonexistent/second"));
    expect_in(first.what(), "/nonexistent/first");
    expect_in(copy.what(), "/nonexistent/first");
    assert_int_equal(copy.status(), CUBINET_ERROR_IO);
    assert_int_equal(copy.driver_result(), 0);
}

/* Sources with exceptions and without in one program. */
void test_sources_of_both_kinds_are_linked(void **)
{
    assert_int_equal(other_open_status("/nonexistent/file"), CUBINET_ERROR_IO);
    const failure failed = FAILURE(cubinet::archive::open("/nonexistent/file"));
    assert_int_equal(failed.status, CUBINET_ERROR_IO);
}

void test_results_hold_a_value_or_an_error(void **)
{
    cubinet::result<std::string> good = std::string("value");
    assert_true(good.has_value());
    assert_int_equal(good.status(), CUBINET_OK);
    assert_int_equal(good->size(), 5);
    *good += "s";
    const cubinet::result<std::string> copy = good;
    assert_string_equal(copy.value().c_str(), "values");
    assert_string_equal(copy->c_str(), (*copy).c_str());
    assert_string_equal(copy.value_or("other").c_str(), "values");
    assert_string_equal((*std::move(good)).c_str(), "values");
    cubinet_archive *none = nullptr;
    const cubinet::result<std::string> bad =
        cubinet::error(cubinet_archive_open("/nonexistent/file", nullptr, &none));
    assert_false(bool(bad));
    assert_int_equal(bad.status(), CUBINET_ERROR_IO);
    expect_in(bad.error().what(), "/nonexistent/file");
    assert_string_equal(bad.value_or("other").c_str(), "other");
    cubinet::result<cubinet::archive> moved = file("sm_90");
    const cubinet::archive taken = *std::move(moved);
    assert_non_null(taken.get());
    const cubinet::result<void> nothing;
    assert_true(bool(nothing));
    nothing.value();
    assert_int_equal(nothing.status(), CUBINET_OK);
    const cubinet::result<void> refused = bad.error();
    assert_false(refused.has_value());
    assert_int_equal(refused.status(), CUBINET_ERROR_IO);
}

void test_objects_end_what_they_own(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        cubinet::module first = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        cubinet::module second = VALUE(cubinet::module::load(driver, archive, std::string(DEMO), 0));
        assert_int_equal(simdriver_live_libraries(), 2);
        second = std::move(first);
        assert_int_equal(simdriver_live_libraries(), 1);
        assert_non_null(second.get());
        assert_false(bool(first));
        cubinet_module *handle = second.release();
        assert_int_equal(simdriver_live_libraries(), 1);
        const cubinet::module third(handle);
        assert_non_null(third.context());
        assert_non_null(third.library());
        assert_ptr_equal(VALUE(third.find_kernel("tile")).library(), third.library());
    }
    machine_expect_clean(nullptr);
    const cubinet::archive archive = file("sm_90");
    cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
    simdriver_fail("cuLibraryUnload", 1, 700, false);
    const failure failed = FAILURE(module.unload());
    assert_int_equal(failed.status, CUBINET_ERROR_CONTEXT_DEAD);
    assert_int_equal(failed.driver_result, 700);
    assert_false(bool(module));
    stop(std::move(driver));
}

/* What was moved from, or made by default, is refused. */
void test_objects_that_hold_nothing_are_refused(void **)
{
    const cubinet::driver driver;
    const cubinet::archive archive;
    const cubinet::module module;
    const cubinet::kernel kernel;
    cubinet::link link;
    cubinet::cache cache;
    assert_true(archive.modules().empty());
    assert_int_equal(driver.device_count(), 0);
    assert_int_equal(driver.version(), 0);
    assert_null(module.context());
    assert_null(kernel.handle());
    assert_string_equal(cache.directory(), "");
    const cubinet_status none = CUBINET_ERROR_INVALID_ARGUMENT;
    assert_int_equal(FAILURE(archive.info()).status, none);
    assert_int_equal(FAILURE(archive.find_module(DEMO)).status, none);
    assert_int_equal(FAILURE(cubinet::module_entry().kernels()).status, none);
    assert_int_equal(FAILURE(driver.profile(0)).status, none);
    assert_int_equal(FAILURE(driver.limits(0)).status, none);
    assert_int_equal(FAILURE(driver.proc_address<int()>("cuInit")).status, none);
    assert_int_equal(FAILURE(cubinet::module::load(driver, archive, DEMO, 0)).status, none);
    assert_int_equal(FAILURE(module.find_kernel("tile")).status, none);
    assert_int_equal(FAILURE(module.find_global("table")).status, none);
    assert_int_equal(FAILURE(module.find_tuned("tile", {1, 1, 1})).status, none);
    assert_int_equal(FAILURE(cubinet::module_entry().tunings()).status, none);
    assert_int_equal(FAILURE(module.image()).status, none);
    assert_int_equal(FAILURE(kernel.launch({1, 1}, nullptr)).status, none);
    assert_int_equal(FAILURE(kernel.info()).status, none);
    assert_int_equal(FAILURE(kernel.resources()).status, none);
    assert_int_equal(FAILURE(kernel.launch_record()).status, none);
    assert_int_equal(FAILURE(kernel.function()).status, none);
    assert_int_equal(FAILURE(kernel.suggest_launch({1, 1, 1})).status, none);
    assert_int_equal(FAILURE(link.complete()).status, none);
    assert_int_equal(FAILURE(link.cubin()).status, none);
    assert_int_equal(FAILURE(cache.stats()).status, none);
    assert_int_equal(FAILURE(cache.trim()).status, none);
}

/* CUDA's, as far as it counts. */
struct dim3 {
    unsigned x, y, z;
};

void test_launches_with_temporaries(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::kernel kernel = VALUE(module.find_kernel("scale<float>"));
        const CUstream stream = reinterpret_cast<CUstream>(std::uintptr_t{0x55});
        float *const data = reinterpret_cast<float *>(std::uintptr_t{0xabcdef});
        VALUE(kernel.launch({{10, 2}, 64, 100}, stream, data, 2.5F, 77U));
        const simdriver_launch seen = simdriver_last_launch();
        assert_string_equal(seen.kernel, "scale");
        assert_ptr_equal(seen.context, module.context());
        assert_ptr_equal(seen.stream, stream);
        const unsigned grid[3] = {10, 2, 1};
        const unsigned block[3] = {64, 1, 1};
        assert_memory_equal(seen.grid, grid, sizeof(grid));
        assert_memory_equal(seen.block, block, sizeof(block));
        assert_int_equal(seen.dynamic_shared_bytes, 100);
        assert_int_equal(seen.arg_count, 3);
        const float by = 2.5F;
        const unsigned count = 77;
        assert_memory_equal(seen.args[0], &data, sizeof(data));
        assert_memory_equal(seen.args[1], &by, sizeof(by));
        assert_memory_equal(seen.args[2], &count, sizeof(count));
        VALUE(kernel.launch({dim3{3, 1, 1}, dim3{2, 2, 2}}, nullptr, nullptr, by, count));
        const simdriver_launch null = simdriver_last_launch();
        assert_null(null.stream);
        assert_int_equal(null.grid[0], 3);
        assert_int_equal(null.block[2], 2);
        const unsigned char zeros[sizeof(void *)] = {};
        assert_int_equal(null.arg_sizes[0], sizeof(void *));
        assert_memory_equal(null.args[0], zeros, sizeof(zeros));
    }
    stop(std::move(driver));
}

void test_launch_checks_arguments(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::kernel kernel = VALUE(module.find_kernel("scale"));
        const CUdeviceptr data = 0;
        const failure size = FAILURE(kernel.launch({1, 1}, nullptr, data, 2.5, 77U));
        assert_int_equal(size.status, CUBINET_ERROR_LAUNCH_ARGUMENTS);
        expect_message(size, "argument 1 (of 3, from 0) has 8 bytes; the parameter has 4");
        expect_message(FAILURE(kernel.launch({1, 1}, nullptr, data)), "takes 3 arguments; 1 were given");
        expect_message(FAILURE(kernel.launch({1, 1}, nullptr)), "takes 3 arguments; 0 were given");
        expect_message(FAILURE(kernel.launch({}, nullptr, data, 1.F, 1)), "the x dimension of the grid is 0");
        assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
        simdriver_fail("cuLaunchKernelEx", 1, 701, false);
        const failure driver_said = FAILURE(kernel.launch({1, 1}, nullptr, data, 1.F, 1));
        assert_int_equal(driver_said.driver_result, 701);
    }
    stop(std::move(driver));
}

void test_launches_with_attributes(void **)
{
    cubinet::driver driver = start("9.0,9.0");
    {
        const cubinet::archive archive = file("sm_90=waiting_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::module other = VALUE(cubinet::module::load(driver, archive, DEMO, 1));
        const cubinet::kernel waits = VALUE(module.find_kernel("waits"));
        const cubinet::kernel neither = VALUE(module.find_kernel("neither"));
        cubinet::launch_attributes attributes;
        attributes.flags = CUBINET_ATTRIBUTE_PRIORITY;
        attributes.priority = -1;
        cubinet::launch_config config(4, 32);
        config.set_programmatic().set_attributes(attributes);
        VALUE(waits.launch(config, nullptr, nullptr));
        assert_int_equal(simdriver_last_launch().attribute_count, 2);
        expect_message(FAILURE(neither.launch(config, nullptr, nullptr)), "never waits");
        config.set_programmatic(true);
        VALUE(neither.launch(config, nullptr, nullptr));
        const cubinet::launch_config plain(5, 32);
        const std::vector<cubinet::launch_target> targets = {{neither, nullptr},
                                                             {VALUE(other.find_kernel("neither")), nullptr}};
        VALUE(cubinet::launch_each(plain, targets, nullptr));
        assert_int_equal(simdriver_last_launch().device, 1);
        expect_message(FAILURE(cubinet::launch_each(plain, {targets.data(), targets.size()})),
                       "launch 0 (of 2, from 0), on device 0");
    }
    stop(std::move(driver));
}

void test_adds_kernels_to_graphs(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::kernel tile = VALUE(module.find_kernel("tile"));
        CUgraph graph = simdriver_create_graph();
        const CUgraphNode first = VALUE(tile.add_node(graph, {}, {4, 32}, nullptr));
        const CUgraphNode second = VALUE(tile.add_node(graph, {&first, 1}, {5, 32}, nullptr));
        VALUE(tile.update_node(second, {6, 32}, nullptr));
        CUgraphExec exec = simdriver_instantiate(graph);
        VALUE(tile.update_exec_node(exec, second, {7, 32}, nullptr));
        const cubinet::module kept = module.retain();
        VALUE(module.unload());
        assert_int_equal(simdriver_launch_graph(exec), 2);
        assert_int_equal(simdriver_last_launch().grid[0], 7);
        assert_int_equal(simdriver_node_of(graph, 1).launch.grid[0], 6);
        expect_message(FAILURE(tile.update_node(nullptr, {6, 32}, nullptr)), "node is NULL");
    }
    stop(std::move(driver));
}

void test_launches_clusters_and_suggestions(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::kernel tile = VALUE(module.find_kernel("tile"));
        cubinet::launch_config config(16, 32);
        const CUstream stream = reinterpret_cast<CUstream>(std::uintptr_t{0x55});
        VALUE(tile.launch(config.set_cluster(4), stream, nullptr));
        assert_ptr_equal(simdriver_last_launch().stream, stream);
        assert_null(config.stream);
        const unsigned cluster[3] = {4, 1, 1};
        assert_memory_equal(simdriver_last_launch().cluster, cluster, sizeof(cluster));
        const cubinet::launch_suggestion suggestion = VALUE(tile.suggest_launch({100000, 1, 1}));
        assert_true(suggestion.estimate.blocks > 0);
        VALUE(tile.launch(suggestion.config, nullptr, nullptr));
        assert_int_equal(simdriver_last_launch().grid[0], suggestion.config.grid[0]);
        cubinet_launch_config plain = suggestion.config;
        plain.grid[0] = 5;
        VALUE(tile.launch(plain, nullptr, nullptr));
        assert_int_equal(simdriver_last_launch().grid[0], 5);
        const std::uint32_t blocks = VALUE(tile.max_active_blocks(config));
        assert_true(blocks > 0);
        assert_int_equal(VALUE(tile.occupancy(config)).active_blocks_per_multiprocessor, blocks);
        assert_int_equal(VALUE(tile.max_block_size()).block_threads, 256);
        assert_true(VALUE(tile.available_dynamic_shared(1, 32)) > 0);
        assert_true(VALUE(tile.max_active_clusters(config)) > 0);
        assert_int_equal(VALUE(tile.max_cluster_size(config)), 16);
        VALUE(tile.prefer_shared(50));
        assert_int_equal(FAILURE(tile.prefer_shared(101)).status, CUBINET_ERROR_INVALID_ARGUMENT);
    }
    stop(std::move(driver));
}

/* As the command makes them. */
class typed_scale
{
  public:
    cubinet_status bind(cubinet_module *module)
    {
        return cubinet_module_find_kernel(module, "scale", &kernel_);
    }

    cubinet_status operator()(const cubinet_launch_config &config, float *data, float by,
                              unsigned count) const
    {
        const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(by), CUBINET_ARG(count)};
        return cubinet_kernel_launch(kernel_, &config, args, 3);
    }

  private:
    cubinet_kernel *kernel_ = nullptr;
};

class typed_nothing : public typed_scale
{
  public:
    static cubinet_status bind(cubinet_module *module)
    {
        cubinet_kernel *kernel = nullptr;
        return cubinet_module_find_kernel(module, "nothing", &kernel);
    }
};

void test_launches_kernels_with_types(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const typed_scale scale = VALUE(module.find<typed_scale>());
        const CUstream stream = reinterpret_cast<CUstream>(std::uintptr_t{0x55});
        VALUE(cubinet::launch(scale, {{3, 2}, 64, 100}, stream, nullptr, 2.5F, 77U));
        const simdriver_launch seen = simdriver_last_launch();
        assert_ptr_equal(seen.stream, stream);
        assert_int_equal(seen.grid[1], 2);
        assert_int_equal(seen.arg_count, 3);
        const float by = 2.5F;
        assert_memory_equal(seen.args[1], &by, sizeof(by));
        const cubinet::launch_config config(5, 64);
        VALUE(cubinet::launch(scale, config, nullptr, nullptr, by, 1U));
        assert_int_equal(simdriver_last_launch().grid[0], 5);
        const failure unbound = FAILURE(cubinet::launch(typed_scale(), {1, 1}, nullptr, nullptr, by, 1U));
        assert_int_equal(unbound.status, CUBINET_ERROR_INVALID_ARGUMENT);
        assert_int_equal(FAILURE(module.find<typed_nothing>()).status, CUBINET_ERROR_NOT_FOUND);
        VALUE(cubinet::check(cubinet_module_unload(nullptr)));
        assert_int_equal(FAILURE(cubinet::check(CUBINET_ERROR_IO)).status, CUBINET_ERROR_IO);
    }
    stop(std::move(driver));
}

void test_finds_tuned_launches(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive(machine_tuned_demo());
        const cubinet::module_entry entry = VALUE(archive.find_module(DEMO));
        std::vector<std::string> names;
        for (const cubinet::tuning_entry tuning : VALUE(entry.tunings())) {
            const cubinet::tuning info = VALUE(tuning.info());
            names.push_back(std::string(info.what) + (info.is_void() ? " void" : ""));
            for (const char *instance : info.instance_names()) {
                names.push_back(instance);
            }
        }
        assert_true((names == std::vector<std::string>{"any", "scale", "tile", "scale void", "scale"}));
        const std::array<std::uint8_t, 16> digest = VALUE(VALUE(entry.images())[0].code_digest());
        assert_memory_equal(digest.data(), VALUE(VALUE(entry.tunings())[0].info()).digest, digest.size());
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::tuned_launch tuned = VALUE(module.find_tuned("any", {1024, 1, 1}));
        assert_string_equal(VALUE(tuned.kernel.info()).name, "tile");
        assert_int_equal(tuned.config.block[0], 96);
        assert_int_equal(tuned.info.source, CUBINET_TUNED_EXACT);
        VALUE(tuned.kernel.launch(tuned.config, nullptr, nullptr));
        cubinet::suggest_options options;
        options.flags = CUBINET_SUGGEST_NO_TUNING;
        assert_int_equal(VALUE(module.find_tuned("any", {1024, 1, 1}, &options)).info.reason,
                         CUBINET_UNTUNED_IGNORED);
        assert_int_equal(FAILURE(module.find_tuned("none", {1, 1, 1})).status, CUBINET_ERROR_NOT_FOUND);
    }
    stop(std::move(driver));
}

void test_tells_how_kernels_are_launched(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("compute_80=hidden");
        const cubinet::module_entry entry = VALUE(archive.find_module(DEMO));
        const cubinet::launch_record filed =
            VALUE(VALUE(entry.images())[0].launch_record(VALUE(entry.find_kernel("program"))));
        assert_int_equal(filed.flags, CUBINET_RECORD_TAKES_DYNAMIC_SHARED);
        assert_true(filed.hidden_parameters().empty());
        assert_true(filed.parameter_names().empty());
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        const cubinet::kernel line = VALUE(module.find_kernel("line"));
        assert_int_equal(VALUE(VALUE(module.find_kernel("program")).launch_record()).flags, filed.flags);
        assert_int_equal(VALUE(line.launch_record()).dynamic_shared_bytes, CUBINET_UNKNOWN);
        expect_message(FAILURE(line.launch({5}, nullptr)), "takes 2 arguments");
        struct {
            char bytes[24];
        } bounds = {};
        expect_message(FAILURE(line.launch({5}, nullptr, bounds, nullptr)),
                       "the x dimension of the block is 0");
        cubinet::launch_config config(5, 32);
        expect_message(FAILURE(line.launch(config.set_extent({7, 9}, 2), nullptr, bounds, nullptr)),
                       "takes no extent");
        assert_int_equal(config.extent[1], 9);
        assert_int_equal(config.threads_per_element, 2);
    }
}

void test_finds_what_a_module_has(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_80 sm_90");
        const cubinet::module module = VALUE(cubinet::module::load(driver, archive, DEMO, 0));
        assert_int_equal(VALUE(module.image()).target.number, 90);
        assert_int_equal(VALUE(module.find_global("table")).bytes, 256);
        assert_true(VALUE(module.find_global("table")).address != 0);
        const cubinet::kernel kernel = VALUE(module.find_kernel("scale<float>"));
        assert_string_equal(VALUE(kernel.info()).name, "scale");
        assert_int_equal(VALUE(kernel.resources()).parameters().size(), 3);
        assert_non_null(VALUE(kernel.function()));
        assert_non_null(kernel.handle());
        const failure failed = FAILURE(module.find_kernel("scales"));
        assert_int_equal(failed.status, CUBINET_ERROR_NOT_FOUND);
        expect_message(failed, "scale");
    }
    stop(std::move(driver));
}

void test_tells_of_the_driver(void **)
{
    cubinet::driver driver = start("9.0,8.0");
    assert_int_equal(driver.device_count(), 2);
    assert_int_equal(driver.version(), cubinet_driver_get_version(driver.get()));
    assert_int_equal(VALUE(driver.profile(1)).compute_major, 8);
    assert_int_equal(VALUE(driver.limits(0)).compute_major, 9);
    int count = 0;
    assert_int_equal(VALUE(driver.proc_address<int(int *)>("cuDeviceGetCount"))(&count), 0);
    assert_int_equal(count, 2);
    const failure failed = FAILURE(driver.proc_address<int()>("cuNothing"));
    assert_int_equal(failed.status, CUBINET_ERROR_NOT_FOUND);
    cubinet::driver_options options;
    options.library = "/nonexistent/libcuda.so";
    assert_int_equal(FAILURE(cubinet::driver::open(&options)).status, CUBINET_ERROR_NO_DRIVER);
    options.library = SIMCUDA_PATH;
    assert_int_equal(VALUE(cubinet::driver::open(&options)).device_count(), 2);
    stop(std::move(driver));
}

void test_loads_for_several_devices(void **)
{
    cubinet::driver driver = start("9.0,9.0,8.0");
    {
        const cubinet::archive archive = file("sm_80 sm_90");
        const CUdevice devices[] = {2, 0};
        const std::vector<cubinet::module> modules =
            VALUE(cubinet::module::load_devices(driver, archive, DEMO, devices));
        assert_int_equal(modules.size(), 2);
        assert_int_equal(VALUE(modules[0].image()).target.number, 80);
        assert_int_equal(VALUE(modules[1].image()).target.number, 90);
        assert_int_equal(VALUE(cubinet::module::load_devices(driver, archive, DEMO, {devices, 1})).size(), 1);
        const std::vector<cubinet::module> listed =
            VALUE(cubinet::module::load_devices(driver, archive, DEMO, {0, 2}));
        assert_int_equal(listed.size(), 2);
        assert_int_equal(VALUE(listed[1].image()).target.number, 80);
        const failure failed = FAILURE(cubinet::module::load_devices(driver, archive, DEMO, {0, 0}));
        assert_int_equal(failed.status, CUBINET_ERROR_INVALID_ARGUMENT);
        const failure none = FAILURE(cubinet::module::load_devices(driver, archive, DEMO, {}));
        assert_string_equal(none.message.c_str(), "cubinet_module_load_devices: count is 0");
    }
    stop(std::move(driver));
}

void test_preloads(void **)
{
    cubinet::driver driver = start("9.0");
    {
        const cubinet::archive archive = file("sm_90");
        const cubinet::preload_item items[] = {{archive}, {archive, DEMO}};
        cubinet::preload preload = VALUE(cubinet::preload::run(driver, 0, items));
        assert_int_equal(preload.result_count(), 2);
        assert_int_equal(simdriver_live_libraries(), 2);
        assert_int_equal(VALUE(preload.find_result(DEMO)), 0);
        assert_non_null(VALUE(preload.result(1)).module);
        {
            const cubinet::module module = VALUE(preload.take_module(1));
            assert_non_null(VALUE(module.find_kernel("tile")).get());
        }
        assert_int_equal(simdriver_live_libraries(), 1);
        assert_int_equal(FAILURE(preload.take_module(1)).status, CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(FAILURE(preload.result(2)).status, CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(FAILURE(preload.find_result("other")).status, CUBINET_ERROR_NOT_FOUND);
        const cubinet_archive *const archives[] = {archive.get()};
        const failure unread = FAILURE(cubinet::preload::recorded(driver, 0, {archives, 1}, "/no/record"));
        assert_int_equal(unread.status, CUBINET_ERROR_IO);
        const cubinet::preload_item missing[] = {{archive, "other"}};
        const failure failed = FAILURE(cubinet::preload::run(driver, 0, {missing, 1}));
        assert_int_equal(failed.status, CUBINET_ERROR_NOT_FOUND);
    }
    stop(std::move(driver));
}

/* The cubin of the module "demo", which the fake nvJitLink gives. */
std::vector<unsigned char> demo_cubin(const cubinet::archive &archive)
{
    const cubinet::image_entry image = VALUE(archive.modules()[0].images())[0];
    std::vector<unsigned char> cubin(static_cast<std::size_t>(VALUE(image.info()).raw_size));
    VALUE(image.read(cubin.data(), cubin.size()));
    return cubin;
}

void test_links_with_a_cache(void **)
{
    cubinet::driver driver = start("9.0");
    {
        cubinet::cache_options cache_options;
        cache_options.directory = "";
        cache_options.shared_directory = "";
        cubinet::cache cache = VALUE(cubinet::cache::open(&cache_options));
        const std::vector<unsigned char> cubin = demo_cubin(file("sm_90"));
        fake_set(FAKE_WORKS, cubin.data(), cubin.size());
        cubinet::link_options options;
        options.nvjitlink = fake_nvjitlink();
        options.cache = cache.get();
        for (std::uint64_t hits = 0; hits < 2; hits++) {
            cubinet::link link = VALUE(cubinet::link::create(driver, 0, &options));
            VALUE(link.add_data(CUBINET_PIECE_LTOIR, "LTO-IR", 6));
            const cubinet::module module = VALUE(link.complete());
            VALUE(VALUE(module.find_kernel("tile")).launch({1, 32}, nullptr, nullptr));
            const cubinet::preload_item item(link, "linked");
            const cubinet::preload preload = VALUE(cubinet::preload::run(driver, 0, {&item, 1}));
            assert_string_equal(VALUE(preload.result(0)).name, "linked");
            const cubinet::span<const unsigned char> linked = VALUE(link.cubin());
            assert_true(std::equal(linked.begin(), linked.end(), cubin.begin(), cubin.end()));
            assert_int_equal(VALUE(cache.stats()).memory_hits, hits);
        }
        assert_int_equal(fake_links(), 1);
        assert_int_equal(FAILURE(cache.usage()).status, CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(FAILURE(cache.verify()).status, CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(FAILURE(cache.clear()).status, CUBINET_ERROR_NOT_FOUND);
        cubinet::link link = VALUE(cubinet::link::create(driver, 0, &options));
        const cubinet::archive archive = file("sm_90");
        VALUE(link.add_archive(archive));
        assert_int_equal(FAILURE(link.add_module(archive, "none")).status, CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(FAILURE(link.add_file(CUBINET_PIECE_PTX, "/none")).status, CUBINET_ERROR_IO);
        assert_int_equal(FAILURE(cubinet::link::create(driver, 7)).status, CUBINET_ERROR_NO_DEVICE);
    }
    stop(std::move(driver));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_over_an_archive),
        cmocka_unit_test(test_iterators_have_random_access),
        cmocka_unit_test(test_describes_kernels_and_images),
        cmocka_unit_test(test_opens_files_and_memory),
        cmocka_unit_test(test_opens_a_catalog),
        cmocka_unit_test(test_errors_keep_their_message),
        cmocka_unit_test(test_sources_of_both_kinds_are_linked),
        cmocka_unit_test(test_results_hold_a_value_or_an_error),
        cmocka_unit_test(test_objects_end_what_they_own),
        cmocka_unit_test(test_objects_that_hold_nothing_are_refused),
        cmocka_unit_test(test_launches_with_temporaries),
        cmocka_unit_test(test_launch_checks_arguments),
        cmocka_unit_test(test_launches_with_attributes),
        cmocka_unit_test(test_adds_kernels_to_graphs),
        cmocka_unit_test(test_launches_clusters_and_suggestions),
        cmocka_unit_test(test_launches_kernels_with_types),
        cmocka_unit_test(test_tells_how_kernels_are_launched),
        cmocka_unit_test(test_finds_tuned_launches),
        cmocka_unit_test(test_finds_what_a_module_has),
        cmocka_unit_test(test_tells_of_the_driver),
        cmocka_unit_test(test_loads_for_several_devices),
        cmocka_unit_test(test_preloads),
        cmocka_unit_test_setup_teardown(test_links_with_a_cache, link_tools_open, link_tools_close),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
