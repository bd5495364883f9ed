# SPDX-License-Identifier: Apache-2.0
"""Makes the .debs that other tests check and install, as docs/guide/install.md says."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import objects
import project

PAGE = (project.SOURCE / "docs/guide/install.md").read_text()


def main():
    debs = pathlib.Path(os.environ["CUBINET_TEST_DEBS"])
    shutil.rmtree(debs, ignore_errors=True)
    (commands,) = re.findall(r"\n```sh\n([^`]*cpack -G DEB[^`]*)```\n", PAGE)
    cpack = pathlib.Path(shutil.which(project.CMAKE)).parent / "cpack"
    with tempfile.TemporaryDirectory(prefix="cubinet-test-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "cubinet").symlink_to(project.SOURCE)
        environment = {**os.environ, **objects.environment(scratch), "CMAKE_GENERATOR": "Ninja"}
        os.umask(0o077)  # which the packages must not depend on
        subprocess.run(["sh", "-ec", commands.replace("cpack", f"'{cpack}'")], cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
        debs.mkdir(parents=True)
        for deb in (folder / "deb-build").glob("*.deb"):
            shutil.copy(deb, debs)


if __name__ == "__main__":
    lacking = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "file") if not shutil.which(tool)]
    if lacking:
        sys.exit(project.skip(f"no packages are made: lacking {', '.join(lacking)}"))
    main()
