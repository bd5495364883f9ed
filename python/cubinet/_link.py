# SPDX-License-Identifier: Apache-2.0
"""Linking pieces of device code on the machine that runs them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from . import _loader
from ._archive import Archive, ArchivedModule
from ._devices import DeviceLike, device_number
from ._errors import InvalidArgumentError
from ._kernel import Module
from ._nvjitlink import find_nvjitlink

_KINDS = {"any": 0, "cubin": 1, "ptx": 2, "ltoir": 3, "fatbin": 4, "object": 5, "library": 6}


class Link(_loader.Link):
    """A link under way: pieces are added to it, then complete() makes a module of them.

    One thread uses it at a time. Archives that are added stay open until it is closed.

    device: as for ArchivedModule.load().
    optimize: False is nvJitLink's -O0. debug, lineinfo: as nvJitLink takes them.
    max_registers: for each thread; 0: no limit of the link's own.
    suffix: ``"a"`` or ``"f"`` if pieces in memory use features of the architecture or family alone.
    options: more of them, as nvJitLink takes them.
    cache: whether the result is looked for in a cache, and kept.
    nvjitlink: path of libnvJitLink; None: $CUBINET_NVJITLINK, cuda.pathfinder's, or the loader's.

    Raises DriverError.
    """

    def __new__(
        cls,
        device: DeviceLike = None,
        *,
        optimize: bool = True,
        debug: bool = False,
        lineinfo: bool = False,
        max_registers: int = 0,
        suffix: str = "",
        options: Sequence[str] = (),
        cache: bool = True,
        nvjitlink: str | None = None,
    ) -> Link:
        flags = (not optimize) * 1 | debug * 2 | lineinfo * 4 | (not cache) * 16
        letter = ord(suffix) if suffix else 0
        number = device_number(device)
        library = nvjitlink or find_nvjitlink()
        return super().__new__(cls, number, flags, max_registers, 0, letter, tuple(options), library)

    def add(self, module: ArchivedModule) -> None:
        """Adds the image of a module that links best for the device. Raises NoImageError."""
        self._add_module(module._archive, module.name)

    def add_archive(self, archive: Archive) -> None:
        """Names an archive to look in for what the pieces need and none of them defines."""
        self._add_archive(archive)

    def add_data(self, data: bytes | bytearray | memoryview, kind: str = "any", name: str | None = None) -> None:
        """Adds a piece in memory, which is copied.

        kind: ``"cubin"``, ``"ptx"``, ``"ltoir"``, ``"fatbin"``, ``"object"``, ``"library"``, or ``"any"`` of
        them. name: for messages.
        """
        if kind not in _KINDS:
            raise InvalidArgumentError(f"kind {kind!r}: it must be one of {', '.join(_KINDS)}")
        self._add_data(_KINDS[kind], data, name)

    def add_file(self, path: str | os.PathLike[str], kind: str = "any") -> None:
        """Adds a piece from a file, which is read now."""
        self.add_data(Path(path).read_bytes(), kind, os.fspath(path))

    def complete(self) -> Module:
        """Links the pieces, or takes them from the cache, and loads what comes out.

        Raises LinkError, NoImageError, ToolkitError, DriverError. The lock of the interpreter is given up
        meanwhile.
        """
        module = self._complete(Module)
        assert isinstance(module, Module)
        return module

    def cubin(self) -> bytes:
        """The cubin that the link makes, without loading it. Raises as complete() does."""
        return self._cubin()

    def __enter__(self) -> Link:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
