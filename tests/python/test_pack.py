# SPDX-License-Identifier: Apache-2.0
"""Packing what is in memory. The libraries themselves need not be there: objects have the form of theirs."""

import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cubinet
from simulated import KERNELS, last_launch, reset

PTX = """.version 8.0
.target sm_80
.address_size 64

.visible .entry {name}({parameters})
{{
    ret;
}}
"""


def ptx(name: str, *parameters: str) -> str:
    return PTX.format(name=name, parameters=",".join(f"\n.param .{p} p{i}" for i, p in enumerate(parameters)))


class ObjectCode:
    """cuda.core's."""

    def __init__(self, code: Any, code_type: str, names: dict[str, Any]) -> None:
        self.code = code
        self.code_type = code_type
        self.symbol_mapping = names


ObjectCode.__module__ = "cuda.core._module"


class Metadata(NamedTuple):
    """Triton's KernelMetadata, as far as it says how kernels are launched."""

    name: str
    shared: int
    num_warps: int
    num_ctas: int
    num_stages: int
    cluster_dims: tuple[int, int, int]
    global_scratch_size: int
    global_scratch_align: int
    profile_scratch_size: int
    profile_scratch_align: int
    target: Any
    launch_cooperative_grid: bool


class TestPack(unittest.TestCase):
    def setUp(self) -> None:
        reset()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "packed.cubinet")

    def test_packs_bytes_of_several_gpus(self) -> None:
        module = cubinet.open(KERNELS).modules["kernels"]
        cubins = [module.read_image(target) for target in ("sm_80", "sm_90")]
        cubinet.pack({"mine": [*cubins, memoryview(module.read_image("compute_80"))]}, self.path, compress="zstd")
        packed = cubinet.open(self.path).modules["mine"]
        self.assertEqual([image.target for image in packed.images], ["sm_80", "sm_90", "compute_80"])
        self.assertEqual(packed.read_image("sm_90"), cubins[1])

    def test_packs_files_with_launches_and_names(self) -> None:
        file = self.path.with_name("k.ptx")
        file.write_text(ptx("_Z1kPf", "u64", "f32"))
        cubinet.pack(
            {"k": file},
            self.path,
            launch={"_Z1kPf": {"block": [64], "parameters": [{"name": "x", "type": "float *"}, {"name": "a"}]}},
            kernels={"kernel": "_Z1k*"},
            options=["--archive-version", "1.2"],
        )
        archive = cubinet.open(self.path)
        self.assertEqual(archive.version, "1.2")
        with archive.load() as module:
            module.kernel("kernel").launch(1, None, (0x10, 1.5))
            self.assertEqual(tuple(last_launch().block), (64, 1, 1))

    def test_packs_cuda_core(self) -> None:
        code = ObjectCode(ptx("_Z4axpyIfEvPT_S0_", "u64", "f32").encode(), "ptx", {"axpy<float>": b"_Z4axpyIfEvPT_S0_"})
        cubinet.pack({"core": code}, self.path)
        with cubinet.open(self.path).load() as module:
            kernel = module.kernel("axpy<float>")
            self.assertEqual(kernel.name, "_Z4axpyIfEvPT_S0_")
            kernel.launch(1, 1, (0x10, 1.5))
        file = self.path.with_name("axpy.ptx")
        file.write_text(ptx("axpy", "u64"))
        cubinet.pack({"core": ObjectCode(str(file), "ptx", {})}, self.path)
        self.assertEqual(cubinet.open(self.path).modules["core"].kernels[0].name, "axpy")

    def test_packs_triton(self) -> None:
        @dataclass
        class Target:
            backend: str
            arch: int
            warp_size: int

        class CompiledKernel:
            asm = {
                "ptx": ptx("add", "u64", "u32", "u64", "u64"),
                "ttir": "module {\n  tt.func public @add(%x_ptr: !tt.ptr<f32> loc(unknown), %n: i32 loc(unknown)) {\n}}\n",
            }
            metadata = Metadata(
                "add", 512, 4, 1, 3, (1, 1, 1), 0, 1, 0, 1, Target("cuda", 80, 32), False
            )  # fmt: skip

        CompiledKernel.__module__ = "triton.compiler.compiler"
        cubinet.pack({"add": CompiledKernel()}, self.path)
        with cubinet.open(self.path).load() as module:
            kernel = module.kernel("add")
            parameters = kernel.parameters
            assert parameters
            self.assertEqual([p.is_hidden for p in parameters], [False, False, True, True])
            kernel.launch(5, None, (0x10, 7))
            self.assertEqual(last_launch().dynamic_shared_bytes, 512)
            self.assertEqual(tuple(last_launch().block), (128, 1, 1))

    def test_packs_numba(self) -> None:
        class Type:
            def __init__(self, name: str, ndim: int | None = None) -> None:
                self.name = name
                if ndim is not None:
                    self.ndim = ndim
                    self.dtype = Type(name)

            def __str__(self) -> str:
                return self.name

        class Library:
            _ptx_cache = {(8, 0): [ptx("_ZN4scale1Ev", *["u64"] * 7, "f32")]}
            _cubin_cache: dict[Any, Any] = {}

        class Kernel:
            entry_name = "_ZN4scale1Ev"
            _codelibrary = Library()

        def scale(x: Any, by: Any) -> None: ...

        class Dispatcher:
            py_func = staticmethod(scale)
            overloads = {(Type("float32", 1), Type("float32")): Kernel()}

        Dispatcher.__module__ = "numba_cuda.numba.cuda.dispatcher"
        cubinet.pack({"scale": Dispatcher()}, self.path)

        class Array:
            __cuda_array_interface__ = {"shape": (10,), "typestr": "<f4", "data": (0x100, False), "strides": None}

        with cubinet.open(self.path).load() as module:
            kernel = module.kernel("scale")
            parameters = kernel.parameters
            assert parameters
            self.assertEqual([p.name for p in parameters][4:], ["x.data", "x.shape0", "x.strides0", "by"])
            kernel.launch(1, 1, (*cubinet.numba_array(Array()), 2.0))
            Array.__cuda_array_interface__["typestr"] = "<f8"
            with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "'x.data', is an array of float64"):
                kernel.launch(1, 1, (*cubinet.numba_array(Array()), 2.0))
        Dispatcher.overloads = {}
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "is not compiled yet"):
            cubinet.pack({"scale": Dispatcher()}, self.path)

    def test_lays_arrays_out_as_numba_does(self) -> None:
        class Array:
            __cuda_array_interface__: dict[str, object] = {"shape": (3, 4), "typestr": "<f4", "data": (0x100, False)}

        value = Array()
        self.assertEqual(cubinet.numba_array(value), (0, 0, 12, 4, value, 3, 4, 16, 4))
        with self.assertRaises(cubinet.LaunchArgumentsError):
            cubinet.numba_array([1])
        odds: list[dict[str, object]] = [
            {"typestr": "<f4"}, {"shape": (3,)}, {"shape": (3,), "typestr": "f"}, {"shape": 3, "typestr": "<f4"},
        ]  # fmt: skip
        for odd in odds:
            Array.__cuda_array_interface__ = odd
            with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "of Array lacks a 'shape' or 'typestr'"):
                cubinet.numba_array(value)

    def test_says_what_it_does_not_pack(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({}, "there is nothing to pack"),
            ({"x": 5}, "a builtins.int can't be packed"),
            ({"x": []}, "module 'x' has no images"),
            ({"x": Path("/nonexistent.cubin")}, "there is no such file"),
        ]
        for objects, message in cases:
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, message):
                cubinet.pack(objects, self.path)
        self.assertFalse(self.path.exists())

    def test_passes_on_what_the_command_says(self) -> None:
        with self.assertRaises(cubinet.Error) as caught:
            cubinet.pack({"x": b"no image at all"}, self.path)
        self.assertFalse(self.path.exists())
        self.assertNotIn("Traceback", str(caught.exception))
        self.assertGreater(len(str(caught.exception)), 20)

    def test_command_as_a_module(self) -> None:
        done = subprocess.run([sys.executable, "-m", "cubinet", "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.split()[0]), (0, "cubinet"))
        bare = {k: v for k, v in os.environ.items() if k != "CUBINET_COMMAND"} | {"PATH": "/nonexistent"}
        done = subprocess.run([sys.executable, "-m", "cubinet"], capture_output=True, text=True, env=bare)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no cubinet command was found", done.stderr)


if __name__ == "__main__":
    unittest.main()
