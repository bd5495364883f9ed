/* SPDX-License-Identifier: Apache-2.0 */
/* Compares occupancy as the library computes it, without a GPU, with what the driver says, for every kernel
 * of occupancy.cu, block size and some sizes of dynamic shared memory. Prints how many numbers were compared.
 */
#include "gpu_test.h"

#include <cubinet/launch.h>

#include <stdio.h>
#include <string.h>

/* The driver's own calls: X(name, parameters) */
#define OCCUPANCY_FUNCTIONS(X)                                                                               \
    X(cuCtxPushCurrent, (CUcontext context))                                                                 \
    X(cuCtxPopCurrent, (CUcontext * context))                                                                \
    X(cuKernelSetAttribute, (unsigned int attribute, int value, CUkernel kernel, CUdevice device))           \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                                  \
      (int *blocks, CUfunction function, int threads, size_t dynamic, unsigned int flags))                   \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags,                                                             \
      (int *grid, int *threads, CUfunction function, cbn_cu_block_to_shared shared, size_t dynamic,          \
       int limit, unsigned int flags))                                                                       \
    X(cuOccupancyAvailableDynamicSMemPerBlock,                                                               \
      (size_t * dynamic, CUfunction function, int blocks, int threads))                                      \
    X(cuOccupancyMaxPotentialClusterSize,                                                                    \
      (int *blocks, CUfunction function, const cbn_cu_launch_config *config))                                \
    X(cuOccupancyMaxActiveClusters, (int *clusters, CUfunction function, const cbn_cu_launch_config *config))

static struct {
#define MEMBER(name, params) cbn_cu_result(*name) params;
    OCCUPANCY_FUNCTIONS(MEMBER)
#undef MEMBER
} cu;

struct tally {
    const char *what;
    unsigned long compared;
    unsigned long mismatches;
};

/* One kernel of the archive, recorded and loaded. */
struct subject {
    const char *name;
    cubinet_kernel *kernel;
    CUfunction function;
    cubinet_kernel_resources resources;
    uint32_t most_dynamic; /* bytes that a block may have */
    uint32_t most_threads;
};

enum { DYNAMIC_SIZES = 8 };

static cubinet_device_limits limits; /* from the table, not from the device */
static unsigned long corrected;      /* answers of the driver that contradict its own count of blocks */

static void compare(struct tally *tally, const struct subject *subject, long theirs, long ours, long a,
                    long b)
{
    tally->compared++;
    if (theirs != ours && tally->mismatches++ < 10) {
        printf("%s: %s (%ld, %ld): the driver says %ld, not %ld\n", tally->what, subject->name, a, b, theirs,
               ours);
    }
}

static void dynamic_sizes(const struct subject *subject, uint32_t sizes[DYNAMIC_SIZES])
{
    const uint32_t wanted[DYNAMIC_SIZES] = {0, 1, 1000, 8192, 33000, 49153, 100000, UINT32_MAX};
    for (int i = 0; i < DYNAMIC_SIZES; i++) {
        sizes[i] = wanted[i] < subject->most_dynamic ? wanted[i] : subject->most_dynamic;
    }
}

static uint32_t our_blocks(const struct subject *subject, uint32_t threads, uint32_t dynamic)
{
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    GPU_OK(cubinet_occupancy_compute(&limits, &subject->resources, threads, dynamic, &occupancy));
    return occupancy.active_blocks_per_multiprocessor;
}

static int their_blocks(const struct subject *subject, uint32_t threads, uint32_t dynamic)
{
    int blocks = -1;
    GPU_DRIVER(cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, subject->function,
                                                                       (int)threads, dynamic, 0));
    return blocks;
}

static void compare_active_blocks(const struct subject *subject, struct tally *tally)
{
    uint32_t sizes[DYNAMIC_SIZES];
    dynamic_sizes(subject, sizes);
    for (uint32_t threads = 32; threads <= subject->most_threads; threads += 32) {
        for (int i = 0; i < DYNAMIC_SIZES; i++) {
            compare(tally, subject, their_blocks(subject, threads, sizes[i]),
                    our_blocks(subject, threads, sizes[i]), threads, sizes[i]);
        }
    }
}

