# SPDX-License-Identifier: Apache-2.0
"""CUDA kernels into an archive, with all that is read declared: an action for each source and virtual architecture, a
header with the archive's names, and a library with its bytes."""

def _compile(ctx, gencode, number):
    """Compiles the source for one virtual architecture."""
    output = ctx.actions.declare_file("%s.%d.cubinet" % (ctx.label.name, number))
    arguments = ctx.actions.args()
    arguments.add("compile").add(ctx.file.src).add("-o", output)
    arguments.add("--module", ctx.label.name)
    arguments.add("--gencode", gencode)
    arguments.add("--toolkit", ctx.file.toolkit_header.dirname + "/..")
    arguments.add("-I.")
    arguments.add_all(ctx.attr.kernels, before_each = "--kernel")
    arguments.add_all(ctx.attr.copts)
    ctx.actions.run(
        executable = ctx.executable.cubinet,
        arguments = [arguments],
        inputs = [ctx.file.src] + ctx.files.hdrs + ctx.files.toolkit,
        tools = ctx.files.device_headers,
        outputs = [output],
        mnemonic = "CubinetCompile",
        progress_message = "Compiling %s for %s" % (ctx.label.name, gencode),
    )
    return output

def _archive(ctx):
    pieces = [_compile(ctx, gencode, number) for number, gencode in enumerate(ctx.attr.gencode)]
    archive = ctx.actions.declare_file(ctx.label.name + ".cubinet")
    arguments = ctx.actions.args()
    arguments.add("pack").add_all(pieces).add("-o", archive)
    ctx.actions.run(
        executable = ctx.executable.cubinet,
        arguments = [arguments],
        inputs = pieces,
        outputs = [archive],
        mnemonic = "CubinetPack",
    )
    return [DefaultInfo(files = depset([archive]))]

cubinet_archive = rule(
    implementation = _archive,
    attrs = {
        "src": attr.label(allow_single_file = [".cu"], mandatory = True),
        "hdrs": attr.label_list(allow_files = True),
        "kernels": attr.string_list(),
        "gencode": attr.string_list(mandatory = True),
        "copts": attr.string_list(),
        "cubinet": attr.label(default = "@cubinet//:cubinet", executable = True, allow_single_file = True, cfg = "exec"),
        "device_headers": attr.label(default = "@cubinet//:device_headers"),
        "toolkit": attr.label(default = "@cuda//:toolkit"),
        "toolkit_header": attr.label(default = "@cuda//:include/cuda_runtime.h", allow_single_file = True),
    },
)

def _header(ctx):
    arguments = ctx.actions.args()
    arguments.add("header").add(ctx.file.archive).add("-o", ctx.outputs.out)
    if ctx.attr.prefix:
        arguments.add("--prefix", ctx.attr.prefix)
    if ctx.attr.embedded:
        arguments.add("--embedded", ctx.attr.embedded)
    if ctx.attr.cpp:
        arguments.add("--c++")
    ctx.actions.run(
        executable = ctx.executable.cubinet,
        arguments = [arguments],
        inputs = [ctx.file.archive],
        outputs = [ctx.outputs.out],
        mnemonic = "CubinetHeader",
    )

cubinet_header = rule(
    implementation = _header,
    attrs = {
        "archive": attr.label(allow_single_file = [".cubinet"], mandatory = True),
        "out": attr.output(mandatory = True),
        "prefix": attr.string(doc = "of all names; the archive's name if empty"),
        "embedded": attr.string(doc = "the symbol that cubinet_embed() has for the archive's bytes"),
        "cpp": attr.bool(doc = "whether C++17 gets a function object for each kernel"),
        "cubinet": attr.label(default = "@cubinet//:cubinet", executable = True, allow_single_file = True, cfg = "exec"),
    },
)

def _embed_source(ctx):
    source = ctx.actions.declare_file(ctx.label.name + ".c")
    ctx.actions.write(source, """#define CUBINET_EMBED_SYMBOL %s
#define CUBINET_EMBED_FILE   "\\"%s\\""
#include "%s"
""" % (ctx.attr.symbol, ctx.file.archive.path, ctx.file.embed.path))
    return [DefaultInfo(files = depset([source]))]

_cubinet_embed_source = rule(
    implementation = _embed_source,
    attrs = {
        "archive": attr.label(allow_single_file = [".cubinet"], mandatory = True),
        "symbol": attr.string(mandatory = True),
        "embed": attr.label(default = "@cubinet//:embed", allow_single_file = True),
    },
)

def cubinet_embed(name, archive, symbol, hdrs = [], deps = [], **more):
    """A library with the bytes of an archive.

    Args:
      name: of the library.
      archive: a label of cubinet_archive().
      symbol: for C, `extern const unsigned char SYMBOL[]; extern const size_t SYMBOL_size;`.
      hdrs: what declares them, of cubinet_header().
      deps: what the headers include.
      **more: attributes of cc_library().
    """
    _cubinet_embed_source(
        name = name + "_source",
        archive = archive,
        symbol = symbol,
    )
    native.cc_library(
        name = name,
        srcs = [name + "_source"],
        hdrs = hdrs,
        textual_hdrs = [archive, "@cubinet//:embed"],  # which the compiler and its assembler read
        deps = deps,
        **more
    )
