/* SPDX-License-Identifier: Apache-2.0 */
/* Modules on a device. */
#include "driver.h"
#include "error.h"
#include "records.h"
#include "tuned.h"

PyTypeObject *py_module_type;

void py_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(object);
    Py_DECREF((PyObject *)type);
}

cubinet_module *py_module_use(struct py_module *module)
{
    if (module->is_closed || !module->handle) {
        return (cubinet_module *)py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "the module is closed");
    }
    module->busy++;
    return module->handle;
}

/* Unloads, after what may run has finished. What can't be waited for stays loaded: better a leak than
 * code that is gone while it runs. */
static void unload(struct py_module *module)
{
    cubinet_module *handle = module->handle;
    module->handle = NULL;
    if (handle) {
        PyThreadState *state = PyEval_SaveThread();
        if (!module->is_used || py_driver_wait(cubinet_module_get_context(handle))) {
            cubinet_module_unload(handle);
        }
        PyEval_RestoreThread(state);
    }
}

void py_module_release(struct py_module *module)
{
    module->busy--;
    if (module->is_closed && module->busy == 0) {
        unload(module);
    }
}

PyObject *py_module_new(PyTypeObject *type, cubinet_module *handle, CUdevice device)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct py_module *module = (struct py_module *)allocate(type, 0);
    if (!module) {
        cubinet_module_unload(handle);
        return NULL;
    }
    module->handle = handle;
    module->device = device;
    return (PyObject *)module;
}

static PyObject *close_module(PyObject *self, PyObject *ignored)
{
    struct py_module *module = (struct py_module *)self;
    (void)ignored;
    module->is_closed = true;
    if (module->busy == 0) {
        unload(module);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static void dealloc(PyObject *self)
{
    PyObject *type = NULL;
    PyObject *value = NULL;
    PyObject *trace = NULL;
    PyErr_Fetch(&type, &value, &trace); /* may run while an exception is on its way */
    unload((struct py_module *)self);
    PyErr_Restore(type, value, trace);
    py_free(self);
}

/* The answer of a question that needs the handle. */
static PyObject *ask(PyObject *self, PyObject *(*question)(struct py_module *module))
{
    struct py_module *module = (struct py_module *)self;
    if (!py_module_use(module)) {
        return NULL;
    }
    PyObject *answer = question(module);
    py_module_release(module);
    return answer;
}

static PyObject *ask_image(struct py_module *module)
{
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_module_get_image(module->handle, &info);
    return status ? py_raise(status) : py_record_image(&info);
}

static PyObject *get_image(PyObject *self, void *ignored)
{
    (void)ignored;
    return ask(self, ask_image);
}

static PyObject *ask_context(struct py_module *module)
{
    return PyLong_FromVoidPtr((void *)cubinet_module_get_context(module->handle));
}

static PyObject *get_context(PyObject *self, void *ignored)
{
    (void)ignored;
    return ask(self, ask_context);
}

static PyObject *ask_library(struct py_module *module)
{
    module->is_used = true;
    return PyLong_FromVoidPtr((void *)cubinet_module_get_library(module->handle));
}

static PyObject *get_library(PyObject *self, void *ignored)
{
    (void)ignored;
    return ask(self, ask_library);
}

static PyObject *get_device(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyLong_FromLong(((struct py_module *)self)->device);
}

static PyObject *get_closed(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyBool_FromLong(((struct py_module *)self)->is_closed);
}

static PyObject *find_global(PyObject *self, PyObject *arguments)
{
    struct py_module *module = (struct py_module *)self;
    const char *name = NULL;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "s:find_global", &name) || !py_module_use(module)) {
        return NULL;
    }
    module->is_used = true;
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status = cubinet_module_find_global(module->handle, name, &address, &bytes);
    Py_END_ALLOW_THREADS PyObject *found =
        status ? py_raise(status) : Py_BuildValue("KK", address, (unsigned long long)bytes);
    py_module_release(module);
    return found;
}

int py_module_register(PyObject *extension)
{
    static PyGetSetDef getters[] = {
        {"_image", get_image, NULL, "The image that was loaded, with plain results.", NULL},
        {"context", get_context, NULL, "The CUcontext that the module lives in, as an int.", NULL},
        {"library", get_library, NULL, "The driver's CUlibrary, as an int; 0 for a module in parts.", NULL},
        {"device", get_device, NULL, "The number of the device (CUdevice).", NULL},
        {"closed", get_closed, NULL, "Whether close() was called.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyMethodDef methods[] = {
        {"close", close_module, METH_NOARGS,
         "Waits for what its context runs, if it was used, and unloads the module. Kernels and addresses\n"
         "of it can't be used any more. May be called again."},
        {"find_global", find_global, METH_VARARGS,
         "find_global(name) -> (address, bytes)\n\n"
         "A __device__ or __constant__ variable, by its expression or lowered name. Raises NotFoundError."},
        {"_find_tuned", py_find_tuned, METH_VARARGS, "tuned() with plain arguments."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "A module on a device."},
        {Py_tp_dealloc, dealloc},
        {Py_tp_getset, getters},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "cubinet._loader.Module",
        .basicsize = sizeof(struct py_module),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    py_module_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return py_module_type ? PyModule_AddObjectRef(extension, "Module", (PyObject *)py_module_type) : -1;
}
