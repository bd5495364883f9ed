# SPDX-License-Identifier: Apache-2.0
"""What a user of a package writes: a program in C that links the shared library, and one in C++ that links the static one.
Both print "loaded" once a driver has taken their kernel."""

import os
import subprocess

import project

KERNEL = 'extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }\n'

C = """
#include "kernels.h"
#include <cubinet/cubinet.h>
#include <stdio.h>
int main(void)
{
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    if (cubinet_archive_open_memory(kernels, kernels_size, NULL, &archive) || cubinet_driver_open(NULL, &driver) ||
        cubinet_module_load(driver, archive, KERNELS_SCALE, 0, NULL, &module) ||
        cubinet_module_find_kernel(module, KERNELS_SCALE_SCALE, &kernel)) {
        puts(cubinet_error_message());
        return 1;
    }
    puts("loaded");
    cubinet_module_unload(module);
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    return 0;
}
"""

CXX = """
#include "kernels.h"
#include <cstdio>
#include <cubinet/cubinet.hpp>
int main()
{
    const auto archive = cubinet::archive::open_memory(kernels, kernels_size);
    const auto driver = cubinet::driver::open();
    const auto module = cubinet::module::load(driver, archive, KERNELS_SCALE, 0);
    module.find_kernel(KERNELS_SCALE_SCALE);
    std::puts("loaded");
}
"""

LISTS = """
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C CXX)
find_package(Cubinet 0.1 CONFIG REQUIRED)
message(STATUS "found ${{Cubinet_DIR}}")
cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
add_executable(app_c main.c)
add_executable(app_cxx main.cpp)
target_compile_features(app_cxx PRIVATE cxx_std_17)
cubinet_embed(app_c kernels)
cubinet_embed(app_cxx kernels)
target_link_libraries(app_c PRIVATE Cubinet::{c})
target_link_libraries(app_cxx PRIVATE Cubinet::{cxx})
"""

PROGRAMS = ("app_c", "app_cxx")


def checked(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


def build(folder, found_in, *options, c="cubinet", cxx="cubinet_static"):
    """The build folder; Cubinet's CMake package, the headers and the libraries have to be found below `found_in`."""
    folder.mkdir()
    for name, text in (("scale.cu", KERNEL), ("main.c", C), ("main.cpp", CXX), ("CMakeLists.txt", LISTS.format(c=c, cxx=cxx))):
        (folder / name).write_text(text)
    said = checked([project.CMAKE, "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options])
    if f"found {found_in}/" not in said:
        raise AssertionError(f"Cubinet was not found in {found_in}:\n{said}")
    checked([project.CMAKE, "--build", folder / "build"])
    return folder / "build"


def run(folder, **environment):
    """Starts both programs with the simulated driver."""
    for program in PROGRAMS:
        said = checked([folder / program], env={**os.environ, "CUBINET_LIBCUDA": os.environ["SIMCUDA"], **environment})
        if said != "loaded\n":
            raise AssertionError(f"{program} says: {said}")
