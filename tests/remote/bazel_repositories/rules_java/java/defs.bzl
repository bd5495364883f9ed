# SPDX-License-Identifier: Apache-2.0
"""In place of rules_java, whose toolchains Bazel 4 looks at before it builds C."""
java_import = native.java_import
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
