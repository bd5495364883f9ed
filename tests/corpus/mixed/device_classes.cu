// Virtual functions and allocation on the device, host classes of the same shape, recursion, function pointers there.
#include "check.h"
#include <iostream>
#include <memory>
#include <string>

class Animal {
public:
  __host__ __device__ virtual ~Animal() {}
  __device__ virtual int legs() const = 0;
  virtual std::string name() const { return "animal"; }
  friend std::ostream &operator<<(std::ostream &o, const Animal &a) { return o << a.name(); }
};
class Dog : public Animal { public: __device__ int legs() const override { return 4; } std::string name() const override { return "dog"; } };
class Bird final : public Animal { int wings_ = 2; public: __device__ int legs() const override { return wings_; } };

class HostAnimal { std::unique_ptr<HostAnimal> mate_; public: virtual ~HostAnimal() = default; virtual int legs() const noexcept = 0; };
struct HostDog : HostAnimal { int legs() const noexcept override { return 4; } };

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int plus_one(int v) { return v + 1; }
__device__ int (*const functions[])(int) = {factorial, plus_one};

__global__ void count_legs(int *x, int which)
{
  Animal *a = threadIdx.x & 1 ? static_cast<Animal *>(new Dog) : new Bird;
  x[threadIdx.x] = a->legs() + functions[which & 1](4);
  delete a;
}

int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 128));
  count_legs<<<1, 32>>>(x, 0);
  CHECK(cudaDeviceSynchronize());
  std::unique_ptr<HostAnimal> dog = std::make_unique<HostDog>();
  return verdict("legs", x[0] == 2 + 24 && x[1] == 4 + 24 && dog->legs() == 4);
}
