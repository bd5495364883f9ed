/* SPDX-License-Identifier: Apache-2.0 */
/* The process's driver, opened at its first use and never closed. */
#ifndef PY_DRIVER_H
#define PY_DRIVER_H

#include "loader.h"

/* NULL, with the exception set, if it can't be opened. A later call tries again. */
cubinet_driver *py_driver(void);

/* The device of a number; -1 means that of the current context, or 0 if there is none. -1, with the
 * exception set, for a failure. */
CUdevice py_driver_device(int number);

/* Waits for everything that runs in a context. False if that can't be known: then what it uses must stay. */
bool py_driver_wait(CUcontext context);

/* Functions of the extension module about devices. */
extern PyMethodDef py_driver_functions[];

#endif
