/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <string.h>

/* Takes the message. */
static PyObject *raise_message(cubinet_status status, PyObject *message, int driver_result)
{
    PyObject *module = message ? PyImport_ImportModule("cubinet._errors") : NULL;
    PyObject *error = NULL;
    if (module) {
        error = PyObject_CallMethod(module, "make", "isOi", (int)status, cubinet_status_name(status), message,
                                    driver_result);
    }
    if (error) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(error);
    Py_XDECREF(module);
    Py_XDECREF(message);
    return NULL;
}

PyObject *py_raise(cubinet_status status)
{
    const char *text = cubinet_error_message();
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    return raise_message(status, message, cubinet_error_driver_result());
}

PyObject *py_raise_format(cubinet_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyObject *message = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    return raise_message(status, message, 0);
}
