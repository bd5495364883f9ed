#pragma once
// Device memory that frees itself, with host types all over its members.
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

namespace mem {

struct error : std::runtime_error {
  explicit error(const std::string &what, cudaError_t code) : std::runtime_error(what + ": " + cudaGetErrorName(code)), code(code) {}
  cudaError_t code;
};

inline void need(cudaError_t status, const char *what)
{
  if (status != cudaSuccess)
    throw error(what, status);
}

// What a kernel takes: pointer and length, usable on both sides.
template <class T> struct view {
  T *data;
  std::size_t size;
  __host__ __device__ T &operator[](std::size_t at) const { return data[at]; }
  __host__ __device__ T *begin() const { return data; }
  __host__ __device__ T *end() const { return data + size; }
};

template <class T> class buffer {
public:
  buffer() = default;
  explicit buffer(std::size_t size) : size_{size} { need(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc"); }
  buffer(const std::vector<T> &from) : buffer(from.size()) { put(from); }
  buffer(std::initializer_list<T> from) : buffer(std::vector<T>(from)) {}
  buffer(const buffer &) = delete;
  buffer &operator=(const buffer &) = delete;
  buffer(buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer &operator=(buffer &&other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() { cudaFree(data_); }

  void put(const std::vector<T> &from) { need(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "put"); }
  [[nodiscard]] std::vector<T> get() const
  {
    std::vector<T> to(size_);
    need(cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "get");
    return to;
  }
  T *data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  operator view<T>() { return {data_, size_}; }
  operator view<const T>() const { return {data_, size_}; }
  explicit operator bool() const { return data_ != nullptr; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace mem
