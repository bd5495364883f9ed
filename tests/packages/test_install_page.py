# SPDX-License-Identifier: Apache-2.0
"""docs/guide/install.md: each way to get Cubinet, as the page has it. A project in C++ alone is configured, built and packaged; the package
is unpacked into a root folder with nothing but what it depends on, and the program is started there."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import objects
import packages
import project
from project import SOURCE

PAGE = (SOURCE / "docs/guide/install.md").read_text()
SECTIONS = dict(zip(*[iter(re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)[1:])] * 2))
CPACK = pathlib.Path(shutil.which(project.CMAKE) or "").parent / "cpack"
# vcpkg and conda: tests/packages has their tools, or what stands for them.
WAYS = ("Debian packages", "vcpkg", "conda", "An installation", "FetchContent", "add_subdirectory", "pkg-config", "A plugin",
        "The loader alone")

# Opens the plugin and closes it again, more often than there can be keys of threads' memory. Some threads that called it end later.
HOST = """
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <future>
#include <thread>

static const char *call(void *plugin)
{
    return reinterpret_cast<const char *(*)()>(dlsym(plugin, "plugin_run"))();
}

int main(int, char **arguments)
{
    for (int i = 0; i < 1100; i++) {
        void *plugin = dlopen(arguments[1], RTLD_NOW);
        std::promise<void> called, closed;
        std::thread thread;
        if (!plugin || dlsym(plugin, "cubinet_version")) {
            return puts(plugin ? "it exports Cubinet" : dlerror());
        }
        if (i % 100 == 0) {
            thread = std::thread([&] { call(plugin); called.set_value(); closed.get_future().wait(); });
            called.get_future().wait();
        }
        if (i == 0) {
            puts(call(plugin));
        }
        dlclose(plugin);
        if (dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD)) {
            return puts("it stays");
        }
        if (thread.joinable()) {
            closed.set_value();
            thread.join();
        }
    }
}
"""


def blocks(section, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)


class InstallPage(project.Project):
    def setUp(self):
        super().setUp()
        self.source = self.scratch  # which the page's commands run in
        (self.scratch / "cubinet").unlink()  # the recorder has that name
        (self.scratch / "cubinet").symlink_to(SOURCE)
        self.environment = {"CMAKE_GENERATOR": "Ninja", **objects.environment(self.scratch)}
        self.new_app()

    def new_app(self):
        """The program as the page has it."""
        for folder in ("app", "app-build", "root"):
            shutil.rmtree(self.scratch / folder, ignore_errors=True)
        self.write("app/scale.cu", blocks("The program", "cuda")[0])
        self.write("app/main.cpp", blocks("The program", "cpp")[0])
        self.write("app/CMakeLists.txt", blocks("The program", "cmake")[0])

    def shell(self, text, folder=".", **environment):
        text = text.replace("/opt/", f"{self.scratch}/opt/")
        result = subprocess.run(["sh", "-ec", text], cwd=self.scratch / folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, env={**os.environ, **self.environment, **environment}, check=False)  # fmt: skip
        self.assertEqual(result.returncode, 0, f"{text}\n{result.stdout}")

    def assert_packaged_program_starts(self):
        self.shell(f"'{CPACK}' -G DEB", "app-build")
        root = self.scratch / "root"
        packages.make_root(root, [*(self.scratch / "app-build").glob("*.deb")])
        content = subprocess.check_output(["dpkg-deb", "-c", *(self.scratch / "app-build").glob("*.deb")], text=True)
        self.assertEqual(re.findall(r"^-.* (\S+)$", content, re.MULTILINE), ["./usr/bin/app"])
        self.assert_starts(root, "/usr/bin/app")

    def assert_starts(self, root, program):
        shutil.copy(os.environ["SIMCUDA"], root / "simcuda.so")
        self.assertEqual(packages.run_in_root(root, program, CUBINET_LIBCUDA="/simcuda.so"), "loaded\n")

    def test_the_page_has_these_ways(self):
        table = re.findall(r"\]\(#([a-z_-]+)\)", PAGE.partition("\n## ")[0])
        self.assertEqual(sorted(set(table)), sorted(way.lower().replace(" ", "-") for way in WAYS))

    def test_installed(self):
        """The ways that build Cubinet first, once for all of them; debs.py has made the packages."""
        use = blocks("Debian packages", "sh")[1]
        debs = sorted(pathlib.Path(os.environ["CUBINET_TEST_DEBS"]).glob("*.deb"))
        self.assertEqual([deb.name.partition("_")[0] for deb in debs], ["cubinet", "libcubinet-dev", "libcubinet0"])
        system = self.scratch / "system"
        for deb in debs:
            subprocess.run(["dpkg-deb", "-x", deb, system], check=True)
        with self.subTest("Debian packages"):
            self.shell(use, CMAKE_PREFIX_PATH=str(system / "usr"))  # where apt-get would have put them
            self.assert_packaged_program_starts()
        with self.subTest("An installation"):
            self.new_app()
            self.shell(*blocks("An installation", "sh"))
            shutil.rmtree(self.scratch / "app-build")
            (self.scratch / "opt/cubinet").rename(self.scratch / "opt/moved")
            self.shell(use, CMAKE_PREFIX_PATH=str(self.scratch / "opt/moved"))
            self.assert_packaged_program_starts()
        with self.subTest("pkg-config"):
            prefix = self.scratch / "opt/moved"
            self.shell(*blocks("pkg-config", "sh"), folder="app", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"),
                       PATH=f"{prefix}/bin:{os.environ['PATH']}")  # fmt: skip
            shutil.copy(self.scratch / "app/app", self.scratch / "root/usr/bin/by-hand")
            self.assert_starts(self.scratch / "root", "/usr/bin/by-hand")
        with self.subTest("A plugin"):
            self.write("app/plugin.cpp", blocks("A plugin", "cpp")[0])
            self.write("app/host.cpp", HOST)
            self.shell(*blocks("A plugin", "sh"), folder="app", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"),
                       PATH=f"{prefix}/bin:{os.environ['PATH']}")  # fmt: skip
            self.shell("c++ host.cpp -o host -ldl -pthread", "app")
            for environment, expected in (({"CUBINET_LIBCUDA": os.environ["SIMCUDA"]}, "loaded"),
                                          ({"CUBINET_LIBCUDA": "/nowhere"}, "the CUDA driver .* cannot be opened.*")):  # fmt: skip
                self.shell(f"./host ./plugin.so >said; grep -x \"{expected}\" said", "app", **environment)
        with self.subTest("The loader alone"):
            self.new_app()
            make, use_loader = blocks("The loader alone", "sh")
            self.shell(make.replace("PACKAGER=OFF", "PACKAGER=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON "
                                    "-DCMAKE_CXX_COMPILER=/nonexistent"))  # fmt: skip
            self.assertFalse((self.scratch / "opt/loader/bin").exists())
            self.shell(use_loader.replace("/usr/bin/cubinet", str(system / "usr/bin/cubinet")))
            self.assert_packaged_program_starts()
        with self.subTest("the .tar.gz, with the shared library and the headers beside the command"):
            self.new_app()
            self.shell(f"'{CPACK}' -G TGZ && mkdir tgz && tar -xf *.tar.gz -C tgz --strip-components=1", "cubinet-build")
            for name, old, new in (("CMakeLists.txt", "::cubinet_static", "::cubinet"),
                                   ("scale.cu", 'extern "C"', '#include <cstdint>\nextern "C"')):  # fmt: skip
                path = self.scratch / "app" / name
                path.write_text(path.read_text().replace(old, new))
            self.shell(use, CMAKE_PREFIX_PATH=str(self.scratch / "cubinet-build/tgz"))
            self.shell("app-build/app | grep -x loaded", CUBINET_LIBCUDA=os.environ["SIMCUDA"])

    def within(self, lines):
        """A project that brings Cubinet along."""
        self.write("app/CMakeLists.txt", lines)
        self.shell("cmake -S app -B app-build -DCMAKE_BUILD_TYPE=Release && cmake --build app-build")
        self.assert_packaged_program_starts()

    def test_fetch_content(self):
        (lines,) = blocks("FetchContent", "cmake")
        lines, count = re.subn(r"GIT_REPOSITORY \S+ GIT_TAG [^)]*", f'SOURCE_DIR "{SOURCE}"', lines)
        self.assertEqual(count, 1)
        self.within(lines)

    def test_add_subdirectory(self):
        (self.scratch / "app/third_party").mkdir()
        (self.scratch / "app/third_party/cubinet").symlink_to(SOURCE)
        self.within(*blocks("add_subdirectory", "cmake"))


if __name__ == "__main__":
    if packages.lacking():
        sys.exit(project.skip(f"no packages are made: lacking {packages.lacking()}"))
    project.main()
