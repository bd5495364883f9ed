#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a giant module: one source without headers, whose many kernels are each a network of shading nodes as
renderers compile them. Nodes are inlined and their loops unrolled, so that compiling it is optimising and assembling.

    giant.py FILE [KERNELS] [NODES]     by default 40 kernels of 28 nodes, 5 MB of PTX

The same arguments write the same file.
"""
import sys

PRELUDE = """\
// Made by giant.py.
__device__ __forceinline__ float clamp01(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}

__device__ __forceinline__ float mix(float a, float b, float t)
{
    return a + (b - a) * clamp01(t);
}

__device__ __forceinline__ float lattice(int x, int y, int z)
{
    unsigned h = x * 374761393u + y * 668265263u + z * 2147483647u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h ^ h >> 16) * 0x1p-32f;
}

__device__ __forceinline__ float noise(float x, float y, float z)
{
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    const float tx = x - fx, ty = y - fy, tz = z - fz;
    float corner[2][2];
    for (int j = 0; j < 2; j++) {
        for (int k = 0; k < 2; k++) {
            const float a = lattice((int)fx, (int)fy + j, (int)fz + k);
            corner[j][k] = mix(a, lattice((int)fx + 1, (int)fy + j, (int)fz + k), tx * tx * (3 - 2 * tx));
        }
    }
    return mix(mix(corner[0][0], corner[1][0], ty), mix(corner[0][1], corner[1][1], ty), tz);
}

__device__ __forceinline__ float node_turbulence(float a, float b, float c)
{
    float sum = 0.0f, weight = 0.5f;
#pragma unroll
    for (int octave = 0; octave < 3; octave++) {
        sum += weight * fabsf(2.0f * noise(a, b, c) - 1.0f);
        a = a * 2.03f + 0.7f;
        b = b * 2.01f - 0.3f;
        c = c * 1.97f + 0.1f;
        weight *= 0.5f;
    }
    return sum;
}

__device__ __forceinline__ float node_wave(float a, float b, float c)
{
    return 0.5f + 0.5f * __sinf(6.28f * (a + 0.3f * noise(a, b, c)));
}

__device__ __forceinline__ float node_fresnel(float a, float b, float c)
{
    const float cosine = clamp01(fabsf(a)), index = 1.0f + fabsf(b);
    const float g = sqrtf(fmaxf(index * index - 1.0f + cosine * cosine, 0.0f));
    const float first = (g - cosine) / (g + cosine + 1e-4f);
    const float second = (cosine * (g + cosine) - 1.0f) / (cosine * (g - cosine) + 1.0001f);
    return 0.5f * first * first * (1.0f + second * second) + 0.01f * c;
}

__device__ __forceinline__ float node_gloss(float a, float b, float c)
{
    const float rough = 0.05f + fabsf(b), t = a * a * (rough * rough - 1.0f) + 1.0f;
    return clamp01(rough * rough / (3.14159f * t * t + 1e-4f)) / (1.0f + fabsf(c));
}

__device__ __forceinline__ float node_blackbody(float a, float b, float c)
{
    const float t = 0.2f + fabsf(a);
    return expf(-b * b / t) / (1.0f + expf(-4.0f * c)) + powf(t, 0.45f);
}

__device__ __forceinline__ float node_cells(float a, float b, float c)
{
    float nearest = 8.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int x = (int)floorf(a) + i % 2, y = (int)floorf(b) + i / 2 % 2, z = (int)floorf(c) + i / 4;
        const float dx = x + lattice(x, y, z) - a, dy = y + lattice(y, z, x) - b, dz = z + lattice(z, x, y) - c;
        nearest = fminf(nearest, dx * dx + dy * dy + dz * dz);
    }
    return sqrtf(nearest);
}

__device__ __forceinline__ float node_ramp(float a, float b, float c)
{
    if (a < 0.25f) {
        return mix(b, c, 4.0f * a);
    }
    return a < 0.6f ? mix(c, 1.0f - b, (a - 0.25f) * 2.857f) : mix(1.0f - b, b * c, (a - 0.6f) * 2.5f);
}

__device__ __forceinline__ float node_blend(float a, float b, float c)
{
    return c < 0.5f ? 2.0f * a * b : 1.0f - 2.0f * (1.0f - a) * (1.0f - b);
}
"""

NODES = ["turbulence", "wave", "fresnel", "gloss", "blackbody", "cells", "ramp", "blend"]


class Numbers:
    """Numbers that are the same with every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, end):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % end


def kernel(number, nodes):
    numbers = Numbers(number + 1)
    values = ["x", "y", "z"]
    lines = [
        f'extern "C" __global__ void shade_{number}(const float *in, float *out, int count)',
        "{",
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "    if (i >= count) {",
        "        return;",
        "    }",
        "    const float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];",
    ]
    for node in range(nodes):
        recent = values[-12:]  # what is older is not alive any more
        inputs = [recent[numbers.below(len(recent))] for _ in range(3)]
        scale = f"{1 + numbers.below(97)}.{numbers.below(10)}f"
        lines.append(
            f"    const float v{node} = node_{NODES[numbers.below(len(NODES))]}"
            f"({inputs[0]} * {scale}, {inputs[1]}, {inputs[2]} + 0.{numbers.below(1000):03}f);")
        values.append(f"v{node}")
    for channel in range(3):
        lines.append(f"    out[3 * i + {channel}] = {' + '.join(values[channel - 9::3])};")
    return "\n".join(lines + ["}"])


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    kernels = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 28
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(PRELUDE)
        for number in range(kernels):
            file.write("\n" + kernel(number, nodes) + "\n")


if __name__ == "__main__":
    main()
