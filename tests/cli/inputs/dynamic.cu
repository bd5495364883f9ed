// Kernels that take dynamic shared memory: alone, and beside static.
extern "C" __global__ void tail(float *data, int count)
{
    extern __shared__ float memory[];
    memory[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = memory[count - threadIdx.x];
}

extern "C" __global__ void mixed(float *data, int count)
{
    extern __shared__ float memory[];
    __shared__ float own[32];
    own[threadIdx.x % 32] = data[threadIdx.x];
    memory[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = memory[count - threadIdx.x] + own[0];
}

extern "C" __global__ void plain(float *data)
{
    data[threadIdx.x] = 0;
}
