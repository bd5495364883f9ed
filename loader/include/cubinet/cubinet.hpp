/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * libcubinet in C++17 and later: only headers, over <cubinet/cubinet.h>.
 *
 * @code{.cpp}
 * const auto archive = cubinet::archive::open("kernels.cubinet");
 * const auto driver = cubinet::driver::open();
 * const auto module = cubinet::module::load(driver, archive, "segmented_sum", 0);
 * const auto segsum = module.find_kernel("segsum<float,int,256,4>");
 * segsum.launch({segments, 256}, stream, values, offsets, sums);
 * @endcode
 *
 * - archive, catalog, driver, module, link, preload and cache own a handle: you can move them, but not copy
 * them, and their destructors close it. Declare the driver before the modules that it loads: locals are
 * destroyed in the reverse order. Copy kernel, archive_view and the entries of an archive freely: they own
 * nothing.
 * - Failures throw cubinet::error, with a status and a message. In builds without exceptions, functions
 * return cubinet::result<T> (status.hpp).
 * - Each function does what the C function of its name does, and you may call it from the same threads. For C
 * functions without a counterpart here, `get()` returns the handle. Only module::load_devices() allocates
 * memory of its own, and a launch takes as long as in C.
 * - Options are C structs that set their own size, such as cubinet::load_options.
 */
#ifndef CUBINET_CUBINET_HPP
#define CUBINET_CUBINET_HPP

#include <cubinet/archive.hpp>
#include <cubinet/cache.hpp>
#include <cubinet/catalog.hpp>
#include <cubinet/cubinet.h>
#include <cubinet/driver.hpp>
#include <cubinet/kernel.hpp>
#include <cubinet/link.hpp>
#include <cubinet/module.hpp>
#include <cubinet/preload.hpp>
#include <cubinet/status.hpp>

#endif
