# SPDX-License-Identifier: Apache-2.0
"""The simulated driver: what was launched, and what is still there. And arrays and streams of no library."""

import ctypes
import os
from pathlib import Path
from typing import Any

import cubinet

ARCHIVES = Path(os.environ["CUBINET_TEST_ARCHIVES"])
KERNELS = ARCHIVES / "python" / "kernels.cubinet"

driver = ctypes.CDLL(os.environ["CUBINET_TEST_SIMCUDA"])


class Attribute(ctypes.Structure):
    """struct simdriver_attribute."""

    _fields_ = [("id", ctypes.c_uint), ("value", ctypes.c_ubyte * 64)]


class Launch(ctypes.Structure):
    """struct simdriver_launch."""

    _fields_ = [
        ("kernel", ctypes.c_char * 256),
        ("context", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("stream", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("cluster", ctypes.c_uint * 3),
        ("dynamic_shared_bytes", ctypes.c_uint),
        ("cooperative", ctypes.c_bool),
        ("arg_count", ctypes.c_uint),
        ("arg_sizes", ctypes.c_uint * 256),
        ("args", ctypes.c_ubyte * 64 * 256),
        ("attribute_count", ctypes.c_uint),
        ("attributes", Attribute * 32),
    ]

    def argument(self, index: int, type_: Any) -> Any:
        """An argument as a number of ctypes."""
        assert self.arg_sizes[index] == ctypes.sizeof(type_), (index, self.arg_sizes[index])
        return type_.from_buffer_copy(self.args[index]).value

    def attribute(self, number: int, type_: Any) -> Any:
        """The start of the value of the attribute of that CUlaunchAttributeID, as a number of ctypes."""
        values = {one.id: one.value for one in self.attributes[: self.attribute_count]}
        return type_.from_buffer_copy(values[number]).value


driver.simdriver_last_launch.restype = Launch
driver.simdriver_last_misuse.restype = ctypes.c_char_p
driver.simdriver_create_graph.restype = ctypes.c_void_p
driver.simdriver_instantiate.restype = ctypes.c_void_p
driver.simdriver_instantiate.argtypes = [ctypes.c_void_p]
driver.simdriver_launch_graph.argtypes = [ctypes.c_void_p]
driver.simdriver_node_count.argtypes = [ctypes.c_void_p]
driver.simdriver_begin_capture.argtypes = [ctypes.c_void_p]
driver.simdriver_end_capture.restype = ctypes.c_void_p


def last_launch() -> Launch:
    launch: Launch = driver.simdriver_last_launch()
    return launch


def reset() -> None:
    """Three devices, which the process's driver keeps; nothing was launched."""
    driver.simdriver_reset()
    assert driver.simdriver_set_devices(b"9.0,8.0,8.6")
    driver.cuInit(0)


def load(module: str = "kernels", path: Path = KERNELS) -> cubinet.Module:
    with cubinet.open(path) as archive:
        return archive.modules[module].load(0)


class Array:
    """An array by __cuda_array_interface__."""

    def __init__(self, typestr: str, address: int = 0x1000, shape: tuple[int, ...] = (4,)) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


def capsule(structure: ctypes.Structure, name: bytes) -> Any:
    """A capsule around a structure, which lives on."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(structure), name, None)


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class DlpackArray:
    """An array by __dlpack__, without anything else."""

    def __init__(
        self, code: int, bits: int, device_type: int = 2, versioned: bool = False, device_id: int = 0
    ) -> None:
        tensor = Tensor(0x2000, device_type, device_id, 1, code, bits, 1, None, None, 16)
        self.managed = ManagedVersioned(1, 1, None, None, 0, tensor) if versioned else Managed(tensor, None, None)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.device = (device_type, device_id)
        self.streams: list[Any] = []

    def __dlpack__(self, stream: Any = None) -> Any:
        self.streams.append(stream)
        return capsule(self.managed, self.name)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class Stream:
    """A stream by its protocol."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, self.address)
