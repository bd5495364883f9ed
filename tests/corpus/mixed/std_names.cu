// using-declarations and directives of std, names of the user that are those of std.
#include "check.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

using std::string;
using std::vector, std::set;
using namespace std;
namespace mine { template <class T> struct vector3 { T x, y, z; }; struct string { char c[8]; __host__ __device__ int size() const { int n = 0; while (c[n]) n++; return n; } }; using std::swap; using ::std::max; }
template <class T> using vec = vector<T>;
typedef set<string>::const_iterator set_iterator;
typedef pair<int, float> item;
using mine::vector3;
static vec<vec<int>> nested;
static set_iterator at;

__device__ float length(vector3<float> v) { return sqrt(v.x * v.x + fabs(v.y * v.y) + pow(v.z, 2.0f)); }
__global__ void names(mine::string s, vector3<float> *v, float *out)
{
  int i = threadIdx.x;
  out[i] = length(v[i]) + s.size() + max(i, 3) + min(1.0f, 2.0f) + abs(-1);
}

string join(const vec<string> &parts, string between = ", ")
{
  string all;
  for (auto &p : parts)
    all += (all.empty() ? "" : between) + p;
  return all;
}
size_t count_of(set_iterator first, set_iterator last) { return distance(first, last); }

int main()
{
  vector3<float> *v;
  float *out;
  CHECK(cudaMallocManaged(&v, 32 * sizeof *v)); CHECK(cudaMallocManaged(&out, 128));
  for (int i = 0; i < 32; i++) v[i] = {float(i), 0, 0};
  mine::string s = {"four"};
  names<<<1, 32>>>(s, v, out);
  CHECK(cudaDeviceSynchronize());
  set<string> words{"a", "b"};
  bool right = join({"x", "y"}) == "x, y" && count_of(words.begin(), words.end()) == 2 && s.size() == 4;
  for (int i = 0; i < 32; i++) right &= fabs(out[i] - (i + 4 + std::max(i, 3) + 2)) < 1e-3;
  return verdict("names", right);
}
