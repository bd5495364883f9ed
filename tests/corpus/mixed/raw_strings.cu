// Raw strings full of code, comments that go on, braces in characters and strings.
#include "check.h"
#include <string>

static const char *source = R"cuda(
__global__ void not_a_kernel(float *x) { if (x) { // unbalanced {{{
)cuda";
const std::string nested = R"x()" ) __device__ )x" "}" u8"{" R"({"json": [1, 2, {"a": "}"}]})";
const char brace = '{', quote = '\'', both[] = {'}', '"', '\\'};
const wchar_t *wide = LR"-(}}}})-"; const char16_t *u16 = u"{\"";
// this comment goes on \
__global__ void also_not(float *x) { \
and on /* { \
until here
/* a comment with a kernel: __global__ void no(int) {} and "quotes' and // */ __global__ void yes(int *x, char c) { *x = c == '}' ? 1'000'000 : '{'; } /* } */
#define TEXT(x) #x
static const char *made = TEXT(__global__ void k() { return; });
static const char *const help =
  "usage: raw [options] { files }\n"
  "  --kernel 'name<args>'   // not a comment\n"
  "  /* nor this\n";

struct Program {
  std::string code = R"c(int main() { return ")"; }")c";
  const char *what() const { return R"(})"; }
} program;

__device__ int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c == '"' ? 34 : -1; }
__global__ void digits(int *x, const char *text) { x[threadIdx.x] = digit(text[threadIdx.x]); }

int main()
{
  int *x;
  char *text;
  CHECK(cudaMallocManaged(&x, 16));
  CHECK(cudaMallocManaged(&text, 4));
  yes<<<1, 1>>>(x, '}');
  CHECK(cudaDeviceSynchronize());
  bool right = *x == 1000000;
  text[0] = '"', text[1] = '7', text[2] = '}', text[3] = '\'';
  digits<<<1, 4>>>(x, text);
  CHECK(cudaDeviceSynchronize());
  right &= x[0] == 34 && x[1] == 7 && x[2] == -1 && brace == '{';
  std::string all = source + nested + made + help + program.code + program.what();
  return verdict("raw", right && all.size() > 100 && quote && both[0] && wide && u16);
}
