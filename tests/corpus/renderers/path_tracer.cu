// SPDX-License-Identifier: Apache-2.0
// A path tracer of spheres with three materials, Russian roulette and a sky.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "vec.h"

namespace pt {

enum class Material : std::uint8_t { Diffuse, Mirror, Glass };

struct Sphere {
    float3 center;
    float radius;
    float3 albedo;
    Material material;
};

// PCG, as in the paper's minimal implementation.
class Random {
public:
    __device__ explicit Random(std::uint64_t sequence) : state_(0), increment_(sequence << 1 | 1)
    {
        next();
        state_ += 0x853c49e6748fea9bULL;
        next();
    }
    __device__ std::uint32_t next()
    {
        const std::uint64_t old = state_;
        state_ = old * 6364136223846793005ULL + increment_;
        const std::uint32_t shifted = static_cast<std::uint32_t>(((old >> 18u) ^ old) >> 27u);
        const std::uint32_t rotation = static_cast<std::uint32_t>(old >> 59u);
        return shifted >> rotation | shifted << (-rotation & 31);
    }
    __device__ float uniform() { return (next() >> 8) * 0x1p-24f; }

private:
    std::uint64_t state_;
    std::uint64_t increment_;
};

struct Hit {
    float t = std::numeric_limits<float>::max();
    const Sphere *sphere = nullptr;
};

__device__ Hit closest(const Sphere *spheres, int count, const float3 &origin, const float3 &direction)
{
    Hit hit;
    for (int i = 0; i < count; ++i) {
        const float3 oc = origin - spheres[i].center;
        const float b = dot(oc, direction);
        const float discriminant = b * b - dot(oc, oc) + spheres[i].radius * spheres[i].radius;
        if (discriminant <= 0) {
            continue;
        }
        float near = -b - sqrtf(discriminant);
        float far = -b + sqrtf(discriminant);
        if (near > far) {
            std::swap(near, far);
        }
        const float t = near > 1e-3f ? near : far;
        if (t > 1e-3f && t < hit.t) {
            hit.t = t;
            hit.sphere = spheres + i;
        }
    }
    return hit;
}

__device__ float3 sample_hemisphere(const float3 &normal, Random &random)
{
    const float phi = 2.0f * 3.14159265f * random.uniform();
    const float u = random.uniform();
    const float r = sqrtf(u);
    const float3 helper = fabsf(normal.x) > 0.9f ? make_float3(0, 1, 0) : make_float3(1, 0, 0);
    const float3 tangent = normalize(cross(helper, normal));
    const float3 bitangent = cross(normal, tangent);
    float s, c;
    sincosf(phi, &s, &c);
    return normalize(r * c * tangent + r * s * bitangent + sqrtf(std::max(0.0f, 1.0f - u)) * normal);
}

__device__ bool refract(const float3 &v, const float3 &n, float ratio, float3 &refracted)
{
    const float cosine = std::min(dot(-v, n), 1.0f);
    const float k = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
    if (k < 0) {
        return false;
    }
    refracted = ratio * v + (ratio * cosine - sqrtf(k)) * n;
    return true;
}

template <int MaxDepth>
__device__ float3 radiance(const Sphere *spheres, int count, float3 origin, float3 direction, Random &random)
{
    float3 throughput = make_float3(1, 1, 1);
    for (int depth = 0; depth < MaxDepth; ++depth) {
        const Hit hit = closest(spheres, count, origin, direction);
        if (!hit.sphere) {
            const float t = 0.5f * (direction.y + 1.0f);
            return throughput * ((1.0f - t) * make_float3(1, 1, 1) + t * make_float3(0.5f, 0.7f, 1.0f));
        }
        const float3 point = origin + hit.t * direction;
        float3 normal = (point - hit.sphere->center) / hit.sphere->radius;
        const bool entering = dot(normal, direction) < 0;
        normal = entering ? normal : -normal;
        switch (hit.sphere->material) {
        case Material::Diffuse:
            direction = sample_hemisphere(normal, random);
            throughput *= hit.sphere->albedo;
            break;
        case Material::Mirror:
            direction = reflect(direction, normal);
            throughput *= hit.sphere->albedo;
            break;
        case Material::Glass: {
            float3 refracted;
            const float ratio = entering ? 1.0f / 1.5f : 1.5f;
            direction = refract(direction, normal, ratio, refracted) && random.uniform() > 0.04f
                            ? normalize(refracted)
                            : reflect(direction, normal);
            break;
        }
        }
        origin = point;
        if (depth > 3) {
            const float survive = std::min(0.95f, std::max(throughput.x, std::max(throughput.y, throughput.z)));
            if (random.uniform() > survive) {
                break;
            }
            throughput = throughput / survive;
        }
    }
    return make_float3(0, 0, 0);
}

template <int MaxDepth>
__global__ void __launch_bounds__(128, 2)
    render(const Sphere *__restrict__ spheres, int count, float4 *__restrict__ film, int width, int height, int samples)
{
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= width * height) {
        return;
    }
    Random random(pixel);
    float3 sum = make_float3(0, 0, 0);
    for (int i = 0; i < samples; ++i) {
        const float x = (pixel % width + random.uniform()) / width - 0.5f;
        const float y = 0.5f - (pixel / width + random.uniform()) / height;
        sum += radiance<MaxDepth>(spheres, count, make_float3(0, 0, 3), normalize(make_float3(x, y, -1)), random);
    }
    film[pixel] = make_float4(sum.x / samples, sum.y / samples, sum.z / samples, 1);
}

}
