// Dispatch by type as tensor libraries have it: a macro with a switch and a lambda, __VA_ARGS__ the launch.
#include "check.h"
#include <functional>
#include <stdexcept>
#include <string>

enum class ScalarType : int8_t { Byte, Int, Float, Double };

struct Tensor {
  void *ptr;
  int64_t n;
  ScalarType type;
  std::string name;
  template <typename T> T *data_ptr() const { return static_cast<T *>(ptr); }
  ScalarType scalar_type() const { return type; }
  int64_t numel() const { return n; }
};

#define CASE_TYPE(enum_type, type, ...) \
  case enum_type: {                     \
    using scalar_t = type;              \
    return __VA_ARGS__();               \
  }

#define DISPATCH_ALL_TYPES(TYPE, NAME, ...)                                                   \
  [&] {                                                                                       \
    const auto &the_type = TYPE;                                                              \
    switch (the_type) {                                                                       \
      CASE_TYPE(ScalarType::Byte, uint8_t, __VA_ARGS__)                                       \
      CASE_TYPE(ScalarType::Int, int32_t, __VA_ARGS__)                                        \
      CASE_TYPE(ScalarType::Float, float, __VA_ARGS__)                                        \
      CASE_TYPE(ScalarType::Double, double, __VA_ARGS__)                                      \
    default:                                                                                  \
      throw std::invalid_argument(std::string(#NAME) + " not implemented for this type");     \
    }                                                                                         \
  }()

template <typename scalar_t> __global__ void leaky_relu_kernel(scalar_t *x, const int64_t n, const float slope)
{
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
    x[i] = x[i] > scalar_t(0) ? x[i] : static_cast<scalar_t>(x[i] * slope);
}

Tensor leaky_relu(Tensor self, float slope, cudaStream_t stream = nullptr)
{
  const int threads = 256;
  const dim3 blocks((self.numel() + threads - 1) / threads);
  DISPATCH_ALL_TYPES(self.scalar_type(), "leaky_relu", ([&] {
    leaky_relu_kernel<scalar_t><<<blocks, threads, 0, stream>>>(self.data_ptr<scalar_t>(), self.numel(), slope);
  }));
  return self;
}

int main()
{
  float *x;
  CHECK(cudaMallocManaged(&x, 1000 * sizeof *x));
  for (int i = 0; i < 1000; i++)
    x[i] = i - 500;
  leaky_relu({x, 1000, ScalarType::Float, "x"}, 0.5f);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 1000; i++)
    right &= x[i] == (i > 500 ? i - 500 : (i - 500) * 0.5f);
  return verdict("leaky_relu", right);
}
