// Loops and conditions without braces around each other: an `else` belongs to the innermost `if`, and what a loop or a
// condition declares is known in all of its branches. The types of the arguments tell the instances.
#include "check.h"
#include <list>

struct Cube { float scale; __device__ float of(float v) const { return v * scale; } };
struct Box { float first, second; __device__ float of(float v) const { return v * first + second; } };
struct AxisX { __device__ int at(int i) const { return i; } };
struct AxisY { __device__ int at(int i) const { return i ^ 1; } };

template <class Axis, class Scale> __global__ void project(float *out, const float *in, int slice, Scale scale)
{
  Axis axis;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + axis.at(i), scale.of(in[i]) + slice);
}

template <class T, class Step> __global__ void advance(T *t, Step step) { t[threadIdx.x] += step; }

void project_all(float *out, const float *in, int slices, int direction, bool cube, bool many, std::list<cudaStream_t> &streams)
{
  Cube c;
  c.scale = 2;
  Box b;
  b.first = 3;
  b.second = 1;
  streams.push_back(nullptr);
  if (direction == 0) {
    for (int i = 0; i < slices; i += 2)
      if (!many)
        if (cube)
          project<AxisX><<<1, 32>>>(out, in, i, c);
        else
          project<AxisX><<<1, 32>>>(out, in, i, b);
      else
        for (unsigned j = 0; j < 2; j++)
          if (j)
            advance<float><<<1, 32>>>(out, j);
          else if (float *other = out + 0)
            advance<<<1, 32>>>(other, i);
          else
            advance<float, double><<<1, 32>>>(other, j);
  } else
    for (int i = 0; i < slices; i += 2)
      if (cube) project<AxisY><<<1, 32>>>(out, in, i, c);
      else project<AxisY><<<1, 32>>>(out, in, i, b);
}

void count(long *counts, int n)
{
  for (short step = 1; step < 3; step++)
    do
      advance<<<1, 2>>>(counts, step);
    while (--n > 0);
  for (char step = 1; step < 2; step++)
    try {
      advance<<<1, 2>>>(counts, step);
    } catch (const std::exception &) {
      advance<<<1, 2>>>(counts, static_cast<signed char>(step));
    }
  for (unsigned short step = 1; step < 2; step++)
    switch (step)
    case 1: case 2:
      advance<<<1, 2>>>(counts, step);
}

template <bool Wide, bool Signed> void narrow(void *data)
{
  if constexpr (Wide)
    if constexpr (Signed) advance<<<1, 1>>>(static_cast<long long *>(data), 1ll);
    else advance<<<1, 1>>>(static_cast<unsigned long long *>(data), 1ull);
  else
    advance<<<1, 1>>>(static_cast<int *>(data), 1);
}

int main()
{
  float *out, *in;
  long *counts;
  long long *wide;
  CHECK(cudaMallocManaged(&out, 128));
  CHECK(cudaMallocManaged(&in, 128));
  CHECK(cudaMallocManaged(&counts, 16));
  CHECK(cudaMallocManaged(&wide, 8));
  for (int i = 0; i < 32; i++) out[i] = 0, in[i] = i;
  counts[0] = counts[1] = 0, *wide = 0;
  std::list<cudaStream_t> streams;
  project_all(out, in, 4, 0, true, false, streams);  // 2 * 2 * i + 0 + 2
  project_all(out, in, 2, 0, false, false, streams); // 3 * i + 1
  project_all(out, in, 2, 1, true, false, streams);  // 2 * (i ^ 1)
  project_all(out, in, 2, 0, true, true, streams);   // 0 + 1
  count(counts, 2);                                  // 1 + 1, 2, 1, 1
  narrow<true, true>(wide);
  narrow<true, false>(wide);
  narrow<false, false>(wide);
  CHECK(cudaDeviceSynchronize());
  bool right = counts[0] == 6 && counts[1] == 6 && *wide == 3;
  for (int i = 0; i < 32; i++) right &= out[i] == 7 * i + 4 + 2 * (i ^ 1);
  return verdict("bare branches", right);
}
