# SPDX-License-Identifier: Apache-2.0
"""Links, by the toolkit's own nvJitLink, which needs no GPU."""

import glob
import os
import sys
import types
import unittest
from typing import Any
from unittest import mock

import cubinet
from simulated import ARCHIVES, last_launch, reset

LIBRARIES = sorted(glob.glob(os.path.join(os.environ["CUBINET_TEST_TOOLKIT"], "lib*", "libnvJitLink.so.*")))


@unittest.skipUnless(LIBRARIES, "the toolkit has no nvJitLink")
class TestLink(unittest.TestCase):
    def setUp(self) -> None:
        reset()

    def test_links_modules_of_archives(self) -> None:
        with cubinet.open(ARCHIVES / "gpu" / "link.cubinet") as archive:
            link = cubinet.Link(0, cache=False, nvjitlink=LIBRARIES[0])
            link.add(archive.modules["link_step"])
            link.add(archive.modules["link_rest"])
        # The archive stays open for the link, although its block ended.
        with link, link.complete() as module:
            self.assertTrue(module.image.target.startswith("sm_90"))
            kernel = module.kernel("step<float>")
            parameters = kernel.parameters
            assert parameters
            kernel.launch(1, 32, tuple(None if p.type.endswith("*") else 1 for p in parameters))
            self.assertEqual(tuple(last_launch().block), (32, 1, 1))
            self.assertEqual(link.cubin()[:4], b"\x7fELF")

    def test_looks_for_what_is_missing_in_archives(self) -> None:
        with cubinet.open(ARCHIVES / "gpu" / "link.cubinet") as archive:
            with cubinet.Link(0, cache=False, nvjitlink=LIBRARIES[0]) as link:
                link.add(archive.modules["link_step"])
                link.add_archive(archive)
                link.complete().close()

    def test_refuses_registers_that_do_not_fit(self) -> None:
        for number in (-1, 2**32 + 1):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, f"{number} is not a number from 0 to {2**32 - 1}"):
                cubinet.Link(0, max_registers=number)

    def test_links_bytes(self) -> None:
        archive = cubinet.open(ARCHIVES / "gpu" / "link.cubinet")
        data = [archive.modules[name].read_image("lto_75") for name in ("link_step", "link_rest")]
        with cubinet.Link(0, cache=False, nvjitlink=LIBRARIES[0]) as link:
            for piece in data:
                link.add_data(piece, "ltoir")
            link.complete().close()
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "kind 'lto': it must be one of any, cubin"):
                link.add_data(b"", "lto")

    def test_takes_the_one_that_pathfinder_finds(self) -> None:
        asked: list[str] = []

        class Found:
            abs_path = LIBRARIES[0]

        def find(name: str) -> Found:
            asked.append(name)
            return Found()

        pathfinder: Any = types.ModuleType("cuda.pathfinder")
        pathfinder.load_nvidia_dynamic_lib = find
        fake = {"cuda": types.ModuleType("cuda"), "cuda.pathfinder": pathfinder}
        archive = cubinet.open(ARCHIVES / "gpu" / "preload_75-lto_1.cubinet")
        with mock.patch.dict(sys.modules, fake), mock.patch.dict(os.environ):
            del os.environ["CUBINET_NVJITLINK"]
            with archive.load() as module:
                self.assertTrue(module.image.target.startswith("sm_90"))
            with cubinet.Link(0, cache=False) as link:
                link.add(archive.modules["75-lto_1"])
                link.complete().close()
            self.assertEqual(set(asked), {"nvJitLink"})
            del pathfinder.load_nvidia_dynamic_lib
            os.environ["CUBINET_NVJITLINK"] = "/nonexistent/libnvJitLink.so"
            with self.assertRaises(cubinet.NoImageError):
                archive.modules["75-lto_1"].load(cache=False)

    def test_says_what_is_missing(self) -> None:
        archive = cubinet.open(ARCHIVES / "gpu" / "link.cubinet")
        with cubinet.Link(0, cache=False, nvjitlink=LIBRARIES[0]) as link:
            link.add(archive.modules["link_step"])
            with self.assertRaisesRegex(cubinet.LinkError, "rest"):
                link.complete()
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "the link is closed"):
            link.complete()
        with cubinet.Link(0, cache=False, nvjitlink="/nonexistent/libnvJitLink.so") as link:
            link.add(archive.modules["link_step"])
            link.add(archive.modules["link_rest"])
            with self.assertRaises(cubinet.ToolkitError):
                link.complete()


if __name__ == "__main__":
    unittest.main()
