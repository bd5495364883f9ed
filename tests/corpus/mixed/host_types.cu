// Types and assertions of the host's that ask for its functions, where no kernel is a template.
#include "check.h"
#include <array>
#include <cstdint>
#include <ctime>
#include <type_traits>

namespace timing {

inline int64_t ticks() { return std::clock(); }
inline const char *unit(int64_t) { return "ticks"; }

using tick = decltype(ticks());
static_assert(std::is_same<tick, int64_t>::value, "ticks are counted in 64 bits");

struct Log {
  std::array<tick, 2> starts;
  decltype(unit(tick())) name;
};

template <class T> constexpr T (*reader(T (*function)()))() { return function; }

} // namespace timing

__global__ void fill(int *to, int value) { to[threadIdx.x] = value; }

int main()
{
  timing::Log log;
  int *to;
  CHECK(cudaMallocManaged(&to, 32 * sizeof(int)));
  log.starts[0] = timing::reader(&timing::ticks)();
  fill<<<1, 32>>>(to, 7);
  CHECK(cudaDeviceSynchronize());
  log.starts[1] = timing::ticks();
  log.name = timing::unit(log.starts[1]);
  return verdict("host types", to[0] == 7 && to[31] == 7 && log.starts[1] >= log.starts[0]);
}
