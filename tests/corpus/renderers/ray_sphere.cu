// SPDX-License-Identifier: Apache-2.0
// Primary rays against spheres: the depth of the nearest hit.
#include <limits>

#include "vec.h"

struct Sphere {
    float3 center;
    float radius;
};

struct Ray {
    float3 origin;
    float3 direction;
};

__device__ bool intersect(const Sphere &sphere, const Ray &ray, float t_min, float t_max, float &t)
{
    const float3 oc = ray.origin - sphere.center;
    const float b = dot(oc, ray.direction);
    const float c = dot(oc, oc) - sphere.radius * sphere.radius;
    const float discriminant = b * b - c;
    if (discriminant < 0.0f) {
        return false;
    }
    const float root = std::sqrt(discriminant);
    t = -b - root;
    if (t <= t_min || t >= t_max) {
        t = -b + root;
    }
    return t > t_min && t < t_max;
}

extern "C" __global__ void trace_depth(const Sphere *spheres, int count, float *depth, int *index, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    Ray ray;
    ray.origin = make_float3(0.0f, 0.0f, 0.0f);
    ray.direction = normalize(make_float3((x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, -1.0f));
    float nearest = std::numeric_limits<float>::infinity();
    int hit = -1;
    for (int i = 0; i < count; ++i) {
        float t;
        if (intersect(spheres[i], ray, 1e-3f, nearest, t)) {
            nearest = t;
            hit = i;
        }
    }
    depth[y * width + x] = nearest;
    index[y * width + x] = hit;
}
