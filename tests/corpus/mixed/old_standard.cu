// options: -std=c++14
// C++14: no inline variables, typename everywhere, member templates, std::unique_ptr, throw() and auto_ptr-like classes.
#include "check.h"
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace old { namespace inner {
template <typename T> class holder {
  T *p_;
  holder(const holder &);
  holder &operator=(const holder &);
public:
  explicit holder(T *p = 0) throw() : p_(p) {}
  ~holder() throw() { cudaFree(p_); }
  T *get() const throw() { return p_; }
  template <typename U> static typename std::iterator_traits<U>::difference_type span(U first, U last) { return std::distance(first, last); }
};
template <typename It> struct value_of { typedef typename std::iterator_traits<It>::value_type type; };
} }

template <typename T> struct functor { T k; functor(T k_) : k(k_) {} __device__ T operator()(T v) const { return v * k; } };
template <typename T, typename F> __global__ void transform_kernel(T *first, T *last, F f) { for (T *p = first + threadIdx.x; p < last; p += blockDim.x) *p = f(*p); }
template <typename It, typename F> void transform_device(It first, It last, F f)
{
  typedef typename old::inner::value_of<It>::type value_type;
  transform_kernel<value_type, F><<<1, 64>>>(&*first, &*first + old::inner::holder<value_type>::span(first, last), f);
}
static int calls = 0;
static bool counted() throw() { return ++calls > 0; }

int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 400));
  old::inner::holder<int> owner(x);
  for (int i = 0; i < 100; i++) x[i] = i;
  transform_device(owner.get(), owner.get() + 100, functor<int>(3));
  CHECK(cudaDeviceSynchronize());
  return verdict("old", counted() && x[99] == 297);
}
