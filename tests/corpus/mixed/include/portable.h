// A library that wants a compiler it knows, and operators and functions that come out of macros.
#pragma once
#include <type_traits>
#if defined(__clang__) || defined(__INTEL_COMPILER)
#define FETCH_ADD(at, n) __c11_atomic_fetch_add(at, n, 5)
#elif defined(__GNUC__) && __GNUC__ >= 4
#define FETCH_ADD(at, n) __sync_fetch_and_add(at, n)
#elif defined(_MSC_VER)
#define FETCH_ADD(at, n) _InterlockedExchangeAdd(at, n)
#else
#error "portable.h: this compiler is not supported"
#endif

#if defined(__GLIBC__)
#include <endian.h>
#if __BYTE_ORDER == __LITTLE_ENDIAN
#define IS_LITTLE 1
#endif
#endif
#ifndef IS_LITTLE
#error "portable.h: which byte comes first?"
#endif

#define ENUM_FLAGS(T)                                                                     \
  static inline bool operator!(const T &v)                                                \
  {                                                                                       \
    typedef std::underlying_type<T>::type U;                                              \
    return !static_cast<U>(v);                                                            \
  }                                                                                       \
  static inline T operator|(const T &a, const T &b)                                       \
  {                                                                                       \
    return static_cast<T>(static_cast<int>(a) | static_cast<int>(b));                     \
  }                                                                                       \
  static inline T &operator|=(T &a, const T &b) { return a = a | b; }                     \
  static inline bool operator!=(const T &a, int b) { return static_cast<int>(a) != b; }

#include <atomic>
#include <stdexcept>

template <class T> class Counted {
  int *count_;
public:
  Counted() : count_(new int(1)) {}
  Counted(const Counted &other) : count_(other.count_) { FETCH_ADD(count_, 1); }
  ~Counted() { if (FETCH_ADD(count_, -1) == 1) delete count_; }
  template <class U> void call(U) { throw std::runtime_error("not here"); }
  int copy(int *to) const { return *to = *count_; }
};

inline void check_error(cudaError_t status, const char *what)
{
  if (status != cudaSuccess) throw std::runtime_error(what);
}
