/* SPDX-License-Identifier: Apache-2.0 */
/* Launch configurations out of Python: grids, blocks, streams. */
#ifndef PY_CONFIG_H
#define PY_CONFIG_H

#include "loader.h"

/* One to `most` numbers of 32 bits, as an int or a sequence; None: all 0. False, with the exception set. */
bool py_config_sides(const char *what, PyObject *value, Py_ssize_t most, uint32_t *sides);

/* The same of 64 bits, three of them. */
bool py_config_extent(PyObject *value, uint64_t sides[3]);

bool py_config_number(const char *what, PyObject *value, uint32_t *number);

/* For "O&" of PyArg_ParseTuple(), whose "I" and "K" take any number modulo 2^32 and 2^64: a uint32_t, a
 * uint64_t. 0, with the exception set, if the number is too large or negative. */
int py_config_u32(PyObject *value, void *out_number);
int py_config_u64(PyObject *value, void *out_number);

/* A stream: None, its address, or an object with __cuda_stream__. */
bool py_config_stream(PyObject *value, CUstream *out_stream);

/* A configuration in the making, which points into itself: not to be copied. */
struct py_config {
    cubinet_launch_config config;
    cubinet_launch_attributes attributes;
    CUgraphDeviceNode device_node; /* that the launch tells */
};

/*
 * Reads a grid, a block, and keywords, which stand after `count` arguments. False, with the exception set,
 * also for a keyword that is none.
 */
bool py_config_read(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                    struct py_config *config);

/* Makes the names that py_config_read() knows. */
int py_config_start(void);

#endif
