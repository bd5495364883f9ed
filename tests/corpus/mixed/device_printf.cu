// printf and assert on the device, FILE * on the host, static locals, volatile, a kernel named like a host function.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "check.h"

static FILE *log_file;
static void log_line(FILE *to, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
static void log_line(FILE *to, const char *format, ...) { va_list list; va_start(list, format); vfprintf(to ? to : stdout, format, list); va_end(list); fflush(to); }

__device__ void trace(int i) { if (i < 0) printf("trace %d\n", i); assert(i >= 0); }
void trace(const char *what) { log_line(log_file, "trace %s\n", what); }
__device__ int counted() { static int calls; return atomicAdd(&calls, 1); }
int counted(int by) { static int calls; return calls += by; }

__global__ void work(volatile int *x)
{
  __shared__ int sum;
  extern __shared__ int dynamic[];
  if (threadIdx.x == 0) sum = 0;
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  trace(dynamic[threadIdx.x]);
  atomicAdd(&sum, dynamic[threadIdx.x]);
  counted();
  __syncthreads();
  x[threadIdx.x] = sum;
}
void work(int n, int *x) { work<<<1, n, n * sizeof(int)>>>(x); }

int main(void)
{
  log_file = stderr;
  int *x;
  CHECK(cudaMallocManaged(&x, 64 * sizeof *x));
  trace("begin");
  work(64, x);
  CHECK(cudaDeviceSynchronize());
  return verdict("printf", x[63] == 63 * 32 && counted(2) == 2);
}
