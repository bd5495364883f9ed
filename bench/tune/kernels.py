# SPDX-License-Identifier: Apache-2.0
"""The descriptions of kernels.cu for `cubinet tune`: each kernel's instances, arguments and candidates, the extents that
are tuned, and others, between them, that what was tuned is tried on."""

THREADS = [64, 128, 192, 256, 384, 512, 1024]
FEW = [64, 128, 256, 512, 1024]
SHAPES = [[32, 2], [32, 4], [32, 8], [32, 16], [32, 32], [64, 2], [64, 4], [64, 8], [128, 1], [128, 2], [128, 4],
          [256, 1], [256, 2], [16, 8], [16, 16]]
LINES = [1 << k for k in range(12, 24, 2)] + [1 << 23]  # tuned; held out are those between
LINES_HELD = [5000, 12000, 50000, 100000, 200000, 800000, 2000000, 6000000]
ROWS = [[256, 64], [256, 8192], [1024, 64], [1024, 4096], [4096, 64], [4096, 1024], [16384, 16], [16384, 256]]
ROWS_HELD = [[300, 256], [512, 512], [512, 4000], [1500, 256], [2048, 1000], [3000, 128], [5000, 512], [8192, 200]]
PLANES = [[128, 128], [512, 512], [1024, 1024], [2048, 2048], [4096, 256], [256, 4096]]
PLANES_HELD = [[256, 256], [200, 300], [400, 400], [640, 480], [800, 600], [1280, 720], [1600, 900], [1920, 1080]]
SQUARES = [[n, n] for n in (128, 256, 512, 1024, 1536)]
SQUARES_HELD = [[n, n] for n in (192, 320, 384, 448, 640, 768, 896, 1280)]
WHOLE_ROW = 1 << 20  # longer than any: one block along x, whatever the extent
BODIES = [512, 2048, 8192, 32768]
BODIES_HELD = [700, 1000, 1500, 3000, 5000, 10000, 16000, 24000]


def array(kind, elements="extent.x", **more):
    return {"type": kind, "elements": elements, "fill": "random", **more}


def out(kind="f32", elements="extent.x", **more):
    return {"name": "y", "type": kind, "elements": elements, "fill": "zero", "output": True, **more}


def scalar(kind, value):
    return {"type": kind, "value": value}


N = scalar("u32", "extent.x")
M = scalar("u32", "extent.y")
AREA = "extent.x * extent.y"


def line(name, arguments, check=None, extents=(LINES, LINES_HELD), **more):
    candidates = {"block": THREADS, "elements_per_thread": [1, 2, 4, 8], **more.pop("candidates", {})}
    return {"kernel": name, "arguments": arguments, "candidates": candidates, "check": check or {}, **more}, extents


def rows(name, arguments, check):
    return {"kernel": name, "arguments": arguments, "check": check, "default": {
        "block": 256, "elements_per_block": [WHOLE_ROW, 1]}, "candidates": {
            "block": THREADS, "elements_per_block": [[WHOLE_ROW, 1]]}}, (ROWS, ROWS_HELD)


def plane(name, arguments, **more):
    return {"kernel": name, "arguments": arguments, "check": {"relative": 1e-5, "absolute": 1e-6},
            "candidates": {"block": SHAPES}, **more}, (PLANES, PLANES_HELD)


