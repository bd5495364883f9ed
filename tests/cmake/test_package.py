# SPDX-License-Identifier: Apache-2.0
"""Cubinet as its users get it: installed, or inside their own tree."""

import os
import re
import shutil
import subprocess

import project
from project import KERNEL, SOURCE


PROGRAM = """
#include "kernels.h"
#include <cubinet/cubinet.h>
int main(void)
{
    cubinet_archive *archive = 0;
    return cubinet_archive_open_memory(kernels, kernels_size, 0, &archive) != CUBINET_OK;
}
"""

TARGETS = """
cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
foreach(library IN ITEMS cubinet cubinet_static)
  add_executable(app_${library} main.cpp)
  cubinet_embed(app_${library} kernels)
  target_link_libraries(app_${library} PRIVATE Cubinet::${library})
endforeach()
"""


def files_of(folder):
    return sorted(path.name for path in folder.rglob("*") if not path.is_dir())


class Package(project.Project):
    def checked(self, result):
        self.assertEqual(result.returncode, 0, result.stdout)

    def install(self):
        prefix = self.scratch / "the prefix"
        self.checked(self.run_cmake("--install", os.environ["CUBINET_BUILD"], "--prefix", prefix))
        return prefix

    def test_installed_package(self):
        prefix = self.install()
        samples = self.scratch / "samples"
        shutil.copytree(SOURCE / "samples", samples)
        for sample, archive, programs in (("first_program", "first_archive", ("first_c", "first_cxx")),
                                          ("saxpy", "saxpy_archive", ("saxpy",))):  # fmt: skip
            build = self.scratch / f"build_{sample}"
            self.checked(self.run_cmake("-S", samples / sample, "-B", build, "-G", "Ninja",
                                        f"-DCMAKE_PREFIX_PATH={prefix}"))  # fmt: skip
            self.checked(self.run_cmake("--build", build))
            for program in programs:
                self.assert_runs(build / program, build / f"{archive}.cubinet")

    def test_static_library(self):
        prefix = self.install()
        self.write("main.c", "#include <cubinet/cubinet.h>\nint main(void) { return cubinet_version()[0] == 0; }\n")
        self.cmake_lists("add_executable(app main.c)\ntarget_link_libraries(app Cubinet::cubinet_static)\n")
        self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja",
                                    f"-DCMAKE_PREFIX_PATH={prefix}"))  # fmt: skip
        self.checked(self.run_cmake("--build", self.build_folder))
        subprocess.run([self.built("app")], check=True)

    def assert_runs(self, program, archive):
        """With a GPU the sample is right; without a driver or a GPU it says so."""
        result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        asked = subprocess.run([os.environ["CUBINET_COMMAND"], "explain", archive, "--this-machine"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
        if asked.returncode == 0:
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertRegex(result.stdout, "0 wrong|= 32")
        else:
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn("libcuda.so.1", result.stdout)

    def test_inside_another_project(self):
        """As FetchContent does it, with add_subdirectory(): in C++ alone, with a folder in C alone."""
        self.write("scale.cu", KERNEL)
        self.write("main.cpp", PROGRAM)
        self.write("c/main.c", PROGRAM)
        self.write("c/CMakeLists.txt", """
            project(c LANGUAGES C)
            cubinet_add_archive(c_kernels MODULE scale SOURCES ../scale.cu ARCHITECTURES 80)
            add_executable(app_c main.c)
            cubinet_embed(app_c c_kernels SYMBOL kernels)
            target_link_libraries(app_c PRIVATE Cubinet::cubinet_static)
        """)  # fmt: skip
        self.write("CMakeLists.txt", f"""
            cmake_minimum_required(VERSION 3.25)
            project(test LANGUAGES CXX)
            include(FetchContent)
            FetchContent_Declare(cubinet SOURCE_DIR "{SOURCE}")
            FetchContent_MakeAvailable(cubinet)
            add_subdirectory(c)
        """ + TARGETS + """
            install(TARGETS app_cubinet_static)
            add_library(exported STATIC main.cpp)
            cubinet_embed(exported kernels)
            target_link_libraries(exported PUBLIC Cubinet::cubinet_static)
            install(TARGETS exported EXPORT ItsTargets ARCHIVE DESTINATION its)
            install(EXPORT ItsTargets NAMESPACE Its:: DESTINATION its)
        """)  # fmt: skip
        self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja"))
        result = self.run_cmake("--build", self.build_folder)
        self.checked(result)
        for app in ("app_cubinet", "app_cubinet_static", "c/app_c"):
            subprocess.run([self.built(app)], check=True)
        self.assertNotIn("samples", result.stdout)
        its_own = ["app_cubinet_static", "ItsTargets-noconfig.cmake", "ItsTargets.cmake", "libexported.a"]
        with self.subTest("the shared library goes with the programs that link it"):
            version = re.search(r'VERSION_STRING "(.*)"', (SOURCE / "loader/include/cubinet/version.h").read_text())[1]
            self.assert_installs([*its_own, "libcubinet.so.0", f"libcubinet.so.{version}"])
        with self.subTest("it alone does not need it"):
            text = (self.source / "CMakeLists.txt").read_text()
            self.write("CMakeLists.txt", text.replace("IN ITEMS cubinet cubinet_static", "IN ITEMS cubinet_static"))
            self.assert_installs(its_own)
        with self.subTest("all of Cubinet, where that is asked for"):
            self.checked(self.run_cmake("-DCUBINET_INSTALL=ON", self.build_folder))
            installed = self.installed()
            self.assertEqual(len(installed), len(files_of(self.install())) + len(its_own))

    def installed(self):
        """The names of the files that the project installs."""
        prefix = self.scratch / "its prefix"
        shutil.rmtree(prefix, ignore_errors=True)
        self.checked(self.run_cmake("--build", self.build_folder))
        self.checked(self.run_cmake("--install", self.build_folder, "--prefix", prefix))
        return files_of(prefix)

    def assert_installs(self, names):
        self.assertEqual(self.installed(), sorted(names))


if __name__ == "__main__":
    project.main()
