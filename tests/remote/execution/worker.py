#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker for BuildGrid, as the tests need one: asks for an action, runs it in a root that shows the inputs that the action
declares, sends what it made, and asks for the next. It says of each where its time went, a line of JSON in the file `log`
of its folder. Folder, image and address of the server are its arguments."""
import json
import os
import sys
import time
import traceback

import grpc

import sandbox
import store
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as api
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2, bots_pb2_grpc, worker_pb2
from buildgrid._protos.google.rpc import code_pb2

POLL = 100  # seconds that the server may take to find work; it answers earlier


class Times(dict):
    """Seconds since the last call, by what they were spent on."""

    def __init__(self):
        super().__init__()
        self.last = time.time()

    def spent(self, what):
        now = time.time()
        self[what] = round(self.get(what, 0) + now - self.last, 6)
        self.last = now


class Worker:
    def __init__(self, folder, image, address):
        self.folder = folder
        self.image = image
        channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
        self.store = store.Store(channel, os.path.join(folder, "store"))
        self.bots = bots_pb2_grpc.BotsStub(channel)
        self.name = os.path.basename(folder)
        self.log = open(os.path.join(folder, "log"), "a", buffering=1)
        self.number = 0

    def serve(self):
        worker = worker_pb2.Worker(devices=[worker_pb2.Device(handle=self.name)])
        session = self.bots.CreateBotSession(bots_pb2.CreateBotSessionRequest(
            bot_session=bots_pb2.BotSession(bot_id=self.name, status=bots_pb2.OK, worker=worker)), timeout=POLL)
        times = Times()
        while True:
            for lease in session.leases:
                if lease.state == bots_pb2.ACTIVE:
                    times.spent("wait")
                    self.finish(lease, times)
                    times = Times()
            is_done = any(lease.state == bots_pb2.COMPLETED for lease in session.leases)
            session = self.bots.UpdateBotSession(bots_pb2.UpdateBotSessionRequest(
                name=session.name, bot_session=session), timeout=POLL)
            if is_done:
                times.spent("report")  # of the action before
            if any(lease.state == bots_pb2.PENDING for lease in session.leases):
                for lease in session.leases:
                    lease.state = bots_pb2.ACTIVE

    def finish(self, lease, times):
        """Runs the action of a lease, and puts into the lease what became of it."""
        action = api.Action()
        lease.payload.Unpack(action)
        try:
            lease.result.Pack(self.execute(action, times))
            lease.status.code = code_pb2.OK
        except Exception:  # whatever it is, the client is told
            lease.status.code = code_pb2.INTERNAL
            lease.status.message = traceback.format_exc()
        lease.state = bots_pb2.COMPLETED
        self.log.write(json.dumps(dict(times, worker=self.name, end=times.last)) + "\n")

    def execute(self, action, times):
        command = self.store.message(api.Command, action.command_digest)
        times["output"] = (list(command.output_files) + list(command.output_paths) + [""])[0]
        self.number += 1
        root = sandbox.Sandbox(os.path.join(self.folder, "action%d" % self.number), self.image)
        try:
            self.lay_out(root, action.input_root_digest, command)
            times.spent("inputs")
            environment = {variable.name: variable.value for variable in command.environment_variables}
            process = root.run(command.arguments, os.path.join("in", command.working_directory), environment)
            times.spent("run")
            result = self.result(root, command, process)
            times.spent("outputs")
        finally:
            root.remove()
        times.spent("clean")
        return result

    def lay_out(self, root, digest, command):
        """Shows the inputs. Folders that get an output are made for the action, others are those of the store."""
        outputs = [*command.output_files, *command.output_paths, *command.output_directories]
        folders = {""}
        for output in outputs:
            path = os.path.dirname(os.path.join(command.working_directory, output))
            while path:
                folders.add(path)
                path = os.path.dirname(path)
        os.mkdir(os.path.join(root.root, "in"), 0o755)
        self.fill(root, digest, "", folders)
        for path in sorted(folders):
            os.makedirs(os.path.join(root.root, "in", path), exist_ok=True)
            root.make_writable(os.path.join("in", path))

    def fill(self, root, digest, path, own):
        directory = self.store.message(api.Directory, digest)
        self.store.fetch([node.digest for node in directory.files])
        for node in directory.files:
            self.store.place(node, os.path.join(root.root, "in", path, node.name))
        for link in directory.symlinks:
            os.symlink(link.target, os.path.join(root.root, "in", path, link.name))
        for child in directory.directories:
            child_path = os.path.join(path, child.name)
            os.mkdir(os.path.join(root.root, "in", child_path), 0o755)
            if child_path in own:
                self.fill(root, child.digest, child_path, own)
            else:
                root.bind(self.store.tree(child.digest), os.path.join("in", child_path))

    def result(self, root, command, process):
        result = api.ActionResult(exit_code=process.returncode, stdout_raw=process.stdout, stderr_raw=process.stderr)
        for output in [*command.output_files, *command.output_paths]:
            path = os.path.join(root.root, "in", command.working_directory, output)
            if os.path.isfile(path):
                result.output_files.add(path=output, digest=self.store.send(path),
                                        is_executable=os.access(path, os.X_OK))
        result.execution_metadata.worker = self.name
        return result


def main():
    folder, image, address = sys.argv[1:]
    try:
        Worker(os.path.abspath(folder), os.path.abspath(image), address).serve()
    except grpc.RpcError as error:
        sys.exit("the server is gone: %s" % error.code())


if __name__ == "__main__":
    main()
