# SPDX-License-Identifier: Apache-2.0
"""compile_commands.json: entries from which clangd, and other tools over clang, can open the kernel sources."""

import json
import os
import shlex
import shutil
import subprocess

import project
from project import GENERATOR, IS_MULTI_CONFIG, SOURCE

TEXTURES = """
#include "amount.h"
#ifndef FROM_LIBRARY
#error the library's requirements are missing
#endif
#ifdef HOST
#error the host code's options are here
#endif
extern "C" __global__ void sample(cudaTextureObject_t texture, float *x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = tex2D<float>(texture, AMOUNT, threadIdx.x);
    __syncthreads();
    atomicAdd(x + blockIdx.x, __shfl_down_sync(~0u, tile[31 - threadIdx.x], 1));
}
"""


UNANNOTATED = """
#include <cassert>
#include <cstdint>
constexpr float factor = 2;
float twice(float x) { assert(x >= 0); return factor * x; }
extern "C" __global__ void unannotated(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
"""


class Editor(project.Project):
    def setUp(self):
        super().setUp()
        self.source = self.scratch / "a folder"  # CMake doubles each `$` in compile_commands.json
        self.build_folder = self.source / "build"
        self.write("textures.cu", TEXTURES)
        self.write("segsum.cu", (SOURCE / "samples/segmented_sum/segsum.cu").read_text())
        self.write("unannotated.cu", UNANNOTATED)
        self.write("include here/amount.h", "#define AMOUNT 2.f\n")
        self.write("main.c", "int main(void) { return 0; }\n")

    def project(self, export="ON"):
        self.cmake_lists(f"""
            set(CMAKE_EXPORT_COMPILE_COMMANDS {export})
            set(CMAKE_C_STANDARD 11)
            set(CMAKE_C_FLAGS "${{CMAKE_C_FLAGS}} -DHOST -march=native")
            add_compile_options(-Wall)
            add_library(library INTERFACE)
            target_compile_definitions(library INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FROM_LIBRARY>)
            cubinet_add_archive(kernels ARCHITECTURES 80 90a)
            target_include_directories(kernels PRIVATE "include here")
            target_compile_options(kernels PRIVATE -lineinfo)
            target_link_libraries(kernels PRIVATE library)
            cubinet_add_module(kernels segsum SOURCES segsum.cu KERNELS "segsum<float,int,256,4>")
            cubinet_add_module(kernels textures SOURCES textures.cu COMPILE_DEFINITIONS "TEXT=\\"a b\\"")
            cubinet_add_module(kernels again SOURCES textures.cu COMPILE_DEFINITIONS AGAIN ARCHITECTURES 120)
            cubinet_add_module(kernels unannotated SOURCES unannotated.cu DEFAULT_DEVICE)
            add_executable(app main.c)
        """)
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stdout)

    def entries(self):
        """The entries of the first configuration: a file's name, its folder and its arguments."""
        entries = {}
        for entry in json.loads((self.build_folder / "compile_commands.json").read_text()):
            name = os.path.relpath(entry["file"], self.source)
            if not IS_MULTI_CONFIG or "/Debug/" in entry["command"]:
                self.assertNotIn(name, entries)
                entries[name] = (entry["directory"], shlex.split(entry["command"]))
        return entries

    def test_entries(self):
        self.project()
        entries = self.entries()
        self.assertEqual(sorted(entries), ["main.c", "segsum.cu", "textures.cu", "unannotated.cu"])
        arguments = entries["textures.cu"][1]
        for expected in ("cuda", f"-I{self.source}/include here", "-DFROM_LIBRARY", '-DTEXT="a b"', "-std=c++17"):
            self.assertIn(expected, arguments)
        for unexpected in ("-lineinfo", "-DAGAIN", "-DHOST", "-Wall", "-march=native"):
            self.assertNotIn(unexpected, arguments)

    def test_clang_reads_the_sources(self):
        clang = shutil.which("clang")
        if not clang:
            self.skipTest("no clang in the PATH")
        self.project()
        for name in ("segsum.cu", "textures.cu", "unannotated.cu"):
            directory, arguments = self.entries()[name]
            result = subprocess.run([clang, *arguments[1:], "-fsyntax-only"], cwd=directory,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stdout)

    def test_nothing_more_is_built(self):
        self.project()
        runs = self.build()
        self.assertEqual(len([run for run in runs if run.subcommand == "compile"]), 7)
        objects = list(self.build_folder.rglob("*.cu.o"))
        self.assertEqual(objects, [])
        self.assertEqual(self.build(), [])

    def test_only_on_request(self):
        self.project("OFF")
        self.assertFalse((self.build_folder / "compile_commands.json").exists())
        targets = self.run_cmake("--build", self.build_folder, "--target", "help").stdout
        self.assertIn("kernels", targets, GENERATOR)
        self.assertNotIn("cubinet_editor", targets)


if __name__ == "__main__":
    project.main()