static void compare_loaded_kernels(const struct subject *subject, struct tally *tally)
{
    uint32_t sizes[DYNAMIC_SIZES];
    dynamic_sizes(subject, sizes);
    for (uint32_t threads = 32; threads <= subject->most_threads; threads += 96) {
        for (int i = 0; i < DYNAMIC_SIZES; i++) {
            const cubinet_launch_config config = {.size = sizeof(config),
                                                  .block = {threads},
                                                  .dynamic_shared_bytes = sizes[i],
                                                  .flags =
                                                      sizes[i] == 0 ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED : 0};
            cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
            GPU_OK(cubinet_kernel_get_occupancy(subject->kernel, &config, &occupancy));
            GPU_TRUE(!(occupancy.limiters & CUBINET_LIMITER_OTHER));
            compare(tally, subject, their_blocks(subject, threads, sizes[i]),
                    occupancy.active_blocks_per_multiprocessor, threads, sizes[i]);
        }
    }
}

static void compare_carve_outs(const struct subject *subject, struct tally *tally)
{
    static const int percents[] = {0, 10, 25, 50, 75, 90, 100};
    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        cubinet_device_limits preferring = limits;
        GPU_OK(cubinet_device_limits_prefer_shared(&preferring, percents[i]));
        GPU_OK(cubinet_kernel_prefer_shared(subject->kernel, percents[i]));
        for (uint32_t dynamic = 0; dynamic <= subject->most_dynamic; dynamic += 14500) {
            cubinet_occupancy ours = {.size = sizeof(ours)};
            GPU_OK(cubinet_occupancy_compute(&preferring, &subject->resources, 32, dynamic, &ours));
            compare(tally, subject, their_blocks(subject, 32, dynamic), ours.active_blocks_per_multiprocessor,
                    percents[i], dynamic);
        }
    }
    GPU_OK(cubinet_kernel_prefer_shared(subject->kernel, -1));
}

static size_t shared_of_block(int threads)
{
    return (size_t)threads * 52 + 7;
}

static uint32_t our_shared_of_block(uint32_t threads, void *user)
{
    (void)user;
    return (uint32_t)shared_of_block((int)threads);
}

/* Tells that no dynamic shared memory is meant, where a 0 could be forgotten. */
static uint32_t no_shared_of_block(uint32_t threads, void *user)
{
    (void)threads;
    (void)user;
    return 0;
}

static void compare_block_size(const struct subject *subject, const cubinet_block_size_options *options,
                               struct tally *tally)
{
    int grid = 0;
    int threads = 0;
    uint32_t ours = 0;
    uint32_t loaded = 0;
    GPU_DRIVER(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(
        &grid, &threads, subject->function, options->dynamic_shared_fn ? shared_of_block : NULL,
        options->dynamic_shared_bytes, (int)options->max_block_threads, 0));
    GPU_OK(cubinet_occupancy_max_block_size(&limits, &subject->resources, options, &ours, NULL));
    compare(tally, subject, threads, ours, options->max_block_threads, options->dynamic_shared_bytes);
    cubinet_block_size_options meant = *options;
    if (!meant.dynamic_shared_fn && meant.dynamic_shared_bytes == 0) {
        meant.dynamic_shared_fn = no_shared_of_block;
    }
    GPU_OK(cubinet_kernel_get_max_block_size(subject->kernel, &meant, &loaded, NULL));
    compare(tally, subject, threads, loaded, options->max_block_threads, options->dynamic_shared_bytes);
}

static void compare_block_sizes(const struct subject *subject, struct tally *tally)
{
    static const uint32_t most_threads[] = {0, 32, 100, 256, 700};
    uint32_t sizes[DYNAMIC_SIZES];
    dynamic_sizes(subject, sizes);
    for (size_t i = 0; i < sizeof(most_threads) / sizeof(most_threads[0]); i++) {
        cubinet_block_size_options options = {.size = sizeof(options), .max_block_threads = most_threads[i]};
        for (int j = 0; j < DYNAMIC_SIZES; j++) {
            options.dynamic_shared_bytes = sizes[j];
            compare_block_size(subject, &options, tally);
        }
        options.dynamic_shared_bytes = 0;
        options.dynamic_shared_fn = our_shared_of_block;
        compare_block_size(subject, &options, tally);
    }
}

