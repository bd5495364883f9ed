// SPDX-License-Identifier: Apache-2.0
// For clang, which needs no header of CUDA's for it.
struct dim3 {
    unsigned x, y, z;
};
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = 0);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
extern "C" __attribute__((global)) void saxpy(float a, const float *x, float *y, int n)
{
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    if (i < n) y[i] += a * x[i];
}
