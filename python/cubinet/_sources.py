# SPDX-License-Identifier: Apache-2.0
"""Kernels that other libraries hold in memory, as inputs of ``cubinet pack``.

No library is imported that is not there already: an object is known by the module of its class.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._errors import InvalidArgumentError

_SUFFIXES = {"cubin": "cubin", "ptx": "ptx", "ltoir": "ltoir", "fatbin": "fatbin", "object": "o", "library": "a"}


@dataclass
class Piece:
    """An input of ``cubinet pack``: a file or folder, other names of kernels, and how they are launched."""

    path: Path
    names: dict[str, str] = field(default_factory=dict)  # name -> lowered name, or a pattern of it
    launches: list[dict[str, Any]] = field(default_factory=list)


def _suffix_of(data: bytes) -> str:
    if data[:4] == b"\x7fELF":
        return "cubin"
    if data[:4] == b"\x50\xed\x55\xba":
        return "fatbin"
    if data[:4] == b"\xed\x43\x4e\x7f":
        return "ltoir"
    return "ptx" if b".version" in data[:4096] else "bin"


def _write(folder: Path, data: bytes | str, suffix: str | None = None) -> Path:
    content = data.encode() if isinstance(data, str) else bytes(data)
    path = folder / f"image.{suffix or _suffix_of(content)}"
    path.write_bytes(content)
    return path


def _read_bytes(value: Any, folder: Path) -> list[Piece]:
    return [Piece(_write(folder, bytes(value)))]


def _read_path(value: Any, folder: Path) -> list[Piece]:
    path = Path(value).absolute()
    if not path.exists():
        raise InvalidArgumentError(f"{path}: there is no such file")
    return [Piece(path)]


def _read_cuda_core(value: Any, folder: Path) -> list[Piece]:
    """cuda.core's ObjectCode: code or the path of it, and the names that were asked for."""
    code = value.code
    names = {
        name if isinstance(name, str) else name.decode(): lowered if isinstance(lowered, str) else lowered.decode()
        for name, lowered in value.symbol_mapping.items()
    }
    if isinstance(code, (str, os.PathLike)) and value.code_type != "ptx" or (
        isinstance(code, str) and ".version" not in code
    ):
        return [Piece(Path(code).absolute(), names)]
    return [Piece(_write(folder, code, _SUFFIXES.get(value.code_type)), names)]


def _plain(value: Any) -> Any:
    """What json has no form for: Triton's target is a dataclass, others are texts."""
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else str(value)


def _read_triton(value: Any, folder: Path) -> list[Piece]:
    """Triton's CompiledKernel, written as it lies in Triton's cache, which ``cubinet pack`` reads."""
    if not hasattr(value, "asm"):
        raise InvalidArgumentError(
            f"a {type(value).__name__} of Triton's: give a compiled kernel, which kernel[grid](...) and "
            "triton.compile() return"
        )
    metadata = value.metadata._asdict() if hasattr(value.metadata, "_asdict") else dict(value.metadata)
    name = metadata["name"]
    (folder / f"{name}.json").write_text(json.dumps(metadata, default=_plain))
    for form in ("cubin", "ttir", "ptx"):
        text = value.asm.get(form)
        if text is not None:
            (folder / f"{name}.{form}").write_bytes(text if isinstance(text, bytes) else text.encode())
    return [Piece(folder)]


_NUMBA_TYPES = {
    "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t", "uint8": "uint8_t",
    "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "float32": "float", "float64": "double",
    "bool": "bool",
}  # fmt: skip


def _numba_parameters(names: list[str], types: tuple[Any, ...]) -> list[dict[str, str]] | None:
    """What numba makes of a kernel's arguments; None if there is one that this does not know."""
    parameters: list[dict[str, str]] = []
    for name, type_ in zip(names, types):
        dimensions = getattr(type_, "ndim", None)
        element = _NUMBA_TYPES.get(str(getattr(type_, "dtype", type_)))
        if dimensions is None and element is not None:
            parameters.append({"name": name, "type": element})
        elif dimensions is not None:
            pointer = f"{element} *" if element else "void *"
            parameters += [{"name": f"{name}.{part}", "type": "void *"} for part in ("meminfo", "parent")]
            parameters += [{"name": f"{name}.{part}", "type": "int64_t"} for part in ("nitems", "itemsize")]
            parameters += [{"name": f"{name}.data", "type": pointer}]
            for part in ("shape", "strides"):
                parameters += [{"name": f"{name}.{part}{i}", "type": "int64_t"} for i in range(dimensions)]
        else:
            return None
    return parameters


