/* SPDX-License-Identifier: Apache-2.0 */
/* Links under way. */
#include "config.h"
#include "driver.h"
#include "error.h"

PyTypeObject *py_link_type;

struct py_link {
    PyObject ob_base;
    cubinet_link *handle;
    CUdevice device;
    PyObject *archives; /* a list of those that have to stay open */
    bool is_busy;
};

/* A link is used by one thread at a time. NULL, with the exception set. */
static cubinet_link *use(struct py_link *link)
{
    if (link->is_busy || !link->handle) {
        return (cubinet_link *)py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT,
                                               link->handle ? "the link is in use by another thread"
                                                            : "the link is closed");
    }
    link->is_busy = true;
    return link->handle;
}

static PyObject *finish(struct py_link *link, cubinet_status status)
{
    link->is_busy = false;
    if (status) {
        return py_raise(status);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static void close_handle(struct py_link *link)
{
    cubinet_link_destroy(link->handle);
    link->handle = NULL;
    Py_ssize_t count = link->archives ? PyList_Size(link->archives) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        py_archive_release((struct py_archive *)PyList_GetItem(link->archives, i));
    }
    Py_XDECREF(link->archives);
    link->archives = NULL;
}

static void dealloc(PyObject *self)
{
    close_handle((struct py_link *)self);
    py_free(self);
}

static PyObject *close_link(PyObject *self, PyObject *ignored)
{
    struct py_link *link = (struct py_link *)self;
    (void)ignored;
    if (link->handle) {
        if (!use(link)) {
            return NULL;
        }
        close_handle(link);
        link->is_busy = false;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

/* (device or -1, flags, most registers, math, suffix, raw options, nvJitLink's path) */
static PyObject *new_link(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    int number = -1;
    PyObject *raw = NULL;
    const char *texts[64];
    cubinet_link_options options = {.size = sizeof(options), .raw_options = texts};
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "iO&O&O&iO!z", &number, py_config_u32, &options.flags, py_config_u32,
                          &options.max_registers, py_config_u32, &options.math, &options.suffix,
                          &PyTuple_Type, &raw, &options.nvjitlink)) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_Size(raw);
    if (count > (Py_ssize_t)(sizeof(texts) / sizeof(texts[0]))) {
        return py_raise_format(CUBINET_ERROR_LIMIT, "%zd options for nvJitLink; 64 are possible", count);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(raw, i), NULL);
        if (!texts[i]) {
            return NULL;
        }
    }
    options.raw_option_count = (size_t)count;
    CUdevice device = py_driver_device(number);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct py_link *link = device < 0 ? NULL : (struct py_link *)allocate(type, 0);
    if (!link) {
        return NULL;
    }
    link->device = device;
    link->archives = PyList_New(0);
    cubinet_status status = cubinet_link_create(py_driver(), device, &options, &link->handle);
    if (status || !link->archives) {
        if (status) {
            py_raise(status);
        }
        Py_DECREF((PyObject *)link);
        return NULL;
    }
    return (PyObject *)link;
}

/* Keeps an archive open until the link is closed. */
static bool keep(struct py_link *link, PyObject *archive)
{
    if (PyList_Append(link->archives, archive) != 0) {
        return false;
    }
    if (!py_archive_use((struct py_archive *)archive)) {
        Py_ssize_t last = PyList_Size(link->archives) - 1;
        PyObject *type = NULL;
        PyObject *value = NULL;
        PyObject *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        PyList_SetSlice(link->archives, last, last + 1, NULL);
        PyErr_Restore(type, value, trace);
        return false;
    }
    return true;
}

static PyObject *add_module(PyObject *self, PyObject *arguments)
{
    struct py_link *link = (struct py_link *)self;
    PyObject *archive = NULL;
    const char *name = NULL;
    if (!PyArg_ParseTuple(arguments, "O!s", py_archive_type, &archive, &name) || !use(link)) {
        return NULL;
    }
    if (!keep(link, archive)) {
        link->is_busy = false;
        return NULL;
    }
    cubinet_status status;
    const cubinet_archive *handle = ((struct py_archive *)archive)->handle;
    Py_BEGIN_ALLOW_THREADS status = cubinet_link_add_module(link->handle, handle, name);
    Py_END_ALLOW_THREADS return finish(link, status);
}

static PyObject *add_archive(PyObject *self, PyObject *arguments)
{
    struct py_link *link = (struct py_link *)self;
    PyObject *archive = NULL;
    if (!PyArg_ParseTuple(arguments, "O!", py_archive_type, &archive) || !use(link)) {
        return NULL;
    }
    if (!keep(link, archive)) {
        link->is_busy = false;
        return NULL;
    }
    return finish(link, cubinet_link_add_archive(link->handle, ((struct py_archive *)archive)->handle));
}

static PyObject *add_data(PyObject *self, PyObject *arguments)
{
    struct py_link *link = (struct py_link *)self;
    int kind = 0;
    Py_buffer data;
    const char *name = NULL;
    if (!PyArg_ParseTuple(arguments, "iy*z", &kind, &data, &name)) {
        return NULL;
    }
    PyObject *result = NULL;
    if (use(link)) {
        result = finish(link, cubinet_link_add_data(link->handle, (cubinet_piece_kind)kind, data.buf,
                                                    (size_t)data.len, name));
    }
    PyBuffer_Release(&data);
    return result;
}

static PyObject *complete(PyObject *self, PyObject *class)
{
    struct py_link *link = (struct py_link *)self;
    cubinet_module *module = NULL;
    cubinet_status status;
    if (!use(link)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = cubinet_link_complete(link->handle, &module);
    Py_END_ALLOW_THREADS link->is_busy = false;
    return status ? py_raise(status) : py_module_new((PyTypeObject *)class, module, link->device);
}

static PyObject *get_cubin(PyObject *self, PyObject *ignored)
{
    struct py_link *link = (struct py_link *)self;
    const void *data = NULL;
    size_t size = 0;
    cubinet_status status;
    (void)ignored;
    if (!use(link)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = cubinet_link_get_cubin(link->handle, &data, &size);
    Py_END_ALLOW_THREADS PyObject *bytes =
        status ? py_raise(status) : PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    link->is_busy = false;
    return bytes;
}

int py_link_register(PyObject *extension)
{
    static PyMethodDef methods[] = {
        {"close", close_link, METH_NOARGS, "Ends the link. Modules that it made stay loaded."},
        {"_add_module", add_module, METH_VARARGS, "Adds a module of an archive."},
        {"_add_archive", add_archive, METH_VARARGS, "Names an archive to look in."},
        {"_add_data", add_data, METH_VARARGS, "Adds a piece that lies in memory."},
        {"_complete", complete, METH_O, "Links, and loads what comes out as an object of a class."},
        {"_cubin", get_cubin, METH_NOARGS, "Links, and returns the cubin."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "A link under way."},
        {Py_tp_new, new_link},
        {Py_tp_dealloc, dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "cubinet._loader.Link",
        .basicsize = sizeof(struct py_link),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .slots = slots,
    };
    py_link_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return py_link_type ? PyModule_AddObjectRef(extension, "Link", (PyObject *)py_link_type) : -1;
}
