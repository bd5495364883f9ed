# SPDX-License-Identifier: Apache-2.0
"""Archives inside programs and libraries."""

import hashlib
import shutil
import subprocess

import project
from project import IS_NINJA, KERNEL

# Writes the embedded bytes to standard output.
PROGRAM = """
#include "{symbol}.h"
#include <stdio.h>
int main(void) {{ return fwrite({symbol}, 1, {symbol}_size, stdout) != {symbol}_size; }}
"""


class Embed(project.Project):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)
        self.write("main.c", PROGRAM.format(symbol="kernels"))

    def assert_embedded(self, program="app", archive="kernels.cubinet"):
        output = subprocess.run([self.built(program)], stdout=subprocess.PIPE, check=True).stdout
        expected = self.built(archive).read_bytes()
        self.assertEqual(hashlib.sha256(output).hexdigest(), hashlib.sha256(expected).hexdigest())

    def test_program(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            cubinet_embed(app kernels)
        """)
        self.build()
        self.assert_embedded()
        with self.subTest("a changed kernel reaches the program"):
            self.write("scale.cu", KERNEL.replace("*=", "+="))
            self.build()
            self.assert_embedded()
        with self.subTest("an untouched one does not link it again"):
            times = []
            while len(times) < 5 and len(set(times)) == len(times):  # Make builds again what is as old as its input
                said = self.run_cmake("--build", self.build_folder).stdout
                times.append(self.built("app").stat().st_mtime_ns)
            before = times[-1]
            self.assertLess(len(set(times)), len(times), said)
        with self.subTest("nor does one with the same bytes, under Ninja"):
            self.write("scale.cu", KERNEL.replace("*=", "+="))
            self.build()
            self.assertEqual(self.built("app").stat().st_mtime_ns == before, IS_NINJA)

    def cubinet(self, *arguments):
        result = subprocess.run([self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)  # fmt: skip
        return result.stdout

    def test_found_in_the_program(self):
        """Also where the linker drops what nothing refers to, and without symbols."""
        self.write("main.cpp", """
            #include "kernels.h"
            #include "more.h"
            int main() { return kernels[0] != 'P' || more[0] != 'P'; }
        """)  # fmt: skip
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            cubinet_add_archive(more MODULE scale SOURCES scale.cu ARCHITECTURES 80 90)
            add_executable(app main.cpp)
            add_library(plugin MODULE main.cpp)
            target_link_options(app PRIVATE LINKER:--gc-sections -s)
            foreach(target app plugin)
              cubinet_embed(${target} kernels)
              cubinet_embed(${target} more)
            endforeach()
        """, languages="CXX")  # fmt: skip
        self.build()
        subprocess.run([self.built("app")], check=True)
        for program in ("app", "libplugin.so"):
            path = self.built(program)
            self.assertIn("has 2 archives inside: 'kernels', 'more'", self.cubinet("list", path))
            for name in ("kernels", "more"):
                self.assertIn("is sound: 1 module", self.cubinet("verify", f"{path}#{name}"))
                archive = self.built(f"{name}.cubinet")
                self.assertEqual(self.cubinet("list", f"{path}#{name}"), self.cubinet("list", archive))
                for taken in (self.scratch / "of program", self.scratch / "of file"):
                    taken.mkdir(exist_ok=True)
                self.cubinet("extract", f"{path}#{name}", "--all", self.scratch / "of program")
                self.cubinet("extract", archive, "--all", self.scratch / "of file")
                self.assertEqual((self.scratch / "of program/scale/sm_80.cubin").read_bytes(),
                                 (self.scratch / "of file/scale/sm_80.cubin").read_bytes())  # fmt: skip
        self.cubinet("slice", f"{path}#more", "--kind", "cubin", "-o", self.scratch / "sliced.cubinet")
        self.assertIn("sm_80 sm_90", self.cubinet("list", self.scratch / "sliced.cubinet"))

    def test_symbol(self):
        self.write("main.c", PROGRAM.format(symbol="other_name"))
        self.cmake_lists("""
            cubinet_add_archive(my-kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            cubinet_embed(app my-kernels SYMBOL other_name)
        """)
        self.build()
        self.assert_embedded(archive="my-kernels.cubinet")

    def test_cxx_alone(self):
        self.write("main.cpp", PROGRAM.format(symbol="kernels"))
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.cpp)
            cubinet_embed(app kernels)
        """, languages="CXX")  # fmt: skip
        self.build()
        self.assert_embedded()

    def test_link_time_optimization(self):
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_executable(app main.c)
            set_target_properties(app PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
            cubinet_embed(app kernels)
        """)
        self.build()
        self.assert_embedded()

    def test_link_time_optimization_of_a_static_library(self):
        """The linker takes a member of it by what its symbol table defines."""
        self.write("get.c", '#include "kernels.h"\nconst unsigned char *get(size_t *n) { *n = kernels_size; return kernels; }\n')
        self.write("main.c", """
            #include <stdio.h>
            const unsigned char *get(size_t *n);
            int main(void) { size_t n; const unsigned char *bytes = get(&n); return fwrite(bytes, 1, n, stdout) != n; }
        """)  # fmt: skip
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_library(get STATIC get.c)
            cubinet_embed(get kernels)
            add_executable(app main.c)
            target_link_libraries(app get)
        """)
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler):
                with self.subTest(compiler):
                    self.build_folder = self.source / compiler
                    result = self.configure(f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON",
                                            "-DCMAKE_C_FLAGS=-Wall -Werror -DMORE")  # fmt: skip
                    self.assertEqual(result.returncode, 0, result.stdout)
                    self.build()
                    self.assert_embedded()

    def test_unity_build_and_precompiled_headers(self):
        """Which are for the project's own sources."""
        for name in ("kernels", "more"):
            self.write(f"{name}.c", f'#include "{name}.h"\nsize_t get_{name}(void) {{ return {name}_size; }}\n')
        self.write("main.cpp", """
            #include <cstddef>
            extern "C" std::size_t get_kernels(), get_more();
            int main() { return std::vector<std::size_t>{get_kernels(), get_more()}.size() != 2; }
        """)  # fmt: skip
        self.cmake_lists("""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            cubinet_add_archive(more MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_library(both STATIC kernels.c more.c)
            cubinet_embed(both kernels)
            cubinet_embed(both more)
            add_executable(app main.cpp)
            target_precompile_headers(app PRIVATE <vector>)
            cubinet_embed(app kernels SYMBOL of_app)
            target_link_libraries(app both)
        """, languages="C CXX")  # fmt: skip
        result = self.configure("-DCMAKE_UNITY_BUILD=ON")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.build()
        subprocess.run([self.built("app")], check=True)

    def test_libraries_of_one_process_each_have_their_own(self):
        for name in ("one", "two"):
            self.write(f"{name}.c", f'#include "kernels.h"\nsize_t {name}(void) {{ return kernels_size; }}\n')
        self.write("main.c", """
            #include <stddef.h>
            #include <stdio.h>
            size_t one(void), two(void);
            int main(void) { printf("%zu %zu", one(), two()); }
        """)  # fmt: skip
        self.write("two/CMakeLists.txt", """
            cubinet_add_archive(two_kernels MODULE scale SOURCES ../scale.cu ARCHITECTURES 80 90)
            add_library(two SHARED ../two.c)
            cubinet_embed(two two_kernels SYMBOL kernels)
        """)  # fmt: skip
        self.cmake_lists("""
            add_subdirectory(two)
            cubinet_add_archive(one_kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            add_library(one STATIC one.c)
            cubinet_embed(one one_kernels SYMBOL kernels)
            add_executable(app main.c)
            target_link_libraries(app one two)
        """)
        self.build()
        output = subprocess.run([self.built("app")], stdout=subprocess.PIPE, check=True, text=True).stdout
        one = self.built("one_kernels.cubinet").stat().st_size
        self.assertEqual(output.split()[0], str(one))
        self.assertGreater(int(output.split()[1]), one)


if __name__ == "__main__":
    project.main()