/* The suggested block's active threads are the most that the driver finds among whole warps. */
static void compare_suggestions(const struct subject *subject, struct tally *tally)
{
    static const uint64_t extents[][3] = {
        {1, 0, 0}, {10000, 0, 0}, {1ull << 42, 0, 0}, {4096, 4096, 0}, {100, 7, 300}};
    uint32_t sizes[DYNAMIC_SIZES];
    dynamic_sizes(subject, sizes);
    int warps = (int)(subject->most_threads / 32 * 32);
    for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
        for (int j = 0; j < DYNAMIC_SIZES; j++) {
            const cubinet_suggest_options options = {.size = sizeof(options),
                                                     .dynamic_shared_bytes = sizes[j],
                                                     .flags = sizes[j] == 0 ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED
                                                                            : 0};
            cubinet_launch_config config = {.size = sizeof(config)};
            int grid = 0;
            int threads = 0;
            GPU_OK(cubinet_kernel_suggest_launch(subject->kernel, extents[i], &options, &config, NULL));
            GPU_DRIVER(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &threads, subject->function, NULL,
                                                                    sizes[j], warps, 0));
            uint32_t block_threads = config.block[0] * config.block[1] * config.block[2];
            compare(tally, subject, their_blocks(subject, (uint32_t)threads, sizes[j]) * (long)threads,
                    our_blocks(subject, block_threads, sizes[j]) * (long)block_threads, (long)i, sizes[j]);
        }
    }
}

/* Some drivers (580.159, CUDA 13.0) forget the memory that is reserved of each of several blocks. What they
 * say counts where so many blocks are active with it, by their own count, and otherwise less what is
 * reserved. */
static long their_available(const struct subject *subject, uint32_t blocks, uint32_t threads)
{
    size_t bytes = 0;
    GPU_DRIVER(
        cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, subject->function, (int)blocks, (int)threads));
    if (their_blocks(subject, threads, (uint32_t)bytes) < (int)blocks) {
        corrected++;
        return (long)bytes - (long)limits.reserved_shared_bytes_per_block;
    }
    return (long)bytes;
}

/* So many blocks are active with that many bytes, and not with one allocation unit more. */
static void check_available(const struct subject *subject, uint32_t blocks, uint32_t threads, uint32_t bytes)
{
    GPU_TRUE(their_blocks(subject, threads, bytes) >= (int)blocks);
    uint32_t more = bytes + limits.shared_allocation_unit;
    GPU_TRUE(more > subject->most_dynamic || their_blocks(subject, threads, more) < (int)blocks);
}

static void compare_available(const struct subject *subject, struct tally *tally)
{
    for (uint32_t threads = 32; threads <= subject->most_threads; threads += 224) {
        uint32_t most = our_blocks(subject, threads, 0);
        for (uint32_t blocks = 1; blocks <= most; blocks++) {
            long theirs = their_available(subject, blocks, threads);
            uint32_t ours = 0;
            uint32_t loaded = 0;
            GPU_OK(cubinet_occupancy_available_dynamic_shared(&limits, &subject->resources, blocks, threads,
                                                              &ours));
            compare(tally, subject, theirs, ours, blocks, threads);
            check_available(subject, blocks, threads, ours);
            GPU_OK(cubinet_kernel_get_available_dynamic_shared(subject->kernel, blocks, threads, &loaded));
            compare(tally, subject, theirs, loaded, blocks, threads);
        }
    }
}

