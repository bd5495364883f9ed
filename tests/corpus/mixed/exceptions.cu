// Exceptions: function-try-blocks of functions and constructors, catch (...), rethrow, noexcept of all kinds.
#include "buffer.hpp"
#include "check.h"
#include <exception>
#include <new>
#include <sstream>

struct config_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
  virtual const char *what() const noexcept override { return std::runtime_error::what(); }
};

struct Options {
  int n;
  std::string mode;
  Options(int argc, char **argv)
  try : n(argc > 1 ? std::stoi(argv[1]) : 128), mode{argc > 2 ? argv[2] : "fast"}
  {
    if (n <= 0)
      throw config_error("n must be positive");
  }
  catch (const std::invalid_argument &)
  {
    throw config_error("n must be a number");
  }
};

__global__ void iota(mem::view<int> x)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size)
    x[i] = i;
}

static void launch(mem::view<int> x) noexcept(false)
try {
  if (x.size == 0)
    throw std::length_error{"nothing to do"};
  iota<<<unsigned(x.size + 31) / 32, 32>>>(x);
  if (auto status = cudaPeekAtLastError(); status != cudaSuccess)
    throw mem::error("iota", status);
}
catch (std::length_error &e) {
  std::cerr << e.what() << '\n';
}
catch (...) {
  std::throw_with_nested(std::runtime_error("launch"));
}

template <class F> auto guarded(F f) noexcept(noexcept(f())) -> decltype(f())
{
  try {
    return f();
  } catch (std::bad_alloc const &) {
    std::terminate();
  }
}

int main(int argc, char **argv)
{
  try {
    Options options(argc, argv);
    mem::buffer<int> x(options.n);
    launch(x);
    launch({nullptr, 0});
    auto host = guarded([&] { return x.get(); });
    bool right = true;
    for (int i = 0; i < options.n; i++)
      right &= host[i] == i;
    std::ostringstream text;
    text << "iota of " << options.n;
    return verdict(text.str().c_str(), right);
  } catch (const config_error &e) { std::cerr << e.what() << std::endl; return 2; }
    catch (const std::exception &e) { std::cerr << e.what() << std::endl; }
  return 1;
}
