// SPDX-License-Identifier: Apache-2.0
// European options, with the polynomial approximation of the normal distribution.
#include <cmath>

__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f;
    const float A2 = -0.356563782f;
    const float A3 = 1.781477937f;
    const float A4 = -1.821255978f;
    const float A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * std::fabs(d)));
    float cnd = RSQRT2PI * std::exp(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) {
        cnd = 1.0f - cnd;
    }
    return cnd;
}

__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                         const float2 *__restrict d_StockPrice, const float2 *__restrict d_OptionStrike,
                         const float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= optN / 2) {
        return;
    }
    float call[2];
    float put[2];
    const float S[2] = {d_StockPrice[opt].x, d_StockPrice[opt].y};
    const float X[2] = {d_OptionStrike[opt].x, d_OptionStrike[opt].y};
    const float T[2] = {d_OptionYears[opt].x, d_OptionYears[opt].y};
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float sqrtT = std::sqrt(T[i]);
        float d1 = (std::log(S[i] / X[i]) + (Riskfree + 0.5f * Volatility * Volatility) * T[i]) / (Volatility * sqrtT);
        float d2 = d1 - Volatility * sqrtT;
        float expRT = std::exp(-Riskfree * T[i]);
        call[i] = S[i] * cndGPU(d1) - X[i] * expRT * cndGPU(d2);
        put[i] = X[i] * expRT * (1.0f - cndGPU(d2)) - S[i] * (1.0f - cndGPU(d1));
    }
    d_CallResult[opt] = make_float2(call[0], call[1]);
    d_PutResult[opt] = make_float2(put[0], put[1]);
}
