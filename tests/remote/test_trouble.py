#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are slow, fail, break off or lie: each is a miss, and one warning for all processes of a build."""
import gzip
import hashlib
import http.client
import os
import shutil
import socket
import ssl
import subprocess

import client
import servers
from servers import action_result, field


def answer(status, body=b"", **headers):
    """Behaves by answering so."""
    return lambda handler, _: handler.answer(status, body, {name.replace("_", "-"): value
                                                            for name, value in headers.items()})


def wait(handler, _):
    """Never answers."""
    handler.server.over.wait()


def drop(handler, _):
    """Hangs up."""
    handler.drop()


def send_raw(bytes):
    """Sends what is not an answer of HTTP's, and hangs up."""
    def behave(handler, _):
        handler.wfile.write(bytes)
        handler.drop()
    return behave


def change(alter):
    """Sends the file that is asked for, altered."""
    return lambda handler, body: handler.answer(200, alter(body))


def flip(body):
    middle = len(body) // 2
    return body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1:]


def promise_more(handler, body):
    """Hangs up before the end of what it promised."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body) + 100))
    handler.end_headers()
    handler.wfile.write(body)
    handler.drop()


def promise_less(handler, body):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body) - 1))
    handler.end_headers()
    handler.wfile.write(body)
    handler.drop()


def never_end(handler, _):
    """Sends chunks for as long as they are taken."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def drip(handler, body):
    """Sends a byte now and then: each is progress, and all would take an hour."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    for byte in body:
        handler.wfile.write(bytes([byte]))
        if handler.server.over.wait(0.2):
            return


# What would control a terminal, reorder a line, or is not UTF-8.
HOSTILE = b"\x1b]0;title\x07\x1b[2J\x9b1m\x7f\xff\xc3 \xe2\x80\xae \xe2\x81\xa6 \xc2\x9b end"


class StrictTest(client.RemoteTest):
    """A server that looks at what it is given."""

    def setUp(self):
        super().setUp()
        self.server = servers.StrictServer()
        self.addCleanup(self.server.stop)
        self.settings["CUBINET_REMOTE_CACHE"] = self.server.url

    def test_it_takes_and_gives(self):
        self.quiet("store", "1", "1000")
        self.assertEqual(len(self.server.files), 2)
        self.assertRegex(self.quiet("find", "1"), "bytes$")

    def test_it_forgets_results_whose_files_are_gone(self):
        self.quiet("store", "1", "1000")
        self.server.files = {path: body for path, body in self.server.files.items() if "/ac/" in path}
        self.assertEqual(self.quiet("find", "1"), "miss")
        self.assertEqual([request[0] for request in self.server.seen], ["PUT", "PUT", "GET"])

    def test_it_takes_no_file_above_its_limit(self):
        self.warned("does not take everything.*status 400", "store", "1", "2000000")
        self.assertEqual(self.server.files, {})

    def test_it_would_refuse_what_is_not_sound(self):
        for body in (b"", b"no result", action_result("/absolute", b"x"), action_result("", b"x"),
                     action_result("a", b"x", hash="short")):
            connection = http.client.HTTPConnection(*self.server.server_address)
            connection.request("PUT", "/ac/" + "0" * 64, body)
            self.assertEqual(connection.getresponse().status, 400, body)
            connection.close()


class TroubleTest(client.RemoteTest):
    def setUp(self):
        super().setUp()
        self.server = servers.Server()
        self.addCleanup(self.server.stop)
        self.settings["CUBINET_REMOTE_CACHE"] = self.server.url

    def store(self, number="1"):
        """Stores an entry, and returns its action, and the file's name in it."""
        self.quiet("store", number, "1000")
        return self.quiet("action", number), self.quiet("file", number)

    def behave(self, request, behaviour):
        self.server.behaviours = {request: behaviour}
        self.server.seen.clear()
        self.forget()

    def seen(self):
        return [request[0] + " " + request[1].split("/")[-2] for request in self.server.seen]

    def test_a_sound_server_is_no_trouble(self):
        self.store()
        self.assertRegex(self.quiet("find", "1"), "bytes$")
        self.assertEqual(self.seen(), ["PUT cas", "PUT ac", "GET ac", "GET cas"])
        self.assertEqual(os.listdir(self.cache), [])

    def test_one_connection_serves_a_process(self):
        connections = set()
        self.server.behaviours = {"GET ac": lambda handler, body: (connections.add(handler.client_address),
                                                                   handler.answer(200, body)),
                                  "GET cas": lambda handler, body: (connections.add(handler.client_address),
                                                                    handler.answer(200, body))}
        self.store()
        self.quiet("find", "1")
        self.assertEqual(len(connections), 1)

    def test_servers_that_fail(self):
        """A miss, told once; then no process asks."""
        self.store()
        statuses = {status: "it answers with status %d" % status for status in (500, 502, 503, 429, 401, 403, 400, 204)}
        cases = {
            "drop": (drop, "not used for now: "),
            "no HTTP": (send_raw(b"\x00\x01\x02 what?\r\n"), "not used for now: "),
            "two lengths": (send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"), "not used for now: "),
            "endless header": (send_raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 200000), "not used for now: "),
            "error with a long page": (answer(500, b"x" * 1000000), "status 500"),
            **{str(status): (answer(status), text) for status, text in statuses.items()},
        }
        for store in ("ac", "cas"):
            for name, (behaviour, pattern) in cases.items():
                with self.subTest(name, store=store):
                    self.behave("GET " + store, behaviour)
                    self.assertEqual(self.warned(pattern, "find", "1"), "miss")
                    before = len(self.server.seen)
                    self.assertEqual(self.quiet("find", "1"), "miss")
                    self.quiet("store", "2", "10")
                    self.assertEqual(len(self.server.seen), before)

    def test_answers_that_break_off(self):
        self.store()
        for store in ("ac", "cas"):
            for behaviour in (promise_more, send_raw(b"HTTP/1.1 200 OK\r\nContent-Le"), send_raw(b"")):
                with self.subTest(behaviour.__name__, store=store):
                    self.behave("GET " + store, behaviour)
                    self.assertEqual(self.warned("not used", "find", "1"), "miss")

    def test_servers_that_are_slow(self):
        self.store()
        for store, behaviour in (("ac", wait), ("cas", wait), ("cas", drip)):
            with self.subTest(behaviour.__name__, store=store):
                self.behave("GET " + store, behaviour)
                self.assertEqual(self.warned("not used for now: .*timed? ?out", "find", "1",
                                             CUBINET_REMOTE_CACHE_TIMEOUT="0.4"), "miss")
                self.assertEqual(self.quiet("find", "1"), "miss")

    def test_servers_that_stand_still(self):
        """They are given up before the time for it all is over."""
        self.store()
        for store, behaviour in (("ac", wait), ("cas", drip)):
            with self.subTest(behaviour.__name__, store=store):
                self.behave("GET " + store, behaviour)
                self.assertEqual(self.warned("not used for now: .*too slow", "find", "1",
                                             CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT="1"), "miss")

    def test_a_server_that_is_not_there(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.settings["CUBINET_REMOTE_CACHE"] = "http://127.0.0.1:%d" % listener.getsockname()[1]
            self.assertEqual(self.warned("not used for now: ", "find", "1"), "miss")
            self.assertEqual(self.quiet("find", "1"), "miss")

    def test_a_host_that_has_no_address(self):
        self.settings["CUBINET_REMOTE_CACHE"] = "http://nowhere.invalid/cache"
        self.assertEqual(self.warned("not used for now: .*resolve", "find", "1"), "miss")

    def test_a_server_that_comes_back(self):
        """After a while a process tries again: trouble goes on in silence, and its end is seen."""
        self.store()
        self.behave("GET ac", answer(503))
        self.warned("503", "find", "1")
        self.age(40)
        self.assertEqual(self.quiet("find", "1"), "miss")
        self.assertEqual(self.seen(), ["GET ac"] * 2)
        self.server.behaviours = {}
        self.assertEqual(self.quiet("find", "1"), "miss")
        self.assertEqual(self.seen(), ["GET ac"] * 2)
        self.age(40)
        self.assertRegex(self.quiet("find", "1"), "bytes$")
        self.assertRegex(self.quiet("find", "1"), "bytes$")
        self.server.behaviours = {"GET ac": answer(503)}
        self.assertEqual(self.quiet("find", "1"), "miss")
        self.age(200)
        self.warned("503", "find", "1")

    def test_no_folder_to_note_trouble_in_but_the_system_s(self):
        self.behave("GET ac", answer(503))
        elsewhere = {"CLIENT_FOLDER": "", "TMPDIR": self.folder}
        self.warned("503", "find", "1", **elsewhere)
        self.assertEqual(self.quiet("find", "1", **elsewhere), "miss")

    def test_no_folder_to_note_trouble_in(self):
        """Then each process tells, and goes on."""
        self.behave("GET ac", answer(503))
        for _ in range(2):
            self.warned("503", "find", "1", CLIENT_FOLDER="", TMPDIR="/dev/null")

    def test_wrong_files(self):
        """A miss, told once; what is right is still read."""
        self.store()
        self.store("2")
        wrong = {
            "flipped": change(flip),
            "cut": change(lambda body: body[:-1]),
            "longer": change(lambda body: body + b"x"),
            "another": change(lambda body: bytes(len(body))),
            "empty": change(lambda body: b""),
            "promise_less": promise_less,
            "compressed": lambda handler, body: handler.answer(200, gzip.compress(body),
                                                               {"Content-Encoding": "gzip"}),
            "a terabyte": answer(200, Content_Length=str(1 << 40)),
            "endless": never_end,
        }
        for name, behaviour in wrong.items():
            with self.subTest(name):
                self.behave("GET cas", behaviour)
                self.assertEqual(self.warned("a bad entry", "find", "1"), "miss")
                self.assertEqual(self.quiet("find", "1"), "miss")
                self.server.behaviours = {}
                self.assertRegex(self.quiet("find", "2"), "bytes$")

    def test_a_file_that_is_no_entry_or_of_another_key(self):
        """Whoever can write to the server can give any file its right digest."""
        action, file = self.store()
        other_action, _ = self.store("2")
        other = next(body for path, body in self.server.files.items()
                     if "/cas/" in path and self.server.files["/some/prefix/ac/" + other_action].find(
                         path.split("/")[-1].encode()) >= 0)
        for data in (other, b"x" * 100, other[:-1], flip(other)):
            with self.subTest(data[:8], size=len(data)):
                self.behave("GET ac", answer(200, action_result(file, data)))
                self.server.behaviours["GET cas"] = answer(200, data)
                self.assertEqual(self.warned("a bad entry.*cas/", "find", "1"), "miss")

    def test_wrong_results(self):
        action, file = self.store()
        data = b"x" * 100
        digest = hashlib.sha256(data).hexdigest()
        wrong = {
            "empty": b"",
            "text": b"<html>no such thing</html>",
            "cut": action_result(file, data)[:-3],
            "another file": action_result("other", data),
            "a failure": action_result(file, data, exit_code=1),
            "a failure below 0": action_result(file, data, exit_code=-1),
            "a path as digest": action_result(file, data, hash="../" * 21 + "x"),
            "capital letters": action_result(file, data, hash=digest.upper()),
            "a short digest": action_result(file, data, hash=digest[:40]),
            "no bytes": action_result(file, b""),
            "fewer than no bytes": action_result(file, data, size=-1),
            "a terabyte": action_result(file, data, size=1 << 40),
            "no digest": field(2, field(1, file)),
            "groups": b"\x0b\x0c" * 10,
            "a long one": action_result(file, data) + field(5, b"x" * 100000),
        }
        for name, result in wrong.items():
            with self.subTest(name):
                self.behave("GET ac", answer(200, result))
                self.assertEqual(self.warned("a bad entry.*ac/" + action, "find", "1"), "miss")
                self.assertEqual(self.seen(), ["GET ac"])
        self.behave("GET ac", never_end)
        self.assertEqual(self.warned("a bad entry", "find", "1"), "miss")

    def test_results_with_more_in_them(self):
        """Other programs' fields and files are stepped over."""
        action, file = self.store()
        path = "/some/prefix/ac/" + action
        more = field(9, field(1, "worker")) + field(7, b"warning") + field(100, 5) + action_result("other", b"x")
        self.server.files[path] = more + self.server.files[path] + more
        self.assertRegex(self.quiet("find", "1"), "bytes$")

    def assert_text(self, said):
        """Nothing but lines of text that a terminal shows as they are."""
        self.assertEqual([character for character in said if character != "\n" and not character.isprintable()], [])

    def test_what_a_server_says_does_not_control_a_terminal(self):
        self.store()
        head = b"HTTP/1.1 %d " + HOSTILE + b"\r\n"
        names = (b"Location", b"WWW-Authenticate", b"Content-Type", b"Content-Encoding", b"Transfer-Encoding", b"Server")
        headers = b"".join(name + b": " + HOSTILE + b"\r\n" for name in names)
        length = b"Content-Length: %d\r\n\r\n" % len(HOSTILE)
        answers = {
            "a status": send_raw(head % 500 + length + HOSTILE),
            "who are you": send_raw(head % 401 + headers + length + HOSTILE),
            "elsewhere": send_raw(head % 302 + headers + length + HOSTILE),
            "headers": send_raw(head % 200 + headers + length + HOSTILE),
            "a header's name": send_raw(head % 200 + HOSTILE + b": 1\r\n" + length + HOSTILE),
            "a length": send_raw(head % 200 + b"Content-Length: 1" + HOSTILE + b"\r\n\r\nx"),
            "a chunk": send_raw(head % 200 + b"Transfer-Encoding: chunked\r\n\r\n" + HOSTILE + b"\r\nx"),
            "a body": send_raw(head % 200 + length + HOSTILE),
            "a version": send_raw(b"HTTP/" + HOSTILE + b" 200 OK\r\n\r\n"),
            "no HTTP": send_raw(HOSTILE),
        }
        for request, arguments in (("GET ac", ("find", "1")), ("GET cas", ("find", "1")), ("PUT cas", ("store", "2", "10")),
                                   ("PUT ac", ("store", "2", "10"))):  # fmt: skip
            for name, behaviour in answers.items():
                with self.subTest(name, request=request):
                    self.behave(request, behaviour)
                    result = self.client(*arguments, CLIENT_VERBOSE="1")
                    self.assert_text(result.said + result.printed)

    def test_a_result_s_names_do_not_control_a_terminal(self):
        action, file = self.store()
        for result in (action_result(HOSTILE, b"x"), action_result(file, b"x", hash=HOSTILE),
                       action_result(file, b"x", hash=HOSTILE[:20] * 3 + b"0000")):  # fmt: skip
            self.behave("GET ac", answer(200, result))
            result = self.client("find", "1", CLIENT_VERBOSE="1")
            self.assertIn("a bad entry", result.said)
            self.assert_text(result.said)

    def test_a_certificate_s_name_does_not_control_a_terminal(self):
        """libcurl's message contains it."""
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl command")
        key, certificate = (os.path.join(self.folder, name) for name in ("key", "certificate"))
        name = "\x1b[2J\x07\u202e.example"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-utf8", "-subj", "/CN=" + name],
                       check=True, stderr=subprocess.DEVNULL)  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        url = "https://localhost:%d" % self.server.server_address[1]
        result = self.client("find", "1", CUBINET_REMOTE_CACHE=url, CUBINET_REMOTE_CACHE_CA=certificate)
        self.assertIn("not used for now", result.said)
        self.assertIn(r"\u001b[2J\u0007\u202e.example", result.said)
        self.assert_text(result.said)

    def test_redirections_are_not_followed(self):
        """Neither the request nor who asks is shown to another server."""
        self.store()
        other = servers.Server()
        self.addCleanup(other.stop)
        for store in ("ac", "cas"):
            for status in (301, 302, 303, 307, 308):
                with self.subTest(status, store=store):
                    self.behave("GET " + store, lambda handler, _: handler.answer(
                        status, headers={"Location": other.url + handler.path}))
                    self.assertEqual(self.warned("redirections are not followed", "find", "1",
                                                 CUBINET_REMOTE_CACHE_USER="ann",
                                                 CUBINET_REMOTE_CACHE_PASSWORD="secret"), "miss")
        self.behave("PUT cas", lambda handler, _: handler.answer(307, headers={"Location": other.url}))
        self.warned("redirections are not followed", "store", "2", "10", CUBINET_REMOTE_CACHE_TOKEN="secret")
        self.assertEqual(other.seen, [])

    def test_credentials_are_sent(self):
        self.quiet("find", "1", CUBINET_REMOTE_CACHE_USER="ann", CUBINET_REMOTE_CACHE_PASSWORD="secret")
        self.quiet("find", "1", CUBINET_REMOTE_CACHE_TOKEN="secret")
        self.quiet("find", "1")
        self.assertEqual([request[2].get("Authorization") for request in self.server.seen],
                         ["Basic YW5uOnNlY3JldA==", "Bearer secret", None])

    def test_proxies_are_those_of_curl(self):
        """The host has no address, but the proxy knows it."""
        address = "http://%s:%d" % self.server.server_address
        through = {"CUBINET_REMOTE_CACHE": "http://nowhere.invalid/some/prefix", "http_proxy": address}
        self.quiet("store", "1", "10", **through)
        self.assertRegex(self.quiet("find", "1", **through), "bytes$")
        self.assertTrue(all(request[1].startswith("http://nowhere.invalid/") for request in self.server.seen))
        through["no_proxy"] = "nowhere.invalid"
        self.assertEqual(self.warned("resolve", "find", "1", **through), "miss")

    def test_what_can_not_be_stored(self):
        """Told once, and nothing more is sent; what is there is still read."""
        self.store()
        for store in ("cas", "ac"):
            for name, behaviour in (("drop", drop), ("401", answer(401)), ("403", answer(403)), ("405", answer(405)),
                                    ("409", answer(409)), ("500", answer(500))):
                with self.subTest(name, store=store):
                    self.behave("PUT " + store, behaviour)
                    self.warned("not written to for now", "store", "2", "10")
                    before = len(self.server.seen)
                    self.quiet("store", "3", "10")
                    self.assertEqual(len(self.server.seen), before)
                    self.assertRegex(self.quiet("find", "1"), "bytes$")

    def test_a_server_that_takes_nothing_in(self):
        """An upload ends with its time."""
        self.behave("PUT cas", wait)
        self.warned("not written to for now: .*timed? ?out", "store", "1", "30000000",
                    CUBINET_REMOTE_CACHE_TIMEOUT="0.4")
        self.quiet("store", "1", "10")
        self.assertLessEqual(len(self.seen()), 1)

    def test_files_too_large_for_the_server(self):
        """Smaller ones are still stored."""
        for status in (400, 413, 507):
            with self.subTest(status):
                self.behave("PUT cas", answer(status))
                self.warned("does not take everything.*status %d" % status, "store", "1", "10")
                self.quiet("store", "1", "10")
                self.assertEqual(self.seen(), ["PUT cas", "PUT cas"])

    def test_every_process_of_a_build_tells_at_most_once(self):
        """However many are started at the same time."""
        import concurrent.futures
        self.behave("GET ac", answer(500))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: self.client("find", "1"), range(24)))
        self.assertEqual(sum(len(result.warnings) for result in results), 1)
        self.assertEqual({result.printed for result in results}, {"miss"})

    def test_no_libcurl(self):
        self.assertEqual(self.warned("libcurl cannot be opened", "find", "1", CUBINET_LIBCURL="/nowhere"), "miss")

    def test_an_unusable_libcurl(self):
        library = "libm.so.6"
        self.assertEqual(self.warned("has no function curl_", "find", "1", CUBINET_LIBCURL=library), "miss")


if __name__ == "__main__":
    client.main()
