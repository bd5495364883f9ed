// SPDX-License-Identifier: Apache-2.0
// All pairs, a tile of bodies at a time in shared memory.
#include <math.h>

__constant__ float softeningSquared;

template <typename T> struct vec3 { typedef float Type; };
template <> struct vec3<float> { typedef float3 Type; };
template <> struct vec3<double> { typedef double3 Type; };
template <typename T> struct vec4 { typedef float Type; };
template <> struct vec4<float> { typedef float4 Type; };
template <> struct vec4<double> { typedef double4 Type; };

template <typename T> __device__ T rsqrt_T(T x) { return rsqrt(x); }
template <> __device__ float rsqrt_T<float>(float x) { return rsqrtf(x); }

template <class T> struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

template <typename T>
__device__ typename vec3<T>::Type bodyBodyInteraction(typename vec3<T>::Type ai, typename vec4<T>::Type bi,
                                                      typename vec4<T>::Type bj)
{
    T rx = bj.x - bi.x;
    T ry = bj.y - bi.y;
    T rz = bj.z - bi.z;
    T invDist = rsqrt_T(rx * rx + ry * ry + rz * rz + (T)softeningSquared);
    T s = bj.w * invDist * invDist * invDist;
    ai.x += rx * s;
    ai.y += ry * s;
    ai.z += rz * s;
    return ai;
}

template <typename T>
__global__ void accelerations(const typename vec4<T>::Type *positions, typename vec4<T>::Type *out, int numBodies)
{
    typename vec4<T>::Type *sharedPos = SharedMemory<typename vec4<T>::Type>();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    typename vec4<T>::Type mine = positions[i < numBodies ? i : 0];
    typename vec3<T>::Type acc = {0, 0, 0};
    for (int tile = 0; tile * (int)blockDim.x < numBodies; tile++) {
        int j = tile * blockDim.x + threadIdx.x;
        sharedPos[threadIdx.x] = positions[j < numBodies ? j : 0];
        if (j >= numBodies) {
            sharedPos[threadIdx.x].w = 0;
        }
        __syncthreads();
#pragma unroll 16
        for (unsigned int counter = 0; counter < blockDim.x; counter++) {
            acc = bodyBodyInteraction<T>(acc, mine, sharedPos[counter]);
        }
        __syncthreads();
    }
    if (i < numBodies) {
        out[i].x = acc.x;
        out[i].y = acc.y;
        out[i].z = acc.z;
        out[i].w = 0;
    }
}
