// Namespaces nested, inline, anonymous, aliased, reopened; the same names in each.
#include "check.h"
#include <string>
#include <vector>

namespace app::gpu::kernels {
__global__ void step(int *x) { *x += 1; }
namespace { __global__ void hidden(int *x) { *x += 10; } int helper(std::string s) { return int(s.size()); } }
} // namespace app::gpu::kernels

namespace app { inline namespace v2 { __global__ void step(int *x) { *x += 100; } template <int N> __global__ void many(int *x) { *x += N; } } }
namespace app { namespace v1 { __global__ void step(int *x) { *x -= 1; } void run(int *); } namespace alias = gpu::kernels; using gpu::kernels::helper; }
namespace { namespace deep { struct Tag {}; template <class T> __global__ void tagged(int *x) { *x += sizeof(T) * 1000; } } }
namespace [[maybe_unused]] annotated { [[maybe_unused]] static std::vector<int> unused; }
namespace short_name = app::gpu;
inline namespace abi { struct Plain { int v; }; __global__ void by_plain(int *x, Plain p) { *x += p.v; } }
extern "C" { namespace c { __global__ void c_name(int *x) { *x += 1000000; } int c_host(int v) { return v; } } }
extern "C++" { static int cxx(int v) { return v; } }
static __global__ void unseen(int *x) { *x += 2; }
__global__ static void unlaunched(int *x) { *x = 0; }

void app::v1::run(int *x) { step<<<1, 1>>>(x); }

int main()
{
  using namespace app;
  int *x;
  CHECK(cudaMallocManaged(&x, sizeof *x));
  *x = 0;
  gpu::kernels::step<<<1, 1>>>(x);
  alias::hidden<<<1, 1>>>(x);
  ::app::step<<<1, 1>>>(x);
  app::v1::run(x);
  v2::many<5><<<1, 1>>>(x);
  namespace inner = app::v2;
  auto chosen = *x < 0 ? inner::many<3> : inner::many<4>;
  chosen<<<1, 1>>>(x);
  ::deep::tagged<deep::Tag><<<1, 1>>>(x);
  deep::tagged<Plain><<<1, 1>>>(x);
  by_plain<<<1, 1>>>(x, Plain{20000});
  c::c_name<<<1, 1>>>(x);
  unseen<<<1, 1>>>(x);
  CHECK(cudaDeviceSynchronize());
  return verdict("namespaces", *x == 1 + 10 + 100 - 1 + 5 + 4 + 1000 + 4000 + 20000 + 1000000 + 2 && short_name::kernels::helper("ab") == cxx(2) && c::c_host(1));
}
