# SPDX-License-Identifier: Apache-2.0
"""CUBINET_TRACE, `cubinet profile` and what `cubinet build` tells of itself, by builds of small sources."""

import collections
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["CUBINET_COMMAND"]
COMPILE_PHASES = {"start-up", "toolkit", "load NVRTC", "NVRTC", "clean PTX", "assemble", "digest inputs", "write"}

# Of text that takes NVRTC a while, so that a header's own time shows.
SLOW = "".join(f"template <int N> struct slow{i} {{ static const int value = slow{i}<N - 1>::value; }};\n" for i in range(500))


def by_thread(events):
    """The events with times of each thread of each process, in the file's order. A process's are together."""
    threads = collections.defaultdict(list)
    process = 0
    for event in events:
        process += event["ph"] == "M"
        if event["ph"] == "X":
            threads[process, event["tid"]].append(event)
    return threads


def is_own(path):
    """Whether a header is the test's, and not one that every source has before it."""
    return path.startswith("include/")


def lies_in(inner, outer):
    return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("include/outer.h", '#pragma once\n#include "first.h"\n#include "second.h"\n')
        self.write("include/first.h", "#pragma once\n" + SLOW)
        self.write("include/second.h", '#pragma once\n#include "first.h"\n#if __has_include("unused.h")\n#endif\n')
        self.write("include/unused.h", "#error it is only asked for\n")
        for name in ("one", "two"):
            self.write(f"{name}.cu", f'#include "outer.h"\nextern "C" __global__ void {name}(int *x) {{ *x = 1; }}\n')
        self.write("plain.cu", 'extern "C" __global__ void plain(int *x) { *x = 1; }\n')

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        time.sleep(0.02)  # so that it is older than what is started after this

    def run_command(self, *arguments, trace=None, expected=0):
        environment = {name: value for name, value in os.environ.items() if name != "CUBINET_TRACE"}
        if trace:
            environment["CUBINET_TRACE"] = trace
        result = subprocess.run([COMMAND, *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        self.assertEqual(result.returncode, expected, result.stdout + result.stderr)
        return result.stdout

    def build(self, *options, trace=None):
        return self.run_command("build", "one.cu", "two.cu", "plain.cu", "-Iinclude", "-o", "out/all.cubinet", "--arch",
                                "80,90-real", *options, trace=trace)  # fmt: skip

    def events(self, folder="trace"):
        return json.loads((self.folder / folder / "trace.json").read_text())

    def expect_nested(self, spans):
        """Each lies in another, or apart from it: viewers drop what overlaps in part."""
        outer = []
        for event in spans:
            while outer and outer[-1]["ts"] + outer[-1]["dur"] <= event["ts"]:
                outer.pop()
            if outer:
                self.assertTrue(lies_in(event, outer[-1]), (event, outer[-1]))
            outer.append(event)

    def test_whole_build(self):
        self.build(trace="trace")
        events = self.events()
        self.assertEqual({event["ph"] for event in events}, {"M", "X"})
        names = sorted(event["args"]["name"] for event in events if event["ph"] == "M")
        compiles = [f"compile {module} {targets}" for module in ("one", "plain", "two")
                    for targets in ("sm_80, compute_80", "sm_90")]  # fmt: skip
        self.assertEqual(names, ["build out/all.cubinet", *compiles, "pack out/all.cubinet"])
        for spans in by_thread(events).values():
            starts = [event["ts"] for event in spans]
            self.assertEqual(starts, sorted(starts))
            self.assertTrue(all(event["dur"] >= 0 for event in spans))
            self.expect_nested(spans)
        self.assertEqual(os.listdir(self.folder / "trace"), ["trace.json"])

    def test_processes_are_aligned(self):
        """On one clock: what the build started lies within the build."""
        self.build(trace="trace")
        processes = [event for event in self.events() if event.get("cat") == "process"]
        (build,) = [event for event in processes if event["name"] == "build"]
        for event in processes:
            self.assertTrue(lies_in(event, build), event)

    def test_phases(self):
        self.run_command("compile", "one.cu", "-Iinclude", "--arch", "80,86-real", trace="trace")
        (spans,) = by_thread(self.events()).values()
        (process,) = [event for event in spans if event["cat"] == "process"]
        phases = [event for event in spans if event["cat"] == "phase"]
        self.assertLessEqual(COMPILE_PHASES, {event["name"] for event in phases})
        assembled = [event["args"]["detail"] for event in phases if event["name"] == "assemble"]
        self.assertEqual(sorted(assembled), ["sm_80", "sm_86"])
        for event in phases:
            self.assertTrue(lies_in(event, process), event)

    def test_headers(self):
        """Those of the depfile, once each where they have a guard; siblings are not within each other."""
        self.run_command("compile", "one.cu", "-Iinclude", "--arch", "80", "-MMD", "-MF", "one.d", trace="trace")
        depfile = (self.folder / "one.d").read_text()
        headers = [event for event in self.events() if event.get("cat") == "header" and is_own(event["name"])]
        found = sorted(pathlib.Path(event["name"]).name for event in headers)
        self.assertEqual(found, ["first.h", "outer.h", "second.h"])
        for event in headers:
            self.assertIn(event["name"], depfile)
        outer, first, second = (
            next(event for event in headers if event["name"].endswith(name)) for name in ("outer.h", "first.h", "second.h")
        )
        self.assertTrue(lies_in(first, outer) and lies_in(second, outer))
        self.assertLessEqual(first["ts"] + first["dur"], second["ts"])

    def test_deep_headers(self):
        """NVRTC keeps only some of them open."""
        depth = 30
        for i in range(depth):
            inner = f'#include "deep{i + 1}.h"\n' if i + 1 < depth else ""
            self.write(f"include/deep{i}.h", f"#pragma once\nstruct before{i} {{}};\n{inner}" + SLOW.replace("slow", f"deep{i}_"))
        self.write("deep.cu", '#include "deep0.h"\n#include "first.h"\nextern "C" __global__ void deep() {}\n')
        self.run_command("compile", "deep.cu", "-Iinclude", "--arch", "80", trace="trace")
        headers = [event for event in self.events() if event.get("cat") == "header" and is_own(event["name"])]
        names = [f"include/deep{i}.h" for i in range(depth)] + ["include/first.h"]
        self.assertEqual([event["name"] for event in headers], names)
        for outer, inner in zip(headers[: depth - 1], headers[1:]):
            self.assertTrue(lies_in(inner, outer), (inner, outer))
        self.assertLessEqual(headers[0]["ts"] + headers[0]["dur"], headers[depth]["ts"])

    def test_own_trace_of_nvrtc(self):
        self.run_command("compile", "one.cu", "-Iinclude", "--arch", "80", trace="trace")
        events = self.events()
        nvrtc = [event for event in events if event.get("cat") == "nvrtc"]
        if not nvrtc:
            self.skipTest("an NVRTC before CUDA 12.5 has none")
        (phase,) = [event for event in events if event["name"] == "NVRTC" and event["cat"] == "phase"]
        parts = {event["name"]: event for event in nvrtc}
        self.assertLessEqual({"CUDA C++ Front-End", "LibNVVM"}, set(parts))
        self.assertTrue(lies_in(parts["CUDA C++ Front-End"], phase))
        self.assertLessEqual(parts["CUDA C++ Front-End"]["ts"], parts["LibNVVM"]["ts"])

    def test_outputs_are_the_same(self):
        outputs = ("one.cubinet", "one.d", "one.cubinet.inputs")
        arguments = ("compile", "one.cu", "-Iinclude", "--arch", "80,90-lto", "-lineinfo", "-MD", "-MF", "one.d")
        for folder, trace in (("without", None), ("with", "trace")):
            self.run_command(*arguments, trace=trace)
            (self.folder / folder).mkdir()
            for name in outputs:
                shutil.move(self.folder / name, self.folder / folder)
        same = [name for name in outputs if filecmp.cmp(self.folder / "without" / name, self.folder / "with" / name, shallow=False)]
        self.assertEqual(same[:2], list(outputs[:2]))

    def test_up_to_date(self):
        """A traced compile is known to be done, traced or not."""
        arguments = ("compile", "one.cu", "-Iinclude", "--arch", "80", "-MD")
        for trace in ("first", "second", None):
            self.run_command(*arguments, trace=trace)
        self.assertIn("NVRTC", [event["name"] for event in self.events("first")])
        self.assertNotIn("NVRTC", [event["name"] for event in self.events("second")])

    def test_killed(self):
        """A compile that was stopped is in the trace, by the process that stopped it."""
        self.write("endless.sh", "#!/bin/sh\nsleep 1000\n")
        (self.folder / "endless.sh").chmod(0o755)
        self.run_command("compile", "plain.cu", "--arch", "80-real", "--assembler", "./endless.sh", "--timeout", "1",
                         trace="trace", expected=124)  # fmt: skip
        (process,) = [event for event in self.events() if event.get("cat") == "process"]
        self.assertEqual((process["args"]["subject"], process["args"]["exit_status"]), ("plain", 124))

    def test_profile(self):
        self.build(trace="trace")
        profile = json.loads(self.run_command("profile", "trace", "--json"))
        modules = {module["name"]: module for module in profile["modules"]}
        self.assertEqual(sorted(modules), ["one", "plain", "two"])
        for module in modules.values():
            self.assertEqual(module["compiles"], 2)
            self.assertLessEqual(module["nvrtc_us"] + module["assembling_us"], module["total_us"])
        headers = {pathlib.Path(header["path"]).name: header for header in profile["headers"] if is_own(header["path"])}
        self.assertEqual(sorted(headers), ["first.h", "outer.h", "second.h"])
        self.assertEqual({header["compiles"] for header in headers.values()}, {4})
        self.assertEqual([headers[name]["direct_compiles"] for name in ("outer.h", "first.h", "second.h")], [4, 0, 0])
        inclusive = headers["outer.h"]["inclusive_us"]
        self.assertEqual(sum(header["self_us"] for header in headers.values()), inclusive)
        self.assertEqual(headers["outer.h"]["direct_us"], inclusive)
        times = [header["self_us"] for header in profile["headers"]]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_profile_text(self):
        self.build(trace="trace")
        text = self.run_command("profile", "trace", "--top", "1000")
        self.assertRegex(text, r"(?m)^ +total +NVRTC +front end +NVVM +assembling +compiles +module$")
        self.assertRegex(text, r"(?m) 6  all modules$")
        self.assertRegex(text, r"(?m) 4  include/first\.h$")
        self.assertRegex(text, r"(?s)precompiling.* 4  include/outer\.h\n")

    def test_precompiled_headers(self):
        """They are a module of their own, and nothing that could be precompiled."""
        text = self.build("--pch", "outer.h", "--profile")
        self.assertIn("Precompiling headers for compute_80\n", text)
        self.assertRegex(text, r"Slowest of 9 steps:")
        self.assertRegex(text, r"(?m) 2  precompiled headers$")
        self.assertNotIn("include/outer.h", text.partition("(--pch)")[2])

    def test_precompiled_headers_fit(self):
        """Those that are made without a trace or a limit fit a compile with one, and the other way round."""
        for trace in (None, "trace"):
            self.run_command("pch", "outer.h", "-Iinclude", "-o", "outer.pch", "--arch", "80", trace=trace)
            for other, limit in ((None, "0"), ("other", "0"), (None, "1000")):
                result = subprocess.run(
                    [COMMAND, "compile", "one.cu", "-include", "outer.h", "-Iinclude", "--pch", "outer.pch", "--arch", "80",
                     "--timeout", limit, "-v"],
                    cwd=self.folder, env={**os.environ, "CUBINET_TRACE": other or ""}, stderr=subprocess.PIPE, text=True,
                    check=True)  # fmt: skip
                if not trace and not other and limit == "0" and "outer.pch is used" not in result.stderr:
                    self.skipTest("precompiled headers can't be used here")
                self.assertIn("outer.pch is used", result.stderr, (trace, other, limit))
            os.remove(self.folder / "outer.pch")

    def test_build_profile(self):
        """Of this build alone."""
        self.assertIn("6  all modules", self.build("--profile"))
        self.assertIn("nothing to do", self.build("--profile"))
        self.write("plain.cu", 'extern "C" __global__ void plain(int *x) { *x = 2; }\n')
        profile = json.loads(self.build("--profile", "--json"))["profile"]
        self.assertEqual([module["name"] for module in profile["modules"]], ["plain"])
        built = json.loads(self.build("--profile", "--json"))
        self.assertEqual(built["profile"], {"modules": [], "headers": []})
        self.assertEqual(built["steps"], [])
        self.assertNotIn("profile", json.loads(self.build("--json")))

    def test_slowest_steps(self):
        lines = self.build().splitlines()
        start = lines.index("Slowest of 7 steps:")
        steps = [re.fullmatch(r" *(\d+\.\d\d) s  (.*)", line).groups() for line in lines[start + 1 : start + 6]]
        self.assertEqual(len(steps), 5)
        times = [float(time) for time, _ in steps]
        self.assertEqual(times, sorted(times, reverse=True))
        known = [f"Compiling {module} for {targets}" for module in ("one", "plain", "two")
                 for targets in ("sm_80, compute_80", "sm_90")]  # fmt: skip
        self.assertLessEqual({text for _, text in steps}, {*known, "Packing out/all.cubinet"})

    def test_quiet(self):
        ninja = shutil.which(os.environ.get("NINJA", "ninja"))
        text = self.build("--quiet")
        self.assertNotIn("Slowest", text)
        probe = subprocess.run([ninja or "", "--quiet", "--version"], capture_output=True, check=False) if ninja else None
        if not probe or probe.returncode:
            self.skipTest("this Ninja knows no --quiet")
        self.assertEqual(text, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
