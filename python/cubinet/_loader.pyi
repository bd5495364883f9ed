# What the extension module has. Programs use the classes of the package, which complete these.
from collections.abc import Sequence
from typing import Any, TypeVar

Sides = tuple[int, int, int]
ImageRecord = tuple[str, int, int, int, int, int, int, int]
ResourcesRecord = tuple[
    int | None, int | None, int | None, int | None, int | None, Sides, Sides, int, Sides,
    int | None, int, tuple[tuple[int, int], ...] | None, int | None, int | None, int | None,
]  # fmt: skip
LaunchRecordRecord = tuple[
    bool, bool, bool, bool, int | None, Sides, Sides, Sides, tuple[tuple[int, str, int, int, int], ...],
    tuple[tuple[str, str], ...],
]  # fmt: skip

TuningRecord = tuple[
    str, tuple[str, ...], str, str, int, int, Sides, str, bytes, int | None, int,
    tuple[str, Sides, Sides, int, Sides, Sides, int],
    tuple[int, int, int, int, int, int, int, int, int, int, int],
]  # fmt: skip
TunedRecord = tuple[
    str, Sides, Sides, int, Sides, bool, str, str, int | None, Sides, int, int, int, int
]  # fmt: skip

version: str

def device_count() -> int: ...
def driver_version() -> int: ...
def device_profile(number: int, /) -> tuple[int, int, int, int, int]: ...

class Archive:
    def __new__(
        cls: type[_Archive],
        path: bytes,
        data: bytes | bytearray | memoryview | None,
        public_keys: tuple[str, ...] | None,
        max_image_size: int,
        require_version: str | None,
        require_abi: str | None,
        /,
    ) -> _Archive: ...
    @property
    def closed(self) -> bool:
        """Whether close() was called."""
    def close(self) -> None:
        """Closes the archive. Modules loaded from it stay usable. May be called again."""
    def _info(self) -> tuple[str, str, str, int, tuple[int, int], int, bool]: ...
    def _properties(self) -> dict[str, str]: ...
    def _module_count(self) -> int: ...
    def _module(self, module: int, /) -> tuple[str, int, int, int]: ...
    def _image(self, module: int, image: int, /) -> ImageRecord: ...
    def _kernel(self, module: int, kernel: int, /) -> tuple[str, str]: ...
    def _global(self, module: int, number: int, /) -> tuple[str, str, int]: ...
    def _resources(self, module: int, image: int, kernel: int, /) -> ResourcesRecord: ...
    def _launch_record(self, module: int, image: int, kernel: int, /) -> LaunchRecordRecord: ...
    def _tuning_count(self, module: int, /) -> int: ...
    def _tuning(self, module: int, tuning: int, /) -> TuningRecord: ...
    def _read_image(self, module: int, image: int, /) -> bytes: ...
    def _read_part(self, module: int, image: int, part: int, /) -> bytes: ...
    def _find_module(self, name: str, /) -> int: ...
    def _find_kernel(self, module: int, name: str, /) -> int: ...
    def _explain(
        self,
        module: int,
        major: int,
        minor: int,
        driver: int,
        nvjitlink: int,
        flags: int,
        only: str | None,
        policy: int,
        /,
    ) -> list[tuple[int, int, int, str]]: ...
    def _load(
        self,
        name: str,
        device: int,
        type: type[Module],
        only: str | None,
        policy: int,
        flags: int,
        nvjitlink: str | None,
        /,
    ) -> Module: ...

_Archive = TypeVar("_Archive", bound=Archive)

class Module:
    @property
    def _image(self) -> ImageRecord: ...
    @property
    def context(self) -> int:
        """The CUcontext that the module lives in."""
    @property
    def library(self) -> int:
        """The driver's CUlibrary, which belongs to the module; 0 for a module in parts: see Kernel.library."""
    @property
    def device(self) -> int:
        """The number of the device (CUdevice)."""
    @property
    def closed(self) -> bool:
        """Whether close() was called."""
    def close(self) -> None:
        """Waits for what its context runs, if it was used, and unloads the module.

        Kernels and addresses of it can't be used any more. May be called again.
        """
    def find_global(self, name: str, /) -> tuple[int, int]:
        """(address, bytes) of a __device__ or __constant__ variable. Raises NotFoundError."""
    def _find_tuned(
        self, what: str, options: tuple[Any, int, Any, int, Any, bool, bool], /
    ) -> TunedRecord: ...

