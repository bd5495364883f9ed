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
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CUDA_COMPILER_ID:NVIDIA>>:-DBY_ID>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall -O1>" $<$<COMPILE_LANGUAGE:CXX>:-Wextra>)
set_source_files_properties(src/sharpen.cu PROPERTIES COMPILE_DEFINITIONS SHARP)
cubinet_add_archive(kernels TARGET app {more})
target_compile_definitions(app PRIVATE OWN $<$<CONFIG:Debug>:CHECKED>)
target_link_libraries(app PRIVATE near)
"""

FOLDERS = {
    "lib/CMakeLists.txt": """
        add_library(part OBJECT part.cu empty.cpp)
        target_compile_definitions(part PRIVATE PART=1 PUBLIC PART_API=2 INTERFACE PART_USER=3)
        target_include_directories(part PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
        set_target_properties(part PROPERTIES CUDA_ARCHITECTURES all-major)
        add_library(ns::part ALIAS part)
        set_source_files_properties(part.cu PROPERTIES COMPILE_DEFINITIONS OWN_OF_PART)
    """,
    "lib/empty.cpp": "",
    "lib/include/part.h": "#define FROM_PART 1\n",
    "lib/part.cu": """
        #include "part.h"
        #if PART != 1 || PART_API != 2 || defined PART_USER || !defined OWN_OF_PART || defined BY_INTERFACE
        #error "requirements of part"
        #endif
        extern "C" __global__ void part_kernel(int *x) { *x = FROM_PART; }
    """,
    "inc/interface.h": "#define INTERFACE_H 4\n",
    "app.cu": """
        #include "part.h"
        #include "interface.h"
        #if PART_API != 2 || PART_USER != 3 || BY_INTERFACE != 4 || !defined MARKED || defined PART || defined FOR_CXX
        #error "requirements of app"
        #endif
        extern "C" __global__ void app_kernel(int *x) { *x = FROM_PART + INTERFACE_H; }
    """,
    "user/CMakeLists.txt": "cubinet_add_archive(more_kernels TARGET ns::part ARCHITECTURES 80)\n",
    "main.cpp": "int main() { return 0; }\n",
}

FOLDERS_LISTS = """
add_library(interface INTERFACE)
target_include_directories(interface INTERFACE "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/inc>")
target_compile_definitions(interface INTERFACE BY_INTERFACE=4 "$<$<COMPILE_LANGUAGE:CXX>:FOR_CXX>")
add_executable(app main.cpp app.cu $<TARGET_OBJECTS:part>)
target_link_libraries(app PRIVATE ns::part "$<$<CONFIG:Debug,>:interface>" $<$<NOT:$<CONFIG:Debug,>>:interface>)
target_compile_definitions(app PRIVATE $<$<BOOL:$<TARGET_PROPERTY:app,MARK>>:MARKED>)
set_target_properties(app PROPERTIES CUDA_ARCHITECTURES all MARK ON)
cubinet_add_archive(app_kernels TARGET app)
add_subdirectory(lib)
cubinet_add_archive(part_kernels TARGET ns::part)
add_subdirectory(user)
"""

SEPARABLE = """extern __device__ int twice(int);
template <typename T> __global__ void double_all(T *x) { x[threadIdx.x] = twice((int)x[threadIdx.x]); }
int main(int argc, char **) { if (argc > 1) { double_all<int><<<1, 32>>>(nullptr); double_all<long><<<1, 32>>>(nullptr); } }
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
            for expected in ("-DOWN", "-DDEEP", "-DBY_ID", f"-I{self.source}/include", f"-I{self.source}/deep", "-std=c++20",
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

    def test_definitions_of_the_folder(self):
        """Of the program's, with guards, from an archive in that folder and one in another."""
        self.write("sub/only.cu", project.KERNEL)
        self.write("sub/main.cpp", "int main() { return 0; }\n")
        self.write("sub/CMakeLists.txt", """
            add_definitions(-DPLAIN)
            add_compile_definitions($<$<COMPILE_LANGUAGE:CUDA>:KERNEL> $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:HOST_ONLY>)
            add_executable(app main.cpp only.cu)
            cubinet_add_archive(near TARGET app ARCHITECTURES 80)
            add_compile_definitions($<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:LATER>)
        """)  # fmt: skip
        self.cmake_lists("add_subdirectory(sub)\ncubinet_add_archive(far TARGET app ARCHITECTURES 80)\n", "CXX")
        compiles = [run for run in self.build() if run.subcommand == "compile"]
        self.assertEqual(len(compiles), 2)
        for run in compiles:
            self.assertEqual(sorted(argument for argument in run.arguments if argument.startswith("-D")),
                             ["-DKERNEL", "-DLATER", "-DPLAIN"])  # fmt: skip

    def test_several_options_in_an_expression(self):
        self.write("main.cpp", "int main() { return 0; }\n")
        self.write("only.cu", project.KERNEL)
        self.write("of source/empty.h", "")
        self.cmake_lists("""
            add_library(near INTERFACE)
            target_compile_options(near INTERFACE -Wall "$<$<COMPILE_LANGUAGE:CUDA>:-DNEAR;-DNEARER>" -Wextra)
            add_executable(app main.cpp only.cu)
            target_compile_options(app PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-DOWN;-DOWNER>" -Wall)
            target_link_libraries(app PRIVATE near)
            set_source_files_properties(only.cu PROPERTIES
              COMPILE_DEFINITIONS "$<$<CONFIG:None>:NONE>;$<$<COMPILE_LANGUAGE:CUDA>:OF;SOURCE>"
              INCLUDE_DIRECTORIES "$<$<CONFIG:None>:none>;$<$<BOOL:1>:${CMAKE_CURRENT_SOURCE_DIR}/of source;/also>")
            cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)
        """, "CXX")  # fmt: skip
        (arguments,) = self.compiles(self.build()).values()
        self.assertEqual(sorted(argument for argument in arguments if argument.startswith("-D")),
                         ["-DNEAR", "-DNEARER", "-DOF", "-DOWN", "-DOWNER", "-DSOURCE"])  # fmt: skip
        self.assertEqual([argument for argument in arguments if argument.startswith("-I")][:2],
                         [f"-I{self.source}/of source", "-I/also"])  # fmt: skip

    def test_sources_of_linked_libraries(self):
        self.write("main.cpp", "int main() { return 0; }\n")
        for name in ("own", "sources/near", "sources/far"):
            self.write(f"{name}.cu", project.KERNEL)
        self.cmake_lists("""
            add_library(far INTERFACE)
            target_sources(far INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/sources/far.cu>)
            add_library(near INTERFACE)
            target_sources(near INTERFACE sources/near.cu)
            target_link_libraries(near INTERFACE far)
            add_executable(app main.cpp own.cu)
            target_link_libraries(app PRIVATE near)
            cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)
        """, "CXX")  # fmt: skip
        modules = [module for module, _ in self.compiles(self.build("--target", "kernels"))]
        self.assertEqual(sorted(modules), ["far", "near", "own"])

    def test_flags_that_are_set_later(self):
        self.write("sub/main.cpp", "int main() { return 0; }\n")
        self.write("sub/only.cu", project.KERNEL)
        self.write("sub/CMakeLists.txt", """
            add_executable(app main.cpp only.cu)
            cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)
            string(APPEND CMAKE_CUDA_FLAGS " -DLATER")
        """)  # fmt: skip
        self.cmake_lists('set(CMAKE_CUDA_FLAGS -DFLAGS)\nadd_subdirectory(sub)\nset(CMAKE_CUDA_FLAGS -DELSEWHERE)\n', "CXX")
        (arguments,) = self.compiles(self.build()).values()
        self.assertIn("SHELL:-DFLAGS -DLATER", arguments)

    def test_generated_headers(self):
        """Among the program's sources, of a library that it links, in OBJECT_DEPENDS, and by a target that it depends on."""
        self.write("app/main.cpp", "int main() { return 0; }\n")
        headers = ("own", "near", "of_object", "by_target", "known")
        self.write("app/only.cu", "".join(f'#include "{name}.h"\n' for name in headers) + project.KERNEL)
        self.write("app/CMakeLists.txt", """
            foreach(name IN ITEMS own.h near.h of_object.h)
              add_custom_command(OUTPUT ${name} COMMAND ${CMAKE_COMMAND} -E sleep 0.3 COMMAND ${CMAKE_COMMAND} -E touch ${name}
                DEPENDS made_of.txt VERBATIM)
            endforeach()
            add_library(near INTERFACE)
            target_sources(near INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/near.h)
            add_custom_target(make_header COMMAND ${CMAKE_COMMAND} -E sleep 0.3
              COMMAND ${CMAKE_COMMAND} -E copy_if_different ${CMAKE_CURRENT_SOURCE_DIR}/empty.txt by_target.h VERBATIM)
            set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/by_target.h PROPERTIES GENERATED ON)
            file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/known.h CONTENT "")
            add_executable(app main.cpp only.cu own.h ${CMAKE_CURRENT_BINARY_DIR}/by_target.h ${CMAKE_CURRENT_BINARY_DIR}/known.h)
            add_dependencies(app make_header)
            target_include_directories(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
            target_link_libraries(app PRIVATE near)
            cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)
            set_source_files_properties(only.cu PROPERTIES OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/of_object.h)
        """)  # fmt: skip
        self.write("app/made_of.txt", "")
        self.write("app/empty.txt", "")
        self.cmake_lists("add_subdirectory(app)\n", "CXX")
        self.build("--parallel", "2", "--target", "kernels")
        self.build("--parallel", "2", "--clean-first")
        self.expect_build(0, 0)
        self.write("app/made_of.txt", "2")
        self.expect_build(1, 0 if project.IS_NINJA else 1)

    def test_current_folders(self):
        """CMAKE_INCLUDE_CURRENT_DIR of the program's folder, and of a plain archive's."""
        self.write("app/main.cpp", "int main() { return 0; }\n")
        self.write("app/deeper/only.cu", project.KERNEL)
        self.write("app/CMakeLists.txt", """
            add_executable(app main.cpp deeper/only.cu)
            cubinet_add_archive(plain MODULE plain SOURCES deeper/only.cu ARCHITECTURES 80)
            set(CMAKE_INCLUDE_CURRENT_DIR ON)
        """)  # fmt: skip
        self.cmake_lists("add_subdirectory(app)\ncubinet_add_archive(kernels TARGET app ARCHITECTURES 80)\n", "CXX")
        for (module, _), arguments in self.compiles(self.build()).items():
            folders = [f"-I{self.build_folder}/app", f"-I{self.source}/app"]
            self.assertEqual([argument for argument in arguments if argument in folders], folders, module)

    def test_ndebug(self):
        """As enable_language(CUDA) has it, without that."""
        self.write("main.cpp", "int main() { return 0; }\n")
        self.write("only.cu", project.KERNEL)
        self.cmake_lists("add_executable(app main.cpp only.cu)\n"
                         "cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)\n", "CXX")  # fmt: skip
        for name, flags, expected in (("Release", "", True), ("MinSizeRel", "", True), ("Debug", "", False),
                                      ("Release", "-O2", False)):  # fmt: skip
            kinds = f"-DCMAKE_BUILD_TYPE={name}"
            if project.IS_MULTI_CONFIG:
                kinds = "-DCMAKE_CONFIGURATION_TYPES=Debug;Release;MinSizeRel"
            result = self.configure(kinds, f"-DCMAKE_CUDA_FLAGS_RELEASE={flags}")
            self.assertEqual(result.returncode, 0, result.stdout)
            runs = self.build("--clean-first", "--config", name, "--target", "kernels")
            (arguments,) = self.compiles(runs).values()
            self.assertEqual("SHELL:-DNDEBUG" in arguments, expected, (name, flags))

    def test_configurations(self):
        if not project.IS_MULTI_CONFIG:
            self.skipTest("one configuration")
        self.write("main.cpp", MAIN.replace(";\nint main", " { return x != nullptr; }\nint main"))
        self.cmake_lists(LISTS.format(more=""), "CXX")
        for name, checked in (("Debug", True), ("Release", False)):
            for arguments in self.compiles(self.build("--config", name)).values():
                self.assertEqual("-DCHECKED" in arguments, checked)


    def write_folders(self):
        """A program, and an object library of another folder that it links by its alias."""
        for name, text in FOLDERS.items():
            self.write(name, text)

    def gencodes(self, runs, archive):
        return [run.value("--gencode") for run in runs
                if run.subcommand == "compile" and f"/{archive}.dir/" in run.value("-o")]  # fmt: skip

    def test_standard_of_the_host(self):
        """No more than NVRTC takes, unless CUDA_STANDARD asks for it."""
        self.write("one.cu", "static_assert(__cplusplus == 202002L);\n__global__ void one(int *x) { *x = 1; }\n")
        lists = """
            add_executable(app main.cpp one.cu)
            set_target_properties(app PROPERTIES {})
            cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)
        """
        self.cmake_lists(lists.format("CXX_STANDARD 23"), languages="CXX")
        self.write("main.cpp", "int main() {}\n")
        runs = self.build()
        self.assertIn("-std=c++20", next(run for run in runs if run.subcommand == "compile").arguments)
        self.cmake_lists(lists.format("CXX_STANDARD 23 CUDA_STANDARD 23"), languages="CXX")
        self.assertIn("does not take '-std=c++23'", self.run_cmake("--build", self.build_folder).stdout)

    def test_other_folders(self):
        """Requirements by alias, of an interface, and as generator expressions; sources that are objects of others."""
        self.write_folders()
        self.cmake_lists(FOLDERS_LISTS, "CXX")
        runs = self.build()
        for archive in ("app_kernels", "user/more_kernels", "part_kernels"):
            part = archive != "app_kernels"
            listed = subprocess.check_output([self.command, "list", "--json", self.built_in(archive)], text=True)
            self.assertEqual([module["module"] for module in json.loads(listed)["modules"]], ["part" if part else "app"])
        self.expect_build(0, 0)
        self.write("inc/interface.h", "#define INTERFACE_H 5\n")
        self.assertEqual({run.value("--module") for run in self.build() if run.subcommand == "compile"}, {"app"})
        numbers = [gencode.split("code=")[1] for gencode in self.gencodes(runs, "app_kernels")]
        majors = [gencode.split("code=")[1] for gencode in self.gencodes(runs, "part_kernels")]
        self.assertLess(len(majors), len(numbers))
        self.assertLess(set(majors), set(numbers))
        self.assertEqual([sum("compute" in number for number in made) for made in (numbers, majors)], [1, 1])

    def built_in(self, archive):
        folder, _, name = archive.rpartition("/")
        return self.build_folder / folder / ("Debug" if project.IS_MULTI_CONFIG else "") / f"{name}.cubinet"

    def test_native(self):
        self.write("main.cpp", MAIN.replace(";\nint main", " { return x != nullptr; }\nint main"))
        self.write("only.cu", project.KERNEL)
        self.cmake_lists("""
            add_executable(app main.cpp only.cu)
            set_target_properties(app PROPERTIES CUDA_ARCHITECTURES native)
            cubinet_add_archive(kernels TARGET app)
        """, "CXX")  # fmt: skip
        result = self.configure()
        if result.returncode:  # no GPU
            self.assertRegex(result.stdout, r"'native'\s+needs\s+a\s+GPU")
        else:
            self.assertEqual(len(self.gencodes(self.build(), "kernels")), 1)

    def test_separable_with_cuda(self):
        """Device code of several files, linked by nvcc for the program and by Cubinet for the archive."""
        if not NVCC or project.GENERATOR != "Ninja":
            self.skipTest("there is no nvcc" if not NVCC else "one generator is enough")
        self.write("app.cu", SEPARABLE)
        self.write("twice.cu", "__device__ int twice(int x) { return AMOUNT * x; }\n")
        self.cmake_lists("""
            add_executable(app app.cu twice.cu)
            set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES "80-real;90-real")
            target_compile_definitions(app PRIVATE AMOUNT=2)
            target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=32>
              "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcudafe --diag_suppress=177 -Xcompiler=-Wall,-fPIC>"
              $<$<CONFIG:Debug>:-lineinfo> -Wno-deprecated-gpu-targets)
            cubinet_add_archive(kernels TARGET app COMPILE_OPTIONS --list-launches)
        """, "CXX CUDA")  # fmt: skip
        result = self.configure("-Wno-dev", f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DCMAKE_BUILD_TYPE=Debug")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.log.write_text("")
        result = self.run_cmake("--build", self.build_folder)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("app.cu:3: double_all<int>: double_all<int>(int*)", result.stdout)
        self.assertIn("app.cu:3: double_all<long>: double_all<long>(long*)", result.stdout)
        runs = [project.Run(line) for line in self.log.read_text().splitlines()]
        for run in runs:
            if run.subcommand == "compile":
                for expected in ("-DAMOUNT=2", "-maxrregcount=32", "-lineinfo"):
                    self.assertIn(expected, run.arguments)
        self.assertEqual([run.subcommand for run in runs].count("link"), 2)
        self.assertEqual(self.kernels(), {"app": ["_Z10double_allIiEvPT_", "_Z10double_allIlEvPT_"]})
        self.assertEqual(subprocess.run([self.built("app")], check=False).returncode, 0)
        self.expect_build(0, 0)


if __name__ == "__main__":
    project.main()
