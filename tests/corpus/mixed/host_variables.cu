// Host variables of every kind beside device variables of every kind.
#include "check.h"
#include <array>
#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static int launches = 0;
int global_counter, *global_pointer = &global_counter, global_table[3] = {1, 2, 3};
inline std::string banner{"mixed"};
thread_local std::vector<int> per_thread(4, 7);
static thread_local unsigned seed;
const std::string NAMES[] = {"alpha", "beta", "gamma"};
extern const std::map<int, std::string> codes;
const std::map<int, std::string> codes = {{0, "none"}, {1, "one {"}};
constexpr int WIDTH = 8, HEIGHT = WIDTH * 2;
const int limit = 100;
const float weights_on_host[4] = {.1f, .2f, .3f, .4f};
constexpr float third = 1.0f / 3;
std::atomic<bool> stop{false};
static std::mutex guard;
volatile sig_atomic_t signalled;
template <class T> __host__ __device__ static constexpr T most = T(3); // nvcc warns
__host__ __device__ constexpr int none = 0;
enum { SLOTS = 4 };
static void (*callbacks[SLOTS])(int) = {nullptr, [](int) { launches++; }, +[](int k) { launches += k; }};
static struct { int a; std::string b; } settings = {1, "b"}, *chosen = &settings;
union { int i; float f; } pun;

__device__ int device_counter;
__device__ const int device_table[] = {3, 1, 4, 1, 5, 9, 2, 6};
static __device__ float scratch[WIDTH][HEIGHT];
__constant__ float weights[4];
__constant__ struct { int first; float second; } pair = {7, 0.5f};
__managed__ int managed_total = 0;
extern __device__ int declared_first;
__device__ int declared_first = 11;

__global__ void gather(float *out)
{
  int i = threadIdx.x;
  scratch[i % WIDTH][i / WIDTH] = weights[i % 4] + device_table[i % WIDTH] * pair.second;
  out[i] = scratch[i % WIDTH][i / WIDTH] + (i < limit ? third : 0) + declared_first + SLOTS + most<float> + none;
  atomicAdd(&device_counter, 1);
  atomicAdd(&managed_total, WIDTH);
}

int main()
{
  float *out;
  CHECK(cudaMallocManaged(&out, WIDTH * HEIGHT * sizeof *out));
  CHECK(cudaMemcpyToSymbol(weights, weights_on_host, sizeof weights_on_host));
  gather<<<1, WIDTH * HEIGHT>>>(out);
  callbacks[2](5);
  std::thread other([] { std::lock_guard<std::mutex> lock(guard); per_thread.push_back(1); stop = true; });
  other.join();
  CHECK(cudaDeviceSynchronize());
  int counted;
  CHECK(cudaMemcpyFromSymbol(&counted, device_counter, sizeof counted));
  const int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
  bool right = counted == 128 && managed_total == 1024 && launches == 5 && stop && per_thread.size() == 4 && chosen->a == 1;
  for (int i = 0; i < 128; i++) {
    float want = weights_on_host[i % 4] + table[i % 8] * 0.5f + (i < limit ? third : 0) + 15 + most<float> + none;
    right &= std::abs(out[i] - want) < 1e-4f;
  }
  std::cout << banner << NAMES[1] << codes.at(1) << "\n";
  return verdict("variables", right);
}
