#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/bazel, built by two workers of BuildGrid: each action sees its inputs, and libraries of the system, alone."""
import os
import sys

import bazel
import client

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "execution"))
import grid  # noqa: E402


class ExecutionTest(client.RemoteTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # the database has a user of its own
        self.project = bazel.Project(self.folder)
        self.addCleanup(self.project.remove)
        self.grid = grid.Grid(os.path.join(self.folder, "grid"), grid.programs(self.project.installed), workers=2)
        self.addCleanup(self.grid.stop)
        # The workers' image has no C compiler.
        self.remote = ["--remote_executor=grpc://" + self.grid.address, "--spawn_strategy=remote",
                       "--strategy=CppCompile=sandboxed", "--strategy=CppLink=sandboxed"]

    def test_the_sample(self):
        self.project.build("//...")
        here = {name: self.project.made(name) for name in ("saxpy.cubinet", "saxpy.h", "show")}
        self.project.clean()

        self.assertRegex(self.project.build(*self.remote, "//..."), r"\b4 remote\b")
        for name, data in here.items():
            self.assertEqual(data, self.project.made(name), name)
        actions = self.grid.log()
        self.assertEqual(len(actions), 4)
        self.assertEqual({action["worker"] for action in actions}, {"worker0", "worker1"})

        # A header that no one declares is not there.
        self.project.replace("BUILD.bazel", 'hdrs = ["saxpy.cuh"],', "")
        process = self.project.try_to_build(*self.remote, "//:saxpy")
        self.assertEqual(process.returncode, 1, process.stdout)
        self.assertIn("saxpy.cuh", process.stdout)


if __name__ == "__main__":
    missing = bazel.why_not() or grid.what_is_missing()
    if missing:
        print("skipped: " + missing)
        sys.exit(77)
    client.main()
