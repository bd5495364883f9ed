# SPDX-License-Identifier: Apache-2.0
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask), mask=mask)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, k, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for i in range(0, k, BLOCK):
        a = tl.load(a_ptr + rows[:, None] * k + (i + rows)[None, :])
        b = tl.load(b_ptr + (i + rows)[:, None] * BLOCK + rows[None, :])
        total += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * BLOCK + rows[None, :], total)
