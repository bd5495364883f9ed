// A program of several headers: options, matrices, timers; its kernels all come from a header.
#include "check.h"
#include "matrix.hpp"
#include "options.hpp"
#include "timer.h"

using matrix = la::matrix<float>;

static std::vector<float> reference(const std::vector<float> &a, const std::vector<float> &b, int n, int k, int m)
{
  std::vector<float> c(std::size_t(n) * m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < k; l++)
        c[i * m + j] += a[i * k + l] * b[l * m + j];
  return c;
}

int main(int argc, char **argv)
{
  Options options(argc, argv);
  const int n = options.get("n", 50), k = options.get("k", 33), m = options.get("m", 21);
  matrix a = matrix::random(n, k, 1), b = matrix::random(k, m, 2);
  std::vector<float> c;
  {
    Timer timer("multiply");
    c = (a * b).transposed().transposed().get();
  }
  std::cout << a << Timer::totals().size() << options.get<std::string>("name", "-") << std::endl;
  return verdict("matrix", c == reference(a.get(), b.get(), n, k, m));
}