class Kernel:
    def __new__(cls: type[_Kernel], module: Module, name: str, /) -> _Kernel: ...
    @property
    def name(self) -> str:
        """Lowered (mangled) name, as in the image."""
    @property
    def expression(self) -> str:
        """The name expression that made the kernel, as it was written; the name if there is none."""
    @property
    def handle(self) -> int:
        """The driver's CUkernel. It belongs to the module."""
    @property
    def library(self) -> int:
        """The driver's CUlibrary that it is in. It belongs to the module."""
    @property
    def _parameters(self) -> tuple[tuple[str, str, int, int, bool], ...] | None: ...
    def launch(
        self,
        grid: int | tuple[int, ...] | list[int] | None,
        block: int | tuple[int, ...] | list[int] | None,
        args: tuple[Any, ...] | list[Any] = (),
        /,
        *,
        stream: Any = None,
        shared: int | None = None,
        cluster: int | tuple[int, ...] | list[int] | None = None,
        cooperative: bool = False,
        extent: int | tuple[int, ...] | list[int] | None = None,
        threads_per_element: int | None = None,
        use_record: bool = True,
        programmatic: bool = False,
        without_wait: bool = False,
        attributes: Any = None,
    ) -> int | None:
        """Launches the kernel, asynchronously, in its module's context, which need not be current."""
    def add_node(
        self,
        graph: Any,
        before: Sequence[Any],
        grid: int | tuple[int, ...] | list[int] | None,
        block: int | tuple[int, ...] | list[int] | None,
        args: tuple[Any, ...] | list[Any] = (),
        /,
        *,
        stream: Any = None,
        shared: int | None = None,
        cluster: int | tuple[int, ...] | list[int] | None = None,
        cooperative: bool = False,
        extent: int | tuple[int, ...] | list[int] | None = None,
        threads_per_element: int | None = None,
        use_record: bool = True,
        programmatic: bool = False,
        without_wait: bool = False,
        attributes: Any = None,
    ) -> Any:
        """Adds the kernel as a node to a CUgraph, after others: the node, and with device_updatable (node, device node)."""
    def update_node(
        self,
        node: Any,
        grid: int | tuple[int, ...] | list[int] | None,
        block: int | tuple[int, ...] | list[int] | None,
        args: tuple[Any, ...] | list[Any] = (),
        /,
        *,
        stream: Any = None,
        shared: int | None = None,
        cluster: int | tuple[int, ...] | list[int] | None = None,
        cooperative: bool = False,
        extent: int | tuple[int, ...] | list[int] | None = None,
        threads_per_element: int | None = None,
        use_record: bool = True,
        programmatic: bool = False,
        without_wait: bool = False,
        attributes: Any = None,
    ) -> int | None:
        """Replaces the kernel, the configuration and the arguments of a node of a CUgraph."""
    def update_exec_node(
        self,
        exec: Any,
        node: Any,
        grid: int | tuple[int, ...] | list[int] | None,
        block: int | tuple[int, ...] | list[int] | None,
        args: tuple[Any, ...] | list[Any] = (),
        /,
        *,
        stream: Any = None,
        shared: int | None = None,
        cluster: int | tuple[int, ...] | list[int] | None = None,
        cooperative: bool = False,
        extent: int | tuple[int, ...] | list[int] | None = None,
        threads_per_element: int | None = None,
        use_record: bool = True,
        programmatic: bool = False,
        without_wait: bool = False,
        attributes: Any = None,
    ) -> int | None:
        """Replaces the kernel, the configuration and the arguments of a node in a CUgraphExec."""
    def prefer_shared(self, percent: int, /) -> None:
        """Sets how much of a multiprocessor's memory is shared memory while the kernel runs.

        percent of the most, 0 to 100; -1 for the driver's default.
        """
    def _suggest(
        self,
        extent: Any,
        max_block: int,
        shared: Any,
        elements_per_thread: int,
        cluster: Any,
        cooperative: bool,
        tuning: bool,
        /,
    ) -> tuple[Sides, Sides, int, Sides, Sides, int, int, float, float]: ...
    def _occupancy(
        self, block: Any, shared: int | None, cluster: Any, cooperative: bool, /
    ) -> tuple[float, int, int, int, str, int, int]: ...
    def _max_active_clusters(self, block: Any, shared: int | None, cluster: Any, cooperative: bool, /) -> int: ...
    def _available_dynamic_shared(self, blocks: int, block_threads: int, /) -> int: ...
    def _resources(self) -> ResourcesRecord: ...
    def _launch_record(self) -> LaunchRecordRecord: ...

_Kernel = TypeVar("_Kernel", bound=Kernel)

class Link:
    def __new__(
        cls: type[_Link],
        device: int,
        flags: int,
        max_registers: int,
        math: int,
        suffix: int,
        options: tuple[str, ...],
        nvjitlink: str | None,
        /,
    ) -> _Link: ...
    def close(self) -> None:
        """Ends the link. Modules that it made stay loaded."""
    def _add_module(self, archive: Archive, name: str, /) -> None: ...
    def _add_archive(self, archive: Archive, /) -> None: ...
    def _add_data(self, kind: int, data: bytes | bytearray | memoryview, name: str | None, /) -> None: ...
    def _complete(self, type: type[Module], /) -> Module: ...
    def _cubin(self) -> bytes: ...

_Link = TypeVar("_Link", bound=Link)

def launch_each(
    targets: Sequence[Any],
    grid: int | tuple[int, ...] | list[int] | None,
    block: int | tuple[int, ...] | list[int] | None,
    args: tuple[Any, ...] | list[Any] = (),
    /,
    *,
    shared: int | None = None,
    cluster: int | tuple[int, ...] | list[int] | None = None,
    cooperative: bool = False,
    extent: int | tuple[int, ...] | list[int] | None = None,
    threads_per_element: int | None = None,
    use_record: bool = True,
    programmatic: bool = False,
    without_wait: bool = False,
    attributes: Any = None,
) -> None:
    """Makes the same launch with each of several kernels: targets are (kernel, stream) or (kernel, stream, args)."""