def sets():
    loose = {"relative": 1e-3, "absolute": 1e-3}
    near = {"relative": 1e-5, "absolute": 1e-6}
    yield {"name": "copy", "instances": ["copy<@V@>"], "for": {"V": [1, 2, 4]},
           "arguments": [out(), array("f32"), N], "default": {"block": 256, "elements_per_thread": 1},
           "candidates": {"block": FEW, "elements_per_thread": [1, 2, 4, 8]},
           "restrictions": ["elements.x >= V"]}, (LINES, LINES_HELD)
    yield line("axpy", [out(fill="random", seed=2), array("f32"), scalar("f32", 1.5), N], near)
    yield line("gelu", [out(), array("f32", low=-3, high=3), N], near)
    yield line("poly", [out(), array("f32"), N], near)
    yield line("gather", [out(), array("f32"), array("u32", high="extent.x - 1", seed=3), N])
    yield line("rng", [out("u32"), scalar("u32", 7), N])
    wide = {"candidates": {"elements_per_thread": [1, 4, 16, 64]}, "default": {
        "block": 256, "elements_per_thread": 4}}
    yield line("sum", [out(elements=1), array("f32"), N], loose, **wide)
    yield line("dot", [out(elements=1), array("f32"), array("f32", seed=5), N], loose, **wide)
    yield line("maximum", [out(elements=1), array("f32"), N], **wide)
    yield line("histogram", [out("u32", 256), array("u32", high=255), N], **wide)
    yield line("stencil1d", [out(), array("f32"), N], near)
    yield line("bitonic", [{**array("f32"), "name": "x", "output": True}, scalar("u32", 64), scalar("u32", 256), N])
    yield {"kernel": "conv1d", "arguments": [out(), array("f32"), array("f32", 17, seed=4), N], "check": near,
           "candidates": {"block": THREADS, "dynamic_shared_bytes": ["4 * (block.x + 16)"]}}, (LINES, LINES_HELD)
    yield {"kernel": "segsum", "check": near,
           "arguments": [out(), array("f32", "64 * extent.x"), N], "default": {
               "block": 256, "elements_per_block": "threads / 32"},
           "candidates": {"block": THREADS, "elements_per_block": ["threads / 32", "threads / 8", "threads / 2"]}}, (
               [64, 512, 4096, 32768, 131072], [100, 300, 1000, 3000, 10000, 20000, 50000, 100000])
    yield rows("softmax", [out("f32", AREA), array("f32", AREA), N], near)
    yield rows("layernorm", [out("f32", AREA), array("f32", AREA), N], {"relative": 1e-3, "absolute": 1e-4})
    yield rows("scan", [out("u32", AREA), array("u32", AREA), N], {})
    yield {"kernel": "gemv", "check": loose, "arguments": [
        out("f32", "extent.y"), array("f32", AREA), array("f32", seed=9), N, M],
           "default": {"block": 256, "tile": [WHOLE_ROW, "threads / 32"]},
           "candidates": {"block": THREADS, "tile": [[WHOLE_ROW, "threads / 32"]]}}, (ROWS, ROWS_HELD)
    yield {"kernel": "colsum", "check": loose, "arguments": [out(), array("f32", AREA), N, M],
           "default": {"block": 256, "elements_per_block": ["threads", 64]},
           "candidates": {"block": THREADS, "elements_per_block": [["threads", 64]]}}, (ROWS, ROWS_HELD)
    yield plane("stencil5", [out("f32", AREA), array("f32", AREA), N, M])
    yield plane("upsample", [out("f32", AREA), array("f32", AREA), N, M])
    yield plane("blur<3>", [out("f32", AREA), array("f32", AREA), N, M])
    yield {"name": "transpose", "instances": ["transpose<@TILE@>"], "for": {"TILE": [16, 32, 64]},
           "arguments": [out("f32", AREA), array("f32", AREA), N, M],
           "default": {"kernel": "transpose<32>", "block": [32, 8], "elements_per_block": [32, 32]},
           "candidates": {"block": [["TILE", k] for k in (2, 4, 8, 16)], "elements_per_block": [["TILE", "TILE"]]},
           }, (PLANES, PLANES_HELD)
    yield {"name": "matmul", "instances": ["matmul<@TILE@,@PER@>"], "for": {"TILE": [16, 32, 64], "PER": [4, 8, 16]},
           "arguments": [out("f32", AREA), array("f32", AREA), array("f32", AREA, seed=8), N], "check": loose,
           "default": {"kernel": "matmul<32,4>", "block": [32, 8], "elements_per_block": [32, 32]},
           "candidates": {"block": [["TILE", "TILE / PER"]], "elements_per_block": [["TILE", "TILE"]]},
           "restrictions": ["threads <= 1024", "threads >= 32"]}, (SQUARES, SQUARES_HELD)
    yield {"kernel": "nbody", "check": loose, "arguments": [
        out("f32", "4 * extent.x"), array("f32", "4 * extent.x"), N],
           "candidates": {"block": THREADS, "dynamic_shared_bytes": ["16 * threads"]}}, (BODIES, BODIES_HELD)


def described(held_out, quick, wanted):
    """The description of the tuned or the held-out extents: those of some sets, of every third extent if it is to be
    quick."""
    chosen = []
    for made, extents in sets():
        name = made.get("name", made.get("kernel"))
        if not wanted or name in wanted:
            some = extents[held_out]
            keep = [some[0], some[-1]] if quick and not held_out else some[::3] if quick else some
            chosen.append({**made, "extents": keep})
    return {"sets": chosen}


def kernels():
    """Every instance's expression."""
    found = []
    for made, _ in sets():
        expanded = [made["kernel"]] if "kernel" in made else list(made["instances"])
        for name, values in made.get("for", {}).items():
            expanded = [text.replace(f"@{name}@", str(value)) for text in expanded for value in values]
        found += expanded
    return found
