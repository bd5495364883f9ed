# SPDX-License-Identifier: Apache-2.0
"""CUDA kernels into an archive: an action for each source and virtual architecture, with all that it reads declared."""

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
