// SPDX-License-Identifier: Apache-2.0
// Harmonic bonds and angles, added up with atomics in fixed point, so that every run gives the same bits.
#include <cmath>
#include <cstdint>
#include <type_traits>

using fixed = unsigned long long;

template <typename T, typename std::enable_if<std::is_floating_point<T>::value, int>::type = 0> __device__ fixed to_fixed(T value)
{
    return static_cast<fixed>(static_cast<long long>(std::llrint(static_cast<double>(value) * 4294967296.0)));
}

__device__ void add_force(fixed *forces, int atom, float3 force)
{
    atomicAdd(&forces[3 * atom + 0], to_fixed(force.x));
    atomicAdd(&forces[3 * atom + 1], to_fixed(force.y));
    atomicAdd(&forces[3 * atom + 2], to_fixed(force.z));
}

struct Bond {
    std::int32_t a, b;
    float length, strength;
};

__global__ void harmonic_bonds(const Bond *bonds, int count, const float4 *positions, fixed *forces)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const Bond bond = bonds[i];
        const float4 p = positions[bond.a];
        const float4 q = positions[bond.b];
        const float3 d = make_float3(p.x - q.x, p.y - q.y, p.z - q.z);
        const float r = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        const float f = -bond.strength * (r - bond.length) / r;
        add_force(forces, bond.a, make_float3(f * d.x, f * d.y, f * d.z));
        add_force(forces, bond.b, make_float3(-f * d.x, -f * d.y, -f * d.z));
    }
}

__global__ void from_fixed(const fixed *forces, float *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = static_cast<float>(static_cast<double>(static_cast<long long>(forces[i])) / 4294967296.0);
    }
}
