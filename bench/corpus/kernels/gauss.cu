// SPDX-License-Identifier: Apache-2.0
// A Gaussian blur in two passes, along rows and along columns. Beyond the picture's edge is the edge.
template <int radius> struct Weights {
    float at[radius + 1]; // for pixels 0 to radius away
};

template <int radius, int threads>
__global__ void __launch_bounds__(threads)
    gauss_rows(const float *in, float *out, int columns, Weights<radius> weights)
{
    __shared__ float line[threads + 2 * radius];

    const int left = blockIdx.x * threads;
    in += static_cast<long long>(blockIdx.y) * columns;
    out += static_cast<long long>(blockIdx.y) * columns;
    for (int i = threadIdx.x; i < threads + 2 * radius; i += threads) {
        line[i] = in[min(max(left + i - radius, 0), columns - 1)];
    }
    __syncthreads();
    const int i = threadIdx.x + radius;
    float sum = weights.at[0] * line[i];
    for (int away = 1; away <= radius; away++) {
        sum += weights.at[away] * (line[i - away] + line[i + away]);
    }
    if (left + threadIdx.x < columns) {
        out[left + threadIdx.x] = sum;
    }
}

// Each thread makes `run` pixels of a column.
template <int radius, int run>
__global__ void gauss_columns(const float *in, float *out, int columns, int rows, Weights<radius> weights)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int top = blockIdx.y * run;
    if (x >= columns) {
        return;
    }
    float line[run + 2 * radius];
    for (int i = 0; i < run + 2 * radius; i++) {
        line[i] = in[static_cast<long long>(min(max(top + i - radius, 0), rows - 1)) * columns + x];
    }
    for (int i = 0; i < run && top + i < rows; i++) {
        float sum = weights.at[0] * line[i + radius];
        for (int away = 1; away <= radius; away++) {
            sum += weights.at[away] * (line[i + radius - away] + line[i + radius + away]);
        }
        out[static_cast<long long>(top + i) * columns + x] = sum;
    }
}
