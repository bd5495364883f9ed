# SPDX-License-Identifier: Apache-2.0
"""Archives: what is in them, without a GPU, and loading their modules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from . import _loader
from ._devices import DeviceLike, Profile, device_number, device_profile
from ._errors import NoImageError, NotFoundError
from ._kernel import Module
from ._nvjitlink import find_nvjitlink
from ._records import Image, LaunchRecord, Resources, Tuning
from ._records import image_of, launch_record_of, resources_of, tuning_of

_MATCHES = (
    "", "arch-specific", "family-specific", "exact", "same-major", "link", "tile", "jit", "optix",
)  # fmt: skip

_FORBID_JIT, _FORCE_PTX, _PREFER_LTOIR = 1, 2, 4
_LOAD_NO_CACHE = 1


@dataclass(frozen=True)
class Verdict:
    """What selection says of one image.

    match: how it serves the device, such as ``"exact"`` or ``"jit"``; empty if it does not.
    text: a sentence that says why, or why not.
    """

    image: Image
    match: str
    text: str


@dataclass(frozen=True)
class Explanation:
    """Which image a GPU gets: candidates first, best first, then the others. str() writes it as a table."""

    module: str
    compute: tuple[int, int]
    verdicts: tuple[Verdict, ...]

    @property
    def best(self) -> Image | None:
        """The image that is loaded; None if none runs."""
        return self.verdicts[0].image if self.verdicts and self.verdicts[0].match else None

    def __str__(self) -> str:
        best = self.best.target if self.best else "no image runs"
        lines = [f"module {self.module} on {self.compute[0]}.{self.compute[1]}: {best}"]
        for number, verdict in enumerate(self.verdicts, 1):
            place = str(number) if verdict.match else "-"
            lines.append(f"  {place:>2}  {verdict.image.target:<12} {verdict.match:<15} {verdict.text}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Global:
    """A variable that the host can name: its lowered name, its expression, and its bytes (0: unknown)."""

    name: str
    expression: str
    bytes: int


class ArchivedKernel:
    """A kernel in an archive, before anything is loaded: names, and what it needs in each image."""

    def __init__(self, archive: Archive, module: int, number: int) -> None:
        self._archive = archive
        self._module = module
        self._number = number
        #: Lowered (mangled) name, and the name expression that made it (the name if there is none).
        self.name, self.expression = archive._kernel(module, number)

    def resources(self, target: str) -> Resources:
        """What it needs in the image of a target, such as ``"sm_90"``. Raises NotFoundError."""
        image = _image_number(self._archive, self._module, target)
        return resources_of(self._archive._resources(self._module, image, self._number))

    def launch_record(self, target: str) -> LaunchRecord:
        """How it is launched, as recorded for the image of a target. Raises NotFoundError."""
        image = _image_number(self._archive, self._module, target)
        return launch_record_of(self._archive._launch_record(self._module, image, self._number))

    def __repr__(self) -> str:
        return f"<cubinet.ArchivedKernel {self.expression!r}>"


def _image_number(archive: Archive, module: int, target: str) -> int:
    targets = [archive._image(module, i)[0] for i in range(archive._module(module)[1])]
    if target not in targets:
        raise NotFoundError(f"no image for '{target}'; there are {', '.join(targets)}")
    return targets.index(target)


class ArchivedModule:
    """A module in an archive, before it is loaded: images, kernels, and which of them a GPU gets."""

    def __init__(self, archive: Archive, number: int) -> None:
        self._archive = archive
        self._number = number
        self.name, self._images, self._kernels, self._globals = archive._module(number)

    @property
    def images(self) -> tuple[Image, ...]:
        """Its images, in order of kind and architecture."""
        return tuple(image_of(self._archive._image(self._number, i)) for i in range(self._images))

    @property
    def kernels(self) -> tuple[ArchivedKernel, ...]:
        """Its kernels, in the order of their lowered names."""
        return tuple(ArchivedKernel(self._archive, self._number, i) for i in range(self._kernels))

    @property
    def globals(self) -> tuple[Global, ...]:
        """Its variables, in the order of their lowered names."""
        return tuple(Global(*self._archive._global(self._number, i)) for i in range(self._globals))

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """Its tuning records, those that are void too."""
        count = self._archive._tuning_count(self._number)
        return tuple(tuning_of(self._archive._tuning(self._number, i)) for i in range(count))

    def kernel(self, name: str) -> ArchivedKernel:
        """Finds a kernel, as Module.kernel() does. Raises NotFoundError."""
        return ArchivedKernel(self._archive, self._number, self._archive._find_kernel(self._number, name))

    def read_image(self, target: str) -> bytes:
        """The bytes of an image, decompressed, its digest checked. Raises NotFoundError, ArchiveError, and
        InvalidArgumentError if it consists of parts."""
        return self._archive._read_image(self._number, _image_number(self._archive, self._number, target))

    def read_part(self, target: str, part: int) -> bytes:
        """The bytes of a part of an image, as read_image(); 0 is the image if it has no other parts."""
        image = _image_number(self._archive, self._number, target)
        return self._archive._read_part(self._number, image, part)

    def explain(
        self,
        device: DeviceLike = None,
        *,
        compute: Profile | str | float | tuple[int, int] | None = None,
        only: str | None = None,
        forbid_jit: bool = False,
        force_ptx: bool = False,
        prefer_ltoir: bool = False,
    ) -> Explanation:
        """Which image a GPU gets, and why not the others.

        device: a device of this machine. compute: another GPU, as ``"8.9"`` or a Profile; needs no driver.
        The rest as in load(). Raises DriverError if a device is asked for and there is no driver.
        """
        profile = device_profile(device) if compute is None else Profile.of(compute)
        flags = forbid_jit * _FORBID_JIT | force_ptx * _FORCE_PTX | prefer_ltoir * _PREFER_LTOIR
        ranked = self._archive._explain(
            self._number, *profile.compute, profile.driver, profile.nvjitlink, profile.flags(), only, flags
        )
        images = self.images
        verdicts = tuple(Verdict(images[image], _match(match), text) for image, match, _, text in ranked)
        return Explanation(self.name, profile.compute, verdicts)

    def load(
        self,
        device: DeviceLike = None,
        *,
        only: str | None = None,
        forbid_jit: bool = False,
        force_ptx: bool = False,
        prefer_ltoir: bool = False,
        cache: bool = True,
        nvjitlink: str | None = None,
    ) -> Module:
        """Loads the best image of the module for a device.

        It lives in the current context if that is of the device, otherwise in the device's primary
        context, as the arrays of CuPy, PyTorch and cuda.core do.

        device: a number, or an object of another library; None: that of the current context, or 0.
        only: a target, such as ``"sm_80"``: that image alone.
        forbid_jit: cubins alone. force_ptx: PTX alone. prefer_ltoir: LTO-IR before cubins.
        cache: whether what is linked is looked for in a cache, and kept.
        nvjitlink: path of the libnvJitLink that links LTO-IR; None: the loader's, else cuda.pathfinder's.

        Raises NoImageError (the message lists every image and why not), ArchiveError, DriverError. The
        lock of the interpreter is given up meanwhile.
        """
        flags = forbid_jit * _FORBID_JIT | force_ptx * _FORCE_PTX | prefer_ltoir * _PREFER_LTOIR
        number = device_number(device)
        no_cache = 0 if cache else _LOAD_NO_CACHE
        try:
            loaded = self._archive._load(self.name, number, Module, only, flags, no_cache, nvjitlink)
        except NoImageError:
            library = None if nvjitlink or not self._has_ltoir() else find_nvjitlink()
            if library is None:
                raise
            loaded = self._archive._load(self.name, number, Module, only, flags, no_cache, library)
        assert isinstance(loaded, Module)
        return loaded

    def _has_ltoir(self) -> bool:
        return any(image.target.startswith("lto_") for image in self.images)

    def __repr__(self) -> str:
        return f"<cubinet.ArchivedModule {self.name!r}: {self._images} images, {self._kernels} kernels>"


def _match(number: int) -> str:
    return _MATCHES[number] if 0 <= number < len(_MATCHES) else "other"


class Modules(Mapping[str, ArchivedModule]):
    """The modules of an archive, by name, in the byte order of their names."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def __getitem__(self, name: str) -> ArchivedModule:
        return ArchivedModule(self._archive, self._archive._find_module(name))

    def __len__(self) -> int:
        return self._archive._module_count()

    def __iter__(self) -> Iterator[str]:
        return (self._archive._module(i)[0] for i in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._has(name)

    def _has(self, name: str) -> bool:
        try:
            self._archive._find_module(name)
        except NotFoundError:
            return False
        return True

    def __repr__(self) -> str:
        return f"<cubinet.Modules: {', '.join(self)}>"


class Archive(_loader.Archive):
    """An open archive, from cubinet.open(). It never changes, and any number of threads may use it.

    It closes when close() is called, when its ``with`` block ends, or when nothing refers to it.
    Modules that were loaded from it stay loaded.
    """

    @property
    def modules(self) -> Modules:
        """The modules, by name. ``archive.modules["saxpy"].load()`` loads one."""
        return Modules(self)

    def load(self, name: str | None = None, device: DeviceLike = None) -> Module:
        """Loads a module: ``modules[name].load(device)``. None names the only one there is."""
        if name is None:
            names = list(self.modules)
            if len(names) != 1:
                raise NotFoundError(f"which module? There are {len(names)}: {', '.join(names[:8])}")
            name = names[0]
        return self.modules[name].load(device)

    @property
    def version(self) -> str:
        """What ``cubinet pack --archive-version`` was given, or an empty text."""
        return self._info()[0]

    @property
    def abi(self) -> str:
        """What ``cubinet pack --abi`` was given, or an empty text."""
        return self._info()[1]

    @property
    def producer(self) -> str:
        """The Cubinet that wrote it, such as ``"cubinet 0.1.0"``."""
        return self._info()[2]

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self._info()[3]

    @property
    def format(self) -> tuple[int, int]:
        """The version of the format that it is written in."""
        return self._info()[4]

    @property
    def is_trusted(self) -> bool:
        """Whether one of the keys that it was opened with signed it."""
        return self._info()[6]

    @property
    def properties(self) -> dict[str, str]:
        """What its makers said of it (``cubinet pack --set KEY=VALUE``)."""
        return self._properties()

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<cubinet.Archive, closed>" if self.closed else f"<cubinet.Archive: {', '.join(self.modules)}>"


def open(
    path: str | os.PathLike[str],
    *,
    public_keys: Sequence[str] | None = None,
    require_version: str | None = None,
    require_abi: str | None = None,
    max_image_bytes: int = 0,
) -> Archive:
    """Opens an archive file, or a program or library with an archive inside. Needs no GPU.

    public_keys: texts of the public keys of those who may have made it; None takes any archive.
    require_version: terms that its version must fulfil, such as ``">= 1.4, < 2"``.
    require_abi: the ABI tag that it must have.
    max_image_bytes: the most bytes of an image that is read; 0: the larger of 1 GiB and 64 times its
        stored bytes.

    Raises FileError, ArchiveError, NotTrustedError, VersionError.
    """
    keys = None if public_keys is None else tuple(public_keys)
    return Archive(os.fsencode(path), None, keys, max_image_bytes, require_version, require_abi)


def open_memory(
    data: bytes | bytearray | memoryview,
    *,
    public_keys: Sequence[str] | None = None,
    require_version: str | None = None,
    require_abi: str | None = None,
    max_image_bytes: int = 0,
) -> Archive:
    """Opens an archive that lies in memory, which is kept, and must not change, until it is closed.

    The rest as open().
    """
    keys = None if public_keys is None else tuple(public_keys)
    return Archive(b"", data, keys, max_image_bytes, require_version, require_abi)
