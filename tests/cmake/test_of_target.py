# SPDX-License-Identifier: Apache-2.0
"""TARGET of cubinet_add_archive(): a program's .cu files, compiled with its requirements, as they are for nvcc."""

import json
import os
import shutil
import subprocess

import project

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path=f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin")

MAIN = "int blur(float *x);\nint main(int argc, char **) { return argc > 1 ? blur(nullptr) : 0; }\n"

BLUR = """
#include "blur.h"
#include "deep.h"
#include "kernels.h"
#include <cstdio>
#ifndef OWN
#error "the program's definition"
#endif
#ifndef DEEP
#error "a definition of a library that a library links"
#endif
#ifdef HOST_ONLY
#error "of the host's compiler"
#endif
#ifdef __CUDACC_RTC__
static_assert(__cplusplus == 202002L);
#endif
template <typename T> __global__ void blur_kernel(T *x) { x[threadIdx.x] *= AMOUNT + DEPTH; }
int blur(float *x)
{
    blur_kernel<float><<<1, 32>>>(x);
    std::printf("launched\\n");
    return 0;
}
"""

LISTS = """
add_library(deep INTERFACE)
target_include_directories(deep SYSTEM INTERFACE deep)
target_compile_definitions(deep INTERFACE DEEP $<$<COMPILE_LANGUAGE:CXX>:HOST_ONLY>)
add_library(near INTERFACE)
target_link_libraries(near INTERFACE deep)
target_compile_options(near INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall>)
add_executable(app main.cpp src/blur.cu src/sharpen.cu)
target_include_directories(app PRIVATE include)
target_compile_features(app PRIVATE cxx_std_20)
set_target_properties(app PROPERTIES CUDA_ARCHITECTURES "80-real;90-virtual" CUDA_STANDARD 20)
target_compile_options(app PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--use_fast_math>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall -O1>" $<$<COMPILE_LANGUAGE:CXX>:-Wextra>)
set_source_files_properties(src/sharpen.cu PROPERTIES COMPILE_DEFINITIONS SHARP)
cubinet_add_archive(kernels TARGET app {more})
target_compile_definitions(app PRIVATE OWN $<$<CONFIG:Debug>:CHECKED>)
target_link_libraries(app PRIVATE near)
"""


class OfTarget(project.Project):
    def setUp(self):
        super().setUp()
        if "with_cuda" in self.id():  # nvcc does not survive a `$` in a path
            self.source = self.scratch / "folder"
            self.build_folder = self.source / "build"
        self.write("main.cpp", MAIN)
        self.write("src/blur.cu", BLUR)
        self.write("src/sharpen.cu", "#ifdef SHARP\n__global__ void sharpen(float *x) { *x = 1; }\n#endif\n")
        self.write("include/blur.h", "#define AMOUNT 2\n")
        self.write("deep/deep.h", "#define DEPTH 3\n")

    def compiles(self, runs):
        return {(run.value("--module"), run.value("--gencode")): run.arguments for run in runs
                if run.subcommand == "compile"}  # fmt: skip

    def kernels(self):
        listed = subprocess.check_output([self.command, "inspect", "--json", self.built("kernels.cubinet")], text=True)
        return {module["module"]: [kernel["name"] for kernel in module["kernels"]] for module in json.loads(listed)["modules"]}

    def check(self, runs):
        compiles = self.compiles(runs)
        self.assertEqual({module for module, _ in compiles}, {"blur", "sharpen"})
        self.assertEqual({gencode for _, gencode in compiles},
                         {"arch=compute_80,code=[sm_80]", "arch=compute_90,code=[compute_90]"})  # fmt: skip
        for (module, _), arguments in compiles.items():
            for expected in ("-DOWN", "-DDEEP", f"-I{self.source}/include", f"-I{self.source}/deep", "-std=c++20",
                             "--use_fast_math"):  # fmt: skip
                self.assertIn(expected, arguments)
            self.assertEqual("-DSHARP" in arguments, module == "sharpen")
            self.assertNotIn("-Wextra", arguments)
        self.assertEqual(self.kernels(), {"blur": ["_Z11blur_kernelIfEvPT_"], "sharpen": ["_Z7sharpenPf"]})

    def check_edit(self):
        self.expect_build(0, 0)
        self.write("include/blur.h", "#define AMOUNT 5\n")
        self.expect_build(2, 1)
        self.expect_build(0, 0)

    def test_without_cuda(self):
        """The twin of the next: host code of .cu files is not compiled, so the program is linked with a library."""
        self.write("main.cpp", MAIN.replace(";\nint main", " { return x != nullptr; }\nint main"))
        self.cmake_lists(LISTS.format(more=""), "CXX")
        runs = self.build()
        self.check(runs)
        self.check_edit()

    def test_with_cuda(self):
        if not NVCC:
            self.skipTest("there is no nvcc")
        self.cmake_lists('include_directories(own)\n' + LISTS.format(more=""), "CXX")
        self.write("own/kernels.h", "")
        lists = (self.source / "CMakeLists.txt").read_text()
        self.write("CMakeLists.txt", lists.replace("LANGUAGES CXX", "LANGUAGES CXX CUDA"))
        result = self.configure(f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DCMAKE_CUDA_FLAGS=-DOF_FLAGS -Xcompiler -Wall")
        self.assertEqual(result.returncode, 0, result.stdout)
        runs = self.build()
        self.check(runs)
        for arguments in self.compiles(runs).values():
            self.assertTrue(any("-DOF_FLAGS" in argument for argument in arguments))
        self.assertTrue(self.built("app").exists())
        self.check_edit()

    def test_program_links_its_archive(self):
        """And a library that does: neither comes after itself."""
        self.write("main.cpp", MAIN.replace(";\nint main", " { return x != nullptr; }\nint main"))
        self.write("user.cpp", '#include "kernels.h"\nconst char *name() { return KERNELS_BLUR; }\n')
        self.cmake_lists(LISTS.format(more="SOURCES src/blur.cu MODULE blur") + """
            add_library(user STATIC user.cpp)
            target_link_libraries(user PUBLIC kernels)
            cubinet_embed(app kernels)
            target_link_libraries(app PRIVATE user kernels)
        """, "CXX")  # fmt: skip
        self.expect_build(2, 1)
        self.expect_build(0, 0)

    def test_configurations(self):
        if not project.IS_MULTI_CONFIG:
            self.skipTest("one configuration")
        self.write("main.cpp", MAIN.replace(";\nint main", " { return x != nullptr; }\nint main"))
        self.cmake_lists(LISTS.format(more=""), "CXX")
        for name, checked in (("Debug", True), ("Release", False)):
            for arguments in self.compiles(self.build("--config", name)).values():
                self.assertEqual("-DCHECKED" in arguments, checked)


if __name__ == "__main__":
    project.main()
