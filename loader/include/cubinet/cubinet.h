/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All of libcubinet, and a program from start to end:
 *
 * @code{.c}
 * // Open one archive for the whole process. This checks its list of modules and needs no GPU.
 * cubinet_archive *archive = NULL;
 * if (cubinet_archive_open("kernels.cubinet", NULL, &archive)) {
 *     return complain(cubinet_error_message()); // says what was found, what was needed, what to do
 * }
 *
 * // libcuda is opened here, not when the program starts: without a GPU this is CUBINET_ERROR_NO_DRIVER or
 * // CUBINET_ERROR_NO_DEVICE, and the program can go on without one.
 * cubinet_driver *driver = NULL;
 * if (cubinet_driver_open(NULL, &driver)) { ... }
 *
 * // The best image of the module for device 0. If none fits, the message lists every image with the reason.
 * // The module lives in the current context if that is of device 0, otherwise in the device's primary
 * // context. The CUDA runtime uses that too, so its kernels take memory of cudaMalloc().
 * cubinet_module *module = NULL;
 * if (cubinet_module_load(driver, archive, "segmented_sum", 0, NULL, &module)) { ... }
 *
 * // Find a kernel by the expression that was given to the compiler.
 * cubinet_kernel *kernel = NULL;
 * if (cubinet_module_find_kernel(module, "segsum<float,int,256,4>", &kernel)) { ... }
 *
 * // Arguments are checked against the kernel's parameters before the driver is called.
 * CUdeviceptr values = ..., offsets = ..., sums = ...;
 * cubinet_launch_config config = {.size = sizeof(config), .grid = {segments}, .block = {256}};
 * cubinet_arg args[] = {CUBINET_ARG(values), CUBINET_ARG(offsets), CUBINET_ARG(sums)};
 * if (cubinet_kernel_launch(kernel, &config, args, 3)) { ... }
 *
 * // After the last launch has finished. The archive may be closed at any time after the load.
 * cubinet_module_unload(module);
 * cubinet_driver_close(driver);
 * cubinet_archive_close(archive);
 * @endcode
 *
 * samples/saxpy and samples/segmented_sum are whole programs. Any number of threads may use an object at the
 * same time, except a link in progress (link.h), which belongs to one thread, and a preload's results while a
 * module is taken out (preload.h). The call that ends an object must be the last. Each thread has its own
 * messages.
 *
 * How structures grow:
 * - A struct whose first member is `size` may get members at its end. Set `size` to sizeof the struct before
 *   the call. In options, a library that knows more members treats the missing ones as 0, and one that knows
 * fewer refuses unknown members that are not 0 (CUBINET_ERROR_INVALID_ARGUMENT). In results, the library
 * writes at most `size` bytes and does not touch members it does not know. Such a struct is never a member of
 * another, nor an element of an array, except in cubinet_images_rank(), where `size` is the distance between
 * elements.
 * - A struct without `size` keeps its size. Elements of arrays have `reserved` members, which later versions
 * may name; cubinet_target and cubinet_arg never change.
 * - `reserved` members are 0: the library sets them to 0 in results and refuses other values in options.
 * `flags` are bits of the enum of that name: unknown bits are refused in options; ignore them in results.
 * - No struct has padding, so `= {.size = sizeof(x)}` and memset() leave nothing undefined.
 *
 * How functions are named: first the object, then the action. open/close, load/unload and create/destroy are
 * pairs; get_ reads a property of an object, by number if there are several, and find_ looks something up by
 * name. A call on a `const` object does not change the results of other calls; preparing something on first
 * use does not count. `@since` is the version of the library that added a name.
 *
 * A thread that calls the library needs 32 KiB of stack, and more for the driver, which compiles PTX on its
 * caller's stack. nvJitLink runs in a thread of the library with 8 MiB.
 *
 * Memory comes from malloc(). You can't replace the allocator: the library itself allocates little, and the
 * large users, the driver, nvJitLink and mapped files, would bypass it.
 *
 * A plugin may be closed while threads that called the library live. dlclose() leaves the shared library
 * loaded, and unloads a plugin that has the static one inside: before that, close what was opened and let
 * calls return. Each thread that lives on then keeps the memory of its last message (docs/guide/cmake.md,
 * "Cubinet in a plugin").
 */
#ifndef CUBINET_CUBINET_H
#define CUBINET_CUBINET_H

#include <cubinet/archive.h>
#include <cubinet/attributes.h>
#include <cubinet/cache.h>
#include <cubinet/catalog.h>
#include <cubinet/driver.h>
#include <cubinet/graph.h>
#include <cubinet/launch.h>
#include <cubinet/launch_record.h>
#include <cubinet/link.h>
#include <cubinet/log.h>
#include <cubinet/module.h>
#include <cubinet/occupancy.h>
#include <cubinet/preload.h>
#include <cubinet/select.h>
#include <cubinet/status.h>
#include <cubinet/target.h>
#include <cubinet/tuning.h>
#include <cubinet/version.h>

#endif
