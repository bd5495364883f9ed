// SPDX-License-Identifier: Apache-2.0
// Rays against triangles in a bounding volume hierarchy, with a stack of its own.
#include <array>
#include <cfloat>
#include <cstdint>
#include <tuple>

#include "vec.h"

struct Node {
    float3 low;
    float3 high;
    std::int32_t first; // child, or triangle of a leaf
    std::int32_t count; // 0: an inner node, whose children are first and first + 1
};

using Triangle = std::array<float3, 3>;

__device__ bool hits(const Node &node, const float3 &origin, const float3 &inverse, float limit)
{
    const float3 a = (node.low - origin) * inverse;
    const float3 b = (node.high - origin) * inverse;
    const float enter = fmaxf(fmaxf(fminf(a.x, b.x), fminf(a.y, b.y)), fminf(a.z, b.z));
    const float leave = fminf(fminf(fmaxf(a.x, b.x), fmaxf(a.y, b.y)), fmaxf(a.z, b.z));
    return enter <= leave && leave >= 0 && enter < limit;
}

// Distance and barycentric coordinates.
__device__ std::tuple<float, float, float> intersect(const Triangle &triangle, const float3 &origin, const float3 &direction)
{
    const float3 e1 = triangle[1] - triangle[0];
    const float3 e2 = triangle[2] - triangle[0];
    const float3 p = cross(direction, e2);
    const float determinant = dot(e1, p);
    if (fabsf(determinant) < 1e-8f) {
        return std::make_tuple(FLT_MAX, 0.0f, 0.0f);
    }
    const float3 s = origin - triangle[0];
    const float u = dot(s, p) / determinant;
    const float3 q = cross(s, e1);
    const float v = dot(direction, q) / determinant;
    const float t = dot(e2, q) / determinant;
    const bool inside = u >= 0 && v >= 0 && u + v <= 1 && t > 1e-4f;
    return std::make_tuple(inside ? t : FLT_MAX, u, v);
}

__global__ void traverse(const Node *nodes, const Triangle *triangles, const float3 *origins, const float3 *directions, int rays, int *hit, float *depth)
{
    const int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= rays) {
        return;
    }
    const float3 origin = origins[ray];
    const float3 direction = directions[ray];
    const float3 inverse = make_float3(1 / direction.x, 1 / direction.y, 1 / direction.z);
    std::array<int, 32> stack{};
    int top = 0;
    stack[top++] = 0;
    float nearest = FLT_MAX;
    int found = -1;
    while (top > 0) {
        const Node &node = nodes[stack[--top]];
        if (!hits(node, origin, inverse, nearest)) {
            continue;
        }
        for (int i = node.first; i < node.first + node.count; ++i) {
            float t, u, v;
            std::tie(t, u, v) = intersect(triangles[i], origin, direction);
            if (t < nearest) {
                nearest = t;
                found = i;
            }
        }
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = node.first + 1;
        }
    }
    hit[ray] = found;
    depth[ray] = nearest;
}
