# SPDX-License-Identifier: Apache-2.0
"""Tuning records, and launches by them."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import cubinet
from simulated import KERNELS, driver, last_launch, load, reset

COMMAND = os.environ["CUBINET_COMMAND"]


def describe(archive: Path) -> Any:
    out = subprocess.run([COMMAND, "inspect", str(archive), "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)["modules"][0]


def record(digest: str, **members: Any) -> dict[str, Any]:
    return {
        "gpu": "Simulated GPU 9.0", "compute": "9.0", "multiprocessors": 132, "extent": [1000, 1, 1],
        "target": "sm_90", "digest": digest, "kernel": "saxpy", "block": [96, 1, 1],
        "grid_rule": "per-thread", "grid_value": [2, 1, 1], "time_ns": 800, "noise_ns": 3,
        "untuned_time_ns": 1000, "untuned_noise_ns": 5, "checked": True, "candidates": 7,
        "date": 1764201600, "driver": "13.0", **members,
    }  # fmt: skip


class TestTuned(unittest.TestCase):
    def setUp(self) -> None:
        reset()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.archive = Path(self.folder.name) / "tuned.cubinet"
        image = next(image for image in describe(KERNELS)["images"] if image["target"] == "sm_90")
        digest = image["digest"]
        records = [
            record(digest),
            record(digest, extent=[4000, 1, 1], kernel="nothing", cluster=[2, 1, 1], grid_limit=[6, 0, 0]),
            record(digest, extent=[8000, 1, 1], default_stays=True, untuned_time_ns=800, untuned_noise_ns=3),
        ]
        tunings = [{"what": "both", "default": "saxpy", "instances": [], "records": records}]
        file = Path(self.folder.name) / "tuning.json"
        file.write_text(json.dumps({"modules": [{"module": "kernels", "tunings": tunings}]}))
        subprocess.run([COMMAND, "pack", str(KERNELS), "--tuning", str(file), "-o", str(self.archive)], check=True)

    def tearDown(self) -> None:
        self.assertEqual(driver.simdriver_last_misuse(), b"")

    def test_reads_records(self) -> None:
        with cubinet.open(self.archive) as archive:
            first, second, third = archive.modules["kernels"].tunings
        self.assertEqual(first.what, "both")
        self.assertEqual(first.instances, ("nothing", "saxpy"))
        self.assertEqual((first.default_kernel, first.kernel), ("saxpy", "saxpy"))
        self.assertEqual((first.gpu, first.compute, first.multiprocessors), ("Simulated GPU 9.0", (9, 0), 132))
        self.assertEqual((first.extent, first.target, len(first.digest)), ((1000, 1, 1), "sm_90", 16))
        self.assertFalse(first.is_void)
        self.assertEqual((first.block, first.cluster, first.shared), ((96, 1, 1), None, 0))
        self.assertEqual((first.grid_rule, first.grid_value, first.grid_limit), ("per-thread", (2, 1, 1), (0, 0, 0)))
        self.assertEqual((first.time_ns, first.noise_ns, first.untuned_time_ns, first.untuned_noise_ns), (800, 3, 1000, 5))
        self.assertEqual((first.default_stays, first.cold, first.checked), (False, False, True))
        self.assertEqual((first.candidates, first.measurements, first.driver, first.toolkit), (7, None, 13000, 0))
        self.assertEqual((second.cluster, second.grid_limit, second.kernel), ((2, 1, 1), (6, 0, 0), "nothing"))
        self.assertTrue(third.default_stays)
        with cubinet.open(KERNELS) as archive:
            self.assertEqual(archive.modules["kernels"].tunings, ())

    def test_launches_what_was_measured(self) -> None:
        with load(path=self.archive) as module:
            tuned = module.tuned("both", 1000)
            self.assertEqual(tuned.kernel.name, "saxpy")
            self.assertEqual((tuned.source, tuned.reason, tuned.tuning), ("exact", "", 0))
            self.assertEqual((tuned.grid, tuned.block, tuned.cluster), ((6, 1, 1), (96, 1, 1), None))
            self.assertEqual((tuned.extent, tuned.time_ns, tuned.untuned_time_ns), ((1000, 1, 1), 800, 1000))
            tuned.kernel.launch(tuned.grid, tuned.block, (1.0, None, None, 1000), shared=tuned.shared)
            self.assertEqual(last_launch().block[0], 96)
            nearest = module.tuned("both", (3500,))
            self.assertEqual((nearest.kernel.name, nearest.source, nearest.tuning), ("nothing", "nearest", 1))
            self.assertEqual((nearest.grid, nearest.cluster), ((6, 1, 1), (2, 1, 1)))

    def test_says_why_not(self) -> None:
        with load(path=self.archive) as module:
            outside = module.tuned("both", 999)
            self.assertEqual((outside.source, outside.reason, outside.tuning), ("none", "outside", None))
            self.assertEqual(outside.kernel.name, "saxpy")
            self.assertIsNone(outside.time_ns)
            self.assertEqual(module.tuned("both", 1000, tuning=False).reason, "ignored")
            self.assertEqual(module.tuned("both", 1000, max_block=32).reason, "options")
            self.assertEqual(module.tuned("both", 7900).reason, "default")
            self.assertEqual(module.tuned("nothing", 1).reason, "outside")
            self.assertEqual(module.tuned("all<int>", 1).reason, "no-record")
            with self.assertRaises(cubinet.NotFoundError):
                module.tuned("neither", 1)
        with load() as module:
            self.assertEqual(module.tuned("saxpy", 1000).reason, "no-record")

    def test_suggests(self) -> None:
        with load(path=self.archive) as module:
            kernel = module.kernel("saxpy")
            self.assertEqual(kernel.suggest(1000).block, (96, 1, 1))
            self.assertEqual(kernel.suggest(1000).grid, (6, 1, 1))
            self.assertNotEqual(kernel.suggest(1000, tuning=False).block, (96, 1, 1))

            def shared(threads: int) -> int:
                raise ValueError(threads)

            with self.assertRaises(ValueError):
                module.tuned("both", 1000, shared=shared)


if __name__ == "__main__":
    unittest.main()
