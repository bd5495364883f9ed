// Host interfaces with virtual functions, implementations that launch, a factory.
#include "check.h"
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Filter {
  virtual ~Filter() = default;
  virtual const char *name() const noexcept = 0;
  virtual void apply(float *x, int n, cudaStream_t s) const = 0;
  virtual float reference(float v) const { return v; }
  static std::unique_ptr<Filter> make(const std::string &which);
};

struct Square { __device__ float operator()(float v) const { return v * v; } };
struct AddConst { float c; __host__ __device__ float operator()(float v) const { return v + c; } };

template <class Op> __global__ void map_kernel(float *x, int n, Op op)
{
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    x[i] = op(x[i]);
}

template <class Op> static void launch(float *x, int n, Op op, cudaStream_t s)
{
  map_kernel<Op><<<(n + 255) / 256, 256, 0, s>>>(x, n, op);
}

class SquareFilter final : public Filter {
  const char *name() const noexcept override { return "square"; }
  void apply(float *x, int n, cudaStream_t s) const override { launch(x, n, Square{}, s); }
  float reference(float v) const override { return v * v; }
};

class AddFilter : public virtual Filter {
public:
  explicit AddFilter(float c) : op_{c} {}
  const char *name() const noexcept override { return "add"; }
  void apply(float *x, int n, cudaStream_t s) const override { launch(x, n, op_, s); }
  float reference(float v) const final { return op_(v); }
private:
  AddConst op_;
  std::string label_ = "adds";
};

std::unique_ptr<Filter> Filter::make(const std::string &which)
{
  static const std::unordered_map<std::string, std::unique_ptr<Filter> (*)()> makers = {
    {"square", []() -> std::unique_ptr<Filter> { return std::make_unique<SquareFilter>(); }},
    {"add", []() -> std::unique_ptr<Filter> { return std::make_unique<AddFilter>(2.5f); }},
  };
  return makers.at(which)();
}

int main()
{
  std::vector<std::unique_ptr<Filter>> chain;
  for (auto which : {"square", "add", "square"})
    chain.push_back(Filter::make(which));
  float *x;
  CHECK(cudaMallocManaged(&x, 512 * sizeof(float)));
  std::generate(x, x + 512, [v = 0.0f]() mutable { return v++ / 4; });
  std::vector<float> want(x, x + 512);
  for (auto &filter : chain) {
    filter->apply(x, 512, nullptr);
    std::transform(want.begin(), want.end(), want.begin(), [&](float v) { return filter->reference(v); });
  }
  CHECK(cudaDeviceSynchronize());
  return verdict("chain", std::equal(want.begin(), want.end(), x));
}
