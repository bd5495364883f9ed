// Host code that a header leaves out for NVRTC: classes of the host's that other host code has as members.
#include "owner.h"

template <class T> __global__ void distances(const T *from, T to, T *out, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = owning::distance(from[i], to);
}

template <class T> void measure(const owning::Tensor<T> &from, T to, owning::Tensor<T> &out)
{
  distances<<<(from.count + 63) / 64, 64>>>(from.get(), to, out.get(), from.count);
  CHECK(cudaDeviceSynchronize());
}

template <class T> struct Problem {
  owning::Tensor<T> from, out;
  explicit Problem(int count) : from(count), out(count) {}
  bool is_right()
  {
    for (int i = 0; i < from.count; i++) from.get()[i] = T(i);
    measure(from, T(50), out);
    return out.get()[0] == T(50) && out.get()[99] == T(49);
  }
};

int main()
{
  Problem<float> floats(100);
  Problem<double> doubles(100);
  return verdict("left_out", floats.is_right() && doubles.is_right());
}
