# SPDX-License-Identifier: Apache-2.0
"""Debian packages, unpacked into a root folder that has nothing but what they depend on, and programs started there."""

import os
import pathlib
import re
import shutil
import subprocess

LIBRARY = re.compile(r"/lib(32|64)?/.*\.so(\.|$)")
# Followed by the root, and a command there. Programs know by /proc where they lie.
ENTER = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c",
         'mount --rbind /proc "$0/proc" && exec "$(PATH=$PATH:/usr/sbin command -v chroot)" "$0" "$@"']  # fmt: skip


def lacking():
    """What is missing for all of this here; empty if nothing is."""
    tools = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "file") if not shutil.which(tool)]
    if not tools and subprocess.run([*ENTER, "/", "/bin/true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        tools = ["the right to change the root folder"]
    return ", ".join(tools)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def depended_on(text):
    """The installed packages that a Depends field asks for; the first of alternatives."""
    names = set()
    for alternatives in filter(None, (part.strip() for part in text.split(","))):
        candidates = [re.match(r"[^ :(]+", name.strip())[0] for name in alternatives.split("|")]
        installed = [name for name in candidates if subprocess.run(
            ["dpkg-query", "-L", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0]
        names.update(installed[:1])
    return names


def copy_libraries(package, root):
    for line in output("dpkg-query", "-L", package).splitlines():
        path = pathlib.Path(line)
        if LIBRARY.search(line) and "/gconv/" not in line and not path.is_dir():
            target = root / (line if line.startswith("/usr") else f"/usr{line}").lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copy2(path, target)


def make_root(root, debs):
    """Unpacks packages into a new root, with the libraries of all packages that they depend on."""
    (root / "proc").mkdir(parents=True)
    for folder in ("lib", "lib64"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    here = {output("dpkg-deb", "-f", deb, "Package").strip() for deb in debs}
    wanted = set()
    for deb in debs:
        subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
        fields = [part for part in output("dpkg-deb", "-f", deb, "Depends").split(",")
                  if part.split(maxsplit=1)[0:1] and part.split(maxsplit=1)[0] not in here]  # fmt: skip
        wanted |= depended_on(",".join(fields))
    copied = set()
    while wanted - copied:
        package = (wanted - copied).pop()
        copy_libraries(package, root)
        copied.add(package)
        wanted |= depended_on(output("dpkg-query", "-W", "-f", "${Depends}", package))
    return copied


def run_in_root(root, *command, **environment):
    """A program's output, started where the root is all there is."""
    result = subprocess.run([*ENTER, root, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                            env={"PATH": os.environ["PATH"], **environment})  # fmt: skip
    return result.stdout + (f"exit status {result.returncode}\n" if result.returncode else "")
