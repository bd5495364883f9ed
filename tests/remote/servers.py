# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests of the remote cache: nginx with WebDAV, and one that does as a test tells it."""
import hashlib
import http.server
import os
import re
import shutil
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
UNPACKED_NGINX = os.path.join(HERE, "../../build/nginx/usr/sbin")  # where scripts/test.sh puts it


def find_nginx():
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", UNPACKED_NGINX])
    return shutil.which("nginx", path=path)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_open(port):
    """Whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except ConnectionRefusedError:
        return False


class Nginx:
    """nginx in a folder of its own. `server` is the configuration of its server, `location` that of /cache/."""

    def __init__(self, folder, server="", location="", tls=False):
        self.folder = folder
        self.files = os.path.join(folder, "files")
        os.makedirs(os.path.join(self.files, "cache"), exist_ok=True)
        self.log = os.path.join(folder, "access.log")
        for _ in range(10):  # another process may take a free port first
            self.port = free_port()
            self._configure(server, location, tls)
            if self._start():
                break
        else:
            raise RuntimeError("nginx does not start: " + open(os.path.join(folder, "error.log")).read())
        self.url = "http%s://localhost:%d/cache" % ("s" if tls else "", self.port)

    def _configure(self, server, location, tls):
        temporary = "\n".join("%s_temp_path %s/temporary-%s;" % (what, self.folder, what)
                              for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(self.folder, "nginx.conf"), "w") as file:
            file.write("""
daemon off;
master_process off;
pid %(folder)s/pid;
error_log %(folder)s/error.log;
events {}
http {
    access_log %(folder)s/access.log;
    %(temporary)s
    server {
        listen 127.0.0.1:%(port)d%(tls)s;
        root %(folder)s/files;
        %(server)s
        location /cache/ {
            dav_methods PUT;
            create_full_put_path on;
            %(location)s
        }
    }
}
""" % {"folder": self.folder, "temporary": temporary, "port": self.port, "server": server, "location": location,
                "tls": " ssl" if tls else ""})

    def _start(self):
        self.process = subprocess.Popen([find_nginx(), "-e", self.folder + "/error.log", "-p", self.folder,
                                         "-c", self.folder + "/nginx.conf"], stderr=subprocess.DEVNULL)
        while self.process.poll() is None:
            if is_open(self.port):
                return True
            time.sleep(0.01)
        return False

    def requests(self, count=0):
        """Method, path and status of each request; at least so many, for nginx writes its log after it has answered."""
        deadline = time.monotonic() + 60
        while True:
            with open(self.log) as file:
                lines = [line.split('"') for line in file if line.endswith("\n")]
            if len(lines) >= count or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        return [tuple(line[1].split()[:2]) + (int(line[2].split()[0]),) for line in lines if line[1]]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in dict({"Content-Length": str(len(body))}, **dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self):
        self.close_connection = True

    def store(self):
        return self.path.split("/")[-2]

    def do_GET(self):
        self.server.seen.append(("GET", self.path, dict(self.headers)))
        behave = self.server.behaviours.get("GET " + self.store())
        body = self.server.files.get(self.path)
        if behave:
            behave(self, body)
        elif body is None:
            self.answer(404, b"nothing is here, and this is a page that says so at some length" * 10)
        else:
            self.answer(200, body)

    def do_PUT(self):
        self.server.seen.append(("PUT", self.path, dict(self.headers)))
        behave = self.server.behaviours.get("PUT " + self.store())
        if behave:
            behave(self, None)
            return
        self.server.files[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Serves what was stored, but for requests that `behaviours` has something for: a function of the handler and
    the file, under the method and the store, such as "GET cas"."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.seen = []
        self.behaviours = {}
        self.over = threading.Event()  # set when the test is over, for those that wait
        self.url = "http://127.0.0.1:%d/some/prefix" % self.server_address[1]
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def handle_error(self, *_):
        pass  # the client goes away when it has had enough

    def stop(self):
        self.over.set()
        self.shutdown()
        self.server_close()


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def action_result(path, data=b"", hash=None, size=None, exit_code=0):
    digest = field(1, hash or hashlib.sha256(data).hexdigest()) + field(2, len(data) if size is None else size)
    return field(2, field(1, path) + field(2, digest)) + (field(4, exit_code) if exit_code else b"")


def fields_of(message):
    """The fields of a protobuf message: a list of pairs of number and value. ValueError if it is none."""
    def number(at):
        value = shift = 0
        while True:
            if at >= len(message) or shift > 63:
                raise ValueError("a number has no end")
            value |= (message[at] & 127) << shift
            shift += 7
            at += 1
            if message[at - 1] < 128:
                return value, at

    fields, at = [], 0
    while at < len(message):
        tag, at = number(at)
        value, at = number(at)
        if tag & 7 == 2:
            if at + value > len(message):
                raise ValueError("bytes have no end")
            value, at = message[at:at + value], at + value
        elif tag & 7 != 0:
            raise ValueError("wire type %d" % (tag & 7))
        fields.append((tag >> 3, value))
    return fields


class StrictServer(Server):
    """Keeps to the rules of bazel-remote: it refuses what is not a sound ActionResult, and files that have not their
    digest, and knows no ActionResult whose files it has not."""
    most = 1 << 20  # bytes of a file

    def __init__(self):
        super().__init__()
        self.behaviours = {"GET ac": self.get_result, "PUT ac": self.put_result, "PUT cas": self.put_file}

    def files_of(self, result):
        """The digests in a result, as paths. ValueError if it is not sound."""
        found = []
        for number, value in fields_of(result):
            if number != 2:
                continue
            parts = dict(fields_of(value))
            digest = dict(fields_of(parts[2]))
            hash = digest[1].decode()
            if not parts[1] or parts[1].startswith(b"/") or not re.fullmatch("[0-9a-f]{64}", hash) or digest[2] < 0:
                raise ValueError("an output file is not sound")
            found.append((hash, digest[2]))
        return found

    def file(self, path, hash):
        return self.files.get(re.sub("/ac/[^/]*$", "/cas/" + hash, path))

    def get_result(self, handler, body):
        is_whole = body and all(len(self.file(handler.path, hash) or b"") == size for hash, size in self.files_of(body))
        handler.answer(200 if is_whole else 404, body if is_whole else b"Not found")

    def read(self, handler):
        if not re.fullmatch("(.*/)?(ac/|cas/)[a-f0-9]{64}", handler.path) or "Content-Length" not in handler.headers:
            return None
        return handler.rfile.read(int(handler.headers["Content-Length"]))

    def put_result(self, handler, _):
        body = self.read(handler)
        try:
            is_sound = bool(body) and self.files_of(body) != []
        except (ValueError, KeyError):
            is_sound = False
        if is_sound:
            self.files[handler.path] = body
        handler.answer(200 if is_sound else 400)

    def put_file(self, handler, _):
        body = self.read(handler)
        is_sound = body is not None and len(body) <= self.most and handler.path.endswith(hashlib.sha256(body).hexdigest())
        if is_sound:
            self.files[handler.path] = body
        handler.answer(200 if is_sound else 400)
