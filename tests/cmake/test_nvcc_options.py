# SPDX-License-Identifier: Apache-2.0
"""Options that a project has for nvcc, on a target of kernels."""

import project
from project import KERNEL


class NvccOptions(project.Project):
    def build_with(self, options):
        """Builds an archive whose target has these options, and returns what was printed."""
        self.write("scale.cu", KERNEL)
        self.cmake_lists(f"""
            cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)
            target_compile_options(kernels PRIVATE {options})
        """)
        self.assertEqual(self.configure().returncode, 0)
        result = self.run_cmake("--build", self.build_folder)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def test_several_words(self):
        printed = self.build_with(
            '"SHELL:-Xptxas -v" "SHELL:-Xptxas -O3,-dlcm=ca" "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-diag-suppress 177>"')
        self.assertIn("ptxas info", printed)
        self.assertNotIn("without effect", printed)

    def test_quotes(self):
        self.write("a header.h", "static_assert(sizeof(TEXT) == 4);\n")
        self.build_with(
            """"SHELL:-D 'TEXT=\\"a b\\"' -include 'a header.h' -I '${CMAKE_CURRENT_SOURCE_DIR}'" """)

    def test_host_options(self):
        printed = self.build_with('"SHELL:-Xcompiler -fPIC -ccbin g++" -g --expt-relaxed-constexpr')
        self.assertIn("without effect, as there is no host code: -Xcompiler -fPIC, -ccbin g++, -g", printed)


if __name__ == "__main__":
    project.main()
