# SPDX-License-Identifier: Apache-2.0
"""mypy --strict over the package, its tests, its samples and its benchmark, and what it says of wrong uses.

    check_types.py REPOSITORY

mypy is Python's own, or lies in build/mypy, where scripts/test_extras.sh puts it; without one the status is 77.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKED = ["python/cubinet", "tests/python", "samples/python/saxpy.py", "bench/python_launch.py"]

WRONG = """
import cubinet

module = cubinet.open("kernels.cubinet").load()
module.kernel("saxpy").launch(1, 1, 5)
module.kernel(5)
cubinet.pack("kernels", "kernels.cubinet")
"""


def mypy(repository: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    paths = [str(repository / "python"), str(repository / "tests/python")]
    environment = dict(os.environ, MYPYPATH=":".join(paths), PYTHONPATH=str(repository / "build/mypy"))
    # Libraries whose arrays are launched with need not be here.
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-incremental", *arguments]
    environment.pop("LD_PRELOAD", None)
    return subprocess.run(command, env=environment, cwd=repository, capture_output=True, text=True)


def main() -> int:
    repository = Path(sys.argv[1])
    if "No module named" in mypy(repository, "--version").stderr:
        print("there is no mypy")
        return 77
    done = mypy(repository, *CHECKED)
    print(done.stdout, done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder, "wrong.py")
        wrong.write_text(WRONG)
        refused = mypy(repository, str(wrong)).stdout
    lines = [line for line in refused.splitlines() if "error:" in line]
    if len(lines) != 3:
        print("wrong uses are not all found:", refused)
    return done.returncode or len(lines) != 3


if __name__ == "__main__":
    sys.exit(main())
