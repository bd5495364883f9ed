# SPDX-License-Identifier: Apache-2.0
"""Cubinet as its users get it: installed, or inside their own tree."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest.mock

import objects
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
        """As FetchContent does it, with add_subdirectory(): in C++ alone, with a folder in C alone, as a unity build."""
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
        with unittest.mock.patch.dict(os.environ, objects.environment(self.scratch)):
            self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                                        "-DCMAKE_UNITY_BUILD=ON"))  # fmt: skip
        result = self.run_cmake("--build", self.build_folder)
        self.checked(result)
        for app in ("app_cubinet", "app_cubinet_static", "c/app_c"):
            subprocess.run([self.built(app)], check=True)
        self.assertNotIn("samples", result.stdout)
        its_own = ["app_cubinet_static", "ItsTargets-release.cmake", "ItsTargets.cmake", "libexported.a"]
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

    def test_components(self):
        """CPack makes a package of each component of another project, and of none that is Cubinet's but for what is linked."""
        self.write("scale.cu", KERNEL)
        self.write("main.c", "#include <cubinet/version.h>\nint main(void) { return cubinet_version()[0] == 0; }\n")
        self.write("notes.txt", "")
        self.write("CMakeLists.txt", f"""
            cmake_minimum_required(VERSION 3.25)
            project(test LANGUAGES C)
            add_subdirectory("{SOURCE}" cubinet)
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            target_link_libraries(app PRIVATE Cubinet::${{LIBRARY}})
            install(TARGETS app COMPONENT program)
            install(FILES notes.txt DESTINATION share COMPONENT notes)
            cubinet_install(kernels FOR app ${{RUNTIME}} COMPONENT program)
            set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
            set(CPACK_PACKAGE_FILE_NAME app)
            include(CPack)
        """)  # fmt: skip
        program = ["app", "kernels.cubinet"]
        version = re.search(r'VERSION_STRING "(.*)"', (SOURCE / "loader/include/cubinet/version.h").read_text())[1]
        library = ["libcubinet.so.0", f"libcubinet.so.{version}"]
        cases = (
            ("cubinet_static", "", {"program": program, "notes": ["notes.txt"]}),
            ("cubinet", "", {"program": program, "notes": ["notes.txt"], "cubinet_runtime": library}),
            ("cubinet", "RUNTIME", {"program": program + library, "notes": ["notes.txt"]}),
        )
        environment = objects.environment(self.scratch)
        for linked, runtime, packages in cases:
            with self.subTest(linked=linked, runtime=runtime):
                with unittest.mock.patch.dict(os.environ, environment):
                    self.checked(self.run_cmake("-S", self.source, "-B", self.build_folder, "-G", "Ninja",
                                                "-DCMAKE_BUILD_TYPE=Release", f"-DLIBRARY={linked}",
                                                f"-DRUNTIME={runtime}"))  # fmt: skip
                self.checked(self.run_cmake("--build", self.build_folder))
                self.assertEqual(self.packed(), packages)
        subprocess.run([self.scratch / "packed/program/bin/app"], check=True)
        with self.subTest("what is asked for by its component goes where it goes otherwise"):
            prefix = self.scratch / "asked for"
            for component in ("cubinet_dev", "cubinet_tool"):
                self.checked(self.run_cmake("--install", self.build_folder, "--prefix", prefix, "--component", component))
            asked = {path.relative_to(prefix) for path in prefix.rglob("*") if not path.is_dir()}
            whole = self.install()
            self.assertEqual({path.relative_to(whole) for path in whole.rglob("*") if not path.is_dir()} - asked,
                             {pathlib.Path("lib", name) for name in library})  # fmt: skip

    def packed(self):
        """The names of the files that CPack puts into the package of each component."""
        folder = self.scratch / "packed"
        shutil.rmtree(folder, ignore_errors=True)
        cpack = pathlib.Path(project.CMAKE).parent / "cpack"
        subprocess.run([cpack, "--config", self.build_folder / "CPackConfig.cmake", "-G", "TGZ", "-B", folder],
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        names = [path.name.removeprefix("app-").removesuffix(".tar.gz") for path in folder.glob("*.tar.gz")]
        for name in names:
            shutil.unpack_archive(folder / f"app-{name}.tar.gz", folder / name)
        return {name: files_of(folder / name) for name in names}

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
