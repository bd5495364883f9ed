// options: --expt-relaxed-constexpr
// Unannotated constexpr functions, std::array, std::min and numeric_limits on the device; host constexpr beside them.
// differs: nvcc folds the recursion of a constexpr function away, NVRTC does not.
#include "check.h"
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
template <class T> constexpr T power(T base, unsigned n) { T r = 1; while (n--) r *= base; return r; }
constexpr std::size_t length(std::string_view s) { return s.size(); }
inline constexpr std::array<int, 4> primes{2, 3, 5, 7};
constexpr bool is_name(const char *s) { return *s == 0 || ((*s >= 'a' && *s <= 'z') && is_name(s + 1)); }
static_assert(is_name("kernel") && !is_name("k{"), "names");

struct Ratio {
  int num, den;
  constexpr Ratio(int n, int d) : num(n / gcd(n, d)), den(d / gcd(n, d)) {}
  constexpr friend Ratio operator*(Ratio a, Ratio b) { return {a.num * b.num, a.den * b.den}; }
  constexpr operator float() const { return float(num) / den; }
  std::string text() const { return std::to_string(num) + "/" + std::to_string(den); }
};

template <std::size_t N> __global__ void evaluate(std::array<float, N> coefficients, float *x, Ratio r, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (std::size_t k = 0; k < coefficients.size(); k++)
    sum += coefficients[k] * power(x[i], k);
  Ratio q = r * Ratio(gcd(12, 18), 4);
  x[i] = std::min(std::max(sum * q, 0.0f), std::numeric_limits<float>::max()) + std::get<2>(primes) + length("four");
}

int main()
{
  float *x;
  CHECK(cudaMallocManaged(&x, 100 * sizeof *x));
  for (int i = 0; i < 100; i++)
    x[i] = i % 10;
  evaluate<<<1, 128>>>(std::array<float, 3>{1, 2, 1}, x, Ratio(4, 6), 100);
  CHECK(cudaDeviceSynchronize());
  bool right = Ratio(4, 6).text() == "2/3";
  for (int i = 0; i < 100; i++)
    right &= std::abs(x[i] - ((i % 10 + 1) * (i % 10 + 1) + primes[2] + 4)) < 1e-3f;
  return verdict("constexpr", right);
}
