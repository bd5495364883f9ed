/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All of libcubinet, and the life of a program that uses it:
 *
 * @code{.c}
 * // One archive for the whole process. Opening reads and checks its list of modules; no GPU is needed.
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
 * // The best image of the module for device 0. If there is none, the message names every image and why not.
 * // The module lives in the current context if that is of device 0, otherwise in the device's primary
 * // context. The CUDA runtime uses that too, so its kernels take memory of cudaMalloc().
 * cubinet_module *module = NULL;
 * if (cubinet_module_load(driver, archive, "segmented_sum", 0, NULL, &module)) { ... }
 *
 * // Kernels are asked for by the expression that was given to the compiler.
 * cubinet_kernel *kernel = NULL;
 * if (cubinet_module_find_kernel(module, "segsum<float,int,256,4>", &kernel)) { ... }
 *
 * // Arguments are compared with the kernel's parameters before the driver sees them.
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
 * samples/saxpy and samples/segmented_sum are whole programs. Every object may be used by any number of
 * threads at the same time, but for a link under way (link.h), which belongs to one, and what a preload has
 * made ready while a module is taken out (preload.h); only the call that ends it must be the last. Messages
 * are kept for each thread apart.
 *
 * How structures grow:
 * - A struct whose first member is `size` may get members at its end. Set `size` to sizeof the struct before
 *   the call. Of options, a library that knows more takes the rest for 0, and one that knows fewer refuses
 *   what is not 0 (CUBINET_ERROR_INVALID_ARGUMENT). Of results, the library writes no more than `size`, and
 *   leaves what it does not know as it was. Such a struct is never a member of another. Nor is it an element
 *   of an array, but for that of cubinet_images_rank(), where `size` is the distance between elements.
 * - A struct without `size` keeps its size. What is an element of an array has `reserved` members, which
 *   later versions may name; a cubinet_target and a cubinet_arg stay what they are.
 * - `reserved` members are 0: the library sets them so in results and refuses others in options. `flags` are
 *   bits of the enum of that name: unknown ones are refused in options; ignore them in results.
 * - No struct has padding, so `= {.size = sizeof(x)}` and memset() leave nothing undefined.
 *
 * How functions are called: the object first, then what is done. open/close, load/unload and create/destroy
 * are pairs; get_ reads what an object has, by number where there are several, and find_ looks something up
 * by its name. A `const` object answers every other call after the call as it did before; what is made
 * ready at its first use does not count. `@since` is the version of the library that brought a name.
 *
 * A thread that calls the library needs 32 KiB of stack, and what the driver takes beyond that, which
 * compiles PTX on the stack of its caller. nvJitLink has a thread of the library's own, with 8 MiB.
 *
 * Memory comes from malloc(). There is no hook for another allocator: the library itself takes little, and
 * what takes much, the driver, nvJitLink and the mapping of files, would not go through it.
 *
 * dlclose() leaves the library loaded, so a plugin may be closed while threads that called it live
 * (docs/guide/cmake.md, "Cubinet in a plugin").
 */
#ifndef CUBINET_CUBINET_H
#define CUBINET_CUBINET_H

#include <cubinet/archive.h>
#include <cubinet/cache.h>
#include <cubinet/catalog.h>
#include <cubinet/driver.h>
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
#include <cubinet/version.h>

#endif
