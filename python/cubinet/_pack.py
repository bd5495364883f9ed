# SPDX-License-Identifier: Apache-2.0
"""Packing kernels that are in memory into an archive, by the cubinet command."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _sources
from ._command import run_command
from ._errors import InvalidArgumentError


def pack(
    objects: Mapping[str, Any],
    path: str | os.PathLike[str],
    *,
    launch: Mapping[str, Mapping[str, Any]] | None = None,
    kernels: Mapping[str, str] | None = None,
    compress: str | None = None,
    options: Sequence[str] = (),
) -> None:
    """Packs kernels into an archive file, each object as a module of its name.

    objects: what is packed, by the name of its module: ``cuda.core.ObjectCode``, Triton's
        ``CompiledKernel``, a ``@cuda.jit`` function of numba's that was compiled, CuPy's ``RawModule`` and
        ``RawKernel``, bytes of a cubin, PTX, LTO-IR or fatbin, a path, or a list of these: images of one
        module for several GPUs.
    path: the archive, which is written at once or not at all.
    launch: by the kernel's name or a pattern of it, what is recorded of its launch, in the form of
        ``cubinet pack --launch``: ``{"block": [128], "dynamic_shared_bytes": 4096}``. What an object tells
        of itself needs not be said: Triton's shared memory, block and hidden parameters, and names.
    kernels: other names of kernels: the lowered name, with ``*`` and ``?``, by the name.
    compress: ``"fast"``, ``"zstd"`` or ``"zstd:LEVEL"``.
    options: more of ``cubinet pack``, such as ``["--archive-version", "1.4.0"]``.

    Raises InvalidArgumentError for an object that can't be packed, ToolkitError without the command, and
    Error with what the command printed.
    """
    if not objects:
        raise InvalidArgumentError("pack: there is nothing to pack")
    with tempfile.TemporaryDirectory(prefix="cubinet-pack-") as folder:
        arguments = _arguments(objects, Path(folder), launch or {}, kernels or {})
        if compress is not None:
            arguments += ["--compress", compress]
        run_command(["pack", *arguments, *options, "-o", os.fspath(path)])


def _pieces(name: str, value: Any, folder: Path) -> list[_sources.Piece]:
    """An object's inputs, in folders of their own: what files are called is the readers' affair."""
    values = value if isinstance(value, (list, tuple)) else [value]
    pieces: list[_sources.Piece] = []
    for number, one in enumerate(values):
        own = folder / f"{number}"
        own.mkdir(parents=True)
        pieces += _sources.read(one, own)
    if not pieces:
        raise InvalidArgumentError(f"pack: module '{name}' has no images")
    return pieces


def _arguments(
    objects: Mapping[str, Any], folder: Path, launch: Mapping[str, Mapping[str, Any]], kernels: Mapping[str, str]
) -> list[str]:
    """The command's inputs and options, without the output."""
    arguments: list[str] = []
    names: dict[str, str] = {}
    launches: list[dict[str, Any]] = []
    for number, (module, value) in enumerate(objects.items()):
        for piece in _pieces(module, value, folder / f"object{number}"):
            arguments.append(f"{module}={piece.path}")
            names.update(piece.names)
            launches += [{"module": module, **one} for one in piece.launches]
    names.update(kernels)
    launches += [{"kernel": kernel, **members} for kernel, members in launch.items()]
    for name, lowered in names.items():
        if name != lowered:
            arguments += ["--kernel", f"{name}={lowered}"]
    if launches:
        file = folder / "launch.json"
        file.write_text(json.dumps({"launches": launches}))
        arguments += ["--launch", str(file)]
    return arguments
