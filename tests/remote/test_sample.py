#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What samples/bazel says, without Bazel: MODULE.bazel and WORKSPACE name the same repositories, whose BUILD files have each
label that the rules and the sample use. Starlark has Python's grammar."""
import ast
import os
import re
import unittest

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples/bazel")


def text_of(name):
    with open(os.path.join(SAMPLE, name)) as file:
        return file.read()


def repositories(name, rule="new_local_repository"):
    """Arguments of each repository that a file declares, by name; the file may call nothing else."""
    found, modules = {}, []
    environment = {rule: lambda **arguments: found.update({arguments["name"]: arguments}),
                   "module": lambda **arguments: modules.append(arguments)}
    environment["use_repo_rule"] = lambda file, symbol: {
        ("@bazel_tools//tools/build_defs/repo:local.bzl", rule): environment[rule]}[file, symbol]
    exec(compile(text_of(name), name, "exec"), {"__builtins__": {}}, environment)
    return found, modules


def targets(name):
    """Names in a BUILD file: those of rules, and exported files."""
    found = set()
    for node in ast.walk(ast.parse(text_of(name))):
        if not isinstance(node, ast.Call):
            continue
        found.update(ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg in ("name", "out"))
        if getattr(node.func, "id", "") == "exports_files":
            found.update(ast.literal_eval(node.args[0]))
    return found


class SampleTest(unittest.TestCase):
    def test_modules_and_workspace_agree(self):
        workspace, none = repositories("WORKSPACE")
        module, modules = repositories("MODULE.bazel")
        self.assertEqual(workspace, module)
        self.assertEqual(none, [])
        self.assertEqual(len(modules), 1)
        self.assertRegex(modules[0]["name"], "^[a-z][a-z0-9._-]*[a-z0-9]$")  # what Bazel takes

    def test_labels(self):
        declared, _ = repositories("MODULE.bazel")
        known = {name: targets(repository["build_file"].replace("//:", "")) for name, repository in declared.items()}
        used = re.findall(r'"@(\w+)//:([^"]+)"', text_of("cubinet.bzl") + text_of("BUILD.bazel"))
        self.assertGreater(len(used), 5)
        for repository, target in used:
            self.assertIn(target, known[repository])

    def test_files(self):
        here = targets("BUILD.bazel")
        for label in re.findall(r'":([^"]+)"', text_of("BUILD.bazel")):
            self.assertTrue(label in here or os.path.exists(os.path.join(SAMPLE, label)), label)
        ast.parse(text_of("cubinet.bzl"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
