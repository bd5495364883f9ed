# SPDX-License-Identifier: Apache-2.0
"""Archives as targets: what the calls on them, and on the libraries they link, say on the command line."""

import json
import os
import pathlib
import re
import subprocess
import unittest.mock

import project
from project import IS_MULTI_CONFIG, KERNEL


class Targets(project.Project):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)

    def arguments(self, text, *build_arguments):
        """The arguments of the one compile that a project takes."""
        self.cmake_lists(text)
        runs = self.build(*build_arguments)
        compiles = [run for run in runs if run.subcommand == "compile"]
        self.assertEqual(len(compiles), 1)
        return compiles[0].arguments

    def test_own_requirements(self):
        (self.source / "headers here").mkdir()
        arguments = self.arguments("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_include_directories(kernels PRIVATE "headers here")
            target_compile_definitions(kernels PRIVATE PLAIN "TEXT=\\"a b\\"")
            target_compile_options(kernels PRIVATE -lineinfo)
        """)
        for expected in (f"-I{self.source}/headers here", "-DPLAIN", '-DTEXT="a b"', "-lineinfo"):
            self.assertIn(expected, arguments)

    def test_names_that_cmake_takes_for_false(self):
        """A definition, a module and a linked library."""
        self.cmake_lists("""
            add_library(NO INTERFACE)
            target_compile_definitions(NO INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:LINKED>)
            foreach(word IN ITEMS N OFF IGNORE)
              cubinet_add_archive(kernels.${word} MODULE ${word} SOURCES scale.cu ARCHITECTURES 80)
              target_compile_definitions(kernels.${word} PRIVATE ${word})
            endforeach()
            cubinet_add_archive(other MODULE other SOURCES scale.cu ARCHITECTURES 80)
            target_compile_definitions(other PRIVATE TEXT=0-NOTFOUND)
            target_link_libraries(kernels.N PRIVATE NO)
        """)
        compiles = {run.value("--module"): run for run in self.build() if run.subcommand == "compile"}
        self.assertEqual(sorted(compiles), ["IGNORE", "N", "OFF", "other"])
        for word, run in compiles.items():
            self.assertIn("-DTEXT=0-NOTFOUND" if word == "other" else f"-D{word}", run.arguments)
        self.assertIn("-DLINKED", compiles["N"].arguments)

    def test_requirements_of_linked_libraries(self):
        arguments = self.arguments("""
            add_library(far INTERFACE)
            target_include_directories(far INTERFACE far)
            target_compile_definitions(far INTERFACE FAR $<$<COMPILE_LANGUAGE:CUDA>:FAR_KERNEL>)
            add_library(near INTERFACE)
            target_compile_options(near INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:C>:-Wall>)
            target_link_libraries(near INTERFACE far)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE near)
        """)
        for expected in (f"-I{self.source}/far", "-DFAR", "-DFAR_KERNEL"):
            self.assertIn(expected, arguments)
        self.assertNotIn("-Wall", arguments)

    def test_guards_in_own_requirements(self):
        arguments = self.arguments("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_definitions(kernels PRIVATE
              $<$<COMPILE_LANGUAGE:CUDA>:KERNEL> $<$<COMPILE_LANGUAGE:CXX,CUDA>:EITHER> $<$<COMPILE_LANGUAGE:CXX>:HOST>
              $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:NOT_CUDA> LANGUAGE_IS_$<COMPILE_LANGUAGE>
              $<$<CUDA_COMPILER_ID:Clang,NVRTC>:ID> $<$<CUDA_COMPILER_ID:NVIDIA>:OTHER_ID> ID_IS_$<CUDA_COMPILER_ID>)
        """)
        self.assertEqual([argument for argument in arguments if argument.startswith("-D")],
                         ["-DKERNEL", "-DEITHER", "-DLANGUAGE_IS_CUDA", "-DID", "-DID_IS_NVRTC"])  # fmt: skip

    def test_guards_of_linked_libraries(self):
        """Seen through aliases, generator expressions, imported targets of a folder, libraries that link each other."""
        self.write("sub/CMakeLists.txt", """
            add_library(Its::own INTERFACE IMPORTED)
            target_compile_definitions(Its::own INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:OWN> $<$<COMPILE_LANGUAGE:C>:C_OWN>)
            cubinet_add_archive(kernels MODULE scale SOURCES ../scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE Its::own Its::alias $<$<BOOL:1>:by_expression> $<$<BOOL:0>:not_linked>
              $<BUILD_INTERFACE:$<TARGET_NAME:named>> $<TARGET_NAME_IF_EXISTS:there> $<TARGET_NAME_IF_EXISTS:nowhere>
              $<$<TARGET_EXISTS:asked>:asked>)
        """)  # fmt: skip
        arguments = self.arguments("""
            add_library(plain INTERFACE)
            add_library(Its::alias ALIAS plain)
            target_compile_definitions(plain INTERFACE PLAIN $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:NOT_CUDA>)
            add_library(by_expression INTERFACE)
            target_compile_definitions(by_expression INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:BY_EXPRESSION>)
            target_link_libraries(by_expression INTERFACE circular $<$<TARGET_EXISTS:deep>:deep>)
            add_library(circular INTERFACE)
            target_compile_definitions(circular INTERFACE CIRCULAR)
            target_link_libraries(circular INTERFACE by_expression)
            add_library(not_linked INTERFACE)
            target_compile_definitions(not_linked INTERFACE NOT_LINKED)
            foreach(name IN ITEMS named there asked deep)
              add_library(${name} INTERFACE)
              target_compile_definitions(${name} INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:${name}>)
            endforeach()
            add_library(later INTERFACE)
            add_subdirectory(sub)
            target_link_libraries(kernels PRIVATE later)
            target_compile_definitions(later INTERFACE $<$<CUDA_COMPILER_ID:NVRTC>:LATER>)
            target_compile_definitions(plain INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:PLAIN_LATER>)
        """)
        self.assertEqual(sorted(argument for argument in arguments if argument.startswith("-D")),
                         ["-DBY_EXPRESSION", "-DCIRCULAR", "-DLATER", "-DOWN", "-DPLAIN", "-DPLAIN_LATER",
                          "-Dasked", "-Ddeep", "-Dnamed", "-Dthere"])  # fmt: skip

    def test_package_found_in_folders(self):
        """Not at the top, and more than once."""
        folder = """
            find_package(Cubinet REQUIRED)
            add_library({0} INTERFACE)
            target_compile_definitions({0} INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:KERNEL> $<$<COMPILE_LANGUAGE:C>:HOST>)
            cubinet_add_archive(kernels_{0} MODULE {0} SOURCES ../scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels_{0} PRIVATE {0})
        """
        for name in ("one", "two"):
            self.write(f"{name}/CMakeLists.txt", folder.format(name))
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(test LANGUAGES C)\n"
                   "add_subdirectory(one)\nadd_subdirectory(two)\n")  # fmt: skip
        compiles = [run for run in self.build() if run.subcommand == "compile"]
        self.assertEqual(len(compiles), 2)
        for run in compiles:
            self.assertEqual([argument for argument in run.arguments if argument.startswith("-D")], ["-DKERNEL"])

    def test_language_of_the_folder(self):
        """A subproject's C is not there in a project of C++ alone."""
        self.write("sub/CMakeLists.txt", "project(sub LANGUAGES C)\n")
        self.write("main.cpp", '#include "kernels.h"\nint main() { return kernels_size == 0; }\n')
        self.cmake_lists("""
            add_subdirectory(sub)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.cpp)
            cubinet_embed(app kernels)
        """, languages="CXX")  # fmt: skip
        self.build()
        subprocess.run([self.built("app")], check=True)

    def test_linked_library_is_built_first(self):
        """Also where a guard has a copy of it linked in its place."""
        self.write("scale.cu", '#include "made.h"\n' + KERNEL)
        self.arguments("""
            file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
            add_custom_target(make_header COMMAND ${CMAKE_COMMAND} -E sleep 1
              COMMAND ${CMAKE_COMMAND} -E touch "${CMAKE_BINARY_DIR}/include/made.h" VERBATIM)
            add_library(headers INTERFACE)
            add_dependencies(headers make_header)
            target_include_directories(headers INTERFACE "${CMAKE_BINARY_DIR}/include")
            target_compile_definitions(headers INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:GUARDED>)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE headers)
        """)

    def test_generated_header_of_a_linked_library(self):
        """Among its INTERFACE_SOURCES, which are the archive's."""
        self.write("scale.cu", '#include "made.h"\n' + KERNEL)
        self.arguments("""
            add_custom_command(OUTPUT made.h COMMAND ${CMAKE_COMMAND} -E sleep 0.5 COMMAND ${CMAKE_COMMAND} -E touch made.h)
            add_library(headers INTERFACE)
            target_sources(headers INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/made.h)
            target_include_directories(headers INTERFACE ${CMAKE_CURRENT_BINARY_DIR})
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE headers)
        """, "--parallel", "2")

    def test_options_of_the_folder_are_the_hosts(self):
        arguments = self.arguments("""
            add_compile_options(-Wall $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
        """)
        self.assertNotIn("-Wall", arguments)
        self.assertIn("-lineinfo", arguments)

    def test_several_options_in_an_expression(self):
        arguments = self.arguments("""
            add_compile_options(-Wall "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;$<$<BOOL:1>:-DONE;-DTWO>>" -Wextra)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80
              COMPILE_DEFINITIONS NAMED=1 $<$<BOOL:0>:NONE> "$<$<COMPILE_LANGUAGE:CUDA>:THREE=f(1,2);FOUR>" FIVE=$<CONFIG>)
        """)
        for expected in ("-lineinfo", "-DONE", "-DTWO", "-DNAMED=1", "-DTHREE=f(1,2)", "-DFOUR"):
            self.assertIn(expected, arguments)
        for unexpected in ("-Wall", "-Wextra", "-D"):
            self.assertNotIn(unexpected, arguments)

    def test_guards_in_definitions_of_the_folder(self):
        """CMake gives them to targets only when it generates."""
        self.write("sub/CMakeLists.txt", """
            add_compile_definitions($<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:HOST_ONLY> $<$<COMPILE_LANGUAGE:CUDA>:KERNEL;OF_TWO>)
            add_library(near INTERFACE)
            target_compile_definitions(near INTERFACE NEAR $<$<COMPILE_LANGUAGE:CUDA>:NEAR_KERNEL>)
            cubinet_add_archive(kernels MODULE scale SOURCES ../scale.cu ARCHITECTURES 80)
            target_compile_definitions(kernels PRIVATE OWN $<$<BOOL:$<TARGET_PROPERTY:MARK>>:MARKED>)
            set_target_properties(kernels PROPERTIES MARK ON)
            target_link_libraries(kernels PRIVATE near)
            add_compile_definitions(LATER)
        """)  # fmt: skip
        arguments = self.arguments("""
            add_definitions(-DTOP)
            add_subdirectory(sub)
            add_compile_definitions(NOT_OF_SUB)
            add_library(later INTERFACE)
            target_compile_definitions(later INTERFACE OF_LATER)
            target_link_libraries(kernels PRIVATE later)
        """)
        self.assertEqual(sorted(argument for argument in arguments if argument.startswith("-D")),
                         ["-DKERNEL", "-DLATER", "-DMARKED", "-DNEAR", "-DNEAR_KERNEL", "-DOF_LATER", "-DOF_TWO", "-DOWN",
                          "-DTOP"])  # fmt: skip

    def test_options_of_one_module(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels ARCHITECTURES 80)
            cubinet_add_module(kernels one SOURCES scale.cu COMPILE_DEFINITIONS ONE COMPILE_OPTIONS --use_fast_math)
            cubinet_add_module(kernels two SOURCES scale.cu ARCHITECTURES 90)
        """)
        compiles = {run.value("--module"): run for run in self.build() if run.subcommand == "compile"}
        self.assertIn("-DONE", compiles["one"].arguments)
        self.assertIn("--use_fast_math", compiles["one"].arguments)
        self.assertNotIn("-DONE", compiles["two"].arguments)
        self.assertEqual(compiles["one"].value("--gencode"), "arch=compute_80,code=[sm_80,compute_80]")
        self.assertEqual(compiles["two"].value("--gencode"), "arch=compute_90,code=[sm_90,compute_90]")

    def test_default_device(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE one SOURCES scale.cu ARCHITECTURES 80 DEFAULT_DEVICE)
            cubinet_add_module(kernels two SOURCES scale.cu DEFAULT_DEVICE)
            cubinet_add_module(kernels three SOURCES scale.cu COMPILE_OPTIONS --std-headers=lenient)
        """)
        compiles = {run.value("--module"): run for run in self.build() if run.subcommand == "compile"}
        self.assertIn("--default-device", compiles["one"].arguments)
        self.assertIn("--default-device", compiles["two"].arguments)
        self.assertNotIn("--default-device", compiles["three"].arguments)
        self.assertIn("--std-headers=lenient", compiles["three"].arguments)

    def test_gencode_and_standard(self):
        arguments = self.arguments("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu
              GENCODE "arch=compute_80,code=[sm_80,sm_86]" "arch=compute_80,code=compute_80")
            set_target_properties(kernels PROPERTIES CUDA_STANDARD 20)
        """)
        self.assertIn("arch=compute_80,code=[sm_80,sm_86,compute_80]", arguments)
        self.assertIn("-std=c++20", arguments)

    def test_features_choose_the_standard(self):
        arguments = self.arguments("""
            add_library(library INTERFACE)
            target_compile_features(library INTERFACE cxx_std_20)
            target_compile_definitions(library INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:GUARDED>)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_features(kernels PRIVATE cuda_std_17)
            target_link_libraries(kernels PRIVATE library)
        """)
        self.assertIn("-std=c++20", arguments)

    def test_features_of_the_host(self):
        """No more than NVRTC takes, unless kernels ask for it."""
        lists = """
            add_library(library INTERFACE)
            target_compile_features(library INTERFACE {})
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE library)
        """
        self.assertIn("-std=c++20", self.arguments(lists.format("cxx_std_23")))
        self.cmake_lists(lists.format("cuda_std_23"))
        self.assertIn("does not take '-std=c++23'", self.run_cmake("--build", self.build_folder).stdout)

    def test_default_standard(self):
        arguments = self.arguments("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_features(kernels PRIVATE cuda_std_17)
        """)
        self.assertEqual([argument for argument in arguments if argument.startswith("-std")], [])

    def test_configurations(self):
        if not IS_MULTI_CONFIG:
            self.skipTest("one configuration")
        text = """
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_definitions(kernels PRIVATE $<$<CONFIG:Debug>:CHECKED>)
        """
        self.assertIn("-DCHECKED", self.arguments(text, "--config", "Debug"))
        self.assertNotIn("-DCHECKED", self.arguments(text, "--config", "Release"))
        self.assertTrue(self.built("kernels.cubinet", "Debug").exists())
        self.assertTrue(self.built("kernels.cubinet", "Release").exists())

    def test_names_and_version(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels VERSION 1.4.0 MODULE "odd/name of it" SOURCES scale.cu
              KERNELS scale GLOBALS "&table" ARCHITECTURES 80)
        """)
        self.write("scale.cu", KERNEL + "__device__ int table[4];\n")
        compile_run, pack_run, _ = self.build()
        self.assertEqual(compile_run.value("--module"), "odd/name of it")
        self.assertEqual(compile_run.value("--kernel"), "scale")
        self.assertEqual(compile_run.value("--global"), "&table")
        self.assertEqual(pack_run.value("--archive-version"), "1.4.0")

    def test_compression(self):
        self.write("scale.cu", KERNEL)
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNELS scale ARCHITECTURES 80 COMPRESS zstd:9)
        """)
        _, pack_run, _ = self.build()
        self.assertEqual(pack_run.value("--compress"), "zstd:9")
        listed = subprocess.run([self.command, "inspect", self.built("kernels.cubinet")],
                                stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
        self.assertIn(" as zstd", listed.stdout)

    def test_signature(self):
        self.write("scale.cu", KERNEL)
        keys = pathlib.Path(__file__).resolve().parents[1] / "golden" / "keys"
        for name in ("plain.key", "minisign.key"):
            self.write(name, (keys / name).read_text())
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNELS scale ARCHITECTURES 80
              ABI mylib-3 SIGN plain.key
              LICENSE "Apache-2.0 OR MIT" PROPERTIES url=https://example.org "built by=our team")
            cubinet_add_archive(both ARCHIVES kernels SIGN plain.key minisign.key)
        """)
        self.build()

        def signers(name="kernels"):
            archive = self.built(f"{name}.cubinet")
            inspected = subprocess.run([self.command, "inspect", "--json", archive],
                                       stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
            document = json.loads(inspected.stdout)
            self.assertEqual(document["abi"], "mylib-3")
            self.assertEqual(document["properties"], {
                "built by": "our team", "license": "Apache-2.0 OR MIT", "url": "https://example.org"})  # fmt: skip
            return document["signers"]

        before = signers()
        self.assertEqual(len(before), 1)
        self.assertEqual(len(signers("both")), 2)
        with self.subTest("another key"):
            self.write("plain.key", (keys / "minisign.key").read_text())
            self.write("minisign.key", (keys / "plain.key").read_text())
            self.build()
            self.assertNotEqual(signers(), before)
            self.assertEqual(len(signers("both")), 2)

    def test_instances(self):
        self.write("scale.cu", "template <class T, int N> __global__ void scale(T *x) { *x *= N; }\n")
        self.write("kernels.json", '[{"for": [{"T": "int", "N": 2}, {"T": "long", "N": 4}], "kernels": "scale<@T@,@N@>"}]')
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu
              KERNELS_FOR T=float,double N=2,3 "scale<@T@,@N@>"
              INSTANTIATE kernels.json
              ARCHITECTURES 80)
        """)
        floats = ["scale<float,2>", "scale<float,3>", "scale<double,2>", "scale<double,3>"]
        self.assertEqual(self.build()[0].values("--kernel"), [*floats, "scale<int,2>", "scale<long,4>"])
        with self.subTest("a changed file"):
            self.write("kernels.json", '[{"kernels": ["scale<char,5>"]}]')
            self.assertEqual(self.build()[0].values("--kernel"), [*floats, "scale<char,5>"])
        with self.subTest("the kernels are there"):
            listed = subprocess.run([self.command, "inspect", "--json", self.built("kernels.cubinet")],
                                    stdout=subprocess.PIPE, text=True, check=True).stdout  # fmt: skip
            self.assertIn('"scale<char,5>"', listed)

    def test_job_pools(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels ARCHITECTURES 80 JOB_POOL heavy)
            cubinet_add_module(kernels one SOURCES scale.cu)
            cubinet_add_module(kernels two SOURCES scale.cu)
            cubinet_add_module(kernels alone SOURCES scale.cu JOB_POOL single)
            cubinet_add_module(kernels large SOURCES scale.cu JOB_MEMORY 1000000000)
            set_property(GLOBAL APPEND PROPERTY JOB_POOLS heavy=2 single=1)
        """)
        self.expect_build(compiled=4, packed=1)
        if project.GENERATOR == "Ninja":
            lines = (self.build_folder / "build.ninja").read_text().splitlines()
            pools = ("heavy", "single", "cubinet_1000000000_mb")
            self.assertEqual([lines.count(f"  pool = {pool}") for pool in pools], [2, 1, 1])
            rules = (self.build_folder / "CMakeFiles/rules.ninja").read_text()
            self.assertIn("pool cubinet_1000000000_mb\n  depth = 1\n", rules)

    def test_limits(self):
        """Of a call, or else of the variables. Sanitizers take terabytes of addresses."""
        self.cmake_lists("""
            set(CUBINET_TIMEOUT 600)
            cubinet_add_archive(kernels ARCHITECTURES 80 MODULE first SOURCES scale.cu TIMEOUT 300)
            cubinet_add_module(kernels second SOURCES scale.cu MEMORY_LIMIT 100000G)
            cubinet_add_module(kernels third SOURCES scale.cu THREADS 0)
        """)
        limits = {run.value("--module"): [argument for argument in run.arguments
                                          if argument.startswith(("--timeout", "--memory-limit", "--threads"))]
                  for run in self.build() if run.subcommand == "compile"}  # fmt: skip
        self.assertEqual(limits, {"first": ["--timeout=300"], "second": ["--timeout=600", "--memory-limit=100000G"],
                                  "third": ["--timeout=600", "--threads=0"]})

    def test_limits_of_links_and_precompiled_headers(self):
        self.write("half.h", "#pragma once\n__device__ float half_of(float x);\n")
        self.write("half.cu", '#include "half.h"\n__device__ float half_of(float x) { return x / 2; }\n')
        self.cmake_lists("""
            cubinet_add_archive(kernels ARCHITECTURES 80-real MODULE both SOURCES scale.cu half.cu TIMEOUT 300)
            cubinet_add_module(kernels other SOURCES scale.cu PRECOMPILE_HEADERS half.h TIMEOUT 200)
        """)
        limits = {run.subcommand: [argument for argument in run.arguments if "timeout" in argument]
                  for run in self.build() if run.subcommand in ("link", "pch")}  # fmt: skip
        self.assertEqual(limits, {"link": ["--timeout=300"], "pch": ["--timeout=200"]})

    def test_trace(self):
        """Of a build by any generator: its processes, by what they make."""
        self.cmake_lists("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 90-real)")
        trace = self.scratch / "trace"
        with unittest.mock.patch.dict(os.environ, {"CUBINET_TRACE": str(trace)}):
            self.build()
        names = [event["args"]["name"] for event in json.loads((trace / "trace.json").read_text()) if event["ph"] == "M"]
        self.assertLessEqual({"compile scale sm_80, compute_80", "compile scale sm_90"}, set(names))
        self.assertTrue(any(re.fullmatch(r"pack .*kernels\.cubinet", name) for name in names), names)

    def test_pools_of_the_variable(self):
        """Those stay that CMAKE_JOB_POOLS names, also beside one for JOB_MEMORY."""
        self.cmake_lists("""
            set(CMAKE_JOB_POOLS heavy=2)
            cubinet_add_archive(kernels ARCHITECTURES 80 JOB_MEMORY 100)
            cubinet_add_module(kernels one SOURCES scale.cu)
            cubinet_add_module(kernels two SOURCES scale.cu JOB_POOL heavy)
        """)
        self.expect_build(compiled=2, packed=1)

    def test_header(self):
        """On the include path of what links the archive; a misspelt kernel does not compile."""
        self.write("main.c", '#include "my_kernels.h"\n#include <stdio.h>\nint main(void) { puts(MY_KERNELS_SCALE_SCALE); }\n')
        self.cmake_lists("""
            cubinet_add_archive(my-kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            target_link_libraries(app PRIVATE my-kernels)
        """)
        self.build()
        self.assertEqual(subprocess.check_output([self.built("app")], text=True), "scale\n")
        before = self.built("app").stat().st_mtime_ns
        with self.subTest("the same names compile nothing again"):
            self.write("scale.cu", KERNEL.replace("*=", "+="))
            self.build()
            self.assertEqual(self.built("app").stat().st_mtime_ns, before)
        with self.subTest("a name that is gone"):
            self.write("scale.cu", KERNEL.replace("scale", "other"))
            result = self.run_cmake("--build", self.build_folder)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("MY_KERNELS_SCALE_SCALE", result.stdout)

    def test_cxx_header(self):
        """Function objects for the kernels; for an archive that gets CXX_HEADER later, too."""
        self.write("twice.cu", "template <class T> __global__ void twice(T *x, T y) { x[threadIdx.x] += y; }\n")
        self.write("main.cpp", """
            #include "kernels.h"
            #include <cstdio>
            int main()
            {
                kernels_twice::twice<float> twice;
                return twice(cubinet_launch_config{}, nullptr, 2.f) != CUBINET_ERROR_INVALID_ARGUMENT;
            }
        """)  # fmt: skip
        archive = "cubinet_add_archive(kernels MODULE twice SOURCES twice.cu KERNELS twice<float> ARCHITECTURES 80{})\n"
        program = """
            add_executable(app main.cpp)
            target_compile_features(app PRIVATE cxx_std_17)
            target_link_libraries(app PRIVATE kernels Cubinet::cubinet)
        """
        self.cmake_lists(archive.format("") + program, languages="CXX")
        self.assertEqual(self.configure().returncode, 0)
        self.assertRegex(self.run_cmake("--build", self.build_folder).stdout, "error: .*kernels")
        self.cmake_lists(archive.format(" CXX_HEADER") + program, languages="CXX")
        self.build()
        subprocess.run([self.built("app")], check=True)

    def test_no_header(self):
        self.cmake_lists("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 NO_HEADER)\n")
        self.assertEqual([run.subcommand for run in self.build()], ["compile", "pack"])
        self.assertEqual(list(self.build_folder.rglob("kernels.h")), [])

    def test_archives_in_archives(self):
        """Of the same folder, of another, files, those of other tools too, and archives that have nothing of their own."""
        self.write("two/CMakeLists.txt", """
            cubinet_add_archive(two MODULE two SOURCES ../scale.cu ARCHITECTURES 80)
        """)  # fmt: skip
        self.write("three.cu", KERNEL)
        subprocess.run([self.command, "compile", self.source / "three.cu", "--arch=90", "-o", self.source / "three.cubinet"],
                       check=True)  # fmt: skip
        subprocess.run([self.command, "extract", self.source / "three.cubinet", "three", "sm_90",
                        "-o", self.source / "four.cubin"], check=True)  # fmt: skip
        self.cmake_lists("""
            add_subdirectory(two)
            cubinet_add_archive(one MODULE one SOURCES scale.cu ARCHITECTURES 80)
            cubinet_add_archive(whole ARCHIVES one two three.cubinet four.cubin MODULE own SOURCES scale.cu ARCHITECTURES 80)
            cubinet_add_archive(again ARCHIVES whole)
        """)
        self.expect_build(compiled=3, packed=4)
        for name in ("whole", "again"):
            listed = subprocess.check_output([self.command, "list", "--json", self.built(f"{name}.cubinet")], text=True)
            for module in ("one", "two", "three", "four", "own"):
                self.assertIn(f'"{module}"', listed)
        self.expect_build(compiled=0, packed=0)
        with self.subTest("a change goes all the way"):
            self.write("scale.cu", KERNEL.replace("*=", "+="))
            self.expect_build(compiled=3, packed=4)

    def test_folders_of_other_systems(self):
        """Are packed as `cubinet pack` does, and again once a file in them changes, is added, renamed or removed."""
        ptx = """
            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry %s(.param .u64 x) { ret; }
        """  # fmt: skip
        self.write("cache/one/first.ptx", ptx % "first")
        self.cmake_lists("cubinet_add_archive(kernels ARCHIVES cache)\n")
        self.expect_build(compiled=0, packed=1)
        self.expect_build(compiled=0, packed=0)
        self.write("cache/two/second.ptx", ptx % "second")
        self.expect_build(compiled=0, packed=1)
        self.write("cache/one/first.ptx", ptx % "other")
        self.expect_build(compiled=0, packed=1)
        inspected = subprocess.check_output([self.command, "inspect", "--json", self.built("kernels.cubinet")], text=True)
        for name in ("second", "other"):
            self.assertIn(f'"{name}"', inspected)
        for old, new in (("one/first.ptx", "one/renamed.ptx"), ("two/second.ptx", "../second.ptx"), ("../second.ptx", "two/old.ptx")):
            with self.subTest(f"{old} becomes {new}, of the same age"):
                (self.source / "cache" / old).rename(self.source / "cache" / new)
                self.expect_build(compiled=0, packed=1)
                self.expect_build(compiled=0, packed=0)
                inspected = subprocess.check_output([self.command, "inspect", "--json", self.built("kernels.cubinet")], text=True)
                self.assertEqual('"second"' in inspected, not new.startswith(".."))

    def test_system_folders(self):
        """Of linked libraries and of imported ones: no warnings about their headers, as CMake has it for its own compiles."""
        header = "__device__ static inline int {0}(int a) {{ unsigned u = a; int unused; return u == a; }}\n"
        names = ("of_system", "of_imported", "deep")
        for name in names:
            self.write(f"{name}/{name}.h", header.format(name))
        self.write("near/near.h", "")
        self.write("both.cu", "".join(f'#include "{name}.h"\n' for name in (*names, "near")) + KERNEL)
        self.cmake_lists("""
            add_library(of_system INTERFACE)
            target_include_directories(of_system SYSTEM INTERFACE of_system INTERFACE near)
            add_library(deep INTERFACE IMPORTED)
            target_include_directories(deep INTERFACE deep)
            add_library(of_imported INTERFACE IMPORTED)
            target_include_directories(of_imported INTERFACE of_imported)
            target_link_libraries(of_imported INTERFACE deep)
            add_library(between INTERFACE)
            target_include_directories(between INTERFACE near)
            target_link_libraries(between INTERFACE of_imported)
            cubinet_add_archive(kernels MODULE both SOURCES both.cu ARCHITECTURES 80)
            target_link_libraries(kernels PRIVATE of_system between)
            target_compile_options(kernels PRIVATE -Werror=all-warnings)
            set_target_properties(kernels PROPERTIES NO_SYSTEM_FROM_IMPORTED "${NO_SYSTEM}")
        """)
        self.expect_build(compiled=1, packed=1)
        self.assertEqual(self.configure("-DNO_SYSTEM=ON").returncode, 0)
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("of_imported.h:1", result.stdout)
        self.assertNotIn("of_system.h:1", result.stdout)

    def test_backslashes_in_values(self):
        r"""Values of keywords are those that target_compile_definitions() takes, also where CMake reads them several times."""
        self.cmake_lists(r"""
            set(definitions [[ONE="a\\\\nb"]] [[TWO="x\\y"]] [[THREE="\"q\""]] [[FOUR=c:\yes]] [[FIVE=$HOME$x@y@]])
            cubinet_add_archive(kernels MODULE [[by\yes]] SOURCES scale.cu ARCHITECTURES 80 COMPILE_DEFINITIONS ${definitions})
            cubinet_add_archive(other MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_definitions(other PRIVATE ${definitions})
        """)
        one, other = [[argument for argument in run.arguments if argument.startswith("-D")] for run in self.build()
                      if run.subcommand == "compile"]  # fmt: skip
        self.assertEqual(len(one), 5)
        self.assertEqual(one, other)

    def test_aliases(self):
        """Names for kernels of other tools, in the archive and in its header."""
        for number in (80, 90):
            self.write(f"segsum_{number}.ptx", f"""
                .version 8.0
                .target sm_{number}
                .address_size 64
                .visible .entry _ZN8__main__6segsumB2v{number}(.param .u64 x) {{ ret; }}
            """)  # fmt: skip
        self.cmake_lists("cubinet_add_archive(kernels ARCHIVES segsum_80.ptx segsum_90.ptx ALIASES segsum=_ZN8__main__6segsum*)\n")
        self.expect_build(compiled=0, packed=1)
        inspected = subprocess.check_output([self.command, "inspect", "--json", self.built("kernels.cubinet")], text=True)
        self.assertEqual(inspected.count('"expression": "segsum"'), 2)
        header = next(self.build_folder.rglob("kernels.h")).read_text(encoding="utf-8")
        self.assertIn("#define KERNELS_SEGSUM_80_SEGSUM ", header)
        self.expect_build(compiled=0, packed=0)


if __name__ == "__main__":
    project.main()
