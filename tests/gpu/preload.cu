// SPDX-License-Identifier: Apache-2.0
// Compiled many times, into modules that differ by NUMBER.
extern "C" __global__ void numbered(int *out)
{
    *out = NUMBER;
}
