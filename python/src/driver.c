/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include "error.h"
#include "launch_each.h"

static cubinet_driver *driver;

cubinet_driver *py_driver(void)
{
    if (driver) {
        return driver;
    }
    cubinet_driver *opened = NULL;
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status = cubinet_driver_open(NULL, &opened);
    Py_END_ALLOW_THREADS if (status)
    {
        return (cubinet_driver *)py_raise(status);
    }
    if (driver) { /* another thread was faster */
        cubinet_driver_close(opened);
    } else {
        driver = opened;
    }
    return driver;
}

/* A driver's function; NULL if it has none of that name. */
static void *find(const char *name)
{
    void *function = NULL;
    return cubinet_driver_get_proc_address(driver, name, &function) ? NULL : function;
}

CUdevice py_driver_device(int number)
{
    CUdevice device = number;
    if (!py_driver()) {
        return -1;
    }
    int (*get_device)(CUdevice *) = number < 0 ? (int (*)(CUdevice *))find("cuCtxGetDevice") : NULL;
    if (number < 0 && (!get_device || get_device(&device) != 0)) {
        device = 0;
    }
    return device;
}

bool py_driver_wait(CUcontext context)
{
    enum { RELAXED = 2 }; /* CU_STREAM_CAPTURE_MODE_RELAXED */
    int (*push)(CUcontext) = (int (*)(CUcontext))find("cuCtxPushCurrent");
    int (*pop)(CUcontext *) = (int (*)(CUcontext *))find("cuCtxPopCurrent");
    int (*wait)(void) = (int (*)(void))find("cuCtxSynchronize");
    int (*exchange)(int *) = (int (*)(int *))find("cuThreadExchangeStreamCaptureMode");
    int mode = RELAXED;
    if (!push || !pop || !wait || !exchange || push(context) != 0) {
        return false;
    }
    exchange(&mode);
    int result = wait();
    exchange(&mode);
    pop(&context);
    return result == 0 || (result >= 700 && result < 800); /* faults, after which nothing runs */
}

static PyObject *device_count(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return py_driver() ? PyLong_FromLong(cubinet_driver_get_device_count(driver)) : NULL;
}

static PyObject *driver_version(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return py_driver() ? PyLong_FromLong(cubinet_driver_get_version(driver)) : NULL;
}

static PyObject *device_profile(PyObject *self, PyObject *arguments)
{
    (void)self;
    int wanted = -1;
    if (!PyArg_ParseTuple(arguments, "i:device_profile", &wanted)) {
        return NULL;
    }
    CUdevice device = py_driver_device(wanted);
    if (device < 0) {
        return NULL;
    }
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status = cubinet_driver_get_profile(driver, device, &profile);
    Py_END_ALLOW_THREADS return status
        ? py_raise(status)
        : Py_BuildValue("iiIII", profile.compute_major, profile.compute_minor, profile.driver_version,
                        profile.nvjitlink_version, profile.flags);
}

PyMethodDef py_driver_functions[] = {
    {"device_count", device_count, METH_NOARGS, "How many devices the driver has."},
    {"driver_version", driver_version, METH_NOARGS,
     "The CUDA release of the driver: 1000 * major + 10 * minor."},
    {"device_profile", device_profile, METH_VARARGS,
     "What selection needs to know of a device: compute capability, driver, nvJitLink, flags."},
    {"launch_each", (PyCFunction)(void (*)(void))py_launch_each, METH_FASTCALL | METH_KEYWORDS,
     py_launch_each_doc},
    {NULL, NULL, 0, NULL},
};
