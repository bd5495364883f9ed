#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what numba-cuda and cuda.core left on disk, of their releases in a folder of Python's packages: usage
test_systems.py CUBINET PACKAGES. Skipped (77) where there is no such folder: scripts/test_extras.sh fetches it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Systems(unittest.TestCase):
    cubinet: str
    packages: str

    folder: pathlib.Path

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        for script in ("make_numba.py", "make_core.py"):
            cls.make(script)

    @classmethod
    def make(cls, script):
        """numba-cuda is found by a .pth, which a folder on Python's path alone would not be looked at for."""
        run = ("import runpy, site, sys; sys.argv.pop(0); site.addsitedir(sys.argv.pop(0)); "
               "runpy.run_path(sys.argv[0], run_name='__main__')")  # fmt: skip
        environment = dict(os.environ, CUDA_HOME=f"{cls.packages}/nvidia/cu13")
        subprocess.run([sys.executable, "-c", run, cls.packages, HERE / script, cls.folder], check=True, env=environment)

    def pack(self, what, *options):
        archive = self.folder / "packed.cubinet"
        subprocess.run([self.cubinet, "pack", self.folder / what, "-o", archive, *options], check=True)
        subprocess.run([self.cubinet, "verify", archive], check=True, stdout=subprocess.DEVNULL)
        shown = json.loads(subprocess.check_output([self.cubinet, "inspect", "--json", archive]))
        return {module["module"]: module for module in shown["modules"]}

    def targets(self, module):
        return [image["target"] for image in module["images"]]

    def test_numba_cache(self):
        modules = self.pack("__pycache__")
        both = ["sm_80", "sm_90a"]
        arrays = "(%s,array(%s,1d,C),array(%s,1d,C))"
        self.assertEqual(
            {name: self.targets(module) for name, module in modules.items()},
            {
                "numba_kernels.block_sum": both,
                "numba_kernels.transpose": both,
                "numba_kernels.saxpy" + arrays % (("float32",) * 3): both,
                "numba_kernels.saxpy" + arrays % (("float64",) * 3): ["sm_90a"],
            },
        )
        for image in modules["numba_kernels.block_sum"]["images"]:
            kernel = image["kernels"][0]
            self.assertTrue(kernel["launch"]["takes_dynamic_shared"])
            parameters = [(one.get("type"), one.get("name")) for one in kernel["launch"]["parameters"]]
            self.assertEqual(parameters[4:7], [("float *", "src.data"), ("int64_t", "src.shape0"), ("int64_t", "src.stride0")])
            self.assertEqual(parameters[14:], [("bool", "flag"), ("float", "z.real"), ("float", "z.imag")])
        names = {kernel["expression"] for kernel in modules["numba_kernels.block_sum"]["kernels"]}
        self.assertEqual(names, {"block_sum"})
        plane = modules["numba_kernels.transpose"]["images"][0]["kernels"][0]["launch"]["parameters"]
        self.assertEqual([one["name"] for one in plane[5:9]], ["out.shape0", "out.shape1", "out.stride0", "out.stride1"])

    def test_numba_ltoir(self):
        modules = self.pack("mulmod.ltoir", "--export", "mulmod", "--toolkit", f"{self.packages}/nvidia/cu13")
        self.assertEqual(self.targets(modules["mulmod"]), ["lto_80"])

    def test_core_pickle(self):
        module = self.pack("axpy.pickle")["axpy"]
        self.assertEqual(self.targets(module), ["sm_80", "sm_90"])
        names = sorted(kernel["expression"] for kernel in module["kernels"])
        self.assertEqual(names, ["axpy<double>", "axpy<float>", "tools::swap<7>"])

    def test_core_cache(self):
        self.assertEqual(self.targets(self.pack("cache", "--name-by", "kernel")["twice"]), ["sm_80", "sm_90"])


if __name__ == "__main__":
    Systems.cubinet, Systems.packages = sys.argv[1:3]
    if not os.path.isdir(os.path.join(Systems.packages, "numba_cuda")):
        print(f"skipped: no numba-cuda in {Systems.packages}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
