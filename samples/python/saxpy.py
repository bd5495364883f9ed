# SPDX-License-Identifier: Apache-2.0
"""Launches a kernel of an archive over memory of cuda.core's.

    cubinet compile saxpy.cu -o kernels.cubinet --arch 80,90-real
    pip install cuda-core
    python saxpy.py kernels.cubinet
"""

import ctypes
import sys

import cubinet
from cuda.core import Device, LegacyPinnedMemoryResource


def main() -> None:
    count = 1000
    device = Device(0)
    device.set_current()
    stream = device.create_stream()

    with cubinet.open(sys.argv[1]) as archive:
        name = next(iter(archive.modules))
        print(archive.modules[name].explain(device))
        module = archive.modules[name].load(device)
    saxpy = module.kernel("saxpy")

    # Memory of the host that the device reads, too.
    pinned = LegacyPinnedMemoryResource()
    x, y = pinned.allocate(4 * count), pinned.allocate(4 * count)
    host_x = (ctypes.c_float * count).from_address(int(x.handle))
    host_y = (ctypes.c_float * count).from_address(int(y.handle))
    for i in range(count):
        host_x[i], host_y[i] = i, 1

    launch = saxpy.suggest(count)
    saxpy.launch(launch.grid, launch.block, (2.0, x, y, count), stream=stream)
    stream.sync()

    wrong = sum(host_y[i] != 1 + 2 * i for i in range(count))
    print(f"{module.image.target}, {launch.grid[0]} blocks of {launch.block[0]}: {wrong} of {count} are wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
