// SPDX-License-Identifier: Apache-2.0
// For test_gpu_refusal.c: PTX for 8.0 that no assembler takes, and PTX for 7.5 that any does.

extern "C" __global__ void broken(unsigned *out)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("no_such_instruction.u32 %0;" : "=r"(*out));
#else
    *out = 1;
#endif
}
