#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the LTO-IR of a sum of cuda.coop's over a block of 128: usage make_coop.py FOLDER."""
import pathlib
import shutil
import sys

import numba
from numba import cuda

cuda.get_current_device = lambda: type("Device", (), {"compute_capability": (8, 0), "id": 0})
from cuda import coop  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
total = coop.block.make_sum(numba.float32, 128)
assert len(total.files) == 1 and total.temp_storage_bytes <= 64, "sum.cu knows another"
shutil.copy(total.files[0], folder / "sum.ltoir")
