// A program that reads and writes pictures, its kernels in a namespace, its types shared.
#include "check.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Image {
  int width = 0, height = 0;
  std::vector<uchar3> pixels;
  static Image read(std::istream &in)
  {
    Image image;
    std::string magic;
    int max;
    if (!(in >> magic >> image.width >> image.height >> max) || magic != "P3" || max != 255)
      throw std::runtime_error("not a P3 picture");
    for (int r, g, b; in >> r >> g >> b;)
      image.pixels.push_back(make_uchar3(r, g, b));
    return image;
  }
  void write(std::ostream &out) const
  {
    out << "P3\n" << width << ' ' << height << "\n255\n";
    for (const auto &[r, g, b] : pixels)
      out << +r << ' ' << +g << ' ' << +b << '\n';
  }
};

namespace filters {
__device__ __host__ inline unsigned char luma(uchar3 p) { return (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8); }
__global__ void grey(uchar3 *p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char l = luma(p[i]);
    p[i] = make_uchar3(l, l, l);
  }
}
template <unsigned char Level> __global__ void threshold(uchar3 *p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x = p[i].x >= Level ? 255 : 0;
}
void apply(Image &image, bool hard)
{
  uchar3 *p;
  int n = int(image.pixels.size());
  CHECK(cudaMalloc(&p, n * sizeof *p));
  CHECK(cudaMemcpy(p, image.pixels.data(), n * sizeof *p, cudaMemcpyHostToDevice));
  grey<<<(n + 63) / 64, 64>>>(p, n);
  if (hard) threshold<128><<<(n + 63) / 64, 64>>>(p, n); else threshold<'@'><<<(n + 63) / 64, 64>>>(p, n);
  CHECK(cudaMemcpy(image.pixels.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(p));
}
} // namespace filters

int main(int argc, char **argv)
{
  std::istringstream made("P3\n2 2\n255\n255 255 255 0 0 0 200 100 50 10 20 30\n");
  std::ifstream file(argc > 1 ? argv[1] : "");
  Image image = Image::read(file.is_open() ? static_cast<std::istream &>(file) : made), before = image;
  filters::apply(image, true);
  std::ostringstream out;
  image.write(out);
  bool right = out.str().substr(0, 2) == "P3";
  for (std::size_t i = 0; i < image.pixels.size(); i++)
    right &= image.pixels[i].y == filters::luma(before.pixels[i]) && image.pixels[i].x == (image.pixels[i].y >= 128 ? 255 : 0);
  return verdict("picture", right);
}
