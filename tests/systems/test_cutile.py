# SPDX-License-Identifier: Apache-2.0
"""Tile IR that cuTile writes is filed, and its kernel found by the name in Python: usage test_cutile.py CUBINET PACKAGES"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def main(cubinet, packages):
    if not pathlib.Path(packages, "cuda", "tile").is_dir():
        print(f"skipped: there is no cuda-tile in {packages}; scripts/test_extras.sh fetches it")
        return SKIPPED
    script = pathlib.Path(__file__).with_name("kernels") / "cutile_kernel.py"
    with tempfile.TemporaryDirectory() as folder:
        bytecode = pathlib.Path(folder, "vector_add.tileir")
        made = subprocess.run([sys.executable, script, bytecode], env={**os.environ, "PYTHONPATH": packages}, capture_output=True)
        if b"ImportError" in made.stderr or b"ModuleNotFoundError" in made.stderr:
            print(f"skipped: cuda-tile does not work with this Python: {made.stderr.decode().splitlines()[-1]}")
            return SKIPPED
        if made.returncode:
            print(made.stderr.decode())
            return 1
        archive = pathlib.Path(folder, "kernels.cubinet")
        subprocess.run([cubinet, "pack", folder, "--kernel", "vector_add=vector_add_K*", "-o", archive], check=True)
        subprocess.run([cubinet, "verify", archive], check=True)
        shown = json.loads(subprocess.run([cubinet, "inspect", archive, "--json"], check=True, capture_output=True).stdout)
    (module,) = shown["modules"]
    names = [module["module"], module["kernels"][0]["expression"], module["images"][0]["target"]]
    print(names)
    return names != ["vector_add", "vector_add", "tile_131"]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
