#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/bazel, built by Bazel in its sandbox, then taken from the remote cache that a first build filled. Bazel is large
and starts a server of its own, so this is for those who ask for it: CUBINET_TEST_BAZEL=1."""
import os
import re
import shutil
import subprocess
import sys

import client
import servers

SAMPLE = os.path.join(servers.HERE, "../../samples/bazel")


class BazelTest(client.RemoteTest):
    def bazel(self, *arguments):
        root = "--output_user_root=" + os.path.join(self.folder, "root")
        process = subprocess.run(["bazel", root, *arguments], cwd=self.project, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        self.assertEqual(process.returncode, 0, process.stdout)
        return process.stdout

    def remove_root(self):
        self.bazel("clean", "--expunge")
        subprocess.run(["chmod", "-R", "u+w", os.path.join(self.folder, "root")], check=False)

    def prepare(self):
        """The sample, with the command and the toolkit of this build in place of installed ones."""
        self.project = os.path.join(self.folder, "project")
        shutil.copytree(SAMPLE, self.project)
        installed = os.path.join(self.folder, "installed")
        subprocess.run([os.environ["CMAKE"], "--install", os.environ["CUBINET_BUILD"], "--prefix", installed,
                        "--component", "cubinet_tool"], check=True, stdout=subprocess.DEVNULL)
        path = os.path.join(self.project, "WORKSPACE")
        with open(path) as file:
            text = file.read()
        text = text.replace('"/usr/local/cuda"', '"%s"' % os.environ["CUBINET_TOOLKIT_ROOT"])
        with open(path, "w") as file:
            file.write(text.replace('"/usr/local"', '"%s"' % installed))
        self.addCleanup(self.remove_root)

    def archive(self):
        with open(os.path.join(self.project, "bazel-bin/saxpy.cubinet"), "rb") as file:
            return file.read()

    def test_the_sample(self):
        self.prepare()
        server = servers.Server()
        self.addCleanup(server.stop)
        cache = "--remote_cache=" + server.url
        self.assertNotIn("remote cache hit", self.bazel("build", cache, "//:saxpy"))
        first = self.archive()
        self.bazel("clean")
        said = self.bazel("build", cache, "//:saxpy")
        self.assertTrue(re.search(r"3 remote cache hit", said), said)
        self.assertEqual(first, self.archive())


if __name__ == "__main__":
    if os.environ.get("CUBINET_TEST_BAZEL") != "1" or not shutil.which("bazel"):
        print("skipped: CUBINET_TEST_BAZEL=1 is not set, or there is no bazel")
        sys.exit(77)
    client.main()
