/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the driver side start from: the simulated driver with some devices, and archives of the
 * images in fixtures/. Anything that fails here fails the test. */
#ifndef MACHINE_H
#define MACHINE_H

#include "simdriver.h"

#include <cubinet/launch.h>
#include <cubinet/tuning.h>

/* The kernels of the fixtures' module "demo", as the archive records them: "scale<float>" (scale: a pointer,
 * a float, an unsigned), "tile" (a pointer; 1,024 bytes of static shared memory, launch bounds of 256) and,
 * from 9.0, "clustered" (a pointer; clusters of two blocks). Its globals: table (256 bytes), factor
 * (constant). */
#define DEMO "demo"

/* The simulated device of 9.0. */
#define MACHINE_GPU             "Simulated GPU 9.0"
#define MACHINE_MULTIPROCESSORS 132

/* Resets the simulated driver, gives it these devices (see simdriver_set_devices()) and opens it. */
cubinet_driver *machine_start(const char *devices, cubinet_log_fn log, void *log_user);

/* As machine_start(), with a driver for another CUDA release, and without a log. */
cubinet_driver *machine_start_release(const char *devices, int release);

/* An archive with the module "demo". `images` lists them, separated by spaces:
 *   sm_90        the fixture of that target
 *   sm_90=sm_80  the sm_80 fixture, filed as sm_90
 *   sm_90=scale_90+tile_90+clustered_90  an image of parts, each with the kernel of that name: 80, 90 or 90a;
 *                table is in the part of tile, factor in that of scale.  compute_80=scale+tile
 *   sm_80=tiles  tile kernels, "scale_f32" and "scale_f64" (a pointer, two unsigned, a float or double)
 *   compute_80   PTX of ISA 8.0;  compute_80@9.9: of another ISA
 *   compute_80=dynamic  kernels of a pointer that use dynamic shared memory ("direct"), by a function
 *                ("through"), beside static ("mixed"), or not ("plain", "anywhere");  sm_80=dynamic_80
 *   compute_80=hidden  kernels with parameters that a launch record may hide: "program" (a pointer, an
 *                unsigned, two pointers; dynamic shared memory), and "line", "plane", "space" and "time" (24,
 *                24, 32 and 32 bytes, a pointer)
 *   lto_80       a stand-in for LTO-IR;  optix_80: for OptiX-IR
 *   tile_131     Tile IR 13.1, up to 13.4, without code
 * zstd_level as for archive_write_file(). */
cubinet_archive *machine_archive(const char *images, int zstd_level);

/* Files what machine_archive() would open, as an archive of that version. */
void machine_archive_file(const char *images, const char *version, const char *path);

/* As machine_archive(), with several modules, which differ from "demo" by name. */
struct machine_module {
    const char *name;
    const char *images;
    bool is_fragment; /* without kernels; its images are LTO-IR */
};
cubinet_archive *machine_modules(const struct machine_module *modules, size_t count);

/* As machine_archive(), but one module "wide" with a PTX kernel "wide" of `params` 32-bit parameters and a
 * managed variable, shared_count (4 bytes). */
cubinet_archive *machine_wide_archive(unsigned int params);

/* As machine_archive(), with one kernel, "sort<pair>", whose lowered name differs between its images,
 * compute_75 and compute_90, as CUB's namespaces make them. */
cubinet_archive *machine_versions_archive(void);

/* As machine_archive(), of one image, with a record that `lie` altered after it was read. It is signed by
 * `key`.key and opened with `key`.pub, unless that is NULL. */
struct contents;
typedef void machine_lie_fn(struct contents *contents);
cubinet_archive *machine_lying_archive(const char *image, machine_lie_fn *lie, const char *key);

/* As machine_archive(), with the tuning records that `tune` puts into the module. */
struct draft_module;
typedef void machine_tune_fn(struct draft_module *module);
cubinet_archive *machine_tuned_archive(const char *images, machine_tune_fn *tune);

/* A record for the first simulated device of 9.0: of that kernel's image for the target, or the part that has
 * it, one thread for each element in blocks of `block` threads. The test changes what it is about, and puts
 * it. */
struct cubinet_tuning machine_tuning(const struct draft_module *module, const char *target, const char *what,
                                     const char *kernel, uint64_t extent, uint32_t block);

/* As machine_archive(), of sm_90 with two records: "any", of which "tile" was chosen for 1,024 elements, in
 * blocks of 96 threads, and "scale" is the default; and a void one of "scale". */
cubinet_archive *machine_tuned_demo(void);

/* Loads "demo" with the default options. */
cubinet_module *machine_load(cubinet_driver *driver, const cubinet_archive *archive, int device);
cubinet_kernel *machine_kernel(cubinet_module *module, const char *name);

/* The name of the image that a module was loaded from. */
const char *machine_loaded(const cubinet_module *module, char name[CUBINET_TARGET_NAME_SIZE]);

/* Nothing is alive, nothing was misused, and the thread's current context is `current`. */
void machine_expect_clean(CUcontext current);
void machine_expect_current(CUcontext current);

/* Closes what machine_start() opened, and expects all to be clean. */
void machine_stop(cubinet_driver *driver);

#endif
