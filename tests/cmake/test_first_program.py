# SPDX-License-Identifier: Apache-2.0
"""docs/guide/first-program.md: its programs, which are those of samples/first_program, in a project of the page's lines."""

import os
import re
import subprocess

import project
from project import SOURCE

PAGE = (SOURCE / "docs/guide/first-program.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def block(language):
    """The first block of a language: what comes after it is not a whole program."""
    return next(text for name, text in BLOCKS if name == language)


class FirstProgram(project.Project):
    def expect_program(self, language, cmake_lists):
        self.write("squares.cu", block("cuda"))
        self.write("CMakeLists.txt", cmake_lists)
        self.write({"c": "main.c", "cpp": "main.cpp"}[language], block(language))
        self.build()
        # The simulated driver launches, and lacks what the program calls to see the result.
        run = subprocess.run([self.built("first")], env={**os.environ, "CUBINET_LIBCUDA": os.environ["SIMCUDA"]},
                             stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("cuCtxSetCurrent", run.stderr)
        run = subprocess.run([self.built("first")], env={**os.environ, "CUBINET_LIBCUDA": "/nonexistent"},
                             stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("/nonexistent", run.stderr)

    def test_the_page_has_the_samples(self):
        for language, name in (("cuda", "squares.cu"), ("c", "main.c"), ("cpp", "main.cpp")):
            licence, _, text = (SOURCE / "samples/first_program" / name).read_text().partition("\n")
            self.assertIn("SPDX", licence)
            self.assertEqual(block(language), text)

    def test_c(self):
        self.expect_program("c", block("cmake"))

    def test_cpp(self):
        lines = block("cmake").replace("LANGUAGES C)", "LANGUAGES CXX)").replace("main.c)", "main.cpp)")
        self.assertNotEqual(lines, block("cmake"))
        self.expect_program("cpp", lines)


if __name__ == "__main__":
    project.main()
