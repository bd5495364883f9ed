// What every program has: a check of the runtime's calls, and of results.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(status_) << std::endl; \
      std::exit(2);                                                                                 \
    }                                                                                               \
  } while (0)

inline int verdict(const char *what, bool right)
{
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
