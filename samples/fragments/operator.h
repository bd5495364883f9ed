// SPDX-License-Identifier: Apache-2.0
// What every algorithm needs and every operator gives: two device functions, joined by the link.
//
// All operators here are associative and commutative, so an algorithm may combine in any order.
#pragma once

extern "C" __device__ float combine(float a, float b);
extern "C" __device__ float identity(); // combine(identity(), x) is x
