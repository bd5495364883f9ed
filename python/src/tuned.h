/* SPDX-License-Identifier: Apache-2.0 */
/* Tuned launches: a method of Module, whose arguments cubinet/_kernel.py completes. */
#ifndef PY_TUNED_H
#define PY_TUNED_H

#include "loader.h"

PyObject *py_find_tuned(PyObject *module, PyObject *arguments);

#endif
