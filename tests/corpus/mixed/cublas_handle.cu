// A class around cuBLAS handles, kernels that prepare its operands.
#include <cublas_v2.h>
#include <cusparse.h>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

static const char *name_of(cublasStatus_t s) { static const std::map<cublasStatus_t, const char *> names{{CUBLAS_STATUS_SUCCESS, "ok"}}; auto i = names.find(s); return i == names.end() ? "error" : i->second; }
#define BLAS(call) do { cublasStatus_t s_ = (call); if (s_ != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(#call ": ") + name_of(s_)); } while (0)

class Blas {
public:
  Blas() { BLAS(cublasCreate(&handle_)); BLAS(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH)); }
  ~Blas() { cublasDestroy(handle_); }
  cublasHandle_t get() const { return handle_; }
  operator cublasHandle_t() const { return handle_; }
private:
  cublasHandle_t handle_{};
  cusparseHandle_t sparse_{};
  cublasOperation_t operation_ = CUBLAS_OP_N;
};

template <class T> cublasStatus_t gemm(cublasHandle_t h, int n, const T *a, const T *b, T *c);
template <> cublasStatus_t gemm<float>(cublasHandle_t h, int n, const float *a, const float *b, float *c)
{
  const float one = 1, zero = 0;
  return cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}

__global__ void identity(float *a, int n, cuComplex *z, __half *h)
{
  int i = blockIdx.x, j = threadIdx.x;
  a[i * n + j] = i == j;
  if (z) z[i] = cuCaddf(z[i], make_cuComplex(1, 0));
  if (h) h[i] = __float2half(1);
}

int run(int n)
{
  Blas blas;
  float *m;
  cudaMallocManaged(&m, 3 * n * n * sizeof *m);
  identity<<<n, n>>>(m, n, nullptr, nullptr);
  identity<<<n, n>>>(m + n * n, n, nullptr, nullptr);
  BLAS(gemm(blas, n, m, m + n * n, m + 2 * n * n));
  cudaDeviceSynchronize();
  return m[2 * n * n] != 1;
}
