# SPDX-License-Identifier: Apache-2.0
"""PRECOMPILE_HEADERS: what is precompiled, when it is again, and that compiles use it."""

import os
import re
import subprocess

import project
from project import IS_MULTI_CONFIG

LISTS = """
cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNELS "scale<float>"
  ARCHITECTURES {architectures} PRECOMPILE_HEADERS <outer.h> inc/inner.h)
cubinet_add_module(kernels add SOURCES add.cu KERNELS "add<float>" THREADS 2)
cubinet_add_module(kernels mul SOURCES mul.cu KERNELS "mul<float>" COMPILE_OPTIONS {options} PRECOMPILE_HEADERS "\\"outer.h\\"")
cubinet_add_fragment(kernels plus SOURCES plus.cu EXPORTS plus ARCHITECTURES 80)
target_include_directories(kernels PRIVATE inc)
"""


class Precompile(project.Project):
    def setUp(self):
        super().setUp()
        self.build_folder = self.source / "of.cubinet"  # as the archives' names end
        self.lists()
        self.write("inc/outer.h", "#include <inner.h>\ntemplate <typename T> __device__ T outer(T x) { return inner(x) + 1; }\n")
        self.write("inc/inner.h", "#pragma once\ntemplate <typename T> __device__ T inner(T x) { return x + x; }\n")
        for name in ("scale", "add", "mul"):
            self.write(f"{name}.cu", f"template <typename T> __global__ void {name}(T *x) {{ *x = outer(*x); }}\n")
        self.write("plus.cu", 'extern "C" __device__ int plus(int x) { return outer(x); }\n')

    def lists(self, architectures="80-real 90-real", options="-DA"):
        self.cmake_lists(LISTS.format(architectures=architectures, options=options))

    def expect(self, precompiled, compiled):
        """Builds, and compares what that took. Everything compiled has to have used what was precompiled."""
        runs = self.build()
        made = sorted(re.sub(r"\.[0-9a-f]{12}$", "", run.output) for run in runs if run.subcommand == "pch")
        self.assertEqual(made, sorted(precompiled))
        self.assertEqual(len([run for run in runs if run.subcommand == "compile"]), compiled)
        return runs

    def used(self, run):
        """What a compile says of precompiled headers when it is run again."""
        arguments = [argument for argument in run.arguments if not argument.startswith("-M")]
        for option in ("-MF", "-MT"):
            arguments.remove(run.value(option))
        said = subprocess.run([os.environ["CUBINET_COMMAND"], *arguments, "-v"], cwd=self.build_folder, text=True,
                              stderr=subprocess.PIPE, check=True).stderr  # fmt: skip
        return [re.sub(r".*\.(is .*)", r"\1", line) for line in said.splitlines() if line.startswith("precompiled")]

    def pch_files(self):
        folder = self.build_folder / "CMakeFiles/kernels.dir"
        if IS_MULTI_CONFIG:
            folder = self.build_folder / "Debug/CMakeFiles/kernels.dir"
        return sorted(path.name for path in folder.glob("pch.*.data"))

    def test_everything(self):
        ptx = ["pch.compute_80.ptx", "pch.compute_90.ptx"]
        fragment = ["pch.compute_80.lto", "pch.compute_80.relocatable"]
        both = 2 * ptx  # mul has options of its own
        runs = self.expect(both + fragment, 7)
        self.expect([], 0)
        with self.subTest("compiles use them"):
            for run in runs:
                if run.subcommand == "compile" and project.IS_NINJA:
                    said = self.used(run)
                    self.assertTrue(said and said[-1].endswith("is used"), (run.arguments, said))
        with self.subTest("a header that changes"):
            self.write("inc/inner.h", "#pragma once\ntemplate <typename T> __device__ T inner(T x) { return 2 + x; }\n")
            self.expect(both + fragment, 7)
            self.expect([], 0)
        with self.subTest("options"):
            self.lists(options="-DB")
            self.expect(ptx, 2)
            self.expect([], 0)
        with self.subTest("what is no longer needed goes"):
            self.assertEqual(len(self.pch_files()), 6)
            self.lists(architectures="80-real", options="-DB")
            self.expect([], 0)
            self.assertEqual(len(self.pch_files()), 4)
        with self.subTest("a build without, which includes them all the same"):
            self.configure("-DCUBINET_PRECOMPILE_HEADERS=OFF")
            runs = self.expect([], 4)
            for run in runs:
                if run.subcommand == "compile":
                    self.assertIn("-include", run.arguments)
                    self.assertNotIn("--pch", run.arguments)
            self.assertEqual(self.pch_files(), [])
            self.configure("-DCUBINET_PRECOMPILE_HEADERS=ON")
            self.build()
        with self.subTest("it is removed"):
            for path in self.build_folder.rglob("pch.compute_80.ptx.*"):
                if not path.name.endswith(".args"):
                    path.unlink()
            made = [run for run in self.build() if run.subcommand == "pch"]
            self.assertEqual(len(made), 2)
        if not IS_MULTI_CONFIG:  # whose target cleans less
            with self.subTest("the build's own cleaning removes it"):
                self.build("--target", "clean")
                self.assertEqual(self.pch_files(), [])

    def test_disabled(self):
        for name in ("scale", "add", "mul", "plus"):
            path = self.source / f"{name}.cu"
            path.write_text("#include <outer.h>\n" + path.read_text())
        configured = self.configure("-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON")
        self.assertEqual(configured.returncode, 0, configured.stdout)
        self.expect([], 7)


if __name__ == "__main__":
    project.main()
