# SPDX-License-Identifier: Apache-2.0
"""Cubinet as its users get it: installed, or inside their own tree."""

import os
import pathlib
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
  add_executable(app_${library} main.c)
  cubinet_embed(app_${library} kernels)
  target_link_libraries(app_${library} PRIVATE Cubinet::${library})
endforeach()
"""


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

    def test_packages(self):
        """The .deb files together are one installation, the .tar.gz is another."""
        build = self.scratch / "cubinet-build"
        self.checked(self.run_cmake("-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                                    "-DCUBINET_BUILD_TESTS=OFF", "-DCUBINET_BUILD_SAMPLES=OFF",
                                    "-DCUBINET_BUILD_BENCHMARKS=OFF"))  # fmt: skip
        self.checked(self.run_cmake("--build", build, "--parallel"))
        generators = ["TGZ"] + (["DEB"] if shutil.which("dpkg-deb") and shutil.which("file") else [])
        packages = self.scratch / "packages"
        subprocess.run([pathlib.Path(project.CMAKE).parent / "cpack", "--config", build / "CPackConfig.cmake",
                        "-G", ";".join(generators), "-B", packages], stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        (archive,) = packages.glob("cubinet-*.tar.gz")
        shutil.unpack_archive(archive, self.scratch / "tgz")
        (folder,) = (self.scratch / "tgz").iterdir()
        self.assert_serves(folder)
        if "DEB" not in generators:
            self.skipTest("no dpkg-deb or no file, so no .deb")
        names = sorted(path.name.partition("_")[0] for path in packages.glob("*.deb"))
        self.assertEqual(names, ["cubinet", "libcubinet-dev", "libcubinet0"])
        for package in packages.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, self.scratch / "deb"], check=True)
        self.assert_serves(self.scratch / "deb/usr")

    def assert_serves(self, prefix):
        """A project finds there all that it needs."""
        shutil.rmtree(self.source, ignore_errors=True)
        self.write("scale.cu", "#include <cstdint>\n" + KERNEL)  # which lies beside the installed command
        self.write("main.c", PROGRAM)
        self.cmake_lists(TARGETS)
        self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja",
                                    f"-DCMAKE_PREFIX_PATH={prefix}"))  # fmt: skip
        self.checked(self.run_cmake("--build", self.build_folder))
        for library in ("cubinet", "cubinet_static"):
            subprocess.run([self.built(f"app_{library}")], check=True)

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
        """As FetchContent does it, with add_subdirectory()."""
        self.write("scale.cu", KERNEL)
        self.write("main.c", PROGRAM)
        self.write("CMakeLists.txt", f"""
            cmake_minimum_required(VERSION 3.25)
            project(test LANGUAGES C)
            include(FetchContent)
            FetchContent_Declare(cubinet SOURCE_DIR "{SOURCE}")
            FetchContent_MakeAvailable(cubinet)
        """ + TARGETS)  # fmt: skip
        self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja"))
        result = self.run_cmake("--build", self.build_folder)
        self.checked(result)
        subprocess.run([self.built("app_cubinet")], check=True)
        subprocess.run([self.built("app_cubinet_static")], check=True)
        self.assertNotIn("samples", result.stdout)


if __name__ == "__main__":
    project.main()
