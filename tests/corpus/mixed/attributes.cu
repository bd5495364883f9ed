// options: -Xcompiler -Wno-attributes
// Attributes of C++, gcc and CUDA before, between and after everything.
#include "check.h"
#include <cstdarg>
#include <vector>

[[nodiscard]] static int checked(int v) { return v; }
__attribute__((noinline, unused)) static int outlined(const std::vector<int> &v) { return v.empty() ? 0 : v.front(); }
[[deprecated("use checked")]] [[maybe_unused]] static int old(int v) noexcept(true) { return v; }
static int __attribute__((cold)) rare() { std::abort(); }
int late(int) __attribute__((weak, visibility("hidden")));
int late(int v) { return v + 1; }
[[noreturn]] void leave(int code) { std::exit(code); }
__attribute__((constructor)) static void before_main() { std::setvbuf(stdout, nullptr, _IONBF, 0); }
extern "C" __attribute__((visibility("default"))) int exported(void) { return 42; }
alignas(64) static char arena[256];
static int printf_like(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int printf_like(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  int n = std::vsnprintf(arena, sizeof arena, format, list);
  va_end(list);
  return n;
}

struct alignas(16) Quad { float v[4]; };
struct __align__(8) Two { [[maybe_unused]] float a; float b [[maybe_unused]]; };
struct [[nodiscard]] __attribute__((packed)) Packed { char c; int i; std::pair<int, int> *p; };

[[maybe_unused]] __device__ static __noinline__ float far_away(Quad q) { return q.v[0] + q.v[3]; }
__device__ __attribute__((always_inline)) inline float near(Two t) { return t.a - t.b; }

__attribute__((unused)) __global__ __launch_bounds__(64, 2) static void one(const Quad *__restrict__ q, float *out)
{
  [[maybe_unused]] int unused;
  out[threadIdx.x] = far_away(q[threadIdx.x]) + near(Two{4, 1});
}

extern "C" __global__ void __launch_bounds__(128) __attribute__((used)) two(float *out [[maybe_unused]]);
__global__ void two(float *out) { out[threadIdx.x] += 1; }

[[gnu::always_inline]] inline int main_body()
{
  Quad *q;
  float *out;
  CHECK(cudaMallocManaged(&q, 64 * sizeof *q));
  CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
  for (int i = 0; i < 64; i++)
    q[i] = {{float(i), 0, 0, 2.0f * i}};
  one<<<1, 64>>>(q, out);
  CHECK(cudaDeviceSynchronize());
  bool right = checked(1) && late(1) == 2 && exported() == 42 && printf_like("%d", 12) == 2 && sizeof(Packed) == 13;
  for (int i = 0; i < 64; i++)
    right &= out[i] == 3 * i + 3;
  if (!right) [[unlikely]]
    leave(1);
  [[maybe_unused]] int ignored = outlined({1});
  return verdict("attributes", right);
}

int main() { return main_body(); }
