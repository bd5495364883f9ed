# SPDX-License-Identifier: Apache-2.0
"""Modules of several sources, which are linked at build time, and fragments, which programs link."""

import json
import shutil
import subprocess

import project
from project import IS_NINJA

FIRST = """
#include "common.h"
template <typename T> __global__ void scale(T *x) { x[threadIdx.x] = FACTOR * change(x[threadIdx.x]) + table[0]; }
"""
SECOND = """
#include "common.h"
__device__ float table[4];
__device__ float change(float x) { return x + 1; }
__global__ void other(float *x) { *x = change(*x); }
"""
COMMON = """
__device__ float change(float x);
extern __device__ float table[4];
"""

# Without anything in common, each with something that options change.
FIRST_ALONE = """
__device__ int unused;
__global__ void first(const float *x, float *y) {
  float sums[32] = {};
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 32; j++) sums[j] += x[32 * i + j + threadIdx.x] * sums[31 - j];
  for (int j = 0; j < 32; j++) y[j] = sums[j];
}
"""
SECOND_ALONE = "__global__ void second(float *x) { *x = 1; }\n"

LINKED = """
cubinet_add_archive(kernels ARCHITECTURES {architectures})
cubinet_add_module(kernels both
  SOURCES first.cu folder/second.cu
  KERNELS "scale<float>" other
  GLOBALS &table
  {more})
target_include_directories(kernels PRIVATE include)
target_compile_definitions(kernels PRIVATE FACTOR=2)
"""

SKELETON = """
extern "C" __device__ float op(float x);
template <typename T> __global__ void apply(T *x) { x[threadIdx.x] = op(x[threadIdx.x]); }
"""
ADD = 'extern "C" __device__ float op(float x) { return x + AMOUNT; }\n'

FRAGMENTS = """
cubinet_add_archive(kernels ARCHITECTURES 90-real 80 {archive})
cubinet_add_fragment(kernels skeleton SOURCES skeleton.cu KERNELS "apply<float>" IMPORTS op {skeleton})
cubinet_add_fragment(kernels add SOURCES add.cu EXPORTS op COMPILE_DEFINITIONS AMOUNT=1)
"""

# A build that makes the same bytes again goes no further under Ninja; Make knows only that files are newer.
SAME_BYTES_GO_ON = 0 if IS_NINJA else 1


