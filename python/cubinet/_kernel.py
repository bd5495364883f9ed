# SPDX-License-Identifier: Apache-2.0
"""Kernels of loaded modules, and modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import _loader
from ._records import Image, LaunchRecord, Parameter, Resources, Sides
from ._records import image_of, launch_record_of, resources_of

Dimensions = int | Sequence[int]


@dataclass(frozen=True)
class LaunchAttributes:
    """Attributes of a launch or a graph node, as of the driver's cuLaunchKernelEx(); None: the driver's choice.

    priority: of the launch; lower numbers first.
    programmatic_event: an event that is complete when all blocks triggered it, with trigger_at_start when
        all have started. completion_event: one that is complete when all blocks have started. An address, an
        event of PyTorch's, or what int() takes; it needs CU_EVENT_DISABLE_TIMING.
    cluster_scheduling: ``"spread"`` or ``"balanced"``. preferred_cluster: blocks, a multiple of the launch's
        cluster, where the device has room for them.
    memory_domain: ``"default"`` or ``"remote"``. memory_domain_map: the device's domains of these two.
    device_updatable: kernels may update the node, of which launch() and add_node() return the handle.
    """

    priority: int | None = None
    programmatic_event: Any = None
    trigger_at_start: bool = False
    completion_event: Any = None
    cluster_scheduling: str | None = None
    memory_domain: str | None = None
    memory_domain_map: tuple[int, int] | None = None
    preferred_cluster: Dimensions | None = None
    device_updatable: bool = False


@dataclass(frozen=True)
class Occupancy:
    """The occupancy of a kernel with one block size.

    occupancy: active warps over the most that are possible, 0 to 1.
    blocks, warps: that are active in a multiprocessor. max_warps: that could be.
    limiters: what keeps a multiprocessor from holding one more block, such as ``"registers"``.
    registers_per_block, shared_bytes_per_block: as they are allocated.
    """

    occupancy: float
    blocks: int
    warps: int
    max_warps: int
    limiters: str
    registers_per_block: int
    shared_bytes_per_block: int


@dataclass(frozen=True)
class Suggestion:
    """A launch configuration for an extent, and what to expect of it.

    grid, block, shared (bytes), cluster (None: none, or what the kernel was compiled for): to launch with.
    rounds: in which the grid goes over the extent along x, y and z; more than 1 where the kernel must loop.
    blocks: in the grid. resident_blocks: that the device holds at a time. waves: blocks over those.
    tail_efficiency: 0 to 1; 1 where the last wave is full.
    """

    grid: Sides
    block: Sides
    shared: int
    cluster: Sides | None
    rounds: Sides
    blocks: int
    resident_blocks: int
    waves: float
    tail_efficiency: float


@dataclass(frozen=True)
class Tuned:
    """A kernel chosen by what was measured, and how to launch it, from ``module.tuned()``.

    grid, block, shared (bytes), cluster (None: none, or what the kernel was compiled for), cooperative: to
    launch with.
    source: ``"exact"``, ``"nearest"``, or ``"none"`` where no record was used. reason: why none was:
    ``"ignored"``, ``"no-record"``, ``"outside"`` of what was measured, ``"default"`` (that stays),
    ``"options"`` or ``"limit"``; otherwise empty.
    tuning: the record's number in the module. extent, time_ns, noise_ns, untuned_time_ns,
    untuned_noise_ns: the record's. None without a record.
    """

    kernel: Kernel
    grid: Sides
    block: Sides
    shared: int
    cluster: Sides | None
    cooperative: bool
    source: str
    reason: str
    tuning: int | None
    extent: Sides | None
    time_ns: int | None
    noise_ns: int | None
    untuned_time_ns: int | None
    untuned_noise_ns: int | None


class Kernel(_loader.Kernel):
    """A kernel of a loaded module, from ``module.kernel(name)``. It keeps its module alive.

    ``launch()`` launches it; any number of threads may do so.
    """

    @property
    def parameters(self) -> tuple[Parameter, ...] | None:
        """Its parameters, hidden ones too; None of a kernel that tells none (Tile IR)."""
        described = self._parameters
        return None if described is None else tuple(Parameter(*one) for one in described)

    @property
    def resources(self) -> Resources:
        """What the kernel needs, as recorded for the loaded image."""
        return resources_of(self._resources())

    @property
    def launch_record(self) -> LaunchRecord:
        """How it is launched, as recorded for the loaded image."""
        return launch_record_of(self._launch_record())

    def suggest(
        self,
        extent: Dimensions,
        *,
        max_block: int = 0,
        shared: int | Callable[[int], int] | None = None,
        elements_per_thread: int = 0,
        cluster: Dimensions | None = None,
        cooperative: bool = False,
        tuning: bool = True,
    ) -> Suggestion:
        """Suggests a launch for an extent, a number of elements or up to three of them.

        max_block: the most threads in a block; 0: as many as the kernel and the device allow.
        shared: bytes of dynamic shared memory for each block, or a function that tells them of a
            number of threads (it must not call Cubinet); None takes the launch record's.
        elements_per_thread: along x, that one thread handles by itself.
        cluster, cooperative: as in launch().
        tuning: False ignores tuning records.

        Raises LimitError if the kernel can't be launched so, InvalidArgumentError for a tile kernel.
        """
        made = self._suggest(extent, max_block, shared, elements_per_thread, cluster, cooperative, tuning)
        grid, block, shared_bytes, blocks, rounds, count, resident, waves, tail = made
        own_cluster = blocks if any(blocks) else None
        return Suggestion(grid, block, shared_bytes, own_cluster, rounds, count, resident, waves, tail)

    def occupancy(
        self,
        block: Dimensions | None = None,
        *,
        shared: int | None = None,
        cluster: Dimensions | None = None,
        cooperative: bool = False,
    ) -> Occupancy:
        """The occupancy with a block of so many threads; None takes the launch record's block.

        Raises LimitError for a block that can't run, DriverError.
        """
        return Occupancy(*self._occupancy(block, shared, cluster, cooperative))

    def max_active_clusters(
        self, block: Dimensions, *, shared: int | None = None, cluster: Dimensions | None = None
    ) -> int:
        """How many clusters the device holds at a time. Raises LimitError for a device without any."""
        return self._max_active_clusters(block, shared, cluster, False)

    def available_dynamic_shared(self, blocks: int, block_threads: int) -> int:
        """The most bytes of dynamic shared memory that each of so many blocks of a multiprocessor can have.

        Raises LimitError if not so many are active even without any.
        """
        return self._available_dynamic_shared(blocks, block_threads)

    def __repr__(self) -> str:
        return f"<cubinet.Kernel {self.expression!r}>"


class Module(_loader.Module):
    """A module on a device, from ``archive.modules[name].load()`` or ``link.complete()``.

    It unloads when it is closed, when its ``with`` block ends, or when neither it nor a kernel of it is
    referred to any more. If a kernel of it was launched, or a handle or an address given out, that waits
    for what runs in its context first; if that can't be known, as while a stream is captured, it stays
    loaded. Any number of threads may use one.
    """

    def kernel(self, name: str) -> Kernel:
        """Finds a kernel by its name expression, its lowered name, or what people call it.

        White space does not count: ``"segsum<float, int>"`` finds ``"segsum<float,int>"``.
        Raises NotFoundError, whose message names the nearest.
        """
        return Kernel(self, name)

    def tuned(
        self,
        what: str,
        extent: Dimensions,
        *,
        max_block: int = 0,
        shared: int | Callable[[int], int] | None = None,
        elements_per_thread: int = 0,
        cluster: Dimensions | None = None,
        cooperative: bool = False,
        tuning: bool = True,
    ) -> Tuned:
        """Chooses among kernels that do one thing by what was measured on such a GPU.

        what: the name of a set that was tuned, or a kernel's. The rest as in Kernel.suggest().
        Raises NotFoundError if nothing is called so, and what suggest() raises where no record is used.
        """
        options = (extent, max_block, shared, elements_per_thread, cluster, cooperative, tuning)
        (
            name, grid, block, shared_bytes, blocks, is_cooperative, source, reason, number, measured,
            time, noise, untuned, untuned_noise,
        ) = self._find_tuned(what, options)  # fmt: skip
        own_cluster = blocks if any(blocks) else None
        kernel = Kernel(self, name)
        if number is None:
            return Tuned(
                kernel, grid, block, shared_bytes, own_cluster, is_cooperative, source, reason, None, None,
                None, None, None, None,
            )  # fmt: skip
        return Tuned(
            kernel, grid, block, shared_bytes, own_cluster, is_cooperative, source, reason, number, measured,
            time, noise, untuned or None, untuned_noise if untuned else None,
        )  # fmt: skip

    def __getitem__(self, name: str) -> Kernel:
        """As kernel()."""
        return Kernel(self, name)

    @property
    def image(self) -> Image:
        """The image that was loaded; of a module that was linked, the cubin that came out."""
        return image_of(self._image)

    def __enter__(self) -> Module:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<cubinet.Module on device {self.device}{', closed' if self.closed else ''}>"
