// Host prototypes without annotation, variables and typedefs of host types between kernels; no bodies but the kernels'.
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

class Mesh;
struct Stats { std::vector<double> times; std::shared_ptr<Mesh> mesh; std::FILE *log; };
typedef std::vector<std::pair<std::string, int>> Table;
using Callback = std::function<void(const Stats &, std::ostream &)>;
typedef void (*handler)(int, FILE *), (*handlers[3])(const Table &);

int solve(float *x, int n, const Stats &stats = Stats(), Callback = nullptr);
extern "C" int c_solve(const char *path, ...);
std::ostream &operator<<(std::ostream &, const Stats &);
template <class T, class A = std::allocator<T>> std::vector<T, A> filled(std::size_t n, T v = T());
template <> std::vector<float> filled(std::size_t, float);
std::unique_ptr<Mesh> load(const std::string &), save(std::unique_ptr<Mesh>, FILE * = stdout);
auto name_of(const Mesh &) -> std::string;
[[nodiscard]] inline bool ready() noexcept;
extern Table registry;
extern std::vector<int> sizes[4];
using std::string, std::vector;

__global__ void jacobi(const float *__restrict__ in, float *__restrict__ out, int n);
__global__ void residual(const float *x, const float *b, float *r, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    r[i] = b[i] - (2 * x[i] - x[i - 1] - x[i + 1]);
}

__global__ void jacobi(const float *__restrict__ in, float *__restrict__ out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = 0.5f * (in[i - 1] + in[i + 1]);
}
