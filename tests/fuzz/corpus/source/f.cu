extern "C" __device__ int f(int);
 template <class T> __device__ T g(T a) { return a + f(3); } __global__ void k(int *p) { *p = g(1); }