/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: what is in them, and loading their modules. */
#include "config.h"
#include "driver.h"
#include "error.h"
#include "explain.h"
#include "records.h"

#include <string.h>

PyTypeObject *py_archive_type;

cubinet_archive *py_archive_use(struct py_archive *archive)
{
    if (archive->is_closed || !archive->handle) {
        return (cubinet_archive *)py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "the archive is closed");
    }
    archive->busy++;
    return archive->handle;
}

static void close_handle(struct py_archive *archive)
{
    cubinet_archive_close(archive->handle);
    archive->handle = NULL;
    if (archive->memory.obj) {
        PyBuffer_Release(&archive->memory);
    }
}

void py_archive_release(struct py_archive *archive)
{
    archive->busy--;
    if (archive->is_closed && archive->busy == 0) {
        close_handle(archive);
    }
}

/* A tuple of str as an array, which PyMem_Free() takes; its texts belong to the tuple. NULL with an
 * exception. */
static const char **texts_of(PyObject *tuple)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    const char **texts = PyMem_Calloc((size_t)count + 1, sizeof(*texts));
    if (!texts) {
        return (const char **)PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
        if (!texts[i]) {
            PyMem_Free((void *)texts);
            return NULL;
        }
    }
    return texts;
}

static cubinet_status open_as(struct py_archive *archive, const char *path,
                              const cubinet_archive_options *options)
{
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status =
        path ? cubinet_archive_open(path, options, &archive->handle)
             : cubinet_archive_open_memory(archive->memory.buf, (size_t)archive->memory.len, options,
                                           &archive->handle);
    Py_END_ALLOW_THREADS return status;
}

/* Opens what `path`, bytes that name a file, or `data`, another object with bytes, is. */
static bool open_archive(struct py_archive *archive, PyObject *path, PyObject *data, PyObject *keys,
                         cubinet_archive_options *options)
{
    const char **public_keys = keys == Py_None ? NULL : texts_of(keys);
    if (keys != Py_None) {
        if (!public_keys) {
            return false;
        }
        options->public_keys = public_keys;
        options->public_key_count = (size_t)PyTuple_Size(keys);
    }
    cubinet_status status = CUBINET_OK;
    bool has_bytes = data == Py_None || PyObject_GetBuffer(data, &archive->memory, PyBUF_SIMPLE) == 0;
    if (has_bytes) {
        status = open_as(archive, data == Py_None ? PyBytes_AsString(path) : NULL, options);
    }
    PyMem_Free((void *)public_keys);
    if (status) {
        py_raise(status);
    }
    return archive->handle != NULL;
}

static PyObject *new_archive(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *path = NULL;
    PyObject *data = NULL;
    PyObject *keys = NULL;
    cubinet_archive_options options = {.size = sizeof(options)};
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "OOOO&zz", &path, &data, &keys, py_config_u64, &options.max_image_size,
                          &options.require_version, &options.require_abi)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *archive = allocate(type, 0);
    if (archive && !open_archive((struct py_archive *)archive, path, data, keys, &options)) {
        Py_DECREF(archive);
        return NULL;
    }
    return archive;
}

static PyObject *close_archive(PyObject *self, PyObject *ignored)
{
    struct py_archive *archive = (struct py_archive *)self;
    (void)ignored;
    archive->is_closed = true;
    if (archive->busy == 0) {
        close_handle(archive);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static void dealloc(PyObject *self)
{
    close_handle((struct py_archive *)self);
    py_free(self);
}

static PyObject *get_closed(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyBool_FromLong(((struct py_archive *)self)->is_closed);
}

/* A question with up to three numbers; the archive is in use meanwhile. */
static PyObject *ask(PyObject *self, PyObject *arguments, int count,
                     PyObject *(*question)(const cubinet_archive *, const uint32_t numbers[3]))
{
    static const char *const formats[] = {"", "O&", "O&O&", "O&O&O&"};
    uint32_t numbers[3] = {0};
    struct py_archive *archive = (struct py_archive *)self;
    if (!PyArg_ParseTuple(arguments, formats[count], py_config_u32, &numbers[0], py_config_u32, &numbers[1],
                          py_config_u32, &numbers[2]) ||
        !py_archive_use(archive)) {
        return NULL;
    }
    PyObject *answer = question(archive->handle, numbers);
    py_archive_release(archive);
    return answer;
}

static PyObject *ask_info(const cubinet_archive *archive, const uint32_t *numbers)
{
    (void)numbers;
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    return status ? py_raise(status)
                  : Py_BuildValue("sssK(HH)IO", info.archive_version, info.abi, info.producer,
                                  (unsigned long long)info.archive_size, info.format_major, info.format_minor,
                                  info.signature_count,
                                  info.flags & CUBINET_ARCHIVE_TRUSTED ? Py_True : Py_False);
}

static PyObject *info(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 0, ask_info);
}

static PyObject *ask_properties(const cubinet_archive *archive, const uint32_t *numbers)
{
    (void)numbers;
    const char *key = NULL;
    const char *value = NULL;
    PyObject *all = PyDict_New();
    for (uint32_t i = 0; all && !cubinet_archive_get_property(archive, i, &key, &value); i++) {
        PyObject *text = PyUnicode_FromString(value);
        int status = text ? PyDict_SetItemString(all, key, text) : -1;
        Py_XDECREF(text);
        if (status) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

static PyObject *properties(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 0, ask_properties);
}

static PyObject *ask_module_count(const cubinet_archive *archive, const uint32_t *numbers)
{
    (void)numbers;
    return PyLong_FromUnsignedLong(cubinet_archive_get_module_count(archive));
}

static PyObject *module_count(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 0, ask_module_count);
}

static PyObject *ask_module(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_status status = cubinet_archive_get_module(archive, numbers[0], &module);
    return status ? py_raise(status)
                  : Py_BuildValue("sIII", module.name, module.image_count, module.kernel_count,
                                  module.global_count);
}

static PyObject *module(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 1, ask_module);
}

