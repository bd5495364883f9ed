# SPDX-License-Identifier: Apache-2.0
"""What a launch and a load cost from Python: Cubinet, cuda.core, apache-tvm-ffi and others, in one run.

    python_launch.py KERNELS.cubinet [--tvm MODULE.so] [--build-tvm MODULE.so]

KERNELS.cubinet is tests/python's. Each contender launches the same kernel, `saxpy` over 32 numbers, in the way that its
documentation calls the fast one. A batch of launches is timed without waiting for the device, then the device is waited for;
batches of all contenders alternate. --build-tvm makes tvm-ffi's module, which is C++ with the cubin embedded, and needs no GPU.
"""

import argparse
import ctypes
import importlib
import platform
import statistics
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import cubinet

BATCH, BATCHES, COUNT = 400, 150, 32

TVM_SOURCE = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/tvm_ffi.h>

TVM_FFI_EMBED_CUBIN(kernels);

void saxpy(float a, tvm::ffi::TensorView x, tvm::ffi::TensorView y, int64_t count)
{
    static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "saxpy");
    void *x_data = x.data_ptr();
    void *y_data = y.data_ptr();
    unsigned n = static_cast<unsigned>(count);
    void *args[] = {&a, &x_data, &y_data, &n};
    tvm::ffi::dim3 grid(1);
    tvm::ffi::dim3 block(32);
    DLDevice device = x.device();
    auto stream = static_cast<tvm::ffi::cuda_api::StreamHandle>(TVMFFIEnvGetStream(device.device_type, device.device_id));
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.Launch(args, grid, block, stream));
}
"""


def build_tvm(cubin: bytes) -> str:
    """tvm-ffi's module; the path of it."""
    import tvm_ffi.cpp

    path: str = tvm_ffi.cpp.build_inline(
        "cubinet_bench",
        cpp_sources=TVM_SOURCE,
        functions=["saxpy"],
        extra_cflags=["-O3", "-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=1", "-I/usr/local/cuda/include"],
        extra_ldflags=["-L/usr/local/cuda/lib64/stubs", "-lcuda"],
        embed_cubin={"kernels": cubin},
    )
    return path


