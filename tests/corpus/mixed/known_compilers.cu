// A header that refuses compilers it does not know, and names that host and device code share.
#include "check.h"
#include "portable.h"

enum Access { READ = 1, WRITE = 2 };
ENUM_FLAGS(Access)

namespace {
struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };
struct Times { __device__ float operator()(float a, float b) const { return a * b; } };

// A kernel, a host function and a device function of one name each are told apart.
template <class Op> __device__ float call(Op op, float a, float b) { return op(a, b); }
template <class T, class Op> __global__ void copy(T *x, float by, Op op)
{
  x[threadIdx.x] = static_cast<T>(call(op, static_cast<float>(x[threadIdx.x]), by));
}

template <bool Doubled> struct Dispatcher {
  template <class T, class Op> __host__ static void call(T *x, float by, const Op &op, cudaStream_t stream)
  {
    copy<<<1, Doubled ? 64 : 32, 0, stream>>>(x, by, op);
    check_error(cudaGetLastError(), "copy");
    if (stream == 0) check_error(cudaDeviceSynchronize(), "copy");
  }
};
} // namespace

#define CHECKED(call) { check_error(call, #call); }

// What is for both sides calls what is for the host; members are made of what the host has; a name is a keyword elsewhere.
class Holder {
  int *memory_ = nullptr;
  std::string device_{name()}, kind_ = name();
  static const char *name() { return "holder"; }
  void copy_to_device() const { throw std::logic_error("there is none"); }
public:
  __host__ __device__ Holder(int *memory) : memory_(memory) {}
  __host__ __device__ void drop() { if (memory_) { CHECKED(cudaFree(memory_)); memory_ = nullptr; } }
  const int *device() const { if (memory_) copy_to_device(); return memory_; }
  const std::string &global() const { return device_; }
};

template <class T> void add(void *x, float by) { Dispatcher<false>::call(static_cast<T *>(x), by, Plus(), nullptr); }
template <class T> static void multiply(void *x, float by) { Dispatcher<true>::call(static_cast<T *>(x), by, Times(), nullptr); }

int main()
{
  typedef void (*function)(void *, float);
  static const function adders[] = {add<float>, add<int>, add<double>};
  const function multipliers[] = {&multiply<float>, nullptr};
  float *x;
  CHECK(cudaMallocManaged(&x, 64 * sizeof *x));
  for (int i = 0; i < 64; i++) x[i] = i;
  adders[0](x, 1);
  multipliers[0](x, 2);
  Access access = READ;
  access |= WRITE;
  Counted<int> one, other(one);
  int count = 0;
  Holder holder(nullptr);
  holder.drop();
  copy<<<1, 1>>>(x + 63, static_cast<float>(holder.global().size()), Plus());
  CHECK(cudaDeviceSynchronize());
  bool right = access != 0 && !!access && other.copy(&count) == 2 && !holder.device() && x[5] == 12 && x[63] == 63 * 2 + 6 && x[40] == 80;
  return verdict("known_compilers", right);
}
