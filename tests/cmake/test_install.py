# SPDX-License-Identifier: Apache-2.0
"""Archives that leave the build tree: installed beside programs, exported to other projects, in packages."""

import os
import pathlib
import shutil
import subprocess

import project
from project import GENERATOR, IS_MULTI_CONFIG, KERNEL

# Prints where its archive is, which it finds from where it lies itself.
PROGRAM = """
#include "kernels.h"
#include <cubinet/cubinet.h>
#include <stdio.h>
int main(void)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_near(NULL, KERNELS_ARCHIVE_PATHS, NULL, &archive)) {
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

# A project that others take kernels from.
MAKER = """
cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 VERSION 2.5)
cubinet_install(kernels DESTINATION "share/the maker" EXPORT MakerTargets)
install(EXPORT MakerTargets NAMESPACE Maker:: DESTINATION lib/cmake/Maker FILE MakerConfig.cmake)
export(EXPORT MakerTargets NAMESPACE Maker:: FILE MakerConfig.cmake)
cubinet_add_module(kernels added SOURCES scale.cu)
"""

# One that takes them: into its program, as a file, and in an archive of its own.
TAKER = """
cmake_minimum_required(VERSION 3.25)
project(taker LANGUAGES C)
find_package(Cubinet REQUIRED)
find_package(Maker REQUIRED)
get_target_property(modules Maker::kernels CUBINET_MODULES)
message(STATUS "modules: ${modules}")
add_executable(app main.c)
cubinet_embed(app Maker::kernels)
cubinet_install(Maker::kernels DESTINATION share/taker RENAME taken.cubinet)
cubinet_install(Maker::kernels DESTINATION share/plain)
cubinet_add_archive(more ARCHIVES Maker::kernels MODULE more SOURCES more.cu ARCHITECTURES 90)
add_executable(reader reader.c)
target_link_libraries(reader PRIVATE Maker::kernels)
"""

TAKER_PROGRAM = """
#include "kernels.h"
#include <stdio.h>
int main(void) { return puts(KERNELS_SCALE_SCALE) < 0 || fwrite(kernels, 1, kernels_size, stderr) != kernels_size; }
"""


class Install(project.Project):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)
        self.write("main.c", PROGRAM)

    def checked(self, *arguments):
        result = self.run_cmake(*arguments)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def install(self, build_folder, prefix):
        config = ["--config", "Debug"] if IS_MULTI_CONFIG else []
        self.checked("--install", build_folder, "--prefix", prefix, *config)

    def run_program(self, program):
        """The program's first line; it is not linked to where Cubinet's library is."""
        library = pathlib.Path(os.environ["CUBINET_BUILD"]) / "loader"
        return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "LD_LIBRARY_PATH": str(library)}).stdout  # fmt: skip

    def test_as_a_file(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            cubinet_install(kernels DESTINATION data RENAME my.cubinet)
        """)
        self.build()
        self.install(self.build_folder, self.scratch / "prefix")
        installed = self.scratch / "prefix/data/my.cubinet"
        self.assertEqual(installed.read_bytes(), self.built("kernels.cubinet").read_bytes())

    def test_found_by_the_program(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            target_link_libraries(app PRIVATE Cubinet::cubinet)
            install(TARGETS app DESTINATION libexec/deep)
            cubinet_install(kernels DESTINATION "share/some app" FOR app RELATIVE_TO libexec/deep)
        """)
        self.build()
        with self.subTest("in the build tree"):
            self.assertEqual(self.run_program(self.built("app")), "scale\n")
        with self.subTest("in a prefix that was moved, by a symbolic link"):
            self.install(self.build_folder, self.scratch / "prefix")
            os.rename(self.scratch / "prefix", self.scratch / "moved")
            shutil.move(self.built("kernels.cubinet"), self.scratch / "elsewhere")
            (self.scratch / "link").symlink_to(self.scratch / "moved/libexec/deep/app")
            self.assertEqual(self.run_program(self.scratch / "link"), "scale\n")

    def taker(self, *arguments):
        """Builds the other project with what `arguments` let it find."""
        taker = self.scratch / "taker"
        taker.mkdir(exist_ok=True)
        for name, text in (("CMakeLists.txt", TAKER), ("main.c", TAKER_PROGRAM),
                           ("reader.c", TAKER_PROGRAM.replace("fwrite(kernels, 1, kernels_size, stderr) != kernels_size", "0")),
                           ("more.cu", KERNEL)):  # fmt: skip
            (taker / name).write_text(text)
        output = self.checked("-S", taker, "-B", taker / "build", "-G", GENERATOR,
                              f"-DCubinet_DIR={os.environ['CUBINET_BUILD']}", *arguments)  # fmt: skip
        self.assertIn("modules: scale;added", output)
        self.checked("--build", taker / "build")
        return taker / "build", taker / "build" / ("Debug" if IS_MULTI_CONFIG else "")

    def assert_taken(self, built):
        expected = self.built("kernels.cubinet").read_bytes()
        result = subprocess.run([built / "app"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(result.stdout, b"scale\n")
        self.assertEqual(result.stderr, expected)
        listed = subprocess.check_output([self.command, "inspect", "--json", built / "more.cubinet"], text=True)
        for module in ("scale", "added", "more"):
            self.assertIn(f'"{module}"', listed)
        self.assertIn('"2.5"', listed)
        self.assertEqual(subprocess.check_output([built / "reader"], text=True), "scale\n")

    def test_exported(self):
        self.cmake_lists(MAKER)
        self.build()
        self.install(self.build_folder, self.scratch / "prefix")
        os.rename(self.scratch / "prefix", self.scratch / "moved here")
        build_folder, built = self.taker(f"-DCMAKE_PREFIX_PATH={self.scratch}/moved here")
        self.assert_taken(built)
        self.install(build_folder, self.scratch / "taken")
        taken = self.scratch / "taken/share/taker/taken.cubinet"
        self.assertEqual(taken.read_bytes(), self.built("kernels.cubinet").read_bytes())

    def test_exported_from_the_build_tree(self):
        self.cmake_lists(MAKER)
        self.build()
        build_folder, built = self.taker(f"-DMaker_DIR={self.build_folder}")
        self.assert_taken(built)
        self.install(build_folder, self.scratch / "taken")
        self.assertTrue((self.scratch / "taken/share/plain/kernels.cubinet").exists())

    def test_packages(self):
        """What CPack makes, unpacked, runs."""
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            target_link_libraries(app PRIVATE Cubinet::cubinet)
            install(TARGETS app)
            cubinet_install(kernels FOR app)
            set(CPACK_PACKAGE_CONTACT "somebody")
            set(CPACK_PACKAGE_FILE_NAME app)
            include(CPack)
        """)
        self.build()
        cpack = pathlib.Path(project.CMAKE).parent / "cpack"
        generators = ["TGZ"] + (["DEB"] if shutil.which("dpkg-deb") else [])
        packages = self.scratch / "packages"
        subprocess.run([cpack, "--config", self.build_folder / "CPackConfig.cmake", "-G", ";".join(generators),
                        "-C", "Debug", "-B", packages],
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        shutil.unpack_archive(packages / "app.tar.gz", self.scratch / "tgz")
        self.assertEqual(self.run_program(self.scratch / "tgz/app/bin/app"), "scale\n")
        if "DEB" not in generators:
            self.skipTest("no dpkg-deb, so no .deb")
        subprocess.run(["dpkg-deb", "-x", packages / "app.deb", self.scratch / "deb"], check=True)
        self.assertEqual(self.run_program(self.scratch / "deb/usr/bin/app"), "scale\n")
        self.assertTrue((self.scratch / "deb/usr/share/test/kernels.cubinet").exists())


if __name__ == "__main__":
    project.main()
