// Operators of all kinds: conversion, literals, comma, subscript, new and delete, spaceship; friends in classes.
// options: -std=c++20
// differs: NVRTC has no <compare>, which a defaulted <=> needs.
#include "check.h"
#include <compare>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>

constexpr long double operator""_km(long double v) { return v * 1000; }
std::string operator"" _s(const char *text, std::size_t n) { return std::string(text, n); }
constexpr unsigned long long operator""_KiB(unsigned long long v) { return v << 10; }
template <char... C> constexpr int operator""_digits() { return sizeof...(C); }

class Half {
  unsigned short bits_ = 0;
  friend class Table;
  friend std::ostream &operator<<(std::ostream &, const Half &);
  template <class U> friend struct Access;

public:
  Half() = default;
  __host__ __device__ explicit(true) Half(float v) : bits_(static_cast<unsigned short>(v)) {}
  __host__ __device__ operator float() const { return bits_; }
  explicit operator bool() const noexcept { return bits_ != 0; }
  explicit operator std::string() const { return std::to_string(bits_); }
  operator const unsigned short *() const & = delete;
  auto operator<=>(const Half &) const = default;
  bool operator==(const Half &) const = default;
  __device__ Half &operator+=(Half o) { bits_ += o.bits_; return *this; }
  __device__ friend Half operator+(Half a, Half b) { return a += b; }
  __device__ Half operator-() const { return Half(float(-bits_)); }
  __device__ Half &operator++() { ++bits_; return *this; }
  __device__ Half operator++(int) { Half old = *this; ++*this; return old; }
  Half &operator,(const char *) { return *this; }
  __device__ float operator()(int a, int b = 1) const { return bits_ * a + b; }
  __device__ float operator[](std::size_t i) const { return bits_ >> i & 1; }
  static void *operator new(std::size_t n) { void *p; CHECK(cudaMallocManaged(&p, n)); return p; }
  static void *operator new[](std::size_t n) { return operator new(n); }
  static void operator delete(void *p) noexcept { cudaFree(p); }
  void operator delete[](void *p) { cudaFree(p); }
};

std::ostream &operator<<(std::ostream &out, const Half &h) { return out << h.bits_ << 'h'; }
void *operator new(std::size_t n, const char *) { return std::malloc(n); }
void operator delete(void *p, const char *) noexcept { std::free(p); }
__host__ __device__ bool operator<(const float2 &a, const float2 &b) { return a.x < b.x; }

__global__ void use(Half *h, float2 *f)
{
  Half v = h[threadIdx.x]++;
  v += -Half(0.0f) + h[threadIdx.x];
  f[threadIdx.x].x = v(2) + v[0] + (f[threadIdx.x] < float2{100, 0});
}

int main()
{
  Half *h = new Half[32];
  float2 *f;
  CHECK(cudaMallocManaged(&f, 32 * sizeof *f));
  for (int i = 0; i < 32; i++)
    h[i] = Half(float(i)), f[i].x = 0;
  use<<<1, 32>>>(h, f);
  CHECK(cudaDeviceSynchronize());
  bool right = 1.5_km == 1500 && "a"_s + "b" == "ab" && 2_KiB == 2048 && 1234_digits == 4 && std::string(h[4]) == "5";
  for (int i = 0; i < 32; i++)
    right &= f[i].x == 2 * (2 * i + 1) + 1 + 1 + 1;
  std::cout << h[3] << (h[3] > h[2]) << std::endl;
  delete[] h;
  return verdict("operators", right);
}
