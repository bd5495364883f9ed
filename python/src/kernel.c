/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of loaded modules. */
#include "arrays.h"
#include "config.h"
#include "error.h"
#include "launch.h"
#include "parameters.h"
#include "questions.h"

PyTypeObject *py_kernel_type;

static void dealloc(PyObject *self)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    py_parameters_free(kernel->parameters);
    Py_XDECREF(kernel->name);
    Py_XDECREF((PyObject *)kernel->module);
    py_free(self);
}

/* Fills what a kernel object is made of. */
static bool find(struct py_kernel *kernel, PyObject *module, const char *name)
{
    cubinet_module *handle = py_module_use((struct py_module *)module);
    if (!handle) {
        return false;
    }
    Py_INCREF(module);
    kernel->module = (struct py_module *)module;
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status = cubinet_module_find_kernel(handle, name, &kernel->handle);
    Py_END_ALLOW_THREADS cubinet_kernel_info info = {.size = sizeof(info)};
    status = status ? status : cubinet_kernel_get_info(kernel->handle, &info);
    if (status) {
        py_raise(status);
    } else {
        kernel->name = PyUnicode_FromString(info.expression);
        kernel->parameters = kernel->name ? py_parameters_new(kernel->handle) : NULL;
    }
    py_module_release(kernel->module);
    return kernel->parameters != NULL;
}

static PyObject *new_kernel(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *module = NULL;
    const char *name = NULL;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O!s", py_module_type, &module, &name)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *kernel = allocate(type, 0);
    if (kernel && !find((struct py_kernel *)kernel, module, name)) {
        Py_DECREF(kernel);
        return NULL;
    }
    return kernel;
}

static PyObject *get_name(PyObject *self, void *ignored)
{
    (void)ignored;
    cubinet_kernel_info info = {.size = sizeof(info)};
    struct py_kernel *kernel = (struct py_kernel *)self;
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status = cubinet_kernel_get_info(kernel->handle, &info);
    PyObject *name = status ? py_raise(status) : PyUnicode_FromString(info.name);
    py_module_release(kernel->module);
    return name;
}

static PyObject *get_expression(PyObject *self, void *ignored)
{
    (void)ignored;
    PyObject *name = ((struct py_kernel *)self)->name;
    Py_INCREF(name);
    return name;
}

static PyObject *get_parameters(PyObject *self, void *ignored)
{
    (void)ignored;
    return py_parameters_describe(((struct py_kernel *)self)->parameters);
}

static PyObject *get_handle(PyObject *self, void *ignored)
{
    (void)ignored;
    struct py_kernel *kernel = (struct py_kernel *)self;
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    kernel->module->is_used = true;
    PyObject *handle = PyLong_FromVoidPtr((void *)cubinet_kernel_get_handle(kernel->handle));
    py_module_release(kernel->module);
    return handle;
}

static PyObject *get_library(PyObject *self, void *ignored)
{
    (void)ignored;
    struct py_kernel *kernel = (struct py_kernel *)self;
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    kernel->module->is_used = true;
    PyObject *library = PyLong_FromVoidPtr((void *)cubinet_kernel_get_library(kernel->handle));
    py_module_release(kernel->module);
    return library;
}

int py_kernel_register(PyObject *extension)
{
    static PyGetSetDef getters[] = {
        {"name", get_name, NULL, "Lowered (mangled) name, as in the image.", NULL},
        {"expression", get_expression, NULL,
         "The name expression that made the kernel, as it was written; the name if there is none.", NULL},
        {"_parameters", get_parameters, NULL, "(name, type, offset, size, is hidden) of each; or None.",
         NULL},
        {"handle", get_handle, NULL, "The driver's CUkernel, as an int. It belongs to the module.", NULL},
        {"library", get_library, NULL, "The driver's CUlibrary that it is in, as an int.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyMethodDef methods[] = {
        {"launch", (PyCFunction)(void (*)(void))py_launch, METH_FASTCALL | METH_KEYWORDS, py_launch_doc},
        {"add_node", (PyCFunction)(void (*)(void))py_add_node, METH_FASTCALL | METH_KEYWORDS,
         py_add_node_doc},
        {"update_node", (PyCFunction)(void (*)(void))py_update_node, METH_FASTCALL | METH_KEYWORDS,
         py_update_node_doc},
        {"update_exec_node", (PyCFunction)(void (*)(void))py_update_exec_node, METH_FASTCALL | METH_KEYWORDS,
         py_update_exec_node_doc},
        {"_suggest", py_suggest, METH_VARARGS, "suggest() with plain arguments."},
        {"_occupancy", py_occupancy, METH_VARARGS, "occupancy() with plain arguments."},
        {"_resources", py_resources, METH_NOARGS, "resources with plain results."},
        {"_launch_record", py_launch_record, METH_NOARGS, "launch_record with plain results."},
        {"_max_active_clusters", py_max_active_clusters, METH_VARARGS, "With plain arguments."},
        {"_available_dynamic_shared", py_available_dynamic_shared, METH_VARARGS, "With plain arguments."},
        {"prefer_shared", py_prefer_shared, METH_O,
         "Sets how much of a multiprocessor's memory is shared memory while the kernel runs: percent of\n"
         "the most, 0 to 100; -1 for the driver's default."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "A kernel of a loaded module. Keeps its module alive."},
        {Py_tp_new, new_kernel},
        {Py_tp_dealloc, dealloc},
        {Py_tp_getset, getters},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "cubinet._loader.Kernel",
        .basicsize = sizeof(struct py_kernel),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .slots = slots,
    };
    py_kernel_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return py_kernel_type && py_config_start() == 0 && py_array_start() == 0
               ? PyModule_AddObjectRef(extension, "Kernel", (PyObject *)py_kernel_type)
               : -1;
}
