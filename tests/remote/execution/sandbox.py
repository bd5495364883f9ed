# SPDX-License-Identifier: Apache-2.0
"""A root of its own for a command: it finds what is put there, and no file of this machine besides. It has no network, sees no
other process, and writes as a user that owns nothing but the folders it is given. Of Linux, for root."""
import os
import re
import shutil
import subprocess
import tempfile

USER = 65534  # nobody
EMPTY = ("dev", "proc", "tmp")  # of an image

# Puts the processes of this namespace at a path, and folders in place, as pairs up to a word '--', for the commands of this
# namespace alone; then runs what follows.
SCRIPT = """
mount -t proc proc "$1"
shift
while [ "$1" != -- ]; do
    mount --bind "$1" "$2"
    mount -o remount,bind,ro "$2"
    shift 2
done
shift
exec "$@"
"""


def make_image(folder, programs):
    """The system that commands find: the libraries of programs, where the loader looks for them, and no file more."""
    os.makedirs(folder)
    needed = set()
    for program in programs:
        said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True, text=True).stdout
        needed.update(path for path in re.findall(r"(/\S+) \(0x", said)
                      if not path.startswith(os.path.dirname(program) + "/"))
    for path in needed:
        target = folder + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)
        os.chmod(target, 0o755)
    for name in EMPTY:
        os.mkdir(os.path.join(folder, name))


class Sandbox:
    """A root in a folder, of an image."""

    def __init__(self, folder, image):
        self.root = folder
        self.binds = []
        os.mkdir(folder, 0o755)
        for name in os.listdir(image):
            os.mkdir(os.path.join(folder, name), 0o755)
            if name not in EMPTY:
                self.bind(os.path.join(image, name), name)
        os.chmod(os.path.join(folder, "tmp"), 0o1777)
        os.mknod(os.path.join(folder, "dev/null"), 0o20666, os.makedev(1, 3))
        os.chmod(os.path.join(folder, "dev/null"), 0o666)

    def bind(self, source, path):
        """Shows a folder, to be read, at a path of the root that is an empty folder."""
        self.binds += [source, os.path.join(self.root, path)]

    def make_writable(self, path):
        os.chown(os.path.join(self.root, path), USER, USER)

    def run(self, arguments, working, environment):
        """Runs a command in a folder of the root. Returns the finished process, with the bytes that it wrote."""
        return subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child",
             "sh", "-euc", SCRIPT, "sh", os.path.join(self.root, "proc"), *self.binds, "--",
             "env", "-i", *("%s=%s" % pair for pair in environment.items()),
             "/usr/bin/unshare", "--root=" + self.root, "--wd=/" + working, "--setgid=%d" % USER, "--setuid=%d" % USER,
             *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def remove(self):
        shutil.rmtree(self.root)


def is_possible():
    """Whether this process may make such roots: it tries."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            image = os.path.join(folder, "image")
            make_image(image, ["/bin/true"])
            shutil.copy("/bin/true", os.path.join(image, "lib"))
            return Sandbox(os.path.join(folder, "root"), image).run(["/lib/true"], "tmp", {}).returncode == 0
        except (OSError, subprocess.CalledProcessError):
            return False
