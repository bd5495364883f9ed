// SPDX-License-Identifier: Apache-2.0
// An estimate of pi: each thread has a part of one sequence of random numbers, as Thrust's own example has it.
#include <thrust/random.h>

extern "C" __global__ void estimate_pi(float *estimates, unsigned *first_numbers, int points)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    thrust::default_random_engine engine;
    engine.discard(2ull * points * thread);
    thrust::default_random_engine copy = engine;
    first_numbers[thread] = copy();
    thrust::uniform_real_distribution<float> coordinate(0, 1);
    int inside = 0;
    for (int i = 0; i < points; i++) {
        const float x = coordinate(engine);
        const float y = coordinate(engine);
        inside += x * x + y * y <= 1;
    }
    estimates[thread] = 4.0f * inside / points;
}
