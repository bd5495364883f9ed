/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_THRUST_RANDOM_H
#define CHECK_THRUST_RANDOM_H

#include <thrust/random.h>

/* Thrust draws otherwise for CUDA's compilers than for the host's, so what is drawn is compared with what it
 * should be on the average. */
template <class Engine> __device__ void check_normal(check_values &out, Engine &engine)
{
    const int draws = 4000;
    thrust::normal_distribution<float> normal(5, 2);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; i++) {
        const double drawn = normal(engine);
        sum += drawn;
        squares += drawn * drawn;
    }
    const double mean = sum / draws;
    const double variance = squares / draws - mean * mean;
    CHECK_SHOW(mean > 4.8 && mean<5.2, variance> 3.5 && variance < 4.5);
}

template <class Engine> __device__ void check_engine(check_values &out, Engine engine)
{
    for (int i = 0; i < 3; i++) {
        CHECK_SHOW(engine());
    }
    engine.discard(1000);
    thrust::uniform_int_distribution<int> dice(1, 6);
    thrust::uniform_real_distribution<float> real(-1, 1);
    thrust::uniform_real_distribution<double> twice(0, 10);
    CHECK_SHOW(engine(), Engine::min, Engine::max, dice(engine), dice(engine));
    CHECK_SHOW(real(engine), twice(engine));
    check_normal(out, engine);
}

__device__ __noinline__ inline void check_random(check_values &out)
{
    check_engine(out, thrust::default_random_engine());
    check_engine(out, thrust::minstd_rand(42));
    check_engine(out, thrust::minstd_rand0(7));
    check_engine(out, thrust::ranlux24());
    check_engine(out, thrust::ranlux48(3));
    check_engine(out, thrust::taus88(123));
    thrust::minstd_rand a(1);
    thrust::minstd_rand b(1);
    a.discard(5);
    CHECK_SHOW(a == b, thrust::random::minstd_rand::default_seed);
}

#endif
