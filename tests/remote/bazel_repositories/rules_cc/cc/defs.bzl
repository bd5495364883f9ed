# SPDX-License-Identifier: Apache-2.0
"""In place of rules_cc, which Bazel 4 fetches from the network for its C toolchain: the rules that it has built in."""
cc_binary = native.cc_binary
cc_library = native.cc_library
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
