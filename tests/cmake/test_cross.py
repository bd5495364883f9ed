# SPDX-License-Identifier: Apache-2.0
"""Building for another processor: the command of this machine, the library and the program of the other."""

import os
import pathlib
import shutil
import subprocess
import sys

import project
from project import GENERATOR, IS_MULTI_CONFIG, KERNEL, SOURCE

ROOT = pathlib.Path(os.environ["CUBINET_AARCH64"])  # what the library needs, for aarch64
COMPILER = "aarch64-linux-gnu-gcc"

TOOLCHAIN = """
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER {compiler})
set(CMAKE_FIND_ROOT_PATH "{root}" "{prefix}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{{PKG_CONFIG_LIBDIR}} "{root}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{{PKG_CONFIG_SYSROOT_DIR}} "{root}")
add_link_options("LINKER:-rpath-link,{root}/usr/lib/aarch64-linux-gnu")
"""

PROGRAM = """
#include "kernels.h"
#include <cubinet/cubinet.h>
#include <stdio.h>
int main(void)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_memory(kernels, kernels_size, NULL, &archive)) {
        puts(cubinet_error_message());
        return 1;
    }
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_archive_get_module(archive, KERNELS_SCALE_ID, &module);
    puts(module.name);
    cubinet_archive_close(archive);
    return 0;
}
"""

TARGETS = """
cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 87 110)
add_executable(app main.c)
cubinet_embed(app kernels)
target_link_libraries(app PRIVATE Cubinet::cubinet)
"""

AARCH64 = 183  # an ELF file's e_machine


class Cross(project.Project):
    def setUp(self):
        super().setUp()
        for flags in ("CFLAGS", "LDFLAGS"):  # of this machine's sanitizers
            os.environ.pop(flags, None)
        self.source = self.scratch / "a folder"
        self.build_folder = self.source / "build"
        self.prefix = self.scratch / "aarch64 prefix"
        self.toolchain = self.scratch / "toolchain.cmake"
        self.toolchain.write_text(TOOLCHAIN.format(compiler=COMPILER, root=ROOT, prefix=self.prefix))
        self.write("scale.cu", KERNEL)
        self.write("main.c", PROGRAM)

    def checked(self, *arguments):
        result = self.run_cmake(*arguments)
        self.assertEqual(result.returncode, 0, result.stdout)

    def configure_cross(self, source, build, *arguments):
        self.checked("-S", source, "-B", build, "-G", GENERATOR, f"-DCMAKE_TOOLCHAIN_FILE={self.toolchain}", *arguments)

    def assert_built(self, library_folder):
        runs = self.build()
        self.assertEqual([run.subcommand for run in runs], ["compile", "compile", "pack", "header"])
        program = self.built("app").read_bytes()
        self.assertEqual(int.from_bytes(program[18:20], "little"), AARCH64)
        self.assertIn(self.built("kernels.cubinet").read_bytes(), program)
        subprocess.run([self.command, "verify", self.built("app")], stdout=subprocess.DEVNULL, check=True)
        emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
        if not emulator:
            return
        output = subprocess.run([emulator, "-L", "/usr/aarch64-linux-gnu", self.built("app")],
                                stdout=subprocess.PIPE, text=True, check=True,
                                env={**os.environ, "LD_LIBRARY_PATH": f"{library_folder}:{ROOT}/usr/lib/aarch64-linux-gnu"},
                                ).stdout  # fmt: skip
        self.assertEqual(output, "scale\n")

    def test_installed_package(self):
        self.configure_cross(SOURCE, self.scratch / "cubinet-build")
        config = ["--config", "Release"] if IS_MULTI_CONFIG else []
        self.checked("--build", self.scratch / "cubinet-build", "--parallel", *config)
        self.checked("--install", self.scratch / "cubinet-build", "--prefix", self.prefix, *config)
        self.assertFalse((self.prefix / "bin/cubinet").exists())
        self.cmake_lists(TARGETS)
        self.configure_cross(self.source, self.build_folder, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             f"-DCUBINET_COMMAND={self.command}")  # fmt: skip
        self.assert_built(self.prefix / "lib")

    def test_inside_another_project(self):
        self.write("CMakeLists.txt", f"""
            cmake_minimum_required(VERSION 3.25)
            project(test LANGUAGES C)
            add_subdirectory("{SOURCE}" cubinet)
        """ + TARGETS)  # fmt: skip
        self.configure_cross(self.source, self.build_folder, f"-DCUBINET_COMMAND={self.command}")
        self.assert_built(self.build_folder / "cubinet/loader")

    def test_no_command_of_this_machine(self):
        self.write("CMakeLists.txt", f"""
            cmake_minimum_required(VERSION 3.25)
            project(test LANGUAGES C)
            add_subdirectory("{SOURCE}" cubinet)
        """ + TARGETS)  # fmt: skip
        if shutil.which("cubinet"):
            self.skipTest("there is a cubinet in the PATH")
        result = self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", GENERATOR,
                                f"-DCMAKE_TOOLCHAIN_FILE={self.toolchain}")  # fmt: skip
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("Set CUBINET_COMMAND to its path", " ".join(result.stdout.split()))


if __name__ == "__main__":
    if not shutil.which(COMPILER):
        sys.exit(project.skip(f"no {COMPILER}"))
    if not (ROOT / "usr/include/xxhash.h").exists():
        sys.exit(project.skip(f"no libraries for aarch64 in {ROOT}; scripts/test.sh --all fetches them"))
    project.main()
