// A test framework in macros: main in a macro, test bodies in functions that macros open, registration by constructors.
#include "check.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

struct Registry {
  std::map<std::string, std::function<bool()>> tests;
  static Registry &get() { static Registry r; return r; }
  struct Add { Add(const char *n, std::function<bool()> f) { get().tests.emplace(n, std::move(f)); } };
};

#define TEST(suite, name)                                                     \
  static bool suite##_##name();                                               \
  static Registry::Add add_##suite##_##name{#suite "." #name, suite##_##name}; \
  static bool suite##_##name()
#define EXPECT(x) do { if (!(x)) { std::cerr << #x << " failed\n"; return false; } } while (false)
#define RUN_ALL_TESTS()                                                       \
  int main(int, char **)                                                      \
  {                                                                           \
    bool all = true;                                                          \
    for (auto &[name, test] : Registry::get().tests)                          \
      all &= verdict(name.c_str(), test()) == 0;                              \
    return !all;                                                              \
  }
#define KERNEL template <class T> __global__ void

KERNEL set(T *x, T v) { x[threadIdx.x] = v; }
KERNEL bump(T *x) { x[threadIdx.x]++; }

template <class T> struct Managed {
  T *p;
  explicit Managed(std::size_t n) { CHECK(cudaMallocManaged(&p, n * sizeof(T))); }
  ~Managed() { (void)cudaFree(p); }
};

TEST(Set, Float)
{
  Managed<float> x(32);
  set<<<1, 32>>>(x.p, 4.0f);
  CHECK(cudaDeviceSynchronize());
  EXPECT(x.p[31] == 4);
  return true;
}

TEST(Bump, Unsigned) {
  Managed<unsigned> x(32);
  set<unsigned><<<1, 32>>>(x.p, 4);
  bump<<<1, 16>>>(x.p);
  CHECK(cudaDeviceSynchronize());
  EXPECT(x.p[15] == 5 && x.p[16] == 4);
  return true;
}

RUN_ALL_TESTS()
