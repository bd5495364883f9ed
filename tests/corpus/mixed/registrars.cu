// Objects of the host's, made in parentheses, that register what launches: they read like functions.
#include "check.h"
#include <map>
#include <string>

template <class T> __global__ void fill(T *at, T value) { at[threadIdx.x] = value; }

using Launcher = void (*)(void *);
std::map<std::string, Launcher> &registry()
{
  static std::map<std::string, Launcher> all;
  return all;
}

struct Registrar {
  Registrar(const char *name, Launcher launcher) { registry()[name] = launcher; }
  Registrar(Launcher launcher) { registry()["alone"] = launcher; }
};

namespace launchers {
template <class T> void run(void *at) { fill<T><<<1, 32>>>((T *)at, T(1)); }
}

#define LAUNCHER(N, T)                                               \
  void run_##N(void *at) { fill<T><<<1, 32>>>((T *)at, T(1)); } \
  static Registrar registrar_##N(#N, run_##N);
LAUNCHER(double, double)
LAUNCHER(char, char)
static Registrar alone(launchers::run<int>);
static Registrar named("float", launchers::run<float>), addressed("short", &launchers::run<short>);
Registrar braced{"long", launchers::run<long>};
int later(char, Launcher), limit(3);
int later(char, Launcher launcher) { return launcher ? limit : 0; }

template <class T> bool is_right(const char *name)
{
  T *at;
  CHECK(cudaMallocManaged(&at, 32 * sizeof *at));
  at[0] = at[31] = T(0);
  registry().at(name)(at);
  CHECK(cudaDeviceSynchronize());
  return at[0] == T(1) && at[31] == T(1);
}

int main()
{
  bool right = is_right<double>("double") && is_right<char>("char") && is_right<int>("alone");
  right = right && is_right<float>("float") && is_right<short>("short") && is_right<long>("long");
  return verdict("registrars", right && later('a', launchers::run<int>) == 3);
}
