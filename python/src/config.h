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

/* A stream: None, its address, or an object with __cuda_stream__. */
bool py_config_stream(PyObject *value, CUstream *out_stream);

/*
 * Reads one keyword of a launch. False, with the exception set, also for one that is none.
 */
bool py_config_keyword(PyObject *keyword, PyObject *value, cubinet_launch_config *config);

/* Makes the names that py_config_keyword() knows. */
int py_config_start(void);

#endif
