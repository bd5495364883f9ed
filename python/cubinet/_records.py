# SPDX-License-Identifier: Apache-2.0
"""What archives say of images and kernels, as objects."""

from __future__ import annotations

from dataclasses import dataclass

from . import _loader

Sides = tuple[int, int, int]


def _given(sides: Sides) -> Sides | None:
    """Sides of which 0 along every axis means that they are not given."""
    return (sides[0] or 1, sides[1] or 1, sides[2] or 1) if any(sides) else None


@dataclass(frozen=True)
class Image:
    """One image of a module.

    target: what it was compiled for, such as ``"sm_90a"``, ``"compute_80"`` or ``"lto_75"``.
    toolkit: the CUDA release that made it, 1000 * major + 10 * minor; 0 if unknown.
    ptx_isa: of PTX, its version, 10 * major + minor; otherwise 0.
    link_floor: of LTO-IR, the oldest nvJitLink that links it, as toolkit; otherwise 0.
    stored_bytes, bytes: in the archive, and of the image itself.
    parts: how many it consists of, each with some of the kernels; 1 of most images.
    """

    target: str
    toolkit: int
    ptx_isa: int
    link_floor: int
    stored_bytes: int
    bytes: int
    parts: int = 1


def image_of(record: _loader.ImageRecord) -> Image:
    target, _, *rest = record
    return Image(target, *rest)


@dataclass(frozen=True)
class Resources:
    """What a kernel needs, as one image of it was compiled. None is what the image does not tell.

    registers, local_bytes: for each thread. static_shared_bytes: for each block.
    max_threads_per_block, max_block, required_block, min_blocks, required_cluster,
    max_cluster_blocks: its launch bounds; None where none were given.
    param_bytes: of the parameter buffer. params: (offset, size) of each parameter.
    spill_store_bytes, spill_load_bytes: for each thread. barriers: of each block.
    """

    registers: int | None
    static_shared_bytes: int | None
    local_bytes: int | None
    constant_bytes: int | None
    max_threads_per_block: int | None
    max_block: Sides | None
    required_block: Sides | None
    min_blocks: int | None
    required_cluster: Sides | None
    max_cluster_blocks: int | None
    param_bytes: int
    params: tuple[tuple[int, int], ...] | None
    spill_store_bytes: int | None
    spill_load_bytes: int | None
    barriers: int | None


def resources_of(record: _loader.ResourcesRecord) -> Resources:
    (
        registers, static, local, constant, threads, max_block, required_block, min_blocks, cluster,
        max_cluster, param_bytes, params, spill_stores, spill_loads, barriers,
    ) = record  # fmt: skip
    return Resources(
        registers, static, local, constant, threads, _given(max_block), _given(required_block),
        min_blocks or None, _given(cluster), max_cluster or None, param_bytes, params, spill_stores,
        spill_loads, barriers,
    )  # fmt: skip


@dataclass(frozen=True)
class HiddenParameter:
    """A parameter that callers leave out: its number, and what it is given.

    kind: ``"scratch"``, ``"profile"``, ``"launch-bounds"``, or ``"unknown"`` of a newer format.
    """

    parameter: int
    kind: str
    bytes_per_block: int
    alignment: int
    dimensions: int


@dataclass(frozen=True)
class LaunchRecord:
    """How a kernel is launched, as far as it is recorded; None is what is not.

    takes_dynamic_shared: whether the kernel uses dynamic shared memory; False: nothing shows it.
    dynamic_shared_bytes: for each block. block: threads. cluster: blocks.
    grid_factor: what a launch's grid is multiplied by. hidden: parameters that callers leave out.
    names: (name, type) of each parameter.
    """

    takes_dynamic_shared: bool
    is_cooperative: bool
    dynamic_shared_bytes: int | None
    block: Sides | None
    grid_factor: Sides | None
    cluster: Sides | None
    hidden: tuple[HiddenParameter, ...]
    names: tuple[tuple[str, str], ...]


def launch_record_of(record: _loader.LaunchRecordRecord) -> LaunchRecord:
    takes, cooperative, shared, block, factor, cluster, hidden, names = record
    return LaunchRecord(
        takes, cooperative, shared, _given(block), _given(factor), _given(cluster),
        tuple(HiddenParameter(*one) for one in hidden), names,
    )  # fmt: skip


_GRID_RULES = ("", "fixed", "per-block", "per-thread", "flat")
_DEFAULT_STAYS, _COLD, _CHECKED, _COOPERATIVE = 1, 2, 4, 8


@dataclass(frozen=True)
class Tuning:
    """A launch configuration that was measured: docs/reference/tuning-records.md.

    what: that was tuned, the lowered name of a kernel or a set's name. instances: lowered names of the
    kernels that were candidates. default_kernel: that is chosen without tuning.
    gpu, compute, multiprocessors, driver: where it was measured. extent: for how many elements.
    target, digest: of the image that was measured. is_void: the module does not have it any more.
    kernel, block, cluster, shared (bytes), is_cooperative: the configuration.
    grid_rule, grid_value, grid_limit: how the grid follows from the extent.
    time_ns, noise_ns, untuned_time_ns, untuned_noise_ns: nanoseconds; None is not known.
    default_stays: nothing was faster than the default by more than the noise. cold: with cold caches.
    checked: the results were compared. candidates, measurements: how many. date: seconds since 1970.
    """

    what: str
    instances: tuple[str, ...]
    default_kernel: str
    gpu: str
    compute: tuple[int, int]
    multiprocessors: int
    extent: Sides
    target: str
    digest: bytes
    is_void: bool
    kernel: str
    block: Sides
    cluster: Sides | None
    shared: int
    is_cooperative: bool
    grid_rule: str
    grid_value: Sides
    grid_limit: Sides
    time_ns: int
    noise_ns: int
    untuned_time_ns: int | None
    untuned_noise_ns: int | None
    default_stays: bool
    cold: bool
    checked: bool
    candidates: int
    measurements: int | None
    date: int
    driver: int
    toolkit: int
    sm_clock_mhz: int | None
    memory_clock_mhz: int | None


def tuning_of(record: _loader.TuningRecord) -> Tuning:
    (
        what, instances, default, gpu, compute, multiprocessors, extent, target, digest, image, flags,
        configuration, measured,
    ) = record  # fmt: skip
    kernel, block, cluster, rule, value, limit, shared = configuration
    (
        time, noise, untuned, untuned_noise, candidates, measurements, date, driver, toolkit, sm_clock,
        memory_clock,
    ) = measured  # fmt: skip
    return Tuning(
        what, instances, default, gpu, divmod(compute, 10), multiprocessors, extent, target, digest,
        image is None, kernel, block, _given(cluster), shared, bool(flags & _COOPERATIVE),
        _GRID_RULES[rule] if 0 < rule < len(_GRID_RULES) else "unknown", value, limit, time, noise,
        untuned or None, untuned_noise if untuned else None, bool(flags & _DEFAULT_STAYS),
        bool(flags & _COLD), bool(flags & _CHECKED), candidates, measurements or None, date, driver,
        toolkit, sm_clock or None, memory_clock or None,
    )  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    name, type: as the source writes them, as far as they are known; otherwise empty.
    offset, size: bytes in the parameter buffer.
    is_hidden: the launch record supplies it, and callers leave it out.
    """

    name: str
    type: str
    offset: int
    size: int
    is_hidden: bool
