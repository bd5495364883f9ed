# SPDX-License-Identifier: Apache-2.0
"""Makes the .debs that other tests check and install, as docs/guide/install.md says."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import objects
import project

OPTIONS = ["-DCMAKE_INSTALL_PREFIX=/usr", "-DCUBINET_BUILD_TESTS=OFF", "-DCUBINET_BUILD_SAMPLES=OFF", "-DCUBINET_BUILD_BENCHMARKS=OFF"]


def main():
    debs = pathlib.Path(os.environ["CUBINET_TEST_DEBS"])
    shutil.rmtree(debs, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="cubinet-test-") as scratch:
        build = pathlib.Path(scratch) / "build"
        environment = {**os.environ, **objects.environment(scratch)}
        os.umask(0o077)  # which the packages must not depend on
        for command in ([project.CMAKE, "-S", project.SOURCE, "-B", build, "-G", "Ninja", *OPTIONS],
                        [project.CMAKE, "--build", build],
                        [pathlib.Path(shutil.which(project.CMAKE)).parent / "cpack", "--config", build / "CPackConfig.cmake",
                         "-G", "DEB", "-B", build]):  # fmt: skip
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        debs.mkdir(parents=True)
        for deb in build.glob("*.deb"):
            shutil.copy(deb, debs)


if __name__ == "__main__":
    lacking = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "file") if not shutil.which(tool)]
    if lacking:
        sys.exit(project.skip(f"no packages are made: lacking {', '.join(lacking)}"))
    main()
