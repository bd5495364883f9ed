// Kernels declared first, defined late; templates declared, friends, extern; host functions used before definition.
#include "check.h"
#include <algorithm>
#include <vector>

struct Data;
class Host;
__global__ void first(Data *d, int n);
template <class T> __global__ void second(T *x, int n);
template <class T, class U = int> __device__ T shared_function(T a, U b);
extern "C" __global__ void third(int *x);
__device__ float late_device(float);
float late_host(float), late_host(float, float);
static void run(Host &, const std::vector<Data> & = {});
template <class T> static void run_template(T *, int);
extern __constant__ int late_constant;

struct Data { float v; friend __global__ void first(Data *, int); private: int hidden = 5; public: friend class Host; Data(float v) : v(v) {} };

class Host {
  std::vector<Data> data_;
public:
  friend void run(Host &, const std::vector<Data> &);
  void add(Data d) { data_.push_back(d); }
  static int hidden(const Data &d) { return d.hidden; }
};

int main()
{
  Host h;
  h.add({1}), h.add({2});
  int *x;
  CHECK(cudaMallocManaged(&x, 128));
  run_template(x, 32);
  third<<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
  run(h);
  return verdict("late", x[3] == 3 * 2 + 1 + 77 && late_host(1) == 2 && late_host(1, 2) == 3);
}

void run(Host &h, const std::vector<Data> &)
{
  Data *d;
  CHECK(cudaMallocManaged(&d, h.data_.size() * sizeof *d));
  std::copy(h.data_.begin(), h.data_.end(), d);
  first<<<1, 32>>>(d, int(h.data_.size()));
  CHECK(cudaDeviceSynchronize());
  if (d[1].v != 2 + 5 + 0.5f || Host::hidden(d[0]) != 5)
    std::exit(1);
}

__constant__ int late_constant = 77;
__global__ void first(Data *d, int n) { if (threadIdx.x < n) d[threadIdx.x].v = late_device(d[threadIdx.x].v) + d[threadIdx.x].hidden; }
template <class T> __global__ void second(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = shared_function(T(threadIdx.x), 2); }
template <class T, class U> __device__ T shared_function(T a, U b) { return a * b; }
extern "C" __global__ void third(int *x) { x[threadIdx.x] += 1 + late_constant; }
__device__ float late_device(float v) { return v + 0.5f; }
float late_host(float v) { return v + 1; }
float late_host(float a, float b) { return a + b; }
template <class T> static void run_template(T *x, int n) { second<T><<<1, 32>>>(x, n); }
