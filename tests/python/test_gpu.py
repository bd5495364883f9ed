# SPDX-License-Identifier: Apache-2.0
"""On a GPU: results of kernels launched from Python, with what other libraries hold, and packed from their memory.

A library that is not there is skipped. Without a GPU the status is 77.
"""

import ctypes
import importlib
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

import cubinet

ARCHIVES = Path(os.environ["CUBINET_TEST_ARCHIVES"])
KERNELS = ARCHIVES / "python" / "kernels.cubinet"
N = 1000


def library(name: str) -> Any:
    """A library, or the test is skipped."""
    try:
        return importlib.import_module(name)
    except Exception as error:  # also one that is broken here
        raise unittest.SkipTest(f"no {name}: {error}") from error


class Memory:
    """Memory of the driver's own, without any library."""

    driver = None

    def __init__(self, values: "ctypes.Array[Any]") -> None:
        self.address = ctypes.c_uint64()
        self.type = type(values)
        self.call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(ctypes.sizeof(values)))
        self.call("cuMemcpyHtoD_v2", self.address, values, ctypes.c_size_t(ctypes.sizeof(values)))

    @classmethod
    def call(cls, name: str, *arguments: Any) -> None:
        cls.driver = cls.driver or ctypes.CDLL(os.environ.get("CUBINET_LIBCUDA", "libcuda.so.1"))
        result = getattr(cls.driver, name)(*arguments)
        assert result == 0, f"{name}: {result}"

    def read(self) -> list[Any]:
        values = self.type()
        self.call("cuMemcpyDtoH_v2", values, self.address, ctypes.c_size_t(ctypes.sizeof(values)))
        return list(values)

    def __int__(self) -> int:
        return self.address.value


