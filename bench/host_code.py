#!/usr/bin/env python3
"""What reading a source for host code costs a compile: CPU time with --std-headers=strict, which reads nothing, and without.

    bench/host_code.py COMMAND [ROUNDS]
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = {
    "no headers (saxpy)": [ROOT / "samples/saxpy/saxpy.cu"],
    "over CUB (segsum)": [ROOT / "samples/segmented_sum/segsum.cu", "--kernel", "segsum<float,int,256,4>", "-std=c++17"],
    "a kernel file of 1,000 lines": None,
}


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with tempfile.TemporaryDirectory() as folder:
        long = pathlib.Path(folder) / "long.cu"
        long.write_text("".join(f'extern "C" __global__ void k{i}(float *x, int n)\n{{\n    int i = threadIdx.x;\n'
                                f"    if (i < n) {{\n        x[i] = x[i] * {i} + n;\n    }}\n}}\n\n" for i in range(125)))
        SOURCES["a kernel file of 1,000 lines"] = [long]
        os.environ["CUBINET_CACHE"] = "off"
        for name, arguments in SOURCES.items():
            times = {"strict": [], "lenient": []}
            for _ in range(rounds):
                for kind, list_of in times.items():
                    list_of.append(cpu_seconds([command, "compile", *arguments, "--arch", "90-virtual", "-w", "-o",
                                                f"{folder}/x.cubinet", f"--std-headers={kind}"]))
            without, reading = (statistics.median(times[kind]) for kind in ("strict", "lenient"))
            print(f"{name:30} {without * 1000:8.1f} ms {reading * 1000:8.1f} ms  {reading / without:.3f}")


if __name__ == "__main__":
    main()
