// A file that includes itself, X-macros from a list of operators, and #line.
#ifndef LISTED
#define LISTED
#include "check.h"
#include <string>
#include <vector>
#define OPERATORS(X) X(sum, +) X(difference, -) X(product, *)
#define DECLARE(name, op) __global__ void name(const int *a, const int *b, int *c);
OPERATORS(DECLARE)
#undef DECLARE
#define ENUM(name, op) op_##name,
enum Operator { OPERATORS(ENUM) op_count };
#define STRING(name, op) {#name, op_##name},
static const std::vector<std::pair<std::string, Operator>> names = {OPERATORS(STRING)};
#include "separate_header_guard.cu"
#define CASE(name, op) case op_##name: name<<<1, 32>>>(a, b, c); break;
static void launch(Operator o, const int *a, const int *b, int *c) { switch (o) { OPERATORS(CASE) default: break; } }
#line 1000 "somewhere_else.cu"
int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 3 * 128));
  bool right = true;
  for (auto &[name, o] : names) {
    for (int i = 0; i < 32; i++) x[i] = i, x[32 + i] = 2;
    launch(o, x, x + 32, x + 64);
    CHECK(cudaDeviceSynchronize());
    right &= x[64 + 10] == (o == op_sum ? 12 : o == op_difference ? 8 : 20);
  }
  return verdict("operators", right && op_count == 3);
}
#else
#define DEFINE(name, op) __global__ void name(const int *a, const int *b, int *c) { c[threadIdx.x] = a[threadIdx.x] op b[threadIdx.x]; }
OPERATORS(DEFINE)
#endif
