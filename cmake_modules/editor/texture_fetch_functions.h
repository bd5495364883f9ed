/* Clang before version 17 includes this header, which CUDA 12 no longer has. See nvrtc.h. */
