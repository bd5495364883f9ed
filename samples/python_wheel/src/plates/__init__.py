# SPDX-License-Identifier: Apache-2.0
"""Conduction of heat in plates: arrays of any library, kernels of this package, and no CUDA toolkit."""

from __future__ import annotations

import functools
import pathlib
from typing import Any

import cubinet

__all__ = ["heat_step", "residual"]

_BLOCK = (32, 8)
_REALS = {"f4": "float", "f8": "double"}


@functools.cache
def _module(device: int | None) -> cubinet.Module:
    """The kernels, loaded once for a device."""
    archive = cubinet.open(pathlib.Path(__file__).with_name("kernels.cubinet"))
    return archive.modules["heat"].load(device)


def _real(array: Any) -> str:
    kind = array.__cuda_array_interface__["typestr"].lstrip("<=|")
    if kind not in _REALS:
        raise TypeError(f"a plate has elements of type {kind}; float32 and float64 are taken")
    return _REALS[kind]


def _rows_and_columns(before: Any, after: Any) -> tuple[int, int]:
    if len(before.shape) != 2 or tuple(before.shape) != tuple(after.shape):
        raise ValueError(f"plates of the shapes {before.shape} and {after.shape}; two of one shape, (rows, columns), are taken")
    return before.shape


def heat_step(before: Any, after: Any, rate: float, *, stream: Any = None, device: int | None = None) -> None:
    """Writes to `after` the plate `before` one step later.

    Both are arrays on the GPU of one shape, (rows, columns), and type, float32 or float64: CuPy's, PyTorch's, any with
    __cuda_array_interface__. rate is the conductivity times the step, at most 0.25. Asynchronous, in stream.
    """
    rows, columns = _rows_and_columns(before, after)
    kernel = _module(device)[f"heat_step<{_real(before)}>"]
    grid = (-(-columns // _BLOCK[0]), -(-rows // _BLOCK[1]))
    kernel.launch(grid, _BLOCK, (before, after, rows, columns, rate), stream=stream)


def residual(a: Any, b: Any, most: Any, *, stream: Any = None, device: int | None = None) -> None:
    """Writes the greatest difference between two plates to `most`, an array of one float32 that is 0."""
    rows, columns = _rows_and_columns(a, b)
    kernel = _module(device)[f"residual<{_real(a)}>"]
    kernel.launch(128, 256, (a, b, rows * columns, most), stream=stream)
