# SPDX-License-Identifier: Apache-2.0
"""BuildGrid and workers on this machine, which only it can reach, in a folder, for as long as an object lives."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import sandbox  # noqa: E402
import servers  # noqa: E402

BUILDGRID = os.path.join(HERE, "../../../build/buildgrid")  # where scripts/remote.sh puts it
POSTGRES = os.path.join(HERE, "../../../build/postgres")  # if it is not installed

# It waits for its database's notices, but not for a timer of a second before it gives out what is there.
CONFIGURATION = """
server:
  - !channel
    address: "127.0.0.1:%(port)d"
    insecure-mode: true
authorization:
  method: none
connections:
  - !sql-connection &sql
    connection-string: "%(database)s"
    pool-size: 20
    max-overflow: 20
storages:
  - !disk-storage &storage
    path: %(folder)s/cas
caches:
  - !lru-action-cache &cache
    storage: *storage
    max-cached-refs: 100000
    allow-updates: true
schedulers:
  - !sql-scheduler &scheduler
    sql: *sql
    storage: *storage
    action-cache: *cache
    property-set: !dynamic-property-set {}
    assigners:
      - !priority-age-assigner
        count: 1
        interval: 0.02
        jitter-factor: 0.01
        failure-backoff: 0
        busy-sleep-factor: 0.01
instances:
  - name: ""
    services:
      - !action-cache
        cache: *cache
      - !execution
        scheduler: *scheduler
      - !cas
        storage: *storage
      - !bytestream
        storage: *storage
thread-pool-size: 200
"""


def find_postgres():
    """The folder of PostgreSQL's programs, or None."""
    found = [path for start in (POSTGRES, "") for path in sorted(glob.glob(start + "/usr/lib/postgresql/*/bin/postgres"))]
    return os.path.dirname(found[-1]) if found else None


def what_is_missing():
    """What this machine has not, in words; empty if it has all."""
    if not os.path.exists(os.path.join(BUILDGRID, "bin/bgd")):
        return "BuildGrid is not in build/buildgrid"
    if not find_postgres():
        return "PostgreSQL is not installed"
    if not sandbox.is_possible():
        return "workers need root, and namespaces"
    return ""


def programs(installed):
    """What the actions of a project run and load, of which the workers' image has the libraries."""
    toolkit = os.environ["CUBINET_TOOLKIT_ROOT"]
    found = [os.path.realpath(path) for name in ("nvrtc", "nvJitLink")
             for path in glob.glob(os.path.join(toolkit, "lib*/lib%s*.so*" % name))]
    return [os.path.join(installed, "bin/cubinet"), *sorted(set(found))]


class Grid:
    def __init__(self, folder, programs, workers):
        """`programs` are those whose libraries the workers' image has."""
        self.folder = folder
        self.processes = []
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        self.environment = dict(os.environ, PYTHONPATH=BUILDGRID, PYTHONDONTWRITEBYTECODE="1")
        try:
            self._start_database()
            self._start_server()
            for number in range(workers):
                self._start_worker(number, programs)
        except BaseException:
            self.stop()
            raise

    def _start(self, name, arguments, **more):
        log = open(os.path.join(self.folder, name + ".log"), "ab")
        process = subprocess.Popen(arguments, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **more)
        log.close()
        self.processes.append(process)
        return process

    def _wait(self, name, process, is_ready):
        deadline = time.monotonic() + 120
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                with open(os.path.join(self.folder, name + ".log")) as file:
                    raise RuntimeError("%s does not start: %s" % (name, file.read()))
            time.sleep(0.05)

    def _start_database(self):
        """PostgreSQL, at a socket in the folder. It refuses to be root."""
        folder = os.path.join(self.folder, "database")
        os.mkdir(folder, 0o700)
        os.chown(folder, sandbox.USER, sandbox.USER)
        programs = find_postgres()
        libraries = os.pathsep.join(glob.glob(POSTGRES + "/usr/lib/*-linux-gnu")) if programs.startswith(POSTGRES) else ""
        user = {"user": sandbox.USER, "group": sandbox.USER, "extra_groups": [], "cwd": "/",
                "env": dict(os.environ, LD_LIBRARY_PATH=libraries)}
        data = os.path.join(folder, "data")
        subprocess.run([os.path.join(programs, "initdb"), "-D", data, "-A", "trust", "-N", "--locale=C", "-E", "UTF8",
                        "-U", "grid"], check=True, stdout=subprocess.DEVNULL, **user)
        process = self._start("postgres", [os.path.join(programs, "postgres"), "-D", data, "-k", folder, "-c",
                                           "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100"], **user)
        self._wait("postgres", process, lambda: os.path.exists(os.path.join(folder, ".s.PGSQL.5432")))
        self.database = "postgresql+psycopg2://grid@/postgres?host=" + folder

    def _bgd(self, *arguments):
        return [sys.executable, os.path.join(BUILDGRID, "bin/bgd"), *arguments]

    def _start_server(self):
        made = subprocess.run(self._bgd("migrate", "apply", self.database), env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise RuntimeError("BuildGrid makes no tables: " + made.stdout)
        port = servers.free_port()
        path = os.path.join(self.folder, "buildgrid.yml")
        with open(path, "w") as file:
            file.write(CONFIGURATION % {"port": port, "database": self.database, "folder": self.folder})
        process = self._start("buildgrid", self._bgd("server", "start", path), env=self.environment)
        self._wait("buildgrid", process, lambda: servers.is_open(port))
        self.address = "127.0.0.1:%d" % port

    def _start_worker(self, number, programs):
        name = "worker%d" % number
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        image = os.path.join(folder, "image")
        sandbox.make_image(image, programs)
        self._start(name, [sys.executable, os.path.join(HERE, "worker.py"), folder, image, self.address],
                    env=self.environment)

    def log(self):
        """What the workers say of their actions."""
        lines = []
        for path in sorted(glob.glob(os.path.join(self.folder, "worker*/log"))):
            with open(path) as file:
                lines += [json.loads(line) for line in file]
        return lines

    def stop(self):
        """Ends all at once: nothing here outlives it."""
        for process in reversed(self.processes):
            process.send_signal(signal.SIGQUIT if process is self.processes[0] else signal.SIGKILL)  # the database's own
            process.wait()
        shutil.rmtree(self.folder)