class Contenders:
    """Launches by name; those whose library is not there are left out, and said so."""

    def __init__(self, archive: cubinet.Archive, tvm_module: str | None) -> None:
        import torch

        self.torch = torch
        self.x = torch.ones(COUNT, device="cuda")
        self.y = torch.zeros(COUNT, device="cuda")
        self.stream = torch.cuda.current_stream()
        self.module = archive.load()
        self.cubin = archive.modules["kernels"].read_image(self.module.image.target)
        self.tvm_module = tvm_module
        self.launches: dict[str, Callable[[], Any]] = {}
        self.loads: dict[str, Callable[[], Any]] = {}
        self.missing: list[str] = []
        self.keep: list[Any] = []
        for add in (self.cubinet, self.cuda_core, self.tvm, self.cupy, self.numba, self.bindings):
            try:
                add()
            except Exception as error:  # what is not there, or another version than this was written for
                self.missing.append(f"{add.__name__}: {type(error).__name__}: {error}")

    def cubinet(self) -> None:
        launch = self.module.kernel("saxpy").launch
        stream, x, y = self.stream.cuda_stream, self.x.data_ptr(), self.y.data_ptr()
        tensors = (self.x, self.y)
        torch_stream = self.stream
        self.launches["cubinet, addresses"] = lambda: launch(1, 32, (2.0, x, y, COUNT), stream=stream)
        self.launches["cubinet, torch tensors"] = lambda: launch(1, 32, (2.0, *tensors, COUNT), stream=stream)
        self.launches["cubinet, torch tensors and stream"] = lambda: launch(
            1, 32, (2.0, *tensors, COUNT), stream=torch_stream
        )
        typed = (ctypes.c_float(2.0), ctypes.c_void_p(x), ctypes.c_void_p(y), ctypes.c_uint(COUNT))
        self.launches["cubinet, ctypes"] = lambda: launch(1, 32, typed, stream=stream)

    def cuda_core(self) -> None:
        from cuda.core import Device, LaunchConfig, ObjectCode, launch

        Device(0).set_current()
        stream = Device(0).create_stream()
        kernel = ObjectCode.from_cubin(self.cubin).get_kernel("saxpy")
        config = LaunchConfig(grid=1, block=32)
        x, y = self.x.data_ptr(), self.y.data_ptr()
        a, n = ctypes.c_float(2.0), ctypes.c_uint(COUNT)
        own = self.module.kernel("saxpy").launch
        self.launches["cuda.core, addresses and ctypes"] = lambda: launch(stream, config, kernel, a, x, y, n)
        self.launches["cubinet, cuda.core's stream"] = lambda: own(1, 32, (2.0, x, y, COUNT), stream=stream)
        buffers = [Device(0).allocate(4 * COUNT, stream=stream) for _ in range(2)]
        stream.sync()
        self.keep += buffers
        self.launches["cuda.core, buffers"] = lambda: launch(stream, config, kernel, a, *buffers, n)
        self.launches["cubinet, cuda.core's buffers and stream"] = lambda: own(
            1, 32, (2.0, *buffers, COUNT), stream=stream
        )
        self.loads["cuda.core"] = lambda: launch(
            stream, config, ObjectCode.from_cubin(self.cubin).get_kernel("saxpy"), a, x, y, n
        )

    def tvm(self) -> None:
        import tvm_ffi

        module = tvm_ffi.load_module(self.tvm_module or build_tvm(self.cubin))
        saxpy, x, y = module.saxpy, self.x, self.y
        saxpy(2.0, x, y, COUNT)
        self.keep.append(module)
        self.launches["tvm-ffi, torch tensors"] = lambda: saxpy(2.0, x, y, COUNT)
        own = (tvm_ffi.from_dlpack(x), tvm_ffi.from_dlpack(y))
        self.launches["tvm-ffi, its own tensors"] = lambda: saxpy(2.0, *own, COUNT)

    def cupy(self) -> None:
        import cupy

        source = 'extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n)'
        source += "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }"
        kernel = cupy.RawKernel(source, "saxpy")
        x, y = cupy.from_dlpack(self.x), cupy.from_dlpack(self.y)
        a, n = cupy.float32(2.0), cupy.uint32(COUNT)
        own, stream = self.module.kernel("saxpy").launch, self.stream.cuda_stream
        self.launches["CuPy, its arrays"] = lambda: kernel((1,), (32,), (a, x, y, n))
        self.launches["cubinet, CuPy's arrays"] = lambda: own(1, 32, (2.0, x, y, COUNT), stream=stream)
        self.keep += [x, y]

    def numba(self) -> None:
        cuda: Any = importlib.import_module("numba.cuda")

        @cuda.jit  # type: ignore[untyped-decorator, unused-ignore]
        def saxpy(a: Any, x: Any, y: Any, n: Any) -> None:
            i = cuda.grid(1)
            if i < n:
                y[i] += a * x[i]

        x, y = cuda.as_cuda_array(self.x), cuda.as_cuda_array(self.y)
        configured = saxpy[1, 32]
        configured(2.0, x, y, COUNT)
        self.launches["numba, its arrays"] = lambda: configured(2.0, x, y, COUNT)

    def bindings(self) -> None:
        from cuda.bindings import driver

        kernel = self.module.kernel("saxpy")
        values = (2.0, self.x.data_ptr(), self.y.data_ptr(), COUNT)
        types = (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
        stream, handle = driver.CUstream(self.stream.cuda_stream), driver.CUfunction(kernel.handle)
        self.launches["cuda.bindings, cuLaunchKernel"] = lambda: driver.cuLaunchKernel(
            handle, 1, 1, 1, 32, 1, 1, 0, stream, (values, types), 0
        )


def measure_launches(contenders: Contenders) -> dict[str, list[float]]:
    """Microseconds of a launch, for each batch."""
    times: dict[str, list[float]] = {name: [] for name in contenders.launches}
    clock, wait = time.perf_counter, contenders.torch.cuda.synchronize
    for number in range(BATCHES + 3):
        for name, launch in contenders.launches.items():
            wait()
            start = clock()
            for _ in range(BATCH):
                launch()
            end = clock()
            if number >= 3:
                times[name].append((end - start) / BATCH * 1e6)
    return times


def measure_loads(contenders: Contenders, path: str) -> dict[str, list[float]]:
    """Microseconds from the file or the bytes to the first launch's end."""
    stream, x, y = contenders.stream.cuda_stream, contenders.x.data_ptr(), contenders.y.data_ptr()
    kept: list[Any] = []

    def open_and_launch() -> None:
        module = cubinet.open(path).load()
        module.kernel("saxpy").launch(1, 32, (2.0, x, y, COUNT), stream=stream)
        kept.append(module)

    archive = cubinet.open(path)

    def load_and_launch() -> None:
        module = archive.load()
        module.kernel("saxpy").launch(1, 32, (2.0, x, y, COUNT), stream=stream)
        kept.append(module)

    loads = {"cubinet, open, load, launch": open_and_launch, "cubinet, load, launch": load_and_launch}
    loads |= contenders.loads
    times: dict[str, list[float]] = {name: [] for name in loads}
    for number in range(43):
        for name, load in loads.items():
            contenders.torch.cuda.synchronize()
            start = time.perf_counter()
            load()
            contenders.torch.cuda.synchronize()
            if number >= 3:
                times[name].append((time.perf_counter() - start) * 1e6)
    return times


def table(title: str, times: dict[str, list[float]]) -> None:
    print(f"\n{title}\n{'':44} median    p10    p90")
    for name, values in sorted(times.items(), key=lambda one: statistics.median(one[1])):
        tenths = statistics.quantiles(values, n=10)
        print(f"{name:44} {statistics.median(values):6.2f} {tenths[0]:6.2f} {tenths[-1]:6.2f}")


def versions() -> str:
    found = []
    for name in ("cuda-core", "cuda-bindings", "apache-tvm-ffi", "torch", "cupy-cuda13x", "numba-cuda", "numpy"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("archive")
    parser.add_argument("--tvm", help="tvm-ffi's module, as --build-tvm made it")
    parser.add_argument("--build-tvm", action="store_true", help="build it for sm_90, and print its path")
    options = parser.parse_args()
    archive = cubinet.open(options.archive)
    if options.build_tvm:
        print(build_tvm(archive.modules["kernels"].read_image("sm_90")))
        return
    contenders = Contenders(archive, options.tvm)
    print(f"{contenders.torch.cuda.get_device_name()}, driver for CUDA {cubinet.driver_version()}, Python {platform.python_version()}")
    print(f"cubinet {cubinet.__version__}, {versions()}")
    for missing in contenders.missing:
        print(f"left out: {missing}")
    table(f"Microseconds of a launch: {BATCHES} batches of {BATCH}, alternating", measure_launches(contenders))
    table("Microseconds from file or bytes to the end of the first launch: 40 times", measure_loads(contenders, options.archive))


if __name__ == "__main__":
    main()
