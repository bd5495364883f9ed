// A class with host and device members side by side, and kernels that take it by value.
#include "check.h"
#include "vec.h"
#include <fstream>
#include <sstream>
#include <vector>

class Grid {
public:
  Grid(int nx, int ny) : nx_(nx), ny_(ny), data_(nullptr) { CHECK(cudaMallocManaged(&data_, sizeof(float) * nx * ny)); }
  Grid(const Grid &) = default;
  void release() { CHECK(cudaFree(data_)); data_ = nullptr; }
  void save(const std::string &path) const;
  std::vector<float> row(int y) const { return std::vector<float>(data_ + y * nx_, data_ + (y + 1) * nx_); }

  __host__ __device__ int nx() const { return nx_; }
  __host__ __device__ inline int ny() const { return ny_; }
  __device__ float &at(int x, int y) { return data_[clamp(y, ny_) * nx_ + clamp(x, nx_)]; }
  __device__ __forceinline__ float at(int x, int y) const { return __ldg(&data_[clamp(y, ny_) * nx_ + clamp(x, nx_)]); }
  float host(int x, int y) const { return data_[y * nx_ + x]; }
  float *raw() { return data_; }
  void smooth(Grid &to, cudaStream_t = 0) const;
  friend std::ostream &operator<<(std::ostream &o, const Grid &g) { return o << g.nx_ << " x " << g.ny_; }

private:
  __device__ static int clamp(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }
  int nx_, ny_;
  float *data_;
};

void Grid::save(const std::string &path) const
{
  std::ofstream out(path);
  for (int y = 0; y < ny_; y++)
    for (int x = 0; x < nx_; x++)
      out << host(x, y) << (x + 1 < nx_ ? ' ' : '\n');
}

__global__ void smooth_kernel(const Grid from, Grid to, Vec3f weights)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= from.nx() || y >= from.ny())
    return;
  Vec3f three(from.at(x - 1, y), from.at(x, y), from.at(x + 1, y));
  to.at(x, y) = three.dot(weights);
}

void Grid::smooth(Grid &to, cudaStream_t stream) const
{
  dim3 block(16, 16), grid((nx_ + 15) / 16, (ny_ + 15) / 16);
  smooth_kernel<<<grid, block, 0, stream>>>(*this, to, Vec3f(0.25f, 0.5f, 0.25f));
}

int main()
{
  Grid a(37, 21), b(37, 21);
  for (int i = 0; i < 37 * 21; i++)
    a.raw()[i] = (i * 7919) % 256;
  a.smooth(b);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int y = 0; y < 21; y++)
    for (int x = 1; x < 36; x++)
      right &= b.host(x, y) == 0.25f * a.host(x - 1, y) + 0.5f * a.host(x, y) + 0.25f * a.host(x + 1, y);
  std::cout << a << " " << Vec3d(1, 2, 3) << "\n";
  return verdict("smooth", right);
}
