// What a reader of declarations can take for something else: parentheses, angle brackets, initialisers with braces.
#include "check.h"
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

constexpr int A = 3, B = 4, C = 5;
template <int N> struct Num { static constexpr int value = N; };
template <bool B1, class T = void> using If = std::enable_if_t<B1, T>;
int shifted = Num<(A > B)>::value + (A < B) + (8 >> 1), less[A < B ? 2 : 1] = {Num<(1 >> 1)>::value};
std::map<std::string, std::vector<std::pair<int, std::map<int, int>>>> deep{{"a", {{1, {{2, 3}}}}}};
std::vector<int> parens(10), braces{10}, assigned = {1, 2}, called(std::vector<int>(3, Num<A>::value));
std::string(declared)("x"), *pointer(&declared), (*function(int))[2], (&reference) = declared;
bool flag = A < B, other = flag && !(A > C), third(A < B && C > A);
int (*signal_like(int, int (*)(int)))(int);
void takes(int (&)[3], int(&&)[2], int (*const *)(int), void (std::string::*)() noexcept, int std::pair<int, int>::*);
struct { int x; } unnamed = {1}, *unnamed_pointer = &unnamed;
enum { first_value = sizeof(Num<(3 > 2)>), second_value = alignof(double) } value_of = first_value;
enum Unknown : int;
class Class *elaborated(struct Struct *, enum Unknown);
static_assert(sizeof(int[(A > B) ? 1 : 2]) == 8, "a message with } and ; and <<<");
template <class T> using Fn = T (*)(const std::vector<T> &);
template <template <class...> class V = std::vector, int = (A > B), typename... R> struct Holder { V<int> v; };
template <> struct Num<42> { enum : int { value = 43 }; std::string s = "}"; };
template struct Holder<std::vector, (3 < 4)>;
template <class T> inline bool is_host = std::is_same_v<T, std::string>;
template <class T> Holder(T) -> Holder<std::vector>;
alignas(16) alignas(double) static const unsigned char bytes[16] = {'{', '}', ';', '\''};
long unsigned int const volatile *const odd_order = nullptr;
unsigned typedef odd_typedef; int static odd_static = 3; double inline constexpr odd_inline = 2; auto odd_auto = []{ return 1 < 2; };
int x1 = 1, x2{2}, x3(3), *x4 = new int[3]{1, 2, 3}, x5 = [] { struct S { int v = 5; } s; return s.v; }(), x6 = int{6};

template <int N, bool = (N > 2)> __global__ void select_kernel(int *x) { x[threadIdx.x] = N; }
template <int N> __global__ void select_kernel_two(int *x, If<(N < 3), int> v = N >> 1) { x[threadIdx.x] += v; }
template <class T, T... Vs> __device__ constexpr T table_at(int i) { constexpr T t[] = {Vs...}; return t[i]; }
__global__ void with_default(int *x, int n = (A < B) ? 1 : 2, int3 = int3{1, 2, 3}) { x[threadIdx.x] += n + table_at<int, 1, 2, 3>(2); }
__device__ int (*device_function)(int), device_value = A < B, device_array[] = {A, B};
__constant__ int constant_value{5}, constant_table[2][2] = {{1, 2}, {3, 4}};
__global__ void (*kernel_pointer)(int *, int, int3) = with_default;
void (*const kernel_table[])(int *) = {select_kernel<1>, &select_kernel<(3 > 2)>, (select_kernel<3, true>)};

int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 128));
  for (auto k : kernel_table)
    k<<<1, 32>>>(x);
  select_kernel_two<2><<<1, A < B ? 32 : 64>>>(x, 1 < 2);
  with_default<<<(A > B) ? 1 : 2 >> 1, 1 << 5, 0 >> 1, (cudaStream_t)0>>>(x, A >> 1, {});
  CHECK(cudaDeviceSynchronize());
  return verdict("vexing", x[31] == 3 + 1 + 1 + 3 && parens.size() == 10 && braces.size() == 1 && x5 == 5 && deep.size() == 1);
}