/* Clusters of the kernel, or of every size that is a power of two. */
static void compare_clusters(const struct subject *subject, struct tally *tally)
{
    bool is_required = subject->resources.required_cluster[0] > 0;
    uint32_t bound = subject->resources.max_cluster_blocks;
    for (uint32_t cluster = 1; cluster <= 16; cluster *= 2) {
        for (uint32_t threads = 32; threads <= subject->most_threads && (!bound || cluster <= bound);
             threads += 160) {
            const cubinet_launch_config config = {.size = sizeof(config),
                                                  .block = {threads},
                                                  .dynamic_shared_bytes = subject->most_dynamic / cluster,
                                                  .cluster = {is_required ? 0 : cluster}};
            cbn_cu_launch_attribute attribute = {.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION};
            attribute.value.cluster.x = cluster;
            attribute.value.cluster.y = attribute.value.cluster.z = 1;
            const uint32_t *own = subject->resources.required_cluster;
            const cbn_cu_launch_config driver_config = {
                .grid_x = is_required ? own[0] : cluster,
                .grid_y = is_required ? own[1] : 1,
                .grid_z = is_required ? own[2] : 1,
                .block_x = threads,
                .block_y = 1,
                .block_z = 1,
                .dynamic_shared_bytes = config.dynamic_shared_bytes,
                .attributes = is_required ? NULL : &attribute,
                .attribute_count = is_required ? 0 : 1,
            };
            int theirs = 0;
            uint32_t ours = 0;
            GPU_OK(cubinet_kernel_get_max_active_clusters(subject->kernel, &config, &ours));
            GPU_DRIVER(cu.cuOccupancyMaxActiveClusters(&theirs, subject->function, &driver_config));
            compare(tally, subject, theirs, ours, cluster, threads);
            GPU_OK(cubinet_kernel_get_max_cluster_size(subject->kernel, &config, &ours));
            GPU_DRIVER(cu.cuOccupancyMaxPotentialClusterSize(&theirs, subject->function, &driver_config));
            compare(tally, subject, theirs, ours, cluster, threads);
        }
    }
}

static bool has_required_block(const struct subject *subject)
{
    return subject->resources.required_block[0] > 0;
}

/* A kernel that was compiled for one block size: the driver tells of others too, but does not launch them. */
static void compare_required_block(const struct subject *subject, struct tally *tally)
{
    static const uint64_t extents[][3] = {{1, 0, 0}, {1000000, 0, 0}, {4096, 4096, 0}, {100, 7, 300}};
    const uint32_t *required = subject->resources.required_block;
    uint32_t threads = required[0] * required[1] * required[2];
    long theirs = their_blocks(subject, threads, 0);
    compare(tally, subject, theirs, our_blocks(subject, threads, 0), threads, 0);
    GPU_TRUE(our_blocks(subject, threads + 32, 0) == 0);
    const cubinet_launch_config other = {.size = sizeof(other), .block = {threads + 32}};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    GPU_TRUE(cubinet_kernel_get_occupancy(subject->kernel, &other, &occupancy) == CUBINET_ERROR_LIMIT);
    for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
        cubinet_launch_config config = {.size = sizeof(config)};
        GPU_OK(cubinet_kernel_suggest_launch(subject->kernel, extents[i], NULL, &config, NULL));
        uint32_t blocks = 0;
        GPU_OK(cubinet_kernel_get_max_active_blocks(subject->kernel, &config, &blocks));
        compare(tally, subject, theirs, blocks, threads, (long)i);
        GPU_TRUE(memcmp(config.block, required, 3 * sizeof(*required)) == 0);
    }
}

static void get_subject(const cubinet_archive *archive, cubinet_module *module, uint32_t index,
                        struct subject *subject)
{
    cubinet_kernel *kernel = NULL;
    cubinet_kernel_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_kernel(archive, 0, index, &info));
    GPU_OK(cubinet_module_find_kernel(module, info.name, &kernel));
    *subject = (struct subject){
        .name = info.name, .kernel = kernel, .resources = {.size = sizeof(subject->resources)}};
    GPU_OK(cubinet_kernel_get_resources(kernel, &subject->resources));
    GPU_OK(cubinet_kernel_get_function(kernel, &subject->function));
    subject->most_threads = subject->resources.max_threads_per_block;
    subject->most_dynamic = limits.max_shared_bytes_per_block_optin - subject->resources.static_shared_bytes;
    GPU_DRIVER(cu.cuKernelSetAttribute(CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)subject->most_dynamic,
                                       cubinet_kernel_get_handle(kernel), 0));
    GPU_DRIVER(cu.cuKernelSetAttribute(CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                                       cubinet_kernel_get_handle(kernel), 0));
}

