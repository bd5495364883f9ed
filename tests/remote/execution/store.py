# SPDX-License-Identifier: Apache-2.0
"""Files and folders of the Remote Execution API: those of a server, kept in a folder of a worker."""
import hashlib
import os
import shutil

from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as api
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as services
from buildgrid._protos.google.bytestream import bytestream_pb2, bytestream_pb2_grpc

BATCH = 2 << 20   # bytes of files in a message, of which most servers accept 4 MiB
CHUNK = 1 << 20


def digest_of(data):
    return api.Digest(hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data))


class Store:
    def __init__(self, channel, folder):
        self.files = services.ContentAddressableStorageStub(channel)
        self.streams = bytestream_pb2_grpc.ByteStreamStub(channel)
        self.folder = folder
        self.fetched = 0  # bytes
        for name in ("blobs", "trees"):
            os.makedirs(os.path.join(folder, name))

    def path(self, digest):
        return os.path.join(self.folder, "blobs", digest.hash)

    def message(self, kind, digest):
        message = kind()
        message.ParseFromString(self.bytes(digest))
        return message

    def bytes(self, digest):
        self.fetch([digest])
        with open(self.path(digest), "rb") as file:
            return file.read()

    def fetch(self, digests):
        """Fetches those that are not in the folder: small ones together, large ones in parts."""
        batch, size = [], 0
        for digest in {digest.hash: digest for digest in digests}.values():
            if os.path.exists(self.path(digest)):
                continue
            if digest.size_bytes > BATCH:
                self._fetch_large(digest)
                continue
            if size + digest.size_bytes > BATCH:
                self._fetch_batch(batch)
                batch, size = [], 0
            batch.append(digest)
            size += digest.size_bytes
        if batch:
            self._fetch_batch(batch)

    def _fetch_batch(self, digests):
        answer = self.files.BatchReadBlobs(api.BatchReadBlobsRequest(digests=digests))
        for blob in answer.responses:
            if blob.status.code:
                raise FileNotFoundError("%s: %s" % (blob.digest.hash, blob.status.message))
            self._keep(blob.digest, [blob.data])

    def _fetch_large(self, digest):
        name = "blobs/%s/%d" % (digest.hash, digest.size_bytes)
        parts = self.streams.Read(bytestream_pb2.ReadRequest(resource_name=name))
        self._keep(digest, (part.data for part in parts))

    def _keep(self, digest, parts):
        hash = hashlib.sha256()
        part_path = self.path(digest) + ".part"
        with open(part_path, "wb") as file:
            for part in parts:
                hash.update(part)
                file.write(part)
        if hash.hexdigest() != digest.hash:
            raise ValueError(digest.hash + " has other bytes")
        self.fetched += digest.size_bytes
        os.chmod(part_path, 0o555)  # Bazel calls every file executable
        os.rename(part_path, self.path(digest))

    def place(self, node, path):
        """Puts a file of a folder at a path."""
        os.link(self.path(node.digest), path)

    def directories(self, digest):
        """All folders below one, by digest, fetched a level at a time."""
        known, level = {}, [digest]
        while level:
            self.fetch(level)
            new = [(digest.hash, self.message(api.Directory, digest)) for digest in level]
            known.update(new)
            level = [child.digest for _, directory in new for child in directory.directories
                     if child.digest.hash not in known]
            level = list({digest.hash: digest for digest in level}.values())
        return known

    def tree(self, digest):
        """The path of a whole folder, which is to be read only. It is made once."""
        path = os.path.join(self.folder, "trees", digest.hash)
        if not os.path.exists(path):
            known = self.directories(digest)
            self.fetch([node.digest for directory in known.values() for node in directory.files])
            shutil.rmtree(path + ".part", ignore_errors=True)
            self._make(known, digest, path + ".part")
            os.rename(path + ".part", path)
        return path

    def _make(self, known, digest, path):
        os.mkdir(path, 0o755)
        directory = known[digest.hash]
        for node in directory.files:
            self.place(node, os.path.join(path, node.name))
        for link in directory.symlinks:
            os.symlink(link.target, os.path.join(path, link.name))
        for child in directory.directories:
            self._make(known, child.digest, os.path.join(path, child.name))

    def send(self, path):
        """Sends a file, if the server has it not. Returns its digest."""
        with open(path, "rb") as file:
            data = file.read()
        digest = digest_of(data)
        missing = self.files.FindMissingBlobs(api.FindMissingBlobsRequest(blob_digests=[digest]))
        if not missing.missing_blob_digests:
            return digest
        if len(data) > BATCH:
            self._send_large(digest, data)
            return digest
        answer = self.files.BatchUpdateBlobs(api.BatchUpdateBlobsRequest(
            requests=[api.BatchUpdateBlobsRequest.Request(digest=digest, data=data)]))
        if answer.responses[0].status.code:
            raise OSError("%s: %s" % (path, answer.responses[0].status.message))
        return digest

    def _send_large(self, digest, data):
        name = "uploads/%s/blobs/%s/%d" % (os.urandom(8).hex(), digest.hash, len(data))
        self.streams.Write(bytestream_pb2.WriteRequest(
            resource_name=name, write_offset=at, data=data[at:at + CHUNK], finish_write=at + CHUNK >= len(data))
            for at in range(0, len(data), CHUNK))
