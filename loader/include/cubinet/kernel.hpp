/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Kernels of loaded modules in C++: launch them, and compute their occupancy. Functions fail as the C
 * functions of the same names do (<cubinet/launch.h>).
 *
 * @code{.cpp}
 * kernel.launch({blocks, 256}, stream, 2.f, x, y, n);
 * @endcode
 */
#ifndef CUBINET_KERNEL_HPP
#define CUBINET_KERNEL_HPP

#include <cubinet/archive.hpp>
#include <cubinet/graph.h>
#include <cubinet/handle.hpp>
#include <cubinet/launch.h>
#include <cubinet/module.h>
#include <cubinet/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace cubinet
{

/** @since 0.1 */
using occupancy = sized<cubinet_occupancy>;
using block_size_options = sized<cubinet_block_size_options>;
using suggest_options = sized<cubinet_suggest_options>;
using launch_estimate = sized<cubinet_launch_estimate>;
using launch_attributes = sized<cubinet_launch_attributes>;

/** Sides of a grid, block or cluster: a number along x, `{x, y}`, `{x, y, z}`, or CUDA's dim3.
 * @since 0.1 */
struct dims {
    std::uint32_t x, y, z;

    constexpr dims(std::uint32_t along_x, std::uint32_t along_y = 1, std::uint32_t along_z = 1) noexcept
        : x(along_x), y(along_y), z(along_z)
    {
    }

    template <class Dim3, class = decltype(std::declval<const Dim3 &>().z)>
    constexpr dims(const Dim3 &sides) noexcept : dims(sides.x, sides.y, sides.z)
    {
    }
};

/** How to launch a kernel: `{grid, block}`, with dynamic shared memory `{grid, block, bytes}`, or `{grid}` if
 * the kernel's launch record has the block. For clusters, extents and flags, set members of the C struct that
 * this derives from.
 * @since 0.1 */
struct launch_config : sized<cubinet_launch_config> {
    /** Set grid and block: a launch with 0 fails. */
    launch_config() = default;

    launch_config(dims grid_blocks, dims block_threads, std::uint32_t dynamic_shared = 0) noexcept
    {
        set(grid, grid_blocks);
        set(block, block_threads);
        dynamic_shared_bytes = dynamic_shared;
    }

    /** Takes the rest from the kernel's launch record. */
    launch_config(dims grid_blocks) noexcept
    {
        set(grid, grid_blocks);
    }

    launch_config(const cubinet_launch_config &config) noexcept
    {
        static_cast<cubinet_launch_config &>(*this) = config;
    }

    /** For a kernel that takes launch bounds: its elements, in up to four dimensions, and the threads of
     * each. */
    launch_config &set_extent(const std::array<std::uint32_t, 4> &elements,
                              std::uint32_t threads_of_each = 1) noexcept
    {
        for (std::size_t i = 0; i < elements.size(); i++) {
            extent[i] = elements[i];
        }
        threads_per_element = threads_of_each;
        return *this;
    }

    launch_config &set_cluster(dims blocks) noexcept
    {
        set(cluster, blocks);
        return *this;
    }

    /** Attributes, which must live as long as the configuration. */
    launch_config &set_attributes(const cubinet_launch_attributes &given) noexcept
    {
        attributes = &given;
        return *this;
    }

    /** A temporary would be gone before the launch: keep it in a variable. */
    launch_config &set_attributes(const cubinet_launch_attributes &&given) = delete;

    /** Programmatic dependent launch. `without_wait`: also of a kernel that never waits. */
    launch_config &set_programmatic(bool without_wait = false) noexcept
    {
        flags |= CUBINET_LAUNCH_PROGRAMMATIC;
        if (without_wait) {
            flags |= CUBINET_LAUNCH_WITHOUT_WAIT;
        }
        return *this;
    }

  private:
    static void set(std::uint32_t (&sides)[3], const dims &given) noexcept
    {
        sides[0] = given.x;
        sides[1] = given.y;
        sides[2] = given.z;
    }
};

/** A launch configuration, and the occupancy to expect.
 * @since 0.1 */
struct launch_suggestion {
    launch_config config;
    launch_estimate estimate;
};

/** A block size, and the blocks of it that fill the device.
 * @since 0.1 */
struct block_size {
    std::uint32_t block_threads;
    std::uint32_t min_grid_blocks;
};

namespace detail
{

inline constexpr void *null_pointer = nullptr;

/* Where the driver finds an argument's bytes. */
template <class Argument> cubinet_arg argument(const Argument &value) noexcept
{
    static_assert(!std::is_array_v<Argument>,
                  "a kernel takes no array: pass the address of device memory, or a struct with the array");
    static_assert(std::is_trivially_copyable_v<Argument>,
                  "a kernel's argument is copied byte by byte, so its type must be trivially copyable");
    if constexpr (std::is_null_pointer_v<Argument>) {
        return {&null_pointer, sizeof(null_pointer)};
    } else {
        return {std::addressof(value), sizeof(value)};
    }
}

} // namespace detail

inline namespace CUBINET_ERRORS_NAMESPACE
{

/**
 * A kernel of a loaded module. Copy it freely; it is valid until the module is unloaded. Any number of
 * threads may use it at the same time.
 * @since 0.1
 */
class kernel
{
  public:
    kernel() noexcept = default;

    explicit kernel(cubinet_kernel *handle) noexcept : handle_(handle)
    {
    }

    /** The handle, for C functions; NULL after default construction. */
    cubinet_kernel *get() const noexcept
    {
        return handle_;
    }

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    /**
     * Launches the kernel, asynchronously, in the module's context (which need not be current).
     *
     * Pass variables or temporaries as arguments; they are copied before the call returns. Their number, and
     * the bytes of each, are compared with the kernel's parameters: so pass `2.f` for a float, not `2.0`, and
     * for a pointer, a pointer or a CUdeviceptr (nullptr, not 0). To check types, too, see cubinet::launch().
     *
     * @param config `{grid, block}` or a launch_config, whose stream is ignored
     * @param stream a CUstream or cudaStream_t; nullptr: the default stream of the module's context
     * @see cubinet_kernel_launch()
     */
    template <class... Arguments>
    returns<void> launch(launch_config &&config, CUstream stream, const Arguments &...arguments) const
    {
        const std::array<cubinet_arg, sizeof...(Arguments)> list = {{detail::argument(arguments)...}};
        config.stream = stream; /* in place: a copy of what was written just now costs 15 ns */
        return calls::answer(cubinet_kernel_launch(handle_, &config, list.data(), list.size()));
    }

    template <class... Arguments>
    returns<void> launch(const launch_config &config, CUstream stream, const Arguments &...arguments) const
    {
        return launch(launch_config(config), stream, arguments...);
    }

    /**
     * Adds the kernel as a node to a graph, after the nodes that it depends on.
     *
     * @param config, arguments as for launch()
     * @see cubinet_kernel_add_node()
     */
    template <class... Arguments>
    returns<CUgraphNode> add_node(CUgraph graph, span<const CUgraphNode> dependencies,
                                  const launch_config &config, const Arguments &...arguments) const
    {
        const std::array<cubinet_arg, sizeof...(Arguments)> list = {{detail::argument(arguments)...}};
        CUgraphNode out = nullptr;
        const cubinet_status status =
            cubinet_kernel_add_node(handle_, graph, dependencies.data(), dependencies.size(), &config,
                                    list.data(), list.size(), &out);
        return calls::answer(status, out);
    }

    /** Replaces a node's kernel, configuration and arguments. @see cubinet_kernel_update_node() */
    template <class... Arguments>
    returns<void> update_node(CUgraphNode node, const launch_config &config,
                              const Arguments &...arguments) const
    {
        const std::array<cubinet_arg, sizeof...(Arguments)> list = {{detail::argument(arguments)...}};
        return calls::answer(cubinet_kernel_update_node(handle_, node, &config, list.data(), list.size()));
    }

    /** The same in an executable graph. @see cubinet_kernel_update_exec_node() */
    template <class... Arguments>
    returns<void> update_exec_node(CUgraphExec exec, CUgraphNode node, const launch_config &config,
                                   const Arguments &...arguments) const
    {
        const std::array<cubinet_arg, sizeof...(Arguments)> list = {{detail::argument(arguments)...}};
        return calls::answer(
            cubinet_kernel_update_exec_node(handle_, exec, node, &config, list.data(), list.size()));
    }

    /** Lowered name and expression, which live as long as the module. */
    returns<kernel_info> info() const
    {
        kernel_info out;
        const cubinet_status status = cubinet_kernel_get_info(handle_, &out);
        return calls::answer(status, out);
    }

    /** Its resources, as recorded for the loaded image. */
    returns<kernel_resources> resources() const
    {
        kernel_resources out;
        const cubinet_status status = cubinet_kernel_get_resources(handle_, &out);
        return calls::answer(status, out);
    }

    /** How it is launched, as recorded for the loaded image. */
    returns<cubinet::launch_record> launch_record() const
    {
        cubinet::launch_record out;
        const cubinet_status status = cubinet_kernel_get_launch_record(handle_, &out);
        return calls::answer(status, out);
    }

    /** The driver's handle. */
    CUkernel handle() const noexcept
    {
        return cubinet_kernel_get_handle(handle_);
    }

    /** The driver's library that it is in. */
    CUlibrary library() const noexcept
    {
        return cubinet_kernel_get_library(handle_);
    }

    /** Its function in the module's context. */
    returns<CUfunction> function() const
    {
        CUfunction out = nullptr;
        const cubinet_status status = cubinet_kernel_get_function(handle_, &out);
        return calls::answer(status, out);
    }

    /** @param percent of the largest shared memory, or -1. @see cubinet_kernel_prefer_shared() */
    returns<void> prefer_shared(int percent) const
    {
        return calls::answer(cubinet_kernel_prefer_shared(handle_, percent));
    }

    /** Blocks that a multiprocessor holds. */
    returns<std::uint32_t> max_active_blocks(const launch_config &config) const
    {
        std::uint32_t out = 0;
        const cubinet_status status = cubinet_kernel_get_max_active_blocks(handle_, &config, &out);
        return calls::answer(status, out);
    }

    returns<cubinet::occupancy> occupancy(const launch_config &config) const
    {
        cubinet::occupancy out;
        const cubinet_status status = cubinet_kernel_get_occupancy(handle_, &config, &out);
        return calls::answer(status, out);
    }

    /** The block size of the highest occupancy. */
    returns<block_size> max_block_size(const cubinet_block_size_options *options = nullptr) const
    {
        block_size out{};
        const cubinet_status status =
            cubinet_kernel_get_max_block_size(handle_, options, &out.block_threads, &out.min_grid_blocks);
        return calls::answer(status, out);
    }

    /** Bytes of dynamic shared memory for each block if a multiprocessor has to hold that many. */
    returns<std::uint32_t> available_dynamic_shared(std::uint32_t blocks, std::uint32_t block_threads) const
    {
        std::uint32_t out = 0;
        const cubinet_status status =
            cubinet_kernel_get_available_dynamic_shared(handle_, blocks, block_threads, &out);
        return calls::answer(status, out);
    }

    /** Clusters that the device holds at the same time. */
    returns<std::uint32_t> max_active_clusters(const launch_config &config) const
    {
        std::uint32_t out = 0;
        const cubinet_status status = cubinet_kernel_get_max_active_clusters(handle_, &config, &out);
        return calls::answer(status, out);
    }

    /** Blocks of the largest cluster. */
    returns<std::uint32_t> max_cluster_size(const launch_config &config) const
    {
        std::uint32_t out = 0;
        const cubinet_status status = cubinet_kernel_get_max_cluster_size(handle_, &config, &out);
        return calls::answer(status, out);
    }

    /** Suggests a configuration for that many elements along x, y and z. @see cubinet_kernel_suggest_launch()
     */
    returns<launch_suggestion> suggest_launch(const std::array<std::uint64_t, 3> &extent,
                                              const cubinet_suggest_options *options = nullptr) const
    {
        launch_suggestion out;
        const cubinet_status status =
            cubinet_kernel_suggest_launch(handle_, extent.data(), options, &out.config, &out.estimate);
        return calls::answer(status, out);
    }

  private:
    cubinet_kernel *handle_ = nullptr;
};

/** One of the launches of launch_each(): a kernel, and a stream of its context.
 * @since 0.1 */
struct launch_target : cubinet_launch_target {
    launch_target(const cubinet::kernel &launched, CUstream in_stream) noexcept : cubinet_launch_target()
    {
        cubinet_launch_target::kernel = launched.get();
        stream = in_stream;
    }
};

/**
 * Makes the same launch with each of several kernels, on several devices or in several streams. All of them
 * are checked before the first is made.
 *
 * @param config its stream must be nullptr
 * @see cubinet_launch_each()
 */
template <class... Arguments>
returns<void> launch_each(const launch_config &config, span<const launch_target> targets,
                          const Arguments &...arguments)
{
    const std::array<cubinet_arg, sizeof...(Arguments)> list = {{detail::argument(arguments)...}};
    static_assert(sizeof(launch_target) == sizeof(cubinet_launch_target),
                  "it is passed as an array of those");
    return check(
        cubinet_launch_each(&config, list.data(), list.size(), targets.data(), targets.size(), nullptr));
}

/**
 * Launches a kernel with known parameter types: a function object that `cubinet header --c++` makes, or
 * anything that you can call with a configuration and the arguments and that returns a status. Arguments that
 * do not fit do not compile.
 *
 * @param config, stream as for kernel::launch()
 * @since 0.1
 */
template <class Typed, class... Arguments>
returns<void> launch(const Typed &kernel, launch_config &&config, CUstream stream, Arguments &&...arguments)
{
    config.stream = stream;
    const cubinet_launch_config &in_stream = config;
    return check(kernel(in_stream, std::forward<Arguments>(arguments)...));
}

template <class Typed, class... Arguments>
returns<void> launch(const Typed &kernel, const launch_config &config, CUstream stream,
                     Arguments &&...arguments)
{
    return launch(kernel, launch_config(config), stream, std::forward<Arguments>(arguments)...);
}

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
