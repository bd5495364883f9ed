#pragma once
// A matrix header of a project: host class, device view, kernels and their launchers in one file.
#include "buffer.hpp"
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <optional>
#include <random>

namespace la {

template <typename T> struct matrix_view {
  T *data;
  int rows, cols;
  __device__ T &operator()(int r, int c) const { return data[r * cols + c]; }
};

namespace kernels {
template <typename T, int Tile> __global__ void multiply(matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c)
{
  __shared__ T as[Tile][Tile], bs[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  T sum{};
  for (int t = 0; t < (a.cols + Tile - 1) / Tile; t++) {
    int ac = t * Tile + threadIdx.x, br = t * Tile + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < a.rows && ac < a.cols ? a(row, ac) : T{};
    bs[threadIdx.y][threadIdx.x] = br < b.rows && col < b.cols ? b(br, col) : T{};
    __syncthreads();
    for (int k = 0; k < Tile; k++)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < c.rows && col < c.cols)
    c(row, col) = sum;
}

template <typename T> __global__ void transpose(matrix_view<const T> a, matrix_view<T> b)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows * a.cols; i += gridDim.x * blockDim.x)
    b(i % a.cols, i / a.cols) = a(i / a.cols, i % a.cols);
}
} // namespace kernels

template <typename T> class matrix {
  int rows_, cols_;
  mem::buffer<T> data_;
  std::optional<std::string> name_;

public:
  matrix(int rows, int cols, std::optional<std::string> name = std::nullopt) : rows_(rows), cols_(cols), data_(std::size_t(rows) * cols), name_(std::move(name)) {}
  static matrix random(int rows, int cols, unsigned seed = std::random_device{}())
  {
    matrix m(rows, cols);
    std::vector<T> host(std::size_t(rows) * cols);
    std::mt19937 engine(seed);
    std::generate(host.begin(), host.end(), [&, d = std::uniform_int_distribution<int>(-4, 4)]() mutable { return T(d(engine)); });
    m.data_.put(host);
    return m;
  }
  operator matrix_view<T>() { return {data_.data(), rows_, cols_}; }
  matrix_view<const T> cview() { return {data_.data(), rows_, cols_}; }
  std::vector<T> get() const { return data_.get(); }
  matrix operator*(matrix &b)
  {
    matrix c(rows_, b.cols_);
    dim3 grid((b.cols_ + 15) / 16, (rows_ + 15) / 16);
    kernels::multiply<T, 16><<<grid, dim3(16, 16)>>>(cview(), b.cview(), c);
    return c;
  }
  matrix transposed()
  {
    matrix t(cols_, rows_);
    kernels::transpose<<<32, 256>>>(cview(), static_cast<matrix_view<T>>(t));
    return t;
  }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  friend std::ostream &operator<<(std::ostream &out, const matrix &m) { return out << std::setw(4) << m.rows_ << "x" << m.cols_ << m.name_.value_or(""); }
};

} // namespace la
