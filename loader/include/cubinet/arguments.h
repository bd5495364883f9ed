/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Arguments of kernels that other systems compiled, as those systems lay them out: arrays of Warp's and
 * numba's, and Warp's launch bounds. docs/guide/systems.md says which releases were tested.
 *
 * Nothing here is part of libcubinet: it is all in this header, and <cubinet/cubinet.h> does not include it.
 *
 * @since 0.1
 */
#ifndef CUBINET_ARGUMENTS_H
#define CUBINET_ARGUMENTS_H

#include <cubinet/launch.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Warp's launch_bounds_t<1> and <2>, the first parameter of kernels with one or two dimensions.
 * @since 0.1 */
typedef struct cubinet_warp_bounds2 {
    uint32_t shape[2];  /**< threads in each dimension, that of wp.launch(dim=…) */
    uint64_t size;      /**< threads in all; those beyond do nothing */
    uint64_t per_coord; /**< threads that share coordinates: 1, or the block of a tile kernel */
} cubinet_warp_bounds2;

/** Warp's launch_bounds_t<3> and <4>.
 * @since 0.1 */
typedef struct cubinet_warp_bounds4 {
    uint32_t shape[4];  /**< as of cubinet_warp_bounds2 */
    uint64_t size;      /**< as of cubinet_warp_bounds2 */
    uint64_t per_coord; /**< as of cubinet_warp_bounds2 */
} cubinet_warp_bounds4;

/** Warp's array_t<T>.
 * @since 0.1 */
typedef struct cubinet_warp_array {
    uint64_t data;      /**< address on the device */
    uint64_t gradient;  /**< address of the adjoint, or 0 */
    int32_t shape[4];   /**< elements in each dimension, 0 beyond `dimensions` */
    int32_t strides[4]; /**< bytes between neighbours in each dimension */
    int32_t dimensions; /**< 1 to 4 */
    int32_t flags;      /**< 0 */
} cubinet_warp_array;

/** The bounds of a launch with `x` times `y` threads, or `x` if `y` is 0. `per_coord` is 1, and for a kernel
 * that Warp launches with wp.launch_tiled() the threads of a block.
 * @since 0.1 */
static inline cubinet_warp_bounds2 cubinet_warp_bounds(uint32_t x, uint32_t y, uint64_t per_coord)
{
    cubinet_warp_bounds2 bounds;
    bounds.shape[0] = x;
    bounds.shape[1] = y;
    bounds.size = (uint64_t)x * (y ? y : 1) * per_coord;
    bounds.per_coord = per_coord;
    return bounds;
}

/** A dense array of one dimension, or of two if `columns` is not 0, for Warp.
 * @since 0.1 */
static inline cubinet_warp_array cubinet_warp_dense(uint64_t data, int32_t element_bytes, int32_t rows,
                                                    int32_t columns)
{
    cubinet_warp_array array;
    int i;
    for (i = 0; i < 4; i++) {
        array.shape[i] = array.strides[i] = 0;
    }
    array.data = data;
    array.gradient = 0;
    array.shape[0] = rows;
    array.shape[1] = columns;
    array.strides[0] = columns ? columns * element_bytes : element_bytes;
    array.strides[1] = columns ? element_bytes : 0;
    array.dimensions = columns ? 2 : 1;
    array.flags = 0;
    return array;
}

/** A dense numba array with one dimension, as the parameters that a kernel takes for it, one by one: memory
 * and parent (0), elements in all, bytes of an element, address on the device, elements, bytes between
 * neighbours.
 * @since 0.1 */
typedef struct cubinet_numba_array1 {
    uint64_t params[7];
} cubinet_numba_array1;

/** Parameters that numba makes of an array of one dimension.
 * @since 0.1 */
#define CUBINET_NUMBA_ARRAY1_ARGS 7

/** A dense array for numba.
 * @since 0.1 */
static inline cubinet_numba_array1 cubinet_numba_dense1(uint64_t data, uint64_t item_bytes, uint64_t elements)
{
    cubinet_numba_array1 array;
    array.params[0] = array.params[1] = 0;
    array.params[2] = array.params[5] = elements;
    array.params[3] = array.params[6] = item_bytes;
    array.params[4] = data;
    return array;
}

/** Writes an array's CUBINET_NUMBA_ARRAY1_ARGS arguments, which point into it, from `out_args` on.
 * @return the place after them
 * @since 0.1 */
static inline cubinet_arg *cubinet_numba_array1_args(const cubinet_numba_array1 *array, cubinet_arg *out_args)
{
    int i;
    for (i = 0; i < CUBINET_NUMBA_ARRAY1_ARGS; i++) {
        out_args[i].value = &array->params[i];
        out_args[i].size = sizeof(array->params[i]);
    }
    return out_args + CUBINET_NUMBA_ARRAY1_ARGS;
}

#ifdef __cplusplus
}
#endif

#endif
