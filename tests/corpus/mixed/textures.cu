// Texture and surface objects, arrays, host descriptors.
#include "check.h"
#include <cmath>
#include <memory>
#include <vector>

struct TextureDeleter { void operator()(cudaTextureObject_t *t) const { cudaDestroyTextureObject(*t); delete t; } };
using Texture = std::unique_ptr<cudaTextureObject_t, TextureDeleter>;
static const cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindFloat};

__global__ void sample(cudaTextureObject_t t, float *out, int w, int h, float shift)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = tex2D<float>(t, x + shift, y + 0.5f);
}

template <class T> __global__ void fill_surface(cudaSurfaceObject_t s, int w, int h)
{
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h)
    surf2Dwrite<T>(static_cast<T>(x * y), s, x * int(sizeof(T)), y, cudaBoundaryModeTrap);
}

static Texture make_texture(cudaArray_t array)
{
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModePoint;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
  return Texture{new cudaTextureObject_t(t)};
}

int main()
{
  const int w = 64, h = 32;
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &channel, w, h, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  fill_surface<float><<<h, w>>>(surface, w, h);
  Texture t = make_texture(array);
  float *out;
  CHECK(cudaMallocManaged(&out, w * h * sizeof *out));
  sample<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(*t, out, w, h, 1.5f);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < w * h; i++)
    right &= out[i] == std::fmin(i % w + 1, w - 1) * (i / w);
  return verdict("textures", right);
}
