# SPDX-License-Identifier: Apache-2.0
"""One project, built under conditions that must not matter: the archives are the same, byte for byte."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

COMMAND = os.environ["CUBINET_COMMAND"]
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]
NOBODY = 65534

# A template, a name of internal linkage, an assertion (which holds a file's name) and a shared header.
SOURCES = {
    "src/shared.cuh": "#ifndef SHARED\n#define SHARED\n"
                      "template <typename T> __device__ T twice(T a) { return a + a; }\n#endif\n",
    "src/scale.cu": '#include "shared.cuh"\n#include <cassert>\n'
                    "static __device__ int hidden;\n"
                    "template <typename T> __global__ void scale(T *x, int n)\n"
                    "{ assert(n > 0); x[threadIdx.x] = twice(x[threadIdx.x]) + hidden++; }\n",
    "src/sum.cu": '#include "shared.cuh"\nnamespace { __device__ float part(float a) { return twice(a); } }\n'
                  'extern "C" __global__ void sum(float *x) { atomicAdd(x, part(*x)); }\n',
    "src/b.cu": 'extern "C" __global__ void b(int *x) { *x = __LINE__; }\n',
}  # fmt: skip
MODULES = (("src/scale.cu", "--kernel", "scale<float>", "--kernel", "scale<int>"), ("src/sum.cu",), ("src/b.cu",))
# A cubin, PTX and LTO-IR, with line numbers, compressed, and one front-end pass for two architectures.
OPTIONS = ("--gencode", "arch=compute_80,code=[sm_80,sm_86,compute_80]", "--gencode", "arch=compute_90,code=lto_90",
           "-lineinfo", "--compress", "zstd", "--archive-version", "1.0")  # fmt: skip


class Reproducible(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.scratch.chmod(0o755)
        cls.expected = cls("build").build("plain")

    def build(self, folder, *options, modules=MODULES, environment=None, without=(), **how):
        """The archive's bytes."""
        place = self.scratch / folder
        for name, text in SOURCES.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        if "user" in how:
            for path in (place, *place.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        base = {name: value for name, value in os.environ.items()
                if not name.startswith(("CUBINET_", "LC_")) and name not in ("SOURCE_DATE_EPOCH", *without)}  # fmt: skip
        arguments = [word for module in modules for word in module]
        result = subprocess.run(
            [COMMAND, "build", *arguments, "-o", "made.cubinet", *OPTIONS, *options], cwd=place,
            env={**base, "CUDA_HOME": TOOLKIT, **(environment or {})},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **how)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return (place / "made.cubinet").read_bytes()

    def expect_same(self, *arguments, **how):
        self.assertTrue(self.build(*arguments, **how) == self.expected, "the archives differ")

    def test_another_folder_and_everything_around(self):
        self.expect_same("a $deeper/folder é", "-j", "4", umask=0o077, without=("HOME", "USER", "LOGNAME"),
                         environment={"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "USER": "somebody"})  # fmt: skip

    def test_one_at_a_time_and_in_another_order(self):
        self.expect_same("ordered", "-j", "1", modules=MODULES[::-1],
                         environment={"TZ": "America/St_Johns", "LC_ALL": "C"})  # fmt: skip

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_another_user(self):
        probe = ["sh", "-c", 'exec >/dev/null 2>&1; "$0" --version && ls "$1/."', COMMAND, TOOLKIT]
        if subprocess.run(probe, user=NOBODY, group=NOBODY, extra_groups=[], check=False).returncode:
            self.skipTest("the command or the toolkit lies where no other user may read")
        self.expect_same("other", user=NOBODY, group=NOBODY, extra_groups=[], without=("HOME",))

    def test_a_cache_that_is_filled_and_used(self):
        cache = ("--cache", str(self.scratch / "cache"))
        self.expect_same("first of two", *cache)
        self.expect_same("second/of two", *cache)

    def test_a_precompiled_header(self):
        included = self.build("included", "-include", "src/shared.cuh")
        self.assertTrue(self.build("precompiled", "--pch", "src/shared.cuh") == included)

    def test_built_again_after_a_touch(self):
        self.expect_same("again")
        for name in SOURCES:
            os.utime(self.scratch / "again" / name, (981158400, 981158400))
        shutil.rmtree(self.scratch / "again" / ".cubinet-build")
        self.expect_same("again")

    def test_the_date_that_is_given(self):
        dated = {"SOURCE_DATE_EPOCH": "1700000000"}
        first = self.build("dated", environment=dated)
        self.assertTrue(first == self.build("dated/too", environment={**dated, "TZ": "Asia/Tokyo"}))
        self.assertTrue(first != self.expected)
        with zipfile.ZipFile(self.scratch / "dated" / "made.cubinet") as archive:
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_nothing_of_this_machine_is_inside(self):
        with zipfile.ZipFile(self.scratch / "plain" / "made.cubinet") as archive:
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})
        extracted = subprocess.run([COMMAND, "extract", "made.cubinet", "--all", "images"],
                                   cwd=self.scratch / "plain", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, check=False)  # fmt: skip
        self.assertEqual(extracted.returncode, 0, extracted.stdout)
        images = [path for path in (self.scratch / "plain" / "images").rglob("*") if path.is_file()]
        self.assertEqual(len(images), 4 * len(MODULES))
        for image in images:
            self.assertNotIn(str(self.scratch).encode(), image.read_bytes(), image.name)


if __name__ == "__main__":
    unittest.main()
