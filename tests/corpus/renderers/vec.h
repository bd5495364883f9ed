// SPDX-License-Identifier: Apache-2.0
// The vectors that renderers of this kind bring along: operators for CUDA's own types.
#ifndef CORPUS_VEC_H
#define CORPUS_VEC_H

#include <cmath>
#include <cuda_runtime.h>

#ifdef __CUDACC__
#define VEC_INLINE __host__ __device__ __forceinline__
#else
#define VEC_INLINE inline
#endif

VEC_INLINE float3 operator+(const float3 &a, const float3 &b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
VEC_INLINE float3 operator-(const float3 &a, const float3 &b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
VEC_INLINE float3 operator-(const float3 &a) { return make_float3(-a.x, -a.y, -a.z); }
VEC_INLINE float3 operator*(const float3 &a, const float3 &b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
VEC_INLINE float3 operator*(const float3 &a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
VEC_INLINE float3 operator*(float s, const float3 &a) { return a * s; }
VEC_INLINE float3 operator/(const float3 &a, float s) { return a * (1.0f / s); }
VEC_INLINE float3 &operator+=(float3 &a, const float3 &b) { return a = a + b; }
VEC_INLINE float3 &operator*=(float3 &a, const float3 &b) { return a = a * b; }
VEC_INLINE float dot(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
VEC_INLINE float length(const float3 &a) { return std::sqrt(dot(a, a)); }
VEC_INLINE float3 normalize(const float3 &a) { return a / length(a); }
VEC_INLINE float3 reflect(const float3 &d, const float3 &n) { return d - 2.0f * dot(d, n) * n; }
VEC_INLINE float3 cross(const float3 &a, const float3 &b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#endif
