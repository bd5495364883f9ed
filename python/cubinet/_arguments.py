# SPDX-License-Identifier: Apache-2.0
"""Arguments of kernels that other systems compiled, as those systems lay them out."""

from __future__ import annotations

from typing import Any

from ._errors import LaunchArgumentsError


def numba_array(array: Any) -> tuple[Any, ...]:
    """An array as the parameters that numba makes of it: seven in one dimension, two more in each further.

    ``kernel.launch(grid, block, (*numba_array(x), n))``. The array has ``__cuda_array_interface__``.
    Raises LaunchArgumentsError for another object.
    """
    interface = getattr(array, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):
        raise LaunchArgumentsError(f"{type(array).__name__} has no __cuda_array_interface__")
    try:
        shape = tuple(int(side) for side in interface["shape"])
        item = int(interface["typestr"][2:])
    except (KeyError, TypeError, ValueError) as error:
        raise LaunchArgumentsError(
            f"the __cuda_array_interface__ of {type(array).__name__} lacks a 'shape' or 'typestr' that can be used"
        ) from error
    strides = interface.get("strides")
    if strides is None:
        strides = _dense_strides(shape, item)
    elements = 1
    for side in shape:
        elements *= side
    return (0, 0, elements, item, array, *shape, *strides)


def _dense_strides(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    strides = [item] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)
