/* SPDX-License-Identifier: Apache-2.0 */
/* Which image of a module a GPU gets, and why not the others. */
#ifndef PY_EXPLAIN_H
#define PY_EXPLAIN_H

#include "loader.h"

/* (module, major, minor, driver version, nvJitLink version, flags, policy's `only` and flags) -> a list of
 * (image, match, reasons, sentence), candidates first, best first. */
PyObject *py_explain(const cubinet_archive *archive, PyObject *arguments);

#endif
