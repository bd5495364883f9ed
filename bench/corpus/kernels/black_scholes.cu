// SPDX-License-Identifier: Apache-2.0
// Prices of European options, calls and puts, after Black and Scholes.
__device__ float below(float x) // the normal distribution
{
    return normcdff(x);
}

__device__ double below(double x)
{
    return normcdf(x);
}

template <typename T>
__global__ void black_scholes(const T *prices, const T *strikes, const T *years, T *calls, T *puts,
                              T interest, T volatility, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const T deviation = volatility * sqrt(years[i]);
        const T high =
            (log(prices[i] / strikes[i]) + (interest + volatility * volatility / 2) * years[i]) / deviation;
        const T low = high - deviation;
        const T discounted = strikes[i] * exp(-interest * years[i]);
        calls[i] = prices[i] * below(high) - discounted * below(low);
        puts[i] = discounted * below(-low) - prices[i] * below(-high);
    }
}
