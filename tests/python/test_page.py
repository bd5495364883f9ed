# SPDX-License-Identifier: Apache-2.0
"""docs/guide/python.md: its code runs, in the order of the page, on the simulated driver."""

import builtins
import ctypes
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

import cubinet
from simulated import ARCHIVES, KERNELS, Array, Stream, last_launch, reset

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"
SAMPLE = Path(__file__).parents[2] / "samples" / "python" / "saxpy.cu"


class TestPage(unittest.TestCase):
    def setUp(self) -> None:
        reset()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def names(self) -> dict[str, Any]:
        """What the page takes for granted: the archive of its sample, arrays, a stream, an image in memory."""
        module = cubinet.open(KERNELS).modules["kernels"]
        cubinet.pack({"saxpy": [module.read_image("sm_80"), module.read_image("sm_90")]}, "kernels.cubinet")
        linked = cubinet.open(ARCHIVES / "gpu" / "link.cubinet").modules
        return {
            "x": Array("<f4", 0x100, (1000,)),
            "y": Array("<f4", 0x200, (1000,)),
            "n": 1000,
            "grid": 4,
            "block": 256,
            "stream": Stream(0x40),
            "code": module.read_image("sm_90"),
            "library": type("Library", (), {"modules": {"product": linked["link_step"]}}),
            "application": type("Application", (), {"modules": {"bias_gelu": linked["link_rest"]}}),
        }

    def test_code_runs(self) -> None:
        names = self.names()
        blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 7)
        for block in blocks:
            if "numba_array" in block:
                names["kernel"] = Numba()
            exec(compile(block, str(PAGE), "exec"), names)
        self.assertEqual(last_launch().argument(3, ctypes.c_uint), 1000)

    def test_message_is_what_is_said(self) -> None:
        with cubinet.open(KERNELS).load() as module:
            with self.assertRaises(cubinet.LaunchArgumentsError) as caught:
                module.kernel("saxpy").launch(1, 1, (2.0, Array("<i4"), None, 1))
            self.assertIn(f"LaunchArgumentsError: {caught.exception}\n", PAGE.read_text())

    def test_sample_is_the_samples(self) -> None:
        kernel = SAMPLE.read_text().split("\n", 1)[1]
        self.assertIn(f"```cuda\n{kernel}```", PAGE.read_text())

    def test_exceptions_are_as_the_table_says(self) -> None:
        rows = re.findall(r"^\| (`\w+Error`[^|]*) \| `?(\w*)`? *\|", PAGE.read_text(), re.MULTILINE)
        listed = set()
        for names, base in rows:
            for name in re.findall(r"\w+", names):
                listed.add(name)
                kind = getattr(cubinet, name)
                self.assertTrue(issubclass(kind, cubinet.Error))
                if base:
                    self.assertTrue(issubclass(kind, getattr(builtins, base)))
        self.assertEqual(listed, {name for name in cubinet.__all__ if name.endswith("Error") and name != "Error"})


class Numba:
    """A kernel that takes what numba's arrays are."""

    def launch(self, grid: int, block: int, args: tuple[Any, ...]) -> None:
        assert len(args) == 16


if __name__ == "__main__":
    unittest.main()
