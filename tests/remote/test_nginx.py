#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The remote cache on nginx with WebDAV: what is stored is found, with and without credentials and TLS."""
import os
import shutil
import subprocess
import sys

import client
import servers

BASIC = 'auth_basic "cache"; auth_basic_user_file %s;'
SECRET = "open-sesame"


class NginxTest(client.RemoteTest):
    def nginx(self, **configuration):
        folder = os.path.join(self.folder, "nginx")
        os.mkdir(folder)
        server = servers.Nginx(folder, **configuration)
        self.addCleanup(server.stop)
        self.settings["CUBINET_REMOTE_CACHE"] = server.url
        return server

    def passwords(self):
        path = os.path.join(self.folder, "passwords")
        with open(path, "w") as file:
            file.write("ann:{PLAIN}%s\n" % SECRET)
        return path

    def stored(self, server):
        found = []
        for folder, _, names in os.walk(server.files):
            found += [os.path.relpath(os.path.join(folder, name), server.files) for name in names]
        return sorted(found)

    def test_what_is_stored_is_found(self):
        server = self.nginx()
        self.assertEqual(self.quiet("find", "1"), "miss")
        self.quiet("store", "1", "1000")
        action = self.quiet("action", "1")
        self.assertEqual([name.split("/")[:2] for name in self.stored(server)], [["cache", "ac"], ["cache", "cas"]])
        self.assertEqual(self.stored(server)[0], "cache/ac/" + action)
        self.assertRegex(self.quiet("find", "1"), r"^1\d\d\d bytes$")
        self.assertEqual(self.quiet("find", "2"), "miss")
        self.assertEqual([request[::2] for request in server.requests(6)],
                         [("GET", 404), ("PUT", 201), ("PUT", 201), ("GET", 200), ("GET", 200), ("GET", 404)])

    def test_the_file_is_stored_before_its_result(self):
        server = self.nginx()
        self.quiet("store", "1", "10")
        self.assertEqual([request[1].split("/")[2] for request in server.requests(2)], ["cas", "ac"])

    def test_storing_again_replaces(self):
        self.nginx()
        self.quiet("store", "1", "10")
        self.quiet("store", "1", "5000")
        self.assertRegex(self.quiet("find", "1"), r"^5\d\d\d bytes$")

    def test_entries_of_many_megabytes(self):
        self.nginx(server="client_max_body_size 0;")
        self.quiet("store", "1", "20000000")
        self.assertRegex(self.quiet("find", "1"), r"^20000\d\d\d bytes$")

    def test_an_evicted_file_is_a_miss(self):
        server = self.nginx()
        self.quiet("store", "1", "10")
        os.remove(os.path.join(server.files, self.stored(server)[1]))
        self.assertEqual(self.quiet("find", "1"), "miss")

    def test_read_only_stores_nothing(self):
        server = self.nginx()
        self.quiet("store", "1", "10", CUBINET_REMOTE_CACHE_READ_ONLY="1")
        self.assertEqual(server.requests(), [])
        self.quiet("store", "1", "10")
        self.assertNotEqual(self.quiet("find", "1", CUBINET_REMOTE_CACHE_READ_ONLY="1"), "miss")

    def test_a_server_that_is_only_read(self):
        server = self.nginx(location="limit_except GET { deny all; }")
        self.assertEqual(self.warned("not written to.*status 403.*READ_ONLY=1", "store", "1", "10"), "")
        self.quiet("store", "1", "10")
        self.assertEqual(len(server.requests(1)), 1)
        self.assertEqual(self.quiet("find", "1"), "miss")

    def test_what_is_too_large_for_the_server(self):
        self.nginx(server="client_max_body_size 1k;")
        self.warned("does not take everything.*status 413", "store", "1", "2000")
        self.quiet("store", "1", "2000")
        self.quiet("store", "2", "10")
        self.assertNotEqual(self.quiet("find", "2"), "miss")

    def test_credentials_of_the_environment(self):
        self.nginx(server=BASIC % self.passwords())
        credentials = {"CUBINET_REMOTE_CACHE_USER": "ann", "CUBINET_REMOTE_CACHE_PASSWORD": SECRET}
        self.quiet("store", "1", "10", **credentials)
        self.assertNotEqual(self.quiet("find", "1", **credentials), "miss")

    def test_credentials_of_a_netrc_file(self):
        self.nginx(server=BASIC % self.passwords())
        path = os.path.join(self.folder, "my-netrc")
        with open(path, "w") as file:
            file.write("machine localhost login ann password %s\n" % SECRET)
        self.quiet("store", "1", "10", CUBINET_REMOTE_CACHE_NETRC=path)
        os.rename(path, os.path.join(self.folder, ".netrc"))
        self.assertNotEqual(self.quiet("find", "1"), "miss")

    def test_wrong_credentials_are_told_but_not_shown(self):
        self.nginx(server=BASIC % self.passwords())
        self.assertEqual(self.warned("status 401: credentials come from", "find", "1"), "miss")
        self.forget()
        result = self.client("find", "1", CUBINET_REMOTE_CACHE_USER="ann", CUBINET_REMOTE_CACHE_PASSWORD="hunter2",
                             CLIENT_VERBOSE="1")
        self.assertEqual(result.printed, "miss")
        self.assertIn("status 401", result.said)
        self.assertNotIn("hunter2", result.said)

    def certificate(self, name):
        """A certificate for a host that nobody but itself vouches for."""
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl command")
        key, path = (os.path.join(self.folder, name + suffix) for suffix in (".key", ".pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-keyout", key, "-out", path, "-days", "2", "-subj", "/CN=" + name, "-addext",
                        "subjectAltName=DNS:" + name], check=True, stderr=subprocess.DEVNULL)
        return path, key

    def test_tls(self):
        path, key = self.certificate("localhost")
        server = self.nginx(tls=True, server="ssl_certificate %s; ssl_certificate_key %s;" % (path, key))
        self.assertEqual(self.warned("not used for now.*certificate", "find", "1"), "miss")
        self.forget()
        self.assertEqual(self.warned("not used for now", "find", "1", CUBINET_REMOTE_CACHE_CA="/nowhere"), "miss")
        self.forget()
        self.assertEqual(server.requests(), [])
        self.settings["CUBINET_REMOTE_CACHE_CA"] = path
        self.quiet("store", "1", "10")
        self.assertNotEqual(self.quiet("find", "1"), "miss")

    def test_tls_with_certificates_of_clients(self):
        path, key = self.certificate("localhost")
        own, own_key = self.certificate("ann.example")
        both = os.path.join(self.folder, "both.pem")
        with open(both, "w") as file:
            for part in (own, own_key):
                with open(part) as source:
                    file.write(source.read())
        self.nginx(tls=True, server="ssl_certificate %s; ssl_certificate_key %s; ssl_client_certificate %s; "
                   "ssl_verify_client on;" % (path, key, own))
        self.settings["CUBINET_REMOTE_CACHE_CA"] = path
        self.assertEqual(self.warned("not used for now.*status 400", "find", "1"), "miss")
        self.forget()
        self.quiet("store", "1", "10", CUBINET_REMOTE_CACHE_CERTIFICATE=own, CUBINET_REMOTE_CACHE_KEY=own_key)
        self.assertNotEqual(self.quiet("find", "1", CUBINET_REMOTE_CACHE_CERTIFICATE=both), "miss")

    def test_tls_with_the_certificate_of_another_host(self):
        path, key = self.certificate("elsewhere.example")
        self.nginx(tls=True, server="ssl_certificate %s; ssl_certificate_key %s;" % (path, key))
        self.assertEqual(self.warned("not used for now.*(host|subject)", "find", "1", CUBINET_REMOTE_CACHE_CA=path),
                         "miss")


if __name__ == "__main__":
    if not servers.find_nginx():
        print("skipped: there is no nginx")
        sys.exit(77)
    client.main()
