// Tables of kernels by index and by string, std::array of pointers, constexpr tables, an unlaunched template.
#include "check.h"
#include <array>
#include <string_view>
#include <utility>
#include <vector>

template <int N> __global__ void shift_by(int *x) { x[threadIdx.x] <<= N; }
template <class T> __global__ void never_launched(T *x) { *x = T{}; }
template <class T> __global__ void only_sized(T *x) { *x = T{}; }
using kernel = void (*)(int *);
template <int... I> constexpr std::array<kernel, sizeof...(I)> make(std::integer_sequence<int, I...>) { return {{shift_by<I>...}}; }
static constexpr auto shifts = make(std::make_integer_sequence<int, 5>{});
struct Entry { std::string_view name; kernel k; };
static const Entry entries[] = {{"eight", shift_by<8>}, {"nine", &shift_by<9>}, {.name = "none", .k = nullptr}};
static_assert(sizeof(&only_sized<double>) == sizeof(void *));

int main(int, char **)
{
  int *x;
  CHECK(cudaMallocManaged(&x, 128));
  for (int i = 0; i < 32; i++) x[i] = 1;
  for (std::size_t i = 0; i < shifts.size(); i++)
    shifts[i]<<<1, 32>>>(x);
  for (auto &e : entries)
    if (e.k)
      e.k<<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
  return verdict("tables", x[31] == 1 << (10 + 17));
}
