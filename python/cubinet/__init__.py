# SPDX-License-Identifier: Apache-2.0
"""Cubinet: archives of CUDA kernels, opened, loaded and launched.

    import cubinet

    with cubinet.open("kernels.cubinet") as archive:
        module = archive.modules["saxpy"].load()
    saxpy = module.kernel("saxpy")
    saxpy.launch((n + 255) // 256, 256, (2.0, x, y, n), stream=stream)

Arrays are those of any library with DLPack or __cuda_array_interface__, and streams those of any with
__cuda_stream__. Failures are exceptions derived from Error, whose text is Cubinet's whole message.
"""

from ._archive import Archive, ArchivedKernel, ArchivedModule, Explanation, Global, Modules, Verdict
from ._archive import open, open_memory
from ._arguments import numba_array
from ._command import find_command
from ._devices import Profile, device_count, device_profile, driver_version
from ._errors import (
    ArchiveError,
    ContextDeadError,
    DriverError,
    Error,
    FileError,
    InvalidArgumentError,
    LaunchArgumentsError,
    LimitError,
    LinkError,
    NoImageError,
    NotFoundError,
    NotTrustedError,
    OutOfMemoryError,
    ToolkitError,
    VersionError,
)
from ._kernel import Kernel, Module, Occupancy, Suggestion, Tuned
from ._link import Link
from ._loader import version as __version__
from ._pack import pack
from ._records import HiddenParameter, Image, LaunchRecord, Parameter, Resources, Tuning

__all__ = [
    "Archive",
    "ArchiveError",
    "ArchivedKernel",
    "ArchivedModule",
    "ContextDeadError",
    "DriverError",
    "Error",
    "Explanation",
    "FileError",
    "Global",
    "HiddenParameter",
    "Image",
    "InvalidArgumentError",
    "Kernel",
    "LaunchArgumentsError",
    "LaunchRecord",
    "LimitError",
    "Link",
    "LinkError",
    "Module",
    "Modules",
    "NoImageError",
    "NotFoundError",
    "NotTrustedError",
    "Occupancy",
    "OutOfMemoryError",
    "Parameter",
    "Profile",
    "Resources",
    "Suggestion",
    "ToolkitError",
    "Tuned",
    "Tuning",
    "Verdict",
    "VersionError",
    "__version__",
    "device_count",
    "device_profile",
    "driver_version",
    "find_command",
    "numba_array",
    "open",
    "open_memory",
    "pack",
]
