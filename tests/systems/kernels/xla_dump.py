# SPDX-License-Identifier: Apache-2.0
"""A function of JAX with kernels of Pallas, compiled for an H100 that need not be there: usage xla_dump.py FOLDER"""
import os
import sys

os.environ.update(XLA_FLAGS=f"--xla_dump_to={sys.argv[1]}", JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from jax.experimental import topologies  # noqa: E402
from jax.experimental.pallas import triton  # noqa: E402
from jax.sharding import SingleDeviceSharding  # noqa: E402

H100 = """gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 shared_memory_per_core: 233472
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128 block_dim_limit_x: 2147483647 block_dim_limit_y: 65535
  block_dim_limit_z: 65535 memory_bandwidth: 3352320000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98
  device_memory_size: 84942979072 shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 minor: 0 }
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 }
runtime_version { major: 13 }
"""


def add_kernel(x, y, out):
    out[...] = x[...] + y[...]


def matmul_kernel(a, b, out):
    out[...] = jnp.dot(a[...], b[...], preferred_element_type=jnp.float32)


def f(x, a, b):
    line = pl.BlockSpec((128,), lambda i: (i,))
    total = pl.pallas_call(
        add_kernel, name="add_kernel", out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(8,), in_specs=[line] * 2,
        out_specs=line, compiler_params=triton.CompilerParams(num_warps=4),
    )(x, x)  # fmt: skip
    product = pl.pallas_call(
        matmul_kernel, name="matmul", out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32), grid=(2, 2),
        in_specs=[pl.BlockSpec((64, 128), lambda i, j: (i, 0)), pl.BlockSpec((128, 64), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((64, 64), lambda i, j: (i, j)), compiler_params=triton.CompilerParams(num_warps=4, num_stages=2),
    )(a, b)  # fmt: skip
    return jnp.sum(jnp.sin(total)), jax.nn.softmax(product, axis=-1)


if __name__ == "__main__":
    topology = topologies.get_topology_desc(platform="cuda", target_config=H100, topology="1x1x1")
    device = SingleDeviceSharding(topology.devices[0])
    vector = jax.ShapeDtypeStruct((1024,), jnp.float32, sharding=device)
    matrix = jax.ShapeDtypeStruct((128, 128), jnp.float16, sharding=device)
    jax.jit(f).trace(vector, matrix, matrix).lower(lowering_platforms=("cuda",)).compile()
