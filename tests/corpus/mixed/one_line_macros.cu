// Macros that put a function object for the device, with aliases before it, and a class of the host's on one line.
// The host's class needs a type of a system's header that is left out; the aliases beside it have to stay.
// unnamed: what the launches depend on has a member of that type
#include "check.h"
#include <functional>
#include <map>
#include <memory>
#include <obstack.h>
#include <string>
#include <vector>

struct Shape {
  std::vector<long> sizes;
  std::string name;
  struct obstack pool = {};
  std::vector<struct obstack> pools() const { return {pool}; }
  long total() const {
    long product = 1;
    for (auto it = sizes.rbegin(); it != sizes.rend(); ++it) product *= *it;
    return product;
  }
};

struct Kernel {
  virtual ~Kernel() = default;
  virtual void call(const Shape &shape, float *x) = 0;
};

static std::map<std::string, std::function<std::unique_ptr<Kernel>()>> &registry() {
  static std::map<std::string, std::function<std::unique_ptr<Kernel>()>> all;
  return all;
}

template <class T> struct Tag { using type = T; };

// Calls with a tag for the type, as dispatchers do.
template <class F> void visit(long size, F &&function) {
  if (size > 0) function(Tag<float>{});
}

template <class T> struct Storage { using type = T; };

template <class Impl, class T> __global__ void each(Impl impl, T *x, long n) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) impl(i, x[i]);
}

#define REGISTER(op, expression)                                                                              \
  template <class T> struct op##Impl { using Stored = typename Storage<T>::type; using Index = long;          \
    __device__ void operator()(Index i, Stored &x) const { (void)i; x = expression; } };                        \
  struct op##Kernel : Kernel {                                                                                \
    using Sizes = std::vector<long>; using Text = std::string::const_reverse_iterator;                          \
    static Text last(const Shape &shape) { return shape.name.crbegin(); }                                       \
    void call(const Shape &shape, float *x) override { const Shape &cast = shape.total() > 0 ? shape : shape;   \
      Sizes sizes = cast.sizes; long n = sizes.empty() || *last(cast) == '!' ? 0 : cast.total();                \
      visit(cast.total(), [&](auto tag) { using T = typename decltype(tag)::type;                               \
        each<op##Impl<T>><<<(n + 127) / 128, 128>>>(op##Impl<T>{}, x, n); }); } };                      \
  static const bool op##_is_known = registry().emplace(#op, [] { return std::unique_ptr<Kernel>(new op##Kernel); }).second;

REGISTER(Doubled, x + x)
REGISTER(Negated, -x)
REGISTER(Indexed, Stored(i) + x * Stored(0.5f))

int main() {
  const long n = 1000;
  std::vector<float> values(n), expected(n);
  float *x = nullptr;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  for (const char *name : {"Doubled", "Negated", "Indexed"}) {
    for (long i = 0; i < n; i++) {
      values[i] = float(i % 17) - 8.0f;
      expected[i] = name[0] == 'D' ? 2 * values[i] : name[0] == 'N' ? -values[i] : float(i) + values[i] * 0.5f;
    }
    CHECK(cudaMemcpy(x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    registry().at(name)()->call(Shape{{10, 100}, name, {}}, x);
    CHECK(cudaMemcpy(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    if (values != expected) return 1;
  }
  CHECK(cudaFree(x));
  return 0;
}
