# SPDX-License-Identifier: Apache-2.0
"""Kernels of Warp with one to four dimensions, and one of tiles: usage warp_aot.py FOLDER"""
import os
import sys

import warp as wp


@wp.kernel
def line(a: float, x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = a * float(i)


@wp.kernel
def plane(x: wp.array2d(dtype=float)):
    i, j = wp.tid()
    x[i, j] = float(i * 100 + j)


@wp.kernel
def space(x: wp.array3d(dtype=float)):
    i, j, k = wp.tid()
    x[i, j, k] = float(i * 10000 + j * 100 + k)


@wp.kernel
def hyper(x: wp.array4d(dtype=float)):
    i, j, k, l = wp.tid()
    x[i, j, k, l] = float(i * 1000000 + j * 10000 + k * 100 + l)


@wp.kernel
def tile_sum(x: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(x[i], shape=256)
    wp.tile_store(out, wp.tile_sum(t), offset=i)


if __name__ == "__main__":
    wp.config.kernel_cache_dir = os.path.join(sys.argv[1], ".cache")
    for arch in (80, 90):
        wp.compile_aot_module(sys.modules["__main__"], arch=arch, module_dir=sys.argv[1])
