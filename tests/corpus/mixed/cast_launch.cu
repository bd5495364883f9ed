// Launch configurations of all forms, kernels through references, members, ternaries, std::function-like wrappers.
// differs: Table<int>::all is read in a loop only, and a skeleton has no loops over values.
#include "check.h"
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

template <class T> __global__ void add(T *x, T v) { x[threadIdx.x] += v; }
template <class T, int M> __global__ void mul(T *x) { x[threadIdx.x] *= M; }
__global__ void plain(int *x) { x[threadIdx.x] -= 1; }
__global__ void plain(float *x) { x[threadIdx.x] -= 2; }

struct Launch { dim3 grid, block; std::size_t shared = 0; cudaStream_t stream = nullptr; };
template <auto Kernel, class... A> void run(const Launch &l, A... a) { Kernel<<<l.grid, l.block, l.shared, l.stream>>>(a...); }
template <class K> struct Bound { K k; Launch l; template <class... A> void operator()(A... a) const { k<<<l.grid, l.block, l.shared, l.stream>>>(a...); } };
template <class K> Bound<K> bind_kernel(K k, Launch l = {1, 32}) { return {k, l}; }
template <class T> struct Table { using kernel = void (*)(T *); static constexpr kernel all[2] = {mul<T, 2>, mul<T, 3>}; };

int main()
{
  int *x;
  float *y;
  CHECK(cudaMallocManaged(&x, 128)); CHECK(cudaMallocManaged(&y, 128));
  for (int i = 0; i < 32; i++) x[i] = y[i] = i;
  auto &reference = add<int>;
  reference<<<1, 32>>>(x, 1);
  (*&add<float>)<<<dim3(1), dim3(32)>>>(y, 1);
  run<add<int>>(Launch{1, 32}, x, 2);
  run<&mul<float, 4>>({1, 32}, y);
  bind_kernel(static_cast<void (*)(int *)>(plain))(x);
  bind_kernel((void (*)(float *))plain, {1, 32})(y);
  for (auto k : Table<int>::all)
    k<<<1, 32>>>(x);
  std::function<void(float *)> later = [](float *p) { mul<float, 5><<<1, 32>>>(p); };
  later(y);
  const auto kernels = std::make_tuple(mul<int, 7>, add<int>);
  std::get<0>(kernels)<<<1, 32>>>(x);
  void *args[] = {&y};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(&mul<float, 6>), {1, 1, 1}, {32, 1, 1}, args, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 32; i++)
    right &= x[i] == (i + 3 - 1) * 42 && y[i] == ((i + 1) * 4 - 2) * 30;
  return verdict("casts", right);
}
