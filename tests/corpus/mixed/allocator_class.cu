// Memory pools and allocators for std::vector, placement new, shared_ptr with deleters; a kernel over their memory.
#include "check.h"
#include <cstddef>
#include <list>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

template <class T> struct managed_allocator {
  using value_type = T;
  managed_allocator() noexcept = default;
  template <class U> managed_allocator(const managed_allocator<U> &) noexcept {}
  T *allocate(std::size_t n)
  {
    void *p = nullptr;
    if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess)
      throw std::bad_alloc();
    return static_cast<T *>(p);
  }
  void deallocate(T *p, std::size_t) noexcept { cudaFree(p); }
  template <class U> bool operator==(const managed_allocator<U> &) const { return true; }
  template <class U> bool operator!=(const managed_allocator<U> &o) const { return !(*this == o); }
};
template <class T> using managed_vector = std::vector<T, managed_allocator<T>>;

class Pool {
  std::unordered_map<std::size_t, std::list<void *>> free_;
  std::size_t total_ = 0;
public:
  static Pool &instance() { static Pool pool; return pool; }
  void *take(std::size_t n)
  {
    auto &list = free_[n];
    if (!list.empty()) { void *p = list.back(); list.pop_back(); return p; }
    void *p;
    CHECK(cudaMallocManaged(&p, n));
    total_ += n;
    return p;
  }
  void give(void *p, std::size_t n) { free_[n].push_back(p); }
  std::size_t total() const { return total_; }
};

template <class T> std::shared_ptr<T> pooled(std::size_t n) { return {static_cast<T *>(Pool::instance().take(n * sizeof(T))), [n](T *p) { Pool::instance().give(p, n * sizeof(T)); }}; }

struct Particle { float3 position, velocity; __host__ __device__ void move(float t) { position.x += t * velocity.x; position.y += t * velocity.y; } };

__global__ void move(Particle *p, int n, float t)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].move(t);
}

int main()
{
  managed_vector<Particle> particles(100);
  auto second = pooled<Particle>(100);
  for (int i = 0; i < 100; i++) {
    particles[i] = {{0, 0, 0}, {float(i), 1, 0}};
    new (second.get() + i) Particle(particles[i]);
  }
  move<<<1, 128>>>(particles.data(), 100, 2);
  move<<<1, 128>>>(second.get(), 100, 3);
  CHECK(cudaDeviceSynchronize());
  bool right = Pool::instance().total() == 2400;
  for (int i = 0; i < 100; i++)
    right &= particles[i].position.x == 2 * i && second.get()[i].position.y == 3;
  return verdict("pool", right);
}
