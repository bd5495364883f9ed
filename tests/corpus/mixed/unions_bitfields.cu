// Unions, bit-fields, enums and flexible layouts shared by both sides, with host members among them.
#include "check.h"
#include <bitset>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

enum Colour { RED, GREEN = 4, BLUE };
enum class Mode : uint8_t { off, on [[maybe_unused]] = 3, last = on + 1 };
enum : short { NONE = -1 };
enum class Later : int;

union Word {
  uint32_t u;
  float f;
  struct { uint32_t mantissa : 23, exponent : 8, sign : 1; };
  uint8_t bytes[4];
  __host__ __device__ Word(float v) : f(v) {}
  operator std::string() const { return std::bitset<32>(u).to_string(); }
};

struct Header {
  unsigned kind : 3, : 5, length : 24;
  Mode mode : 4;
  Colour colour;
  static std::string describe(const Header &h) { return h.mode == Mode::on ? "on" : "off"; }
};

struct Record {
  std::variant<int, std::string> value;
  std::vector<Header> headers;
};

union Slot { int i; std::string s; Slot() : i(0) {} ~Slot() {} };

__global__ void exponents(const float *x, int *e, Header h)
{
  Word w(x[threadIdx.x]);
  e[threadIdx.x] = int(w.exponent) - 127 + h.length + static_cast<int>(h.mode) + (h.colour == GREEN ? 1000 : 0) + NONE;
}

int main()
{
  float *x;
  int *e;
  CHECK(cudaMallocManaged(&x, 32 * sizeof *x));
  CHECK(cudaMallocManaged(&e, 32 * sizeof *e));
  for (int i = 0; i < 32; i++)
    x[i] = 1.5f * (1u << i);
  Record record{std::string("r"), {{1, 20, Mode::on, GREEN}}};
  exponents<<<1, 32>>>(x, e, record.headers[0]);
  CHECK(cudaDeviceSynchronize());
  bool right = std::string(Word(-0.0f))[0] == '1' && Header::describe(record.headers[0]) == "on" && Slot().i == 0;
  for (int i = 0; i < 32; i++)
    right &= e[i] == i + 20 + 3 + 1000 - 1;
  return verdict("exponents", right);
}
