# SPDX-License-Identifier: Apache-2.0
"""Bazel in a project of its own, with the command and the toolkit of this build in place of installed ones."""
import glob
import os
import shutil
import signal
import subprocess

import servers

SAMPLE = os.path.join(servers.HERE, "../../samples/bazel")
REPOSITORIES = os.path.join(servers.HERE, "bazel_repositories")


def why_not():
    """Why there is no test with Bazel, in words; empty if there is one. Bazel is large, and starts a server of its own."""
    if os.environ.get("CUBINET_TEST_BAZEL") != "1":
        return "CUBINET_TEST_BAZEL=1 is not set"
    return "" if shutil.which("bazel") else "there is no bazel"


class Project:
    """A copy of the sample in a folder. It has files of its own where `files` has any, by name."""

    def __init__(self, folder, files=None):
        self.folder = os.path.join(folder, "project")
        self.root = os.path.join(folder, "root")
        self.installed = os.path.join(folder, "installed")
        shutil.copytree(SAMPLE, self.folder)
        for name, text in (files or {}).items():
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        if not os.path.exists(self.installed):
            self.install()
        self.replace("WORKSPACE", '"/usr/local/cuda"', '"%s"' % os.environ["CUBINET_TOOLKIT_ROOT"])
        self.replace("WORKSPACE", '"/usr/local"', '"%s"' % self.installed)

    def install(self):
        for component in ("cubinet_tool", "cubinet_runtime", "cubinet_dev"):
            subprocess.run([os.environ["CMAKE"], "--install", os.environ["CUBINET_BUILD"], "--prefix", self.installed,
                            "--component", component], check=True, stdout=subprocess.DEVNULL)

    def replace(self, name, old, new):
        path = os.path.join(self.folder, name)
        with open(path) as file:
            text = file.read()
        if old not in text:
            raise ValueError("%s has no %s" % (name, old))
        with open(path, "w") as file:
            file.write(text.replace(old, new))

    def run(self, *arguments):
        """Runs Bazel, and returns the finished process, with what it said."""
        return subprocess.run(["bazel", "--output_user_root=" + self.root, *arguments], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def build(self, *arguments):
        """Builds without the network: what Bazel 4 would fetch for C is in a folder. Returns what Bazel said."""
        process = self.try_to_build(*arguments)
        if process.returncode:
            raise RuntimeError(process.stdout)
        return process.stdout

    def try_to_build(self, *arguments):
        here = ["--override_repository=%s=%s" % (name, os.path.join(REPOSITORIES, name))
                for name in os.listdir(REPOSITORIES)]
        return self.run("build", "--color=no", "--curses=no", *here, *arguments)

    def made(self, name):
        with open(os.path.join(self.folder, "bazel-bin", name), "rb") as file:
            return file.read()

    def clean(self):
        self.run("clean")

    def remove(self):
        """Ends Bazel's server, and removes what it has written."""
        for path in glob.glob(os.path.join(self.root, "*/server/server.pid.txt")):
            with open(path) as file:
                os.kill(int(file.read()), signal.SIGKILL)
        subprocess.run(["chmod", "-R", "u+w", self.root], check=False)
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(self.folder)
