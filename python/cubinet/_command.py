# SPDX-License-Identifier: Apache-2.0
"""The cubinet command: where it is, and running it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from ._errors import Error, ToolkitError


def _candidates() -> list[str | None]:
    folders = {sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")}
    return [
        os.environ.get("CUBINET_COMMAND"),
        str(Path(__file__).parent / "bin" / "cubinet"),
        *(os.path.join(folder, "cubinet") for folder in folders),
        shutil.which("cubinet"),
    ]


def find_command() -> str:
    """The path of the cubinet command: $CUBINET_COMMAND, the package's own, the environment's, or that on PATH.

    Raises ToolkitError if there is none.
    """
    for path in _candidates():
        if path and os.access(path, os.X_OK):
            return path
    raise ToolkitError("no cubinet command was found: install it, or name it in CUBINET_COMMAND")


def run_command(arguments: Sequence[str]) -> None:
    """Runs the cubinet command. Raises Error with what it printed if it fails."""
    done = subprocess.run([find_command(), *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).removeprefix("cubinet: ").removeprefix("error: ")
        raise Error(said or f"cubinet ended with status {done.returncode}")
