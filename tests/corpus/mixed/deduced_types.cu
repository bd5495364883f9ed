// options: -std=c++17
// Variables whose types are class templates, with arguments that their values tell.
#include "check.h"

template <int N, class T> struct Tile {
  T *at;
  Tile next() const { Tile moved = *this; moved.at += N; return moved; }
};
template <int N, class T> Tile<N, T> make_tile(T *at) { return {at}; }

template <class First, class Second> struct Both {
  First first;
  Second second;
};
template <class First, class Second> Both(First, Second) -> Both<First, Second>;

template <int N, class T> __global__ void fill(Tile<N, T> tile, T value)
{
  if (threadIdx.x < N)
    tile.at[threadIdx.x] = value;
}

template <class Pair> __global__ void fill_both(Pair pair) { pair.first.at[threadIdx.x] = pair.second; }

template <class T> void run(T *at)
{
  Tile tile = make_tile<8>(at);
  const Tile last(make_tile<4>(at + 16));
  fill<<<1, 32>>>(tile, T(1));
  fill<<<1, 32>>>(tile.next(), T(2));
  fill<<<1, 32>>>(last, T(3));
  Both both{make_tile<12>(at + 20), T(4)};
  fill_both<<<1, 12>>>(both);
}

template <class T> bool is_right()
{
  T *at;
  CHECK(cudaMallocManaged(&at, 32 * sizeof *at));
  run(at);
  CHECK(cudaDeviceSynchronize());
  return at[0] == T(1) && at[7] == T(1) && at[8] == T(2) && at[15] == T(2) && at[16] == T(3) && at[19] == T(3) && at[20] == T(4) && at[31] == T(4);
}

int main()
{
  return verdict("deduced types", is_right<float>() && is_right<short>());
}
