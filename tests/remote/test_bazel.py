#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/bazel, built by Bazel in its sandbox, then taken from the remote cache that a first build filled."""
import os
import subprocess
import sys

import bazel
import client
import servers


class BazelTest(client.RemoteTest):
    def test_the_sample(self):
        project = bazel.Project(self.folder)
        self.addCleanup(project.remove)
        server = servers.Server()
        self.addCleanup(server.stop)
        cache = "--remote_cache=" + server.url
        self.assertNotIn("remote cache hit", project.build(cache, "//..."))
        first = project.made("saxpy.cubinet")
        shown = subprocess.run([os.path.join(project.folder, "bazel-bin/show")], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(shown.stdout, "module saxpy has _Z5saxpyIfEvT_PKS0_PS0_i\n")
        project.clean()
        said = project.build(cache, "//...")
        self.assertRegex(said, r"[1-9][0-9]* remote cache hit")
        self.assertNotRegex(said, r"[0-9] linux-sandbox[,.]")
        self.assertEqual(first, project.made("saxpy.cubinet"))


if __name__ == "__main__":
    if bazel.why_not():
        print("skipped: " + bazel.why_not())
        sys.exit(77)
    client.main()
