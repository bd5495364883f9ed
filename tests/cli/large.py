#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives with so many kernels, symbols, records, images or modules that comparing each with each would take
minutes: `large.py COMMAND SANITIZERS`. With sanitizers there are fewer."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def kernels(count, prefix="k"):
    return HEAD + "".join(f".visible .entry {prefix}{i:07d}()\n{{\nret;\n}}\n" for i in range(count))


def functions(count):
    return HEAD + "".join(f".visible .func f{i:07d}()\n{{\nret;\n}}\n" for i in range(count))


def some(count):
    return count // 20 if SANITIZERS else count


class Large(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *arguments, status=0):
        result = subprocess.run([COMMAND, *arguments], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def pack(self, name, text, *options):
        (self.folder / f"{name}.ptx").write_text(text)
        self.run_command("pack", f"m={name}.ptx", "-o", f"{name}.cubinet", *options)
        return f"{name}.cubinet"

    def test_kernels(self):
        archive = self.pack("kernels", kernels(some(200000)))
        self.assertIn(b"is sound", self.run_command("verify", archive))

    def test_symbols(self):
        archive = self.pack("functions", functions(some(100000)))
        self.assertIn(b"is sound", self.run_command("verify", archive))
        self.run_command("diff", archive, archive)

    def test_pages_of_differences(self):
        before = self.pack("before", kernels(some(60000)))
        after = self.pack("after", kernels(some(60000), "other"))
        self.run_command("diff", before, after, "--html", "page.html", status=1)
        self.assertTrue((self.folder / "page.html").exists())

    def test_tuning_records(self):
        archive = self.pack("tuned", HEAD + ".visible .entry k()\n{\nret;\n}\n")
        image = json.loads(self.run_command("inspect", archive, "--json"))["modules"][0]["images"][0]
        record = {"gpu": "GPU", "compute": "9.0", "multiprocessors": 132, "target": "compute_80", "digest": image["digest"],
                  "kernel": "k", "block": [128, 1, 1], "grid_rule": "per-thread", "grid_value": [4, 1, 1], "time_ns": 9120,
                  "noise_ns": 14, "untuned_time_ns": 10400, "untuned_noise_ns": 21, "candidates": 42, "date": 1764201600,
                  "driver": "13.0"}  # fmt: skip
        records = [dict(record, extent=[i + 1, 1, 1]) for i in range(some(1000))]
        instances = ["k"] + [f"k{i}" for i in range(some(10000))]
        tuned = {"what": "k", "default": "k", "instances": instances, "records": records}
        (self.folder / "tuning.json").write_text(json.dumps({"modules": [{"module": "m", "tunings": [tuned]}]}))
        archive = self.pack("tuned", HEAD + ".visible .entry k()\n{\nret;\n}\n", "--tuning", "tuning.json")
        self.run_command("slice", archive, "--module", "m", "-o", "slice.cubinet")
        (found,) = json.loads(self.run_command("inspect", "slice.cubinet", "--json"))["modules"][0]["tunings"]
        self.assertEqual((len(found["records"]), found["instances"]), (len(records), sorted(instances)))

    def test_images_of_a_module(self):
        """Each may be the base of each other."""
        count = some(500)
        for i in range(count):
            text = HEAD.replace("80", str(10 + i)) + ".visible .entry k()\n{\nret;\n}\n" + "\n" * 150000
            (self.folder / f"{i}.ptx").write_text(text)
        self.run_command("pack", *(f"m={i}.ptx" for i in range(count)), "-o", "images.cubinet", "--compress", "fast")
        self.assertIn(b"is sound", self.run_command("verify", "images.cubinet"))

    def test_small_images_beside_a_large_one(self):
        """It looks similar to each of them, which must not be tried after it."""
        count = some(1000)
        (self.folder / "large.ptx").write_text(HEAD + "\n" * some(100000000))
        for i in range(count):
            (self.folder / f"{i}.ptx").write_text(HEAD + f"// {i}\n")
        inputs = ["a=large.ptx", *(f"m{i}={i}.ptx" for i in range(count))]
        self.run_command("pack", *inputs, "-o", "small.cubinet", "--compress", "fast")
        self.assertIn(b"is sound", self.run_command("verify", "small.cubinet"))

    def test_modules(self):
        (self.folder / "k.ptx").write_text(kernels(1))
        (self.folder / "modules.txt").write_text("".join(f"m{i:06d}=k.ptx\n" for i in range(some(100000))))
        self.run_command("pack", "@modules.txt", "-o", "modules.cubinet")
        self.run_command("replace", "modules.cubinet", "modules.cubinet", "-o", "again.cubinet")


if __name__ == "__main__":
    COMMAND, SANITIZERS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
