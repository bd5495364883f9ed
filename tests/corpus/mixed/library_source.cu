// A library's source: extern "C" entry points, error strings, opaque handles, no main; declared in C.
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif
typedef struct blur_context blur_context;
typedef enum { BLUR_OK = 0, BLUR_MEMORY, BLUR_DEVICE } blur_status;
blur_status blur_create(blur_context **out, int width, int height);
blur_status blur_run(blur_context *ctx, const unsigned char *in, unsigned char *out, void *stream);
void blur_destroy(blur_context *ctx);
const char *blur_error(const blur_context *ctx);
#ifdef __cplusplus
} // extern "C"
#endif

struct blur_context {
  int width, height;
  unsigned char *in = nullptr, *out = nullptr;
  std::string error;
  std::mutex guard;
  ~blur_context();
};

static constexpr int RADIUS = 2;
__constant__ float c_weights[2 * RADIUS + 1];

extern "C" __global__ void blur_rows(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int width, int height)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width)
    return;
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++)
    sum += c_weights[k + RADIUS] * in[y * width + min(max(x + k, 0), width - 1)];
  out[y * width + x] = (unsigned char)(sum + 0.5f);
}

blur_context::~blur_context() { cudaFree(in); cudaFree(out); }

extern "C" blur_status blur_create(blur_context **out, int width, int height)
{
  static const float weights[] = {.1f, .2f, .4f, .2f, .1f};
  std::unique_ptr<blur_context> ctx{new (std::nothrow) blur_context{width, height}};
  if (!ctx || cudaMalloc(&ctx->in, width * height) || cudaMalloc(&ctx->out, width * height))
    return BLUR_MEMORY;
  cudaMemcpyToSymbol(c_weights, weights, sizeof weights);
  *out = ctx.release();
  return BLUR_OK;
}

extern "C" blur_status blur_run(blur_context *ctx, const unsigned char *in, unsigned char *out, void *stream)
{
  std::lock_guard<std::mutex> lock{ctx->guard};
  cudaStream_t s = static_cast<cudaStream_t>(stream);
  size_t bytes = size_t(ctx->width) * ctx->height;
  cudaMemcpyAsync(ctx->in, in, bytes, cudaMemcpyHostToDevice, s);
  blur_rows<<<dim3((ctx->width + 127) / 128, ctx->height), 128, 0, s>>>(ctx->in, ctx->out, ctx->width, ctx->height);
  if (cudaError_t e = cudaGetLastError()) {
    ctx->error = cudaGetErrorString(e);
    return BLUR_DEVICE;
  }
  return cudaMemcpyAsync(out, ctx->out, bytes, cudaMemcpyDeviceToHost, s) ? BLUR_DEVICE : BLUR_OK;
}

void blur_destroy(blur_context *ctx) { delete ctx; }
const char *blur_error(const blur_context *ctx) { return ctx ? ctx->error.c_str() : "no context"; }
