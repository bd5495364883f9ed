// SPDX-License-Identifier: Apache-2.0
// Lennard-Jones forces of all pairs in a periodic box, cut off; energies in double precision.
#include <cmath>

struct Box {
    float3 size;
};

__device__ float3 minimum_image(float3 d, const Box &box)
{
    d.x -= box.size.x * std::rint(d.x / box.size.x);
    d.y -= box.size.y * std::rint(d.y / box.size.y);
    d.z -= box.size.z * std::rint(d.z / box.size.z);
    return d;
}

template <bool WithEnergy>
__global__ void lj_forces(const float4 *__restrict__ positions, float4 *__restrict__ forces, double *energy, int n, Box box,
                          float cutoff, float epsilon, float sigma)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 force = make_float4(0.f, 0.f, 0.f, 0.f);
    double mine = 0.0;
    for (int j = 0; i < n && j < n; j++) {
        if (i == j) {
            continue;
        }
        float3 d = make_float3(positions[i].x - positions[j].x, positions[i].y - positions[j].y, positions[i].z - positions[j].z);
        d = minimum_image(d, box);
        const float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        if (r2 >= cutoff * cutoff) {
            continue;
        }
        const float s2 = sigma * sigma / r2;
        const float s6 = s2 * s2 * s2;
        const float f = 24.0f * epsilon * s6 * (2.0f * s6 - 1.0f) / r2;
        force.x += f * d.x;
        force.y += f * d.y;
        force.z += f * d.z;
        if (WithEnergy) {
            mine += 2.0 * epsilon * s6 * (s6 - 1.0f);
        }
    }
    if (i < n) {
        forces[i] = force;
        if (WithEnergy) {
            atomicAdd(energy, mine);
        }
    }
}
