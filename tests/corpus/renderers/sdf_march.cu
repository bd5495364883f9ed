// SPDX-License-Identifier: Apache-2.0
// Sphere tracing of a distance field that is put together from lambdas; needs --extended-lambda, as with nvcc.
#include <cmath>
#include <functional>
#include <utility>

#include "vec.h"

template <class A, class B> struct Union {
    A a;
    B b;
    __device__ float operator()(const float3 &p) const { return fminf(a(p), b(p)); }
};

template <class A, class B> struct SmoothUnion {
    A a;
    B b;
    float k;
    __device__ float operator()(const float3 &p) const
    {
        const float da = a(p);
        const float db = b(p);
        const float h = fmaxf(k - std::fabs(da - db), 0.0f) / k;
        return fminf(da, db) - h * h * k * 0.25f;
    }
};

template <class A, class B> __device__ Union<A, B> unite(A a, B b)
{
    return {std::move(a), std::move(b)};
}

template <class A, class B> __device__ SmoothUnion<A, B> blend(A a, B b, float k)
{
    return {std::move(a), std::move(b), k};
}

template <class Field> __device__ float3 gradient(const Field &field, const float3 &p)
{
    constexpr float h = 1e-3f;
    auto along = [&] __device__(const float3 &d) { return field(p + h * d) - field(p - h * d); };
    return normalize(make_float3(along(make_float3(1, 0, 0)), along(make_float3(0, 1, 0)), along(make_float3(0, 0, 1))));
}

extern "C" __global__ void march(float4 *out, int width, int height, float time)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    auto ball = [=] __device__(const float3 &p) {
        return length(p - make_float3(sinf(time), 0, 0)) - 0.5f;
    };
    auto box = [=] __device__(const float3 &p) {
        const float3 q = make_float3(fabsf(p.x) - 0.4f, fabsf(p.y) - 0.4f, fabsf(p.z) - 0.4f);
        const float3 outside = make_float3(fmaxf(q.x, 0.0f), fmaxf(q.y, 0.0f), fmaxf(q.z, 0.0f));
        return length(outside) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0.0f);
    };
    auto floor = [] __device__(const float3 &p) { return p.y + 1.0f; };
    const auto scene = unite(blend(ball, box, 0.3f), floor);
    const float3 direction = normalize(make_float3((x + 0.5f) / width - 0.5f, 0.5f - (y + 0.5f) / height, -1.0f));
    float3 p = make_float3(0, 0, 3);
    float travelled = 0;
    int steps = 0;
    for (; steps < 128 && travelled < 20.0f; ++steps) {
        const float distance = scene(p);
        if (distance < 1e-3f) {
            break;
        }
        travelled += distance;
        p += distance * direction;
    }
    const float3 normal = gradient(scene, p);
    out[y * width + x] = make_float4(normal.x, normal.y, normal.z, travelled);
}
