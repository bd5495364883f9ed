// Constructors with initialiser lists of braces and parentheses, delegating, inherited; destructors; nested classes.
#include "check.h"
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct Base {
  Base(std::string n, std::vector<int> v = {1, 2, 3}) : name(std::move(n)), values{std::move(v)} {}
  virtual ~Base();
  std::string name;
  std::vector<int> values;
};

Base::~Base() { values.clear(); }

template <class T> class Derived : public Base, private std::enable_shared_from_this<Derived<T>> {
public:
  using Base::Base;
  explicit Derived(int n) : Base{"derived", std::vector<int>(n, [] { return 4; }())}, size_{n}, callback_{[this](int k) { return k + size_; }}, pairs_{{{1, 2}, {3, 4}}} {}
  Derived() : Derived(8) {}
  Derived(const Derived &) = delete;
  Derived(Derived &&) noexcept = default;
  ~Derived() override { cudaFree(data_); }
  template <class... A> T *make(A &&...a);
  struct Params;
  class Iterator;
  int call(int k) const { return callback_(k); }

private:
  int size_{0}, extra_ = {3};
  std::function<int(int)> callback_;
  std::array<std::pair<int, int>, 2> pairs_;
  T *data_ = nullptr;
};

template <class T> struct Derived<T>::Params {
  T scale, offset;
  int n;
  __host__ __device__ Params(T s, T o) : scale{s}, offset(o), n() {}
  __device__ ~Params() {}
  __device__ T operator()(T v) const { return v * scale + offset; }
};

template <class T> class Derived<T>::Iterator { T *at_; public: Iterator(T *p) : at_(p) {} T &operator*() const { return *at_; } };

template <class T> __global__ void scale(T *x, T s, T o)
{
  typename Derived<T>::Params params(s, o);
  x[threadIdx.x] = params(x[threadIdx.x]);
}

template <class T> template <class... A> T *Derived<T>::make(A &&...a)
{
  CHECK(cudaMallocManaged(&data_, 32 * sizeof(T)));
  for (int i = 0; i < 32; i++)
    data_[i] = i;
  scale<T><<<1, 32>>>(data_, std::forward<A>(a)...);
  CHECK(cudaDeviceSynchronize());
  return data_;
}

int main()
{
  Derived<double> d;
  double *x = d.make(2.0, 1.0);
  bool right = d.call(1) == 9 && d.values.size() == 8 && *Derived<double>::Iterator(x + 1) == 3;
  for (int i = 0; i < 32; i++)
    right &= x[i] == 2 * i + 1;
  return verdict("constructors", right);
}
