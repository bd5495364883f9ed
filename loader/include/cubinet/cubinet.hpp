/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * libcubinet in C++17 and later: headers over <cubinet/cubinet.h>, and no library of their own.
 *
 * @code{.cpp}
 * const auto archive = cubinet::archive::open("kernels.cubinet");
 * const auto driver = cubinet::driver::open();
 * const auto module = cubinet::module::load(driver, archive, "segmented_sum", 0);
 * const auto segsum = module.find_kernel("segsum<float,int,256,4>");
 * segsum.launch({segments, 256}, stream, values, offsets, sums);
 * @endcode
 *
 * - Objects own what they hold (archive, catalog, driver, module, link, preload, cache): they are moved, not
 * copied, and end what they hold with themselves. Locals end in the reverse order, which is the right one:
 * the driver before the modules that it loads. kernel, archive_view and the entries of an archive are copied
 * freely, and own nothing.
 * - What fails throws cubinet::error, with a status and a message; without exceptions it returns
 *   cubinet::result<T> (status.hpp).
 * - Everything here does what the function of C of its name does, and may be called from the same threads;
 *   `get()` gives the handle for what has no function here. Nothing takes memory of its own but for
 *   module::load_devices(), and a launch costs what it does in C.
 * - Options are structs of C that know their size, such as cubinet::load_options.
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