static PyObject *ask_image(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_status status = cubinet_archive_get_image(archive, numbers[0], numbers[1], &image);
    return status ? py_raise(status) : py_record_image(&image);
}

static PyObject *image(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 2, ask_image);
}

static PyObject *ask_kernel(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    cubinet_status status = cubinet_archive_get_kernel(archive, numbers[0], numbers[1], &kernel);
    return status ? py_raise(status) : Py_BuildValue("ss", kernel.name, kernel.expression);
}

static PyObject *kernel(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 2, ask_kernel);
}

static PyObject *ask_global(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_global_info global = {.size = sizeof(global)};
    cubinet_status status = cubinet_archive_get_global(archive, numbers[0], numbers[1], &global);
    return status ? py_raise(status)
                  : Py_BuildValue("ssK", global.name, global.expression, (unsigned long long)global.bytes);
}

static PyObject *global(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 2, ask_global);
}

static PyObject *ask_resources(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    cubinet_status status =
        cubinet_archive_get_resources(archive, numbers[0], numbers[1], numbers[2], &resources);
    return status ? py_raise(status) : py_record_resources(&resources);
}

static PyObject *resources(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 3, ask_resources);
}

static PyObject *ask_launch_record(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_status status =
        cubinet_archive_get_launch_record(archive, numbers[0], numbers[1], numbers[2], &record);
    return status ? py_raise(status) : py_record_launch(&record);
}

static PyObject *launch_record(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 3, ask_launch_record);
}

static PyObject *ask_tuning_count(const cubinet_archive *archive, const uint32_t *numbers)
{
    uint32_t count = 0;
    cubinet_status status = cubinet_archive_get_tuning_count(archive, numbers[0], &count);
    return status ? py_raise(status) : PyLong_FromUnsignedLong(count);
}

static PyObject *tuning_count(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 1, ask_tuning_count);
}

static PyObject *ask_tuning(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_tuning tuning = {.size = sizeof(tuning)};
    cubinet_status status = cubinet_archive_get_tuning(archive, numbers[0], numbers[1], &tuning);
    return status ? py_raise(status) : py_record_tuning(&tuning);
}

static PyObject *tuning(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 2, ask_tuning);
}

/* An image, or its part of that number, into bytes of its size. */
typedef cubinet_status read_bytes(const cubinet_archive *archive, const uint32_t *numbers, void *buffer,
                                  size_t size);

static cubinet_status read_whole(const cubinet_archive *archive, const uint32_t *numbers, void *buffer,
                                 size_t size)
{
    return cubinet_archive_read_image(archive, numbers[0], numbers[1], buffer, size);
}

static cubinet_status read_one(const cubinet_archive *archive, const uint32_t *numbers, void *buffer,
                               size_t size)
{
    return cubinet_archive_read_part(archive, numbers[0], numbers[1], numbers[2], buffer, size);
}

static PyObject *bytes_of(const cubinet_archive *archive, const uint32_t *numbers, uint64_t size,
                          read_bytes *read)
{
    cubinet_status status = CUBINET_OK;
    PyObject *bytes = size > PY_SSIZE_T_MAX ? NULL : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!bytes) {
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    char *buffer = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS status = read(archive, numbers, buffer, (size_t)size);
    Py_END_ALLOW_THREADS if (status)
    {
        Py_DECREF(bytes);
        return py_raise(status);
    }
    return bytes;
}

static PyObject *ask_bytes(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_status status = cubinet_archive_get_image(archive, numbers[0], numbers[1], &image);
    return status ? py_raise(status) : bytes_of(archive, numbers, image.raw_size, read_whole);
}

static PyObject *ask_part(const cubinet_archive *archive, const uint32_t *numbers)
{
    cubinet_part_info part = {.size = sizeof(part)};
    cubinet_status status = cubinet_archive_get_part(archive, numbers[0], numbers[1], numbers[2], &part);
    return status ? py_raise(status) : bytes_of(archive, numbers, part.raw_size, read_one);
}

