/* SPDX-License-Identifier: Apache-2.0 */
/* What archives record, as tuples and dicts. */
#ifndef PY_RECORDS_H
#define PY_RECORDS_H

#include "loader.h"

PyObject *py_record_number(uint32_t number);          /* None for CUBINET_UNKNOWN */
PyObject *py_record_resources(const void *resources); /* of a cubinet_kernel_resources, a tuple */
PyObject *py_record_launch(const void *record);       /* of a cubinet_launch_record, a tuple */
PyObject *py_record_image(const void *image);         /* of a cubinet_image_info, a tuple */
PyObject *py_record_tuning(const void *tuning);       /* of a cubinet_tuning, a tuple */

#endif
