# SPDX-License-Identifier: Apache-2.0
"""The installed Ninja rules: the sample without CMake, built, changed and built again."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cmake"))
import project  # noqa: E402
from project import SOURCE  # noqa: E402

# How the sample's compiles are called.
ARCHS = ("--arch 75", "--gencode arch=compute_80,code=[sm_80,sm_86,sm_89]", "--arch 90")

# Further lines of its build.ninja.
LINES = """
pool one
  depth = 1
cubinet_pool = one
build a$ folder/scale.cubinet: cubinet_compile a$ folder/scale.cu
  module = scale
  archs = --arch 80
build a$ folder/kernels.cubinet: cubinet_pack a$ folder/scale.cubinet
  flags = --archive-version 2.0
build a$ folder/kernels.o: cubinet_embed a$ folder/kernels.cubinet
  symbol = kernels
"""

# A link of fragments.
FRAGMENTS = """
build add.cubinet: cubinet_compile add.cu
  module = add
  archs = --arch 75-lto
  names = --export op
build mul.cubinet: cubinet_compile mul.cu
  module = mul
  archs = --arch 75-lto
  names = --export op
build ops.cubinet: cubinet_pack add.cubinet mul.cubinet
build fold.cubinet: cubinet_compile fold.cu
  module = fold
  archs = --arch 75-lto
  names = --import op --kernel 'fold<float>'
build fold_add.cubinet: cubinet_link fold.cubinet | ops.cubinet
  module = 'fold add'
  archs = --arch 80-real,90-real
  flags = ops.cubinet:add
build linked.cubinet: cubinet_pack fold_add.cubinet
"""
OPERATOR = 'extern "C" __device__ float op(float a, float b) {{ return a {} b; }}\n'
FOLD = """extern "C" __device__ float op(float a, float b);
template <typename T> __global__ void fold(T *x) { x[threadIdx.x] = op(x[threadIdx.x], 2); }
"""


class Rules(project.Project):
    """Cubinet is installed in a folder whose path is hard to quote."""

    def setUp(self):
        super().setUp()
        self.prefix = self.scratch / "the $prefix"
        result = self.run_cmake("--install", os.environ["CUBINET_BUILD"], "--prefix", self.prefix)
        self.assertEqual(result.returncode, 0, result.stdout)
        shutil.copytree(SOURCE / "samples", self.scratch / "samples")
        self.folder = self.scratch / "samples/ninja_only"
        text = (self.folder / "build.ninja").read_text()
        self.assertIn("prefix = /usr/local\n", text)
        prefix = str(self.prefix).replace("$", "$$")
        (self.folder / "build.ninja").write_text(text.replace("prefix = /usr/local\n", f"prefix = {prefix}\n"))

    def ninja(self, *arguments):
        """Builds, and returns what was made."""
        result = subprocess.run(["ninja", "-C", self.folder, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, check=False)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return [line.split("] ")[1] for line in result.stdout.splitlines() if line.startswith("[")]

    def test_sample(self):
        compiles = {f"Compiling saxpy: {archs}" for archs in ARCHS}
        everything = compiles | {"Packing build/saxpy.cubinet", "Embedding build/saxpy.cubinet",
                                 "Writing build/saxpy_archive.h", "CC build/main.o", "LINK saxpy"}  # fmt: skip
        self.assertEqual(set(self.ninja()), everything)
        self.assertEqual(self.ninja(), [])
        kernel = self.scratch / "samples/saxpy/saxpy.cu"
        with self.subTest("the same bytes stop at the compiles"):
            kernel.write_text(kernel.read_text() + "// a comment\n")
            self.assertEqual(set(self.ninja()), compiles)
            self.assertEqual(self.ninja(), [])
        with self.subTest("others reach the program"):
            kernel.write_text(kernel.read_text().replace("a * x[i]", "x[i] * a + a"))
            self.assertEqual(set(self.ninja()), everything - {"CC build/main.o"})
        with self.subTest("the header is compiled against"):
            kernel.write_text(kernel.read_text() + "__global__ void other() {}\n")
            self.assertIn("CC build/main.o", self.ninja())
        with self.subTest("the program finds the library"):
            linked = subprocess.run(["ldd", self.folder / "saxpy"], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn(str(self.prefix / "lib"), linked)
        with self.subTest("what it embeds is found in it"):
            for path in ("saxpy", "saxpy#saxpy_archive"):
                subprocess.run([self.prefix / "bin/cubinet", "verify", self.folder / path], stdout=subprocess.DEVNULL, check=True)

    def test_spaces_and_flags(self):
        (self.folder / "a folder").mkdir()
        (self.folder / "a folder/scale.cu").write_text(project.KERNEL)
        with (self.folder / "build.ninja").open("a") as file:
            file.write(LINES)
        subprocess.run(["ninja", "-C", self.folder, "a folder/kernels.o"], stdout=subprocess.DEVNULL, check=True)
        listed = subprocess.run([self.prefix / "bin/cubinet", "inspect", "--json",
                                 self.folder / "a folder/kernels.cubinet"],
                                stdout=subprocess.PIPE, check=True).stdout  # fmt: skip
        self.assertEqual(json.loads(listed)["archive_version"], "2.0")

    def test_link(self):
        for name, text in (("add", OPERATOR.format("+")), ("mul", OPERATOR.format("*")), ("fold", FOLD)):
            (self.folder / f"{name}.cu").write_text(text)
        with (self.folder / "build.ninja").open("a") as file:
            file.write(FRAGMENTS)
        compiles = {f"Compiling {name}: --arch 75-lto" for name in ("add", "mul", "fold")}
        link = "Linking 'fold add': --arch 80-real,90-real"
        everything = compiles | {"Packing ops.cubinet", link, "Packing linked.cubinet"}
        self.assertEqual(set(self.ninja("linked.cubinet")), everything)
        self.assertEqual(self.ninja("linked.cubinet"), [])
        with self.subTest("the operator that is linked"):
            (self.folder / "add.cu").write_text(OPERATOR.format("-"))
            self.assertEqual(set(self.ninja("linked.cubinet")), everything - compiles | {"Compiling add: --arch 75-lto"})
        with self.subTest("another one of the same archive ends at the link"):
            (self.folder / "mul.cu").write_text(OPERATOR.format("/"))
            self.assertEqual(set(self.ninja("linked.cubinet")),
                             {"Compiling mul: --arch 75-lto", "Packing ops.cubinet", link})  # fmt: skip
            self.assertEqual(self.ninja("linked.cubinet"), [])
        with self.subTest("a file that an option names"):
            (self.folder / "o.opt").write_text("-O3")
            build = (self.folder / "build.ninja").read_text()
            flags = "ops.cubinet:add --nvjitlink -Xptxas=-optf=o.opt"
            (self.folder / "build.ninja").write_text(build.replace("ops.cubinet:add", flags))
            self.assertIn(link, self.ninja("linked.cubinet"))
            self.assertEqual(self.ninja("linked.cubinet"), [])
            (self.folder / "o.opt").write_text("-O0")
            self.assertEqual(set(self.ninja("linked.cubinet")), {link, "Packing linked.cubinet"})
            self.assertEqual(self.ninja("linked.cubinet"), [])


if __name__ == "__main__":
    project.main()