static PyObject *read_part(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 3, ask_part);
}

static PyObject *read_image(PyObject *self, PyObject *arguments)
{
    return ask(self, arguments, 2, ask_bytes);
}

static PyObject *find_module(PyObject *self, PyObject *arguments)
{
    struct py_archive *archive = (struct py_archive *)self;
    const char *name = NULL;
    uint32_t found = 0;
    if (!PyArg_ParseTuple(arguments, "s", &name) || !py_archive_use(archive)) {
        return NULL;
    }
    cubinet_status status = cubinet_archive_find_module(archive->handle, name, &found);
    PyObject *answer = status ? py_raise(status) : PyLong_FromUnsignedLong(found);
    py_archive_release(archive);
    return answer;
}

static PyObject *find_kernel(PyObject *self, PyObject *arguments)
{
    struct py_archive *archive = (struct py_archive *)self;
    uint32_t module_number = 0;
    const char *name = NULL;
    uint32_t found = 0;
    if (!PyArg_ParseTuple(arguments, "O&s", py_config_u32, &module_number, &name) ||
        !py_archive_use(archive)) {
        return NULL;
    }
    cubinet_status status = cubinet_archive_find_kernel(archive->handle, module_number, name, &found);
    PyObject *answer = status ? py_raise(status) : PyLong_FromUnsignedLong(found);
    py_archive_release(archive);
    return answer;
}

static PyObject *explain(PyObject *self, PyObject *arguments)
{
    struct py_archive *archive = (struct py_archive *)self;
    if (!py_archive_use(archive)) {
        return NULL;
    }
    PyObject *answer = py_explain(archive->handle, arguments);
    py_archive_release(archive);
    return answer;
}

/* (name, device or -1, class, policy's `only` and flags, load's flags, nvJitLink's path) */
static PyObject *load(PyObject *self, PyObject *arguments)
{
    struct py_archive *archive = (struct py_archive *)self;
    const char *name = NULL;
    int number = -1;
    PyObject *class = NULL;
    cubinet_policy policy = {.size = sizeof(policy)};
    cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    if (!PyArg_ParseTuple(arguments, "siOzO&O&z", &name, &number, &class, &policy.only, py_config_u32,
                          &policy.flags, py_config_u32, &options.flags, &options.nvjitlink)) {
        return NULL;
    }
    CUdevice device = py_driver_device(number);
    if (device < 0 || !py_archive_use(archive)) {
        return NULL;
    }
    cubinet_module *loaded = NULL;
    cubinet_driver *driver = py_driver();
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status =
        cubinet_module_load(driver, archive->handle, name, device, &options, &loaded);
    Py_END_ALLOW_THREADS PyObject *answer =
        status ? py_raise(status) : py_module_new((PyTypeObject *)class, loaded, device);
    py_archive_release(archive);
    return answer;
}

int py_archive_register(PyObject *extension)
{
    static PyGetSetDef getters[] = {
        {"closed", get_closed, NULL, "Whether close() was called.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyMethodDef methods[] = {
        {"close", close_archive, METH_NOARGS,
         "Closes the archive. Modules loaded from it stay usable. May be called again."},
        {"_info", info, METH_VARARGS, "What the archive says of itself."},
        {"_properties", properties, METH_VARARGS, "What its makers said of it."},
        {"_module_count", module_count, METH_VARARGS, "How many modules there are."},
        {"_module", module, METH_VARARGS, "(name, images, kernels, globals) of a module."},
        {"_image", image, METH_VARARGS, "An image of a module."},
        {"_kernel", kernel, METH_VARARGS, "(lowered name, expression) of a kernel."},
        {"_global", global, METH_VARARGS, "(lowered name, expression, bytes) of a variable."},
        {"_resources", resources, METH_VARARGS, "What a kernel needs in one image."},
        {"_launch_record", launch_record, METH_VARARGS, "How a kernel is launched in one image."},
        {"_tuning_count", tuning_count, METH_VARARGS, "How many tuning records a module has."},
        {"_tuning", tuning, METH_VARARGS, "A tuning record of a module."},
        {"_read_image", read_image, METH_VARARGS, "The bytes of an image."},
        {"_read_part", read_part, METH_VARARGS, "The bytes of a part of an image."},
        {"_find_module", find_module, METH_VARARGS, "The number of a module."},
        {"_find_kernel", find_kernel, METH_VARARGS, "The number of a kernel."},
        {"_explain", explain, METH_VARARGS, "What selection says of each image."},
        {"_load", load, METH_VARARGS, "Loads a module."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "An open archive."}, {Py_tp_new, new_archive}, {Py_tp_dealloc, dealloc},
        {Py_tp_getset, getters},         {Py_tp_methods, methods}, {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "cubinet._loader.Archive",
        .basicsize = sizeof(struct py_archive),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .slots = slots,
    };
    py_archive_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return py_archive_type ? PyModule_AddObjectRef(extension, "Archive", (PyObject *)py_archive_type) : -1;
}