/* The table's limits are the device's. */
static void compare_limits(const cubinet_driver *driver)
{
    cubinet_device_limits of_device = {.size = sizeof(of_device)};
    GPU_OK(cubinet_driver_get_limits(driver, 0, &of_device));
    limits = (cubinet_device_limits){.size = sizeof(limits)};
    GPU_OK(cubinet_device_limits_of_compute(of_device.compute_major, of_device.compute_minor, &limits));
    printf("device 0: compute capability %d.%d, %u multiprocessors, driver for CUDA %d.%d\n",
           of_device.compute_major, of_device.compute_minor, of_device.multiprocessor_count,
           cubinet_driver_get_version(driver) / 1000, cubinet_driver_get_version(driver) % 1000 / 10);
    of_device.multiprocessor_count = 0;
    GPU_TRUE(memcmp(&of_device, &limits, sizeof(limits)) == 0);
}

static void get_calls(const cubinet_driver *driver)
{
#define GET(name, params) GPU_OK(cubinet_driver_get_proc_address(driver, #name, (void **)&cu.name));
    OCCUPANCY_FUNCTIONS(GET)
#undef GET
}

static int compare_all(const cubinet_archive *archive, cubinet_module *module)
{
    static struct {
        void (*compare)(const struct subject *subject, struct tally *tally);
        struct tally tally;
    } checks[] = {
        {compare_active_blocks, {.what = "active blocks without a GPU"}},
        {compare_loaded_kernels, {.what = "active blocks of loaded kernels"}},
        {compare_carve_outs, {.what = "active blocks with carve-outs"}},
        {compare_block_sizes, {.what = "block sizes"}},
        {compare_suggestions, {.what = "suggested launches' active threads"}},
        {compare_available, {.what = "available dynamic shared memory"}},
        {compare_clusters, {.what = "active clusters, largest clusters"}},
        {compare_required_block, {.what = "kernels for one block size"}},
    };
    int failed = 0;
    uint32_t fewest = UINT32_MAX;
    uint32_t most = 0;
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    for (uint32_t i = 0; i < info.kernel_count; i++) {
        struct subject subject;
        get_subject(archive, module, i, &subject);
        fewest = subject.resources.registers < fewest ? subject.resources.registers : fewest;
        most = subject.resources.registers > most ? subject.resources.registers : most;
        for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
            if ((checks[j].compare == compare_required_block) == has_required_block(&subject)) {
                checks[j].compare(&subject, &checks[j].tally);
            }
        }
    }
    printf("%u kernels, %u to %u registers\n", info.kernel_count, fewest, most);
    GPU_TRUE(info.kernel_count >= 40 && fewest <= 16 && most == 255);
    for (size_t j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
        const struct tally *tally = &checks[j].tally;
        printf("%s: %lu compared, %lu mismatches\n", tally->what, tally->compared, tally->mismatches);
        failed |= tally->mismatches > 0 || tally->compared == 0;
    }
    printf("(in %lu cases the driver's available dynamic shared memory was too large for its own count of "
           "active "
           "blocks, by what is reserved)\n",
           corrected);
    return failed;
}

static int skip(void)
{
    printf("skipped: %s\n", cubinet_error_message());
    return GPU_TEST_SKIPPED;
}

int main(int argc, char **argv)
{
    cubinet_driver *driver = NULL;
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    CUcontext context = NULL;
    GPU_TRUE(argc == 2);
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    if (status == CUBINET_ERROR_NO_DRIVER || status == CUBINET_ERROR_NO_DEVICE) {
        return skip();
    }
    GPU_OK(status);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    status = cubinet_module_load(driver, archive, "occupancy", 0, NULL, &module);
    if (status == CUBINET_ERROR_NO_IMAGE) {
        return skip(); /* the corpus is machine code, of which alone the registers are known */
    }
    GPU_OK(status);
    compare_limits(driver);
    get_calls(driver);
    GPU_DRIVER(cu.cuCtxPushCurrent(cubinet_module_get_context(module)));
    int failed = compare_all(archive, module);
    GPU_DRIVER(cu.cuCtxPopCurrent(&context));
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return failed;
}
