/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a loaded kernel: resources, launch record, occupancy, suggestions. Methods of Kernel,
 * whose arguments cubinet/_kernel.py completes. */
#ifndef PY_QUESTIONS_H
#define PY_QUESTIONS_H

#include "loader.h"

/* Reads what suggest() is asked: extent, block, shared bytes or a function of them, elements for each thread,
 * cluster, cooperation, tuning. False, with the exception set. */
bool py_suggest_read(PyObject *arguments, uint64_t extent[3], cubinet_suggest_options *options);

PyObject *py_suggest(PyObject *kernel, PyObject *arguments);
PyObject *py_occupancy(PyObject *kernel, PyObject *arguments);
PyObject *py_max_active_clusters(PyObject *kernel, PyObject *arguments);
PyObject *py_available_dynamic_shared(PyObject *kernel, PyObject *arguments);
PyObject *py_prefer_shared(PyObject *kernel, PyObject *percent);
PyObject *py_resources(PyObject *kernel, PyObject *ignored);
PyObject *py_launch_record(PyObject *kernel, PyObject *ignored);

#endif
