# SPDX-License-Identifier: Apache-2.0
"""What the tests of the remote cache have in common: processes that use one, and what they say."""
import os
import shutil
import subprocess
import tempfile
import unittest

CLIENT = os.environ.get("REMOTE_CLIENT", "remote_client")


# Of those who are not about time, on machines that are busy.
PATIENCE = {"CUBINET_REMOTE_CACHE_TIMEOUT": "100", "CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT": "100"}


class Result:
    def __init__(self, process):
        self.printed = process.stdout.strip()
        self.said = process.stderr
        self.warnings = [line for line in process.stderr.splitlines() if line.startswith("cubinet: warning: ")]


class RemoteTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cubinet-remote-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = os.path.join(self.folder, "cache")
        os.mkdir(self.cache, 0o700)
        self.settings = {"CLIENT_FOLDER": self.cache, **PATIENCE}

    def client(self, *arguments, **settings):
        """Runs a client, which must not fail whatever the server does."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("CUBINET_REMOTE") and "proxy" not in name.lower()}
        environment.update({"HOME": self.folder, "NETRC": ""}, **self.settings)
        environment.update(settings)
        process = subprocess.run([CLIENT, *arguments], env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.returncode, 0, process.stderr)
        return Result(process)

    def quiet(self, *arguments, **settings):
        """Runs a client that has nothing to say, and returns what it prints."""
        result = self.client(*arguments, **settings)
        self.assertEqual(result.said, "")
        return result.printed

    def warned(self, pattern, *arguments, **settings):
        """Runs a client that warns once, and returns what it prints."""
        result = self.client(*arguments, **settings)
        self.assertEqual(len(result.warnings), 1, result.said)
        self.assertRegex(result.warnings[0], pattern)
        return result.printed

    def forget(self):
        """Makes trouble news again."""
        for name in os.listdir(self.cache):
            os.remove(os.path.join(self.cache, name))

    def age(self, seconds):
        """Makes trouble one of so many seconds ago."""
        for name in os.listdir(self.cache):
            path = os.path.join(self.cache, name)
            then = os.stat(path).st_mtime - seconds
            os.utime(path, (then, then))


def main():
    unittest.main(verbosity=2)