def _numba_images(library: Any, folder: Path, number: int) -> list[Path]:
    """The images of a kernel: every cubin that was made, else PTX."""
    cubins: dict[Any, Any] = dict(getattr(library, "_cubin_cache", {}))
    texts: dict[Any, Any] = dict(getattr(library, "_ptx_cache", {}))
    if not cubins and not texts:
        texts = {None: library.get_asm_str()}  # for the current device
    suffix, images = ("cubin", list(cubins.values())) if cubins else ("ptx", list(texts.values()))
    paths: list[Path] = []
    for place, image in enumerate(images):
        code: Any = "\n".join(image) if isinstance(image, list) else getattr(image, "code", image)
        path = folder / f"{number}.{place}.{suffix}"
        path.write_bytes(code.encode() if isinstance(code, str) else bytes(code))
        paths.append(path)
    return paths


def _read_numba(value: Any, folder: Path) -> list[Piece]:
    """numba-cuda's dispatcher: each signature that was compiled, called as the function if there is one."""
    overloads = getattr(value, "overloads", None)
    if not overloads:
        raise InvalidArgumentError(
            f"{getattr(value, '__name__', value)!r} of numba's is not compiled yet: call it, or give @cuda.jit a signature"
        )
    function = value.py_func
    names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    pieces: list[Piece] = []
    for number, (types, kernel) in enumerate(overloads.items()):
        called = function.__name__ if len(overloads) == 1 else f"{function.__name__}({', '.join(map(str, types))})"
        parameters = _numba_parameters(names, types)
        launch = [{"kernel": kernel.entry_name, "parameters": parameters}] if parameters else []
        for path in _numba_images(kernel._codelibrary, folder, number):
            pieces.append(Piece(path, {called: kernel.entry_name}, launch))
    return pieces


def _read_cupy(value: Any, folder: Path) -> list[Piece]:
    """CuPy's RawModule and RawKernel. They keep their source and no image, so CuPy compiles it again."""
    compiler: Any = importlib.import_module("cupy.cuda.compiler")
    if not hasattr(value, "code"):
        raise InvalidArgumentError(f"a {type(value).__name__} of CuPy's: give a RawModule or a RawKernel")
    if value.backend != "nvrtc":
        raise InvalidArgumentError(f"a kernel of CuPy's with backend={value.backend!r}: only 'nvrtc' is possible")
    if value.code is None:
        return [Piece(Path(value.file_path).absolute())]
    expressions = getattr(value, "name_expressions", None)
    options = tuple(value.options)
    code, mapping = compiler.compile_using_nvrtc(value.code, options, None, "module.cu", expressions)
    return [Piece(_write(folder, code), dict(mapping or {}))]


_READERS: tuple[tuple[str, Callable[[Any, Path], list[Piece]]], ...] = (
    ("cuda.core", _read_cuda_core),
    ("triton", _read_triton),
    ("numba", _read_numba),
    ("cupy", _read_cupy),
)


def read(value: Any, folder: Path) -> list[Piece]:
    """What an object is for ``cubinet pack``. Writes files into the folder. Raises InvalidArgumentError."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _read_bytes(value, folder)
    if isinstance(value, os.PathLike):
        return _read_path(value, folder)
    for class_ in type(value).__mro__:
        for package, reader in _READERS:
            if class_.__module__ == package or class_.__module__.startswith((package + ".", package + "_")):
                return reader(value, folder)
    raise InvalidArgumentError(
        f"a {type(value).__module__}.{type(value).__qualname__} can't be packed: give bytes, a path, or a "
        "kernel of cuda.core, Triton, numba or CuPy"
    )
