/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch costs the host: through the driver alone, through the C interface, through the C++ interface,
 * and through the C interface once more, which shows how far two measures of the same differ. Every round
 * launches a batch with each contender, in an order that turns, and waits for the GPU outside of the time.
 * The kernel has nothing to do.
 *
 *     bench_launch BUILD/samples/saxpy/saxpy_archive.cubinet
 */
#include <cubinet/cubinet.hpp>

#include "loader/driver/cuda_abi.h"

#include <cstdio>
#include <vector>

extern "C" {
#include "measure.h"
}

namespace
{

constexpr std::size_t ROUNDS = 2001;
constexpr int BATCH = 256; /* fewer than the driver queues, so that no launch waits for the GPU */

using launch_ex = int(const cbn_cu_launch_config *, CUfunction, void **, void **);

struct bench {
    cubinet::kernel kernel;
    CUfunction function;
    launch_ex *cuLaunchKernelEx;
    int (*cuCtxSynchronize)();
};

/* Parameters of saxpy(): no element. */
struct parameters {
    float a = 2;
    const float *x = nullptr;
    float *y = nullptr;
    unsigned n = 0;
};

void with_the_driver(const bench &bench)
{
    parameters given;
    void *values[] = {&given.a, &given.x, &given.y, &given.n};
    cbn_cu_launch_config config{};
    config.grid_x = config.grid_y = config.grid_z = 1;
    config.block_x = 256;
    config.block_y = config.block_z = 1;
    MUST(bench.cuLaunchKernelEx(&config, bench.function, values, nullptr));
}

void with_c(const bench &bench)
{
    parameters given;
    cubinet_launch_config config{};
    config.size = sizeof(config);
    config.grid[0] = 1;
    config.block[0] = 256;
    const cubinet_arg args[] = {CUBINET_ARG(given.a), CUBINET_ARG(given.x), CUBINET_ARG(given.y),
                                CUBINET_ARG(given.n)};
    MUST(cubinet_kernel_launch(bench.kernel.get(), &config, args, 4));
}

void with_cxx(const bench &bench)
{
    bench.kernel.launch({1, 256}, nullptr, 2.f, nullptr, nullptr, 0u);
}

template <void (&launch)(const bench &)> double time_batch(const bench &bench)
{
    const double start = now();
    for (int i = 0; i < BATCH; i++) {
        launch(bench);
    }
    const double end = now();
    if (bench.cuCtxSynchronize) {
        MUST(bench.cuCtxSynchronize());
    }
    return (end - start) * 1e3 / BATCH;
}

struct contender {
    const char *label;
    double (*time)(const bench &);
    std::vector<double> nanoseconds;
};

void run(const bench &bench)
{
    contender contenders[] = {
        {"cuLaunchKernelEx()", time_batch<with_the_driver>, {}},
        {"C: cubinet_kernel_launch()", time_batch<with_c>, {}},
        {"C++: cubinet::kernel::launch()", time_batch<with_cxx>, {}},
        {"C, once more", time_batch<with_c>, {}},
    };
    const std::size_t count = std::size(contenders);
    for (std::size_t round = 0; round < ROUNDS; round++) {
        for (std::size_t i = 0; i < count; i++) {
            contender &turn = contenders[(i + round) % count];
            turn.nanoseconds.push_back(turn.time(bench));
        }
    }
    double medians[std::size(contenders)];
    std::printf("%-32s %10s %12s %8s\n", "median of 2001 batches", "ns/launch", "over driver", "over C");
    for (std::size_t i = 0; i < count; i++) {
        medians[i] = median_of(contenders[i].nanoseconds.data(), ROUNDS);
    }
    for (std::size_t i = 0; i < count; i++) {
        std::printf("%-32s %10.1f %12.3f %8.3f\n", contenders[i].label, medians[i], medians[i] / medians[0],
                    medians[i] / medians[1]);
    }
}

/* The simulated driver need not have all of them. */
template <class Function> Function *optional(const cubinet::driver &driver, const char *name)
{
    try {
        return driver.proc_address<Function>(name);
    } catch (const cubinet::error &) {
        return nullptr;
    }
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_launch ARCHIVE, with the module and kernel saxpy\n");
        return 2;
    }
    const auto archive = cubinet::archive::open(argv[1]);
    const auto driver = cubinet::driver::open();
    const auto module = cubinet::module::load(driver, archive, "saxpy", 0);
    const auto kernel = module.find_kernel("saxpy");
    MUST(driver.proc_address<int(CUcontext)>("cuCtxPushCurrent")(module.context()));
    run({kernel, kernel.function(), driver.proc_address<launch_ex>("cuLaunchKernelEx"),
         optional<int()>(driver, "cuCtxSynchronize")});
    CUcontext popped = nullptr;
    MUST(driver.proc_address<int(CUcontext *)>("cuCtxPopCurrent")(&popped));
    return 0;
} catch (const cubinet::error &error) {
    std::fprintf(stderr, "bench_launch: %s\n", error.what());
    return 1;
}
