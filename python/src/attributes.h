/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of launches: cubinet.LaunchAttributes. */
#ifndef PY_ATTRIBUTES_H
#define PY_ATTRIBUTES_H

#include "config.h"

/* Has a configuration take the attributes of an object of that class, or of None. False, with the exception
 * set. */
bool py_attributes_read(PyObject *value, struct py_config *config);

#endif
