# SPDX-License-Identifier: Apache-2.0
"""nvJitLink, as other Python packages find it."""

from __future__ import annotations

import importlib
import os
from typing import Any


def find_nvjitlink() -> str | None:
    """The path of the nvJitLink that cuda.pathfinder finds.

    None if $CUBINET_NVJITLINK names one, or cuda.pathfinder is not there or finds none: then the loader
    looks for it.
    """
    if os.environ.get("CUBINET_NVJITLINK"):
        return None
    try:
        pathfinder: Any = importlib.import_module("cuda.pathfinder")
        found = pathfinder.load_nvidia_dynamic_lib("nvJitLink").abs_path
    except Exception:  # of many kinds, one for each way of not finding it
        return None
    return os.fspath(found) if found else None
