// Assembly of the host and of the device, builtins of gcc, goto, varargs, x86 intrinsics' header.
#include "check.h"
#include <cstdarg>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static inline unsigned long long ticks()
{
#if defined(__x86_64__)
  unsigned lo, hi;
  __asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
  return (unsigned long long)hi << 32 | lo;
#elif defined(__aarch64__)
  unsigned long long t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return __builtin_ia32_rdtsc();
#endif
}

asm(".globl nobody_needs_this\n"
    "nobody_needs_this: .byte 0\n");

static int sum_of(int n, ...)
{
  va_list list;
  va_start(list, n);
  int sum = 0;
again:
  if (n-- > 0) {
    sum += va_arg(list, int);
    goto again;
  }
  va_end(list);
  return sum;
}

static int first_bit(unsigned long long v)
{
  static void *labels[] = {&&zero, &&nonzero};
  goto *labels[v != 0];
zero:
  return -1;
nonzero:
  return ({ int r = __builtin_ctzll(v); r; });
}

__device__ __forceinline__ unsigned lane()
{
  unsigned l;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  return l;
}

__global__ void lanes(unsigned *x)
{
  unsigned v;
  asm volatile("{\n\t"
               ".reg .u32 t;\n\t"
               "add.u32 t, %1, 100;\n\t"
               "mov.u32 %0, t;\n\t"
               "}"
               : "=r"(v)
               : "r"(lane()));
  x[threadIdx.x] = v;
}

int main()
{
  unsigned long long begin = ticks();
  unsigned *x;
  CHECK(cudaMallocManaged(&x, 64 * sizeof *x));
  lanes<<<1, 64>>>(x);
  CHECK(cudaDeviceSynchronize());
  bool right = sum_of(3, 1, 2, 3) == 6 && first_bit(8) == 3 && first_bit(0) == -1;
  for (unsigned i = 0; i < 64; i++)
    right &= x[i] == 100 + i % 32;
#ifdef __SSE2__
  __m128 four = _mm_set1_ps(2.0f);
  right &= _mm_cvtss_f32(_mm_add_ps(four, four)) == 4.0f;
#endif
  return verdict("assembly", right && ticks() - begin + 1);
}