class Link(project.Project):
    def expect_runs(self, **expected):
        """Builds, and compares how often each subcommand ran; then a build that does nothing."""
        runs = self.build()
        counts = {name: len([run for run in runs if run.subcommand == name]) for name in ("compile", "link", "pack")}
        self.assertEqual(counts, {"compile": 0, "link": 0, "pack": 0} | expected, [run.output for run in runs])
        self.assertEqual(self.build(), [])
        return runs

    def module(self, name):
        """What the built archive records of a module."""
        command = [self.command, "inspect", self.built("kernels.cubinet"), name, "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["modules"][0]

    def targets(self, name):
        return [image["target"] for image in self.module(name)["images"]]

    def write_linked(self, architectures="80 86-real", more=""):
        self.cmake_lists(LINKED.format(architectures=architectures, more=more))
        self.write("first.cu", FIRST)
        self.write("folder/second.cu", SECOND)
        self.write("include/common.h", COMMON)

    def write_fragments(self, archive="", skeleton=""):
        self.cmake_lists(FRAGMENTS.format(archive=archive, skeleton=skeleton))
        self.write("skeleton.cu", SKELETON)
        self.write("add.cu", ADD)

    def test_sources_become_one_module(self):
        self.write_linked(more='GENCODE "arch=compute_80,code=[sm_80,sm_86,compute_80]" arch=compute_90a,code=sm_90a')
        self.expect_runs(compile=4, link=2, pack=1)
        self.assertEqual(self.targets("both"), ["sm_80", "sm_86", "sm_90a", "compute_80"])
        module = self.module("both")
        self.assertEqual([kernel["expression"] for kernel in module["kernels"]], ["other", "scale<float>"])
        self.assertEqual([variable["expression"] for variable in module["globals"]], ["&table"])

    def test_an_edited_source_is_compiled_and_linked(self):
        self.write_linked()
        self.expect_runs(compile=4, link=2, pack=1)
        self.write("first.cu", FIRST.replace("+ table", "- table"))
        runs = self.expect_runs(compile=2, link=2, pack=1)
        self.assertEqual({run.arguments[1] for run in runs if run.subcommand == "compile"}, {str(self.source / "first.cu")})

    def test_a_touched_source_is_compiled_alone(self):
        self.write_linked()
        self.expect_runs(compile=4, link=2, pack=1)
        self.write("folder/second.cu", SECOND)
        self.expect_runs(compile=2, link=2 * SAME_BYTES_GO_ON, pack=SAME_BYTES_GO_ON)

    def test_a_header_is_of_all_sources(self):
        self.write_linked()
        self.expect_runs(compile=4, link=2, pack=1)
        self.write("include/common.h", COMMON + "#define UNUSED 1\n")
        runs = self.build()
        self.assertEqual(len([run for run in runs if run.subcommand == "compile"]), 4)

    def test_options_reach_compiles_and_link(self):
        self.write_linked(architectures="80-real", more="COMPILE_OPTIONS -lineinfo LINK_OPTIONS --nvjitlink=-Xptxas=-O2")
        with (self.source / "CMakeLists.txt").open("a") as lists:
            lists.write("target_compile_options(kernels PRIVATE -use_fast_math -std=c++17)\n")
        runs = self.expect_runs(compile=2, link=1, pack=1)
        compile_run = next(run for run in runs if run.subcommand == "compile")
        link_run = next(run for run in runs if run.subcommand == "link")
        for option in ("-lineinfo", "-use_fast_math", "-std=c++17", "-DFACTOR=2"):
            self.assertIn(option, compile_run.arguments)
        own = link_run.arguments[:link_run.arguments.index("--compile-options")]
        self.assertIn("--nvjitlink=-Xptxas=-O2", own)
        self.assertEqual(link_run.arguments[len(own) + 1:], ["-lineinfo", "-use_fast_math", "-std=c++17"])

    def linked(self, options="", target_options=""):
        """The module of the sources of test_no_option_of_a_compile_is_lost, built with options."""
        shutil.rmtree(self.build_folder, ignore_errors=True)
        self.cmake_lists("cubinet_add_archive(kernels ARCHITECTURES 80-real)\n"
                         f"cubinet_add_module(kernels both SOURCES first.cu second.cu {options})\n"
                         f"target_compile_options(kernels PRIVATE {target_options})\n")
        self.expect_runs(compile=2, link=1, pack=1)
        return self.built("kernels.cubinet").read_bytes()

    def test_no_option_of_a_compile_is_lost(self):
        """However it is spelled and wherever it is given, it is for the link, too."""
        self.write("first.cu", FIRST_ALONE)
        self.write("second.cu", SECOND_ALONE)
        plain = self.linked()
        for in_link, options in (
            ("--keep-globals", ["--keep-globals"]),
            ("--parts each", ["--parts=each"]),
            ("--nvjitlink=-Xptxas=-O1", ["-O1", '"SHELL:-Xptxas -O1"']),
            ("-maxrregcount=16", ['"SHELL:-maxrregcount 16"']),
        ):
            wanted = self.linked(f"LINK_OPTIONS {in_link}")
            self.assertNotEqual(wanted, plain, in_link)
            for option in options:
                with self.subTest(option=option):
                    self.assertEqual(self.linked(f"COMPILE_OPTIONS {option}"), wanted)
        self.assertEqual(self.linked(target_options="-maxrregcount 16"), wanted)
        self.assertNotEqual(self.linked("PARTS each"), plain)

    def test_a_changed_link_option_links_alone(self):
        self.write_linked(architectures="80-real")
        self.expect_runs(compile=2, link=1, pack=1)
        self.cmake_lists(LINKED.format(architectures="80-real", more="LINK_OPTIONS --maxrregcount=32"))
        subcommands = [run.subcommand for run in self.build()]
        self.assertEqual((subcommands.count("compile"), subcommands.count("link")), (0, 1))

    def test_a_file_of_a_link_option_links_alone(self):
        """Also one that it names, and one that arguments come from."""
        self.write("o.opt", "-optf more.opt")
        self.write("build/more.opt", "-O3")
        self.write("arguments", "--maxrregcount=32")
        self.write_linked(architectures="80-real", more="""
          LINK_OPTIONS --nvjitlink "-Xptxas=-optf=${CMAKE_CURRENT_SOURCE_DIR}/o.opt" "@${CMAKE_CURRENT_SOURCE_DIR}/arguments" """)
        self.expect_runs(compile=2, link=1, pack=1)
        self.write("build/more.opt", "-O1")
        self.expect_runs(link=1, pack=1)
        self.write("arguments", "--maxrregcount=16")
        self.expect_runs(link=1, pack=1)
        self.write("o.opt", "-O1")
        self.expect_runs(link=1, pack=SAME_BYTES_GO_ON)
        self.write("build/more.opt", "-O0")
        self.expect_runs()
        (self.build_folder / "more.opt").unlink()
        self.expect_runs()

    def test_a_link_in_a_folder_of_its_own(self):
        self.write_linked(architectures="80-real", more='LINK_OPTIONS --nvjitlink "-Xptxas=-optf=${CMAKE_CURRENT_SOURCE_DIR}/o.opt"')
        self.write("o.opt", "-O3")
        inner = self.source / "inner"
        inner.mkdir()
        for name in ("first.cu", "folder", "include", "o.opt"):
            (self.source / name).rename(inner / name)
        text = (self.source / "CMakeLists.txt").read_text().split("find_package")
        self.write("inner/CMakeLists.txt", "find_package" + text[1])
        self.write("CMakeLists.txt", text[0] + "add_subdirectory(inner)\n")
        self.expect_runs(compile=2, link=1, pack=1)
        self.write("inner/o.opt", "-O0")
        self.expect_runs(link=1, pack=1)

    def test_a_name_that_no_source_has_fails_the_link(self):
        self.write_linked(architectures="80-real")
        text = (self.source / "CMakeLists.txt").read_text()
        self.write("CMakeLists.txt", text.replace("scale<float>", "scale<double>").replace(" other", " another"))
        self.configure()
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("module 'both' lacks 'another', which was asked for", result.stdout)

    def test_a_symbol_that_is_missing_names_the_source(self):
        self.write_linked(architectures="80-real")
        self.write("folder/second.cu", SECOND.replace("float change(float x) {", "float changed(float x) {").replace(
            "= change(", "= changed("))
        self.configure()
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("nothing defines 'change(float)' (_Z6changef), which module 'both/first.cu'", result.stdout)

    def test_fragments_are_of_the_oldest_architecture(self):
        self.write_fragments()
        self.expect_runs(compile=2, pack=1)
        self.assertEqual(self.targets("skeleton"), ["lto_80"])
        symbols = self.module("skeleton")["images"][0]["symbols"]
        self.assertEqual([symbol["name"] for symbol in symbols["needed"]], ["op"])
        symbols = self.module("add")["images"][0]["symbols"]
        self.assertEqual([symbol["name"] for symbol in symbols["defined"]], ["op"])
        self.assertTrue(symbols["complete"])

    def test_fragments_have_architectures_of_their_own(self):
        self.write_fragments(skeleton="ARCHITECTURES 75-lto 90a FORMAT lto")
        self.expect_runs(compile=3, pack=1)
        self.assertEqual(self.targets("skeleton"), ["lto_75", "lto_90a"])

    def test_an_undeclared_import_fails(self):
        self.write_fragments()
        self.write("skeleton.cu", 'extern "C" __device__ float gone(float x);' + SKELETON.replace("= op(", "= gone("))
        self.configure()
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("it needs function 'gone', which is not among the declared imports", result.stdout)

    def test_fragments_link_with_the_command(self):
        self.write_fragments()
        self.expect_runs(compile=2, pack=1)
        output = self.scratch / "linked.cubinet"
        subprocess.run([self.command, "link", self.built("kernels.cubinet"), "-o", output, "--device", "sm_90"], check=True)
        self.assertTrue(output.exists())

    def test_modules_of_ltoir_alone(self):
        self.cmake_lists("cubinet_add_archive(kernels ARCHITECTURES 80 90a-real)\n"
                         "cubinet_add_module(kernels scale SOURCES scale.cu FORMAT lto)\n")
        self.write("scale.cu", project.KERNEL)
        self.expect_runs(compile=2, pack=1)
        self.assertEqual(self.targets("scale"), ["lto_80", "lto_90a"])


if __name__ == "__main__":
    project.main()