class InContext(unittest.TestCase):
    """With the device's primary context current."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.archive = cubinet.open(KERNELS)
        cls.module = cls.archive.load()
        Memory.call("cuInit", 0)
        Memory.call("cuCtxPushCurrent_v2", ctypes.c_void_p(cls.module.context))

    @classmethod
    def tearDownClass(cls) -> None:
        Memory.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        cls.module.close()

    archive: cubinet.Archive
    module: cubinet.Module


class TestLaunches(InContext):
    def test_saxpy(self) -> None:
        x = Memory((ctypes.c_float * N)(*range(N)))
        y = Memory((ctypes.c_float * N)(*[1.0] * N))
        kernel = self.module.kernel("saxpy")
        suggestion = kernel.suggest(N)
        kernel.launch(suggestion.grid, suggestion.block, (2, x, int(y), N))
        self.assertEqual(y.read(), [1 + 2.0 * i for i in range(N)])

    def test_every_kind_of_number(self) -> None:
        class Both(ctypes.Structure):
            _fields_ = [("first", ctypes.c_float), ("second", ctypes.c_int)]

        out = Memory((ctypes.c_double * 1)())
        values = (out, True, -2, 200, -300, 60000, -70000, 2**31, -(2**40), 2**41, 0.5, 0.25, 1.5, 0.125, Both(4, 8), -16)
        self.module.kernel("all<int>").launch(1, 1, values)
        numbers = [float(v) for v in values[1:] if not isinstance(v, Both)]
        self.assertEqual(out.read()[0], sum(numbers) + 12)

    def test_dynamic_shared_memory(self) -> None:
        for count in (100, 20000):
            values = Memory((ctypes.c_int * count)(*range(count)))
            self.module.kernel("reverse").launch(1, 256, (values, count), shared=4 * count)
            self.assertEqual(values.read(), list(reversed(range(count))))

    def test_large_structure(self) -> None:
        values = (ctypes.c_float * 500)(*range(500))
        out = Memory((ctypes.c_float * 1)())
        self.module.kernel("sum_of").launch(1, 1, (bytes(values), out))
        self.assertEqual(out.read(), [float(sum(range(500)))])

    def test_launch_record(self) -> None:
        with cubinet.open(ARCHIVES / "gpu" / "with_launches.cubinet").load() as module:
            told = Memory((ctypes.c_uint * 48)())
            module.kernel("program").launch(3, None, (told, 2))
            numbers = told.read()
            self.assertEqual(numbers[:5], [2 * 6, 2 * 128, 2 * 65536, 2 * 1, 0])

    def test_occupancy_is_the_drivers(self) -> None:
        kernel = self.module.kernel("saxpy")
        blocks = ctypes.c_int()
        Memory.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(blocks), ctypes.c_void_p(kernel.handle), 256, ctypes.c_size_t(0),
        )  # fmt: skip
        self.assertEqual(kernel.occupancy(256).blocks, blocks.value)

    def test_unloads_while_a_kernel_runs(self) -> None:
        out = Memory((ctypes.c_int * 20000)(*range(20000)))
        for _ in range(20):
            self.archive.load().kernel("reverse").launch(1, 256, (out, 20000), shared=80000)
        self.assertEqual(out.read(), list(range(20000)))

    def test_threads(self) -> None:
        outs = [Memory((ctypes.c_float * N)()) for _ in range(8)]
        x = Memory((ctypes.c_float * N)(*range(N)))
        kernel = self.module.kernel("saxpy")

        def work(out: Memory) -> None:
            for _ in range(50):
                kernel.launch(4, 256, (1.0, x, out, N))

        threads = [threading.Thread(target=work, args=(out,)) for out in outs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for out in outs:
            self.assertEqual(out.read(), [50.0 * i for i in range(N)])


class TestArraysOfLibraries(InContext):
    def test_torch(self) -> None:
        torch = library("torch")
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x, y = torch.arange(N, device="cuda", dtype=torch.float32), torch.ones(N, device="cuda")
            self.module.kernel("saxpy").launch(4, 256, (2.0, x, y, N), stream=stream)
        stream.synchronize()
        self.assertTrue(torch.equal(y, 1 + 2 * x))
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "'x', is an array of float64"):
            self.module.kernel("saxpy").launch(4, 256, (2.0, x.double(), y, N))
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "in the memory of the CPU"):
            self.module.kernel("saxpy").launch(4, 256, (2.0, x.cpu(), y, N))
        y = torch.ones(N, device="cuda", requires_grad=True)
        self.module.kernel("saxpy").launch(4, 256, (2.0, x, y.detach(), N))
        print("torch's exchange functions:", hasattr(torch.Tensor, "__dlpack_c_exchange_api__"))

    def test_cupy(self) -> None:
        cupy = library("cupy")
        x, y = cupy.arange(N, dtype=cupy.float32), cupy.ones(N, cupy.float32)
        stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.get_current_stream().synchronize()
        self.module.kernel("saxpy").launch(4, 256, (cupy.float32(2), x, y, cupy.uint32(N)), stream=stream)
        stream.synchronize()
        self.assertTrue(bool((y == 1 + 2 * x).all()))

    def test_numba(self) -> None:
        cuda, numpy = library("numba.cuda"), library("numpy")
        x, y = cuda.to_device(numpy.arange(N, dtype="f4")), cuda.to_device(numpy.ones(N, "f4"))
        stream = cuda.stream()
        self.module.kernel("saxpy").launch(4, 256, (2.0, x, y, N), stream=stream)
        stream.synchronize()
        numpy.testing.assert_array_equal(y.copy_to_host(), 1 + 2 * numpy.arange(N, dtype="f4"))

    def test_cuda_core(self) -> None:
        core = library("cuda.core")
        device = core.Device(0)
        device.set_current()
        stream = device.create_stream()
        host = (ctypes.c_float * N)(*range(N))
        x, y = device.allocate(4 * N, stream=stream), device.allocate(4 * N, stream=stream)
        stream.sync()
        for buffer in (x, y):
            Memory.call("cuMemcpyHtoD_v2", ctypes.c_uint64(int(buffer.handle)), host, ctypes.c_size_t(4 * N))
        with self.archive.modules["kernels"].load(device) as module:
            module.kernel("saxpy").launch(4, 256, (2.0, x, y.handle, N), stream=stream)
            stream.sync()
        Memory.call("cuMemcpyDtoH_v2", host, ctypes.c_uint64(int(y.handle)), ctypes.c_size_t(4 * N))
        self.assertEqual(list(host), [3.0 * i for i in range(N)])

    def test_capture_into_a_graph(self) -> None:
        torch = library("torch")
        x, y = torch.arange(N, device="cuda", dtype=torch.float32), torch.zeros(N, device="cuda")
        graph = torch.cuda.CUDAGraph()
        saxpy = self.module.kernel("saxpy")
        saxpy.launch(4, 256, (0.0, x, y, N))
        with torch.cuda.graph(graph):
            saxpy.launch(4, 256, (2.0, x, y, N), stream=torch.cuda.current_stream())
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(y, 6 * x))


class TestPacked(InContext):
    """Kernels that other libraries compiled, packed from memory, launched, and their results checked."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "packed.cubinet")

    def check(self, name: str, arguments: Any, grid: int = 4, block: int | None = 256) -> None:
        """Launches a packed kernel that does what saxpy does."""
        torch = library("torch")
        x, y = torch.arange(N, device="cuda", dtype=torch.float32), torch.ones(N, device="cuda")
        with cubinet.open(self.path).load() as module:
            module.kernel(name).launch(grid, block, arguments(x, y), stream=torch.cuda.current_stream())
            torch.cuda.synchronize()
        self.assertTrue(torch.equal(y, 1 + 2 * x))

    def test_cuda_core(self) -> None:
        core = library("cuda.core")
        source = """template <typename T> __global__ void axpy(T a, const T *x, T *y, unsigned n)
        { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }"""
        core.Device(0).set_current()
        program = core.Program(source, "c++", core.ProgramOptions(arch=f"sm_{core.Device(0).arch}"))
        code = program.compile("cubin", name_expressions=("axpy<float>",))
        cubinet.pack({"axpy": code}, self.path)
        self.check("axpy<float>", lambda x, y: (2.0, x, y, N))

    def test_cupy(self) -> None:
        cupy = library("cupy")
        source = """extern "C" __global__ void plain(float a, const float *x, float *y, unsigned n)
        { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
        template <typename T> __global__ void axpy(T a, const T *x, T *y, unsigned n)
        { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }"""
        cubinet.pack({"raw": cupy.RawKernel(source, "plain")}, self.path)
        self.check("plain", lambda x, y: (2.0, x, y, N))
        module = cupy.RawModule(code=source, options=("-std=c++17",), name_expressions=("axpy<float>",))
        cubinet.pack({"raw": module}, self.path)
        self.check("axpy<float>", lambda x, y: (2.0, x, y, N))

    def test_numba(self) -> None:
        cuda, torch = library("numba.cuda"), library("torch")

        @cuda.jit  # type: ignore[untyped-decorator, unused-ignore]
        def axpy(a: Any, x: Any, y: Any, n: Any) -> None:
            i = cuda.grid(1)
            if i < n:
                y[i] += a * x[i]

        x = cuda.as_cuda_array(torch.zeros(N, device="cuda"))
        axpy[1, 32](2.0, x, x, 0)
        cubinet.pack({"axpy": axpy}, self.path)
        with cubinet.open(self.path).load() as module:
            print("numba:", [(p.name, p.type) for p in module.kernel("axpy").parameters or ()])
        self.check("axpy", lambda x, y: (2.0, *cubinet.numba_array(x), *cubinet.numba_array(y), N))

    def test_triton(self) -> None:
        triton, torch = library("triton"), library("torch")
        path = self.path.with_name("triton_kernel.py")
        path.write_text(
            "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
            "def axpy(a, x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
            "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
            "    y = tl.load(y_ptr + at, mask=at < n) + a * tl.load(x_ptr + at, mask=at < n)\n"
            "    tl.store(y_ptr + at, y, mask=at < n)\n"
        )
        sys.path.insert(0, str(path.parent))
        try:
            kernel = importlib.import_module("triton_kernel").axpy
        finally:
            sys.path.pop(0)
        del triton
        x = torch.zeros(N, device="cuda")
        compiled = kernel[(1,)](2.0, x, x, 7, BLOCK=256)
        cubinet.pack({"axpy": compiled}, self.path)
        self.check("axpy", lambda x, y: (2.0, x, y, N), block=None)

    def test_nvjitlink_through_pathfinder(self) -> None:
        pathfinder = library("cuda.pathfinder")
        found = pathfinder.load_nvidia_dynamic_lib("nvJitLink")
        with cubinet.open(ARCHIVES / "gpu" / "link.cubinet") as archive:
            with cubinet.Link(0, cache=False, nvjitlink=found.abs_path) as link:
                link.add(archive.modules["link_step"])
                link.add_archive(archive)
                with link.complete() as module:
                    print("linked:", module.image.target, "by", found.abs_path)


if __name__ == "__main__":
    try:
        cubinet.device_profile(0)
    except cubinet.DriverError as error:
        print(f"no GPU can be used here: {error}")
        sys.exit(77)
    unittest.main(verbosity=2)
