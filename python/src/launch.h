/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: the one call that has to be fast. */
#ifndef PY_LAUNCH_H
#define PY_LAUNCH_H

#include "loader.h"

extern const char py_launch_doc[];

extern const char py_add_node_doc[];
extern const char py_update_node_doc[];
extern const char py_update_exec_node_doc[];

/* Methods of Kernel, by METH_FASTCALL | METH_KEYWORDS. */
PyObject *py_launch(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
PyObject *py_add_node(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
PyObject *py_update_node(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
PyObject *py_update_exec_node(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords);

#endif
