// SPDX-License-Identifier: Apache-2.0
// The library's promise to its users: write this function, and the product calls it on every element before
// it is stored. The link puts it inside the kernel.
#pragma once

// `value` is the element at (row, column) of the product; `data` is what the program hands to the launch.
extern "C" __device__ float epilogue(float value, int row, int column, const float *data);
