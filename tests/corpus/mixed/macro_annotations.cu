// options: -std=c++17 --extended-lambda
// Lambdas of device code that are annotated through macros, here and in a header of the project.
#include "annotations.h"
#include "check.h"
#include <cassert>
#include <functional>

struct scaled {
    float factor;
    ON_BOTH float operator()(float x) const
    {
        auto scale = [this] ON_BOTH(float y) { return factor * y; };
        return scale(x);
    }
};

__global__ void calculate(float *numbers, scaled scale)
{
    auto square = [] ON_DEVICE (float x) -> float { return x * x; };
    if (threadIdx.x > 31) {
        __assert_fail("threadIdx.x < 32", __FILE__, __LINE__, __func__);
    }
    numbers[threadIdx.x] = twice(square(scale(numbers[threadIdx.x])));
}

struct runner {
    std::function<void(float *)> run;
    ~runner() { run(nullptr); }
};

int main()
{
    float *numbers;
    cudaMallocManaged(&numbers, 4 * sizeof(float));
    for (int i = 0; i < 4; i++)
        numbers[i] = i;
    runner runner{[](float *) {}};
    calculate<<<1, 4>>>(numbers, scaled{3});
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 4; i++)
        right = right && numbers[i] == 18.f * i * i;
    return right ? 0 : 1;
}
