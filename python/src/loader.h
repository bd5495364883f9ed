/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension module have in common: Python of the Limited API, and the objects. */
#ifndef PY_LOADER_H
#define PY_LOADER_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* Python 3.11, the first with buffers in it */
#include <Python.h>

#include <cubinet/cubinet.h>

#include <stdbool.h>

/* The interpreter's lock keeps these objects: a call that gives it up counts itself in `busy` first, and a
 * handle is given back when it is closed and no call is under way. */
struct py_archive {
    PyObject ob_base;
    cubinet_archive *handle;
    Py_buffer memory; /* of an archive in memory; obj is NULL for others */
    size_t busy;
    bool is_closed;
};

struct py_module {
    PyObject ob_base;
    cubinet_module *handle;
    CUdevice device;
    size_t busy;
    bool is_closed;
    bool is_used; /* a kernel was launched, or the driver's handle or an address was given out */
};

/* How arguments are given to a kernel; see parameters.h. */
struct py_parameters;

struct py_kernel {
    PyObject ob_base;
    struct py_module *module; /* a reference */
    cubinet_kernel *handle;   /* the module's */
    struct py_parameters *parameters;
    PyObject *name; /* for messages */
};

extern PyTypeObject *py_archive_type;
extern PyTypeObject *py_module_type;
extern PyTypeObject *py_kernel_type;
extern PyTypeObject *py_link_type;

int py_archive_register(PyObject *extension);
int py_module_register(PyObject *extension);
int py_kernel_register(PyObject *extension);
int py_link_register(PyObject *extension);

/* The archive's handle, for a call that may give up the lock until py_archive_release(). NULL, with the
 * exception set, if it is closed. */
cubinet_archive *py_archive_use(struct py_archive *archive);
void py_archive_release(struct py_archive *archive);

/* The same of a module. */
cubinet_module *py_module_use(struct py_module *module);
void py_module_release(struct py_module *module);

/* A module object of the class `type`, which is py_module_type or derived from it. It takes the handle,
 * also when it fails. */
PyObject *py_module_new(PyTypeObject *type, cubinet_module *handle, CUdevice device);

/* Takes memory from an object's class, as every tp_dealloc of a heap type does. */
void py_free(PyObject *object);

#endif
