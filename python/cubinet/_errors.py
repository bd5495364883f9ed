# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each kind of failure, with the library's whole message."""

from __future__ import annotations


class Error(RuntimeError):
    """A call of Cubinet failed. The text says what was found, what was needed, and what to do.

    status: the name of the status, such as ``"CUBINET_ERROR_NO_IMAGE"``.
    driver_result: the driver's CUresult, or 0 if the failure did not come from the driver.
    """

    status: str = ""
    driver_result: int = 0

    def __str__(self) -> str:  # KeyError would put it in quotes
        return str(self.args[0]) if self.args else ""


class InvalidArgumentError(Error, ValueError):
    """A value out of range, or an object that is closed."""


class NotFoundError(Error, KeyError):
    """No module, kernel, variable or image of that name; the message names the nearest."""


class LaunchArgumentsError(Error, TypeError):
    """Arguments that do not fit the kernel's parameters."""


class LimitError(Error, ValueError):
    """More than the kernel, the device or a set limit allows."""


class OutOfMemoryError(Error, MemoryError):
    """The host or the device has no more memory."""


class FileError(Error, OSError):
    """A file can't be opened, read or written."""


class ArchiveError(Error):
    """The bytes are not an archive, are damaged, or need a newer reader."""


class NoImageError(Error):
    """No image of the module runs on the device; the message lists them all, and why not."""


class NotTrustedError(ArchiveError):
    """An archive that none of the keys signed, or that was altered since."""


class VersionError(ArchiveError):
    """An archive of another version or ABI than was required."""


class DriverError(Error):
    """No driver, none that is new enough, no such device, or a call of the driver that failed."""


class ContextDeadError(DriverError):
    """An earlier fault on the device made its context unusable: restart the process."""


class ToolkitError(Error):
    """NVRTC, nvJitLink, CUDA's headers or the cubinet command can't be found or failed."""


class LinkError(Error):
    """nvJitLink refused, or a symbol is missing or defined twice."""


_CLASSES: dict[str, type[Error]] = {
    "CUBINET_ERROR_INVALID_ARGUMENT": InvalidArgumentError,
    "CUBINET_ERROR_NOT_FOUND": NotFoundError,
    "CUBINET_ERROR_LAUNCH_ARGUMENTS": LaunchArgumentsError,
    "CUBINET_ERROR_LIMIT": LimitError,
    "CUBINET_ERROR_OUT_OF_MEMORY": OutOfMemoryError,
    "CUBINET_ERROR_DEVICE_MEMORY": OutOfMemoryError,
    "CUBINET_ERROR_IO": FileError,
    "CUBINET_ERROR_NOT_ARCHIVE": ArchiveError,
    "CUBINET_ERROR_DAMAGED": ArchiveError,
    "CUBINET_ERROR_NEWER_FORMAT": ArchiveError,
    "CUBINET_ERROR_NO_IMAGE": NoImageError,
    "CUBINET_ERROR_NOT_TRUSTED": NotTrustedError,
    "CUBINET_ERROR_OTHER_VERSION": VersionError,
    "CUBINET_ERROR_NO_DRIVER": DriverError,
    "CUBINET_ERROR_DRIVER_TOO_OLD": DriverError,
    "CUBINET_ERROR_NO_DEVICE": DriverError,
    "CUBINET_ERROR_DRIVER": DriverError,
    "CUBINET_ERROR_CONTEXT_DEAD": ContextDeadError,
    "CUBINET_ERROR_TOOLKIT": ToolkitError,
    "CUBINET_ERROR_LINK": LinkError,
}


def make(number: int, status: str, message: str, driver_result: int) -> Error:
    """The exception of a status. The extension module calls this."""
    error = _CLASSES.get(status, Error)(message)
    error.status = status
    error.driver_result = driver_result
    return error
