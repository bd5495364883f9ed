__constant__ float table[4];
__global__ void scale(float *x, float f, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = f * x[i] + table[i & 3]; }
template <class T> __global__ void __launch_bounds__(128, 2) tile(T *x) { __shared__ T s[128]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[127 - threadIdx.x]; }
