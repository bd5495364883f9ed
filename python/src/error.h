/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions: cubinet.Error and what is derived from it, made by cubinet/_errors.py. */
#ifndef PY_ERROR_H
#define PY_ERROR_H

#include "loader.h"

/* Sets the exception for the library's last failure in this thread. NULL, always. */
PyObject *py_raise(cubinet_status status);

/* Sets the exception for a failure that the extension itself found; as PyUnicode_FromFormat(). NULL. */
PyObject *py_raise_format(cubinet_status status, const char *format, ...);

#endif
