# SPDX-License-Identifier: Apache-2.0
"""Devices: those of this machine, and those that an archive is asked about without one."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from . import _loader
from ._errors import InvalidArgumentError

#: A device: its number, an object that has one (``cuda.core.Device``, ``torch.device``, ``cupy.cuda.Device``,
#: numba's), or None for that of the current context, or the first if there is none.
DeviceLike = Any


@dataclass(frozen=True)
class Profile:
    """What selection needs to know of a GPU and the software on its machine.

    compute: compute capability, (major, minor).
    driver: CUDA release of the driver, 1000 * major + 10 * minor; 0 takes any image.
    nvjitlink: release of nvJitLink in the same form; 0 if there is none.
    is_tegra: an integrated part; None decides by the compute capability.
    """

    compute: tuple[int, int]
    driver: int = 0
    nvjitlink: int = 0
    is_tegra: bool | None = None

    @classmethod
    def of(cls, compute: Profile | str | float | tuple[int, int]) -> Profile:
        """A profile from ``"9.0"``, ``9.0``, ``(9, 0)`` or a profile."""
        if isinstance(compute, Profile):
            return compute
        if isinstance(compute, tuple):
            return cls(compute)
        major, _, minor = str(compute).partition(".")
        if not (major.isdigit() and minor.isdigit()):
            raise InvalidArgumentError(f"compute capability {compute!r}: write it as '9.0' or (9, 0)")
        return cls((int(major), int(minor)))

    def flags(self) -> int:
        """Bits of cubinet_device_flags."""
        tegra = self.compute in ((5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0))
        return int(tegra if self.is_tegra is None else self.is_tegra)


def device_number(device: DeviceLike) -> int:
    """The number of a device; -1 for None, and for one that has no number, such as ``torch.device("cuda")``."""
    if device is None:
        return -1
    try:
        number = operator.index(device)
    except TypeError:
        return _number_of_object(device)
    if number < 0:
        raise InvalidArgumentError(f"device {number}: devices are numbered from 0")
    return number


def _number_of_object(device: object) -> int:
    for name in ("device_id", "index", "id"):
        value = getattr(device, name, None)
        if isinstance(value, int):
            return value
    if getattr(device, "type", None) == "cuda":
        return -1
    raise InvalidArgumentError(
        f"{device!r} is not a device: give its number, or an object with device_id, index or id"
    )


def device_count() -> int:
    """How many devices the driver has, after CUDA_VISIBLE_DEVICES. Raises DriverError without a driver."""
    return _loader.device_count()


def driver_version() -> int:
    """The CUDA release of the driver, 1000 * major + 10 * minor. Raises DriverError without a driver."""
    return _loader.driver_version()


def device_profile(device: DeviceLike = None) -> Profile:
    """What selection knows of a device of this machine. Raises DriverError."""
    major, minor, driver, nvjitlink, flags = _loader.device_profile(device_number(device))
    return Profile((major, minor), driver, nvjitlink, bool(flags & 1))
