# SPDX-License-Identifier: Apache-2.0
"""CUBINET_COMPILE_CACHE: results of compiles that builds, and copies of a project, share."""

import json
import os
import pathlib
import shutil
import subprocess

import project

LISTS = """
cubinet_add_archive(kernels MODULE add SOURCES src/add.cu KERNELS add<int> ARCHITECTURES 80-real 90-virtual)
target_include_directories(kernels PRIVATE inc "${CMAKE_CURRENT_BINARY_DIR}")
"""

GENERATED = """
set(folder "{folder}")
file(MAKE_DIRECTORY "${{folder}}")
add_custom_command(OUTPUT "${{folder}}/amount.h"
  COMMAND "${{CMAKE_COMMAND}}" -E copy "${{CMAKE_CURRENT_SOURCE_DIR}}/amount.in" "${{folder}}/amount.h" DEPENDS amount.in VERBATIM)
add_custom_target(amount DEPENDS "${{folder}}/amount.h")
cubinet_add_archive(kernels MODULE add SOURCES src/add.cu KERNELS add<int> ARCHITECTURES 80-real)
target_include_directories(kernels PRIVATE "${{folder}}")
add_dependencies(kernels amount)
"""

SOURCE = """
#include "amount.h"
template <typename T> __global__ void add(T *x) { x[threadIdx.x] += AMOUNT; }
"""


class CompileCache(project.Project):
    def setUp(self):
        super().setUp()
        self.cache = self.scratch / "cache"
        self.write("src/add.cu", SOURCE)
        self.write("inc/amount.h", "#define AMOUNT 1\n")
        self.cmake_lists(LISTS)

    def configure(self, *arguments):
        return super().configure(f"-DCUBINET_COMPILE_CACHE={self.cache}", *arguments)

    def counts(self):
        """How many compiles found what they need, and how many made it."""
        command = [os.environ["CUBINET_COMMAND"], "cache", "stats", "--json", "--dir", self.cache]
        stats = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["compiles"]
        return stats["found"], stats["made"]

    def test_clean_build(self):
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (0, 2))
        made = self.built("kernels.cubinet").read_bytes()
        self.run_cmake("--build", self.build_folder, "--target", "clean")
        shutil.rmtree(self.build_folder)
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (2, 2))
        self.assertEqual(self.built("kernels.cubinet").read_bytes(), made)
        self.expect_build(0, 0)

    def test_changes_are_noticed_after_a_hit(self):
        self.expect_build(2, 1)
        shutil.rmtree(self.build_folder)
        self.expect_build(2, 1)
        self.write("inc/amount.h", "#define AMOUNT 2\n")
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (2, 4))
        self.write("inc/amount.h", "#define AMOUNT 1\n")
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (4, 4))
        self.write("build/amount.h", "#define AMOUNT 3\n")  # after the other: nothing changes
        self.expect_build(0, 0)

    def assert_generated_header_is_noticed(self, folder):
        self.write("amount.in", "#define AMOUNT 1\n")
        self.cmake_lists(GENERATED.format(folder=folder))
        self.build()
        self.build()  # a new header lies where one was looked for, which Make may look at twice
        self.expect_build(0, 0)
        self.write("amount.in", "#define AMOUNT 2\n")
        self.expect_build(1, 1)
        self.expect_build(0, 0)

    def test_generated_header_in_the_source_folder(self):
        self.assert_generated_header_is_noticed("${CMAKE_CURRENT_SOURCE_DIR}/inc")

    def test_generated_header_behind_a_link(self):
        for place in ("place", "deep/place"):
            with self.subTest(place):
                (self.scratch / place).mkdir(parents=True)
                link = self.scratch / f"link to {pathlib.Path(place).parent.name}"
                link.symlink_to(place)
                self.build_folder = link / "build"
                self.assert_generated_header_is_noticed("${CMAKE_CURRENT_BINARY_DIR}/gen")

    def test_copies_share(self):
        self.expect_build(2, 1)
        made = self.built("kernels.cubinet").read_bytes()
        copy = self.scratch / "elsewhere" / "copy"
        shutil.copytree(self.source, copy, ignore=lambda folder, names: ["build"])
        self.source = copy
        self.build_folder = copy / "build"
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (2, 2))
        self.assertEqual(self.built("kernels.cubinet").read_bytes(), made)

    def test_builds_beside_the_source_share(self):
        self.build_folder = self.scratch / "build"
        self.expect_build(2, 1)
        copy = self.scratch / "elsewhere" / self.source.name
        shutil.copytree(self.source, copy)
        self.source = copy
        self.build_folder = self.scratch / "elsewhere" / "build"
        self.expect_build(2, 1)
        self.assertEqual(self.counts(), (2, 2))

    def test_switches(self):
        self.cache = "OFF"
        self.assertIn("--no-cache", self.build()[0].arguments)
        shutil.rmtree(self.build_folder)
        self.cache = "ON"
        arguments = self.build()[0].arguments
        self.assertIn(f"--base-dir={self.source}", arguments)
        self.assertFalse([argument for argument in arguments if argument.startswith("--cache")])
        shutil.rmtree(self.build_folder)
        self.cache = "somewhere"
        result = self.configure()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("neither ON nor OFF nor an absolute path", " ".join(result.stdout.split()))


if __name__ == "__main__":
    project.main()
