/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_each.h"

#include "arguments.h"
#include "config.h"
#include "error.h"

const char py_launch_each_doc[] =
    "launch_each(targets, grid, block, args=(), *, ...)\n"
    "\n"
    "Makes the same launch with each of several kernels: on every device, or in several streams.\n"
    "\n"
    "targets: (kernel, stream) or (kernel, stream, args) of each. The others are as of\n"
    "    Kernel.launch(), but for stream. All are checked before the first is launched.\n"
    "\n"
    "Raises what Kernel.launch() raises; the message says which of the launches failed.";

/* What one of them needs until the call is over. */
struct each {
    struct py_kernel *kernel; /* in use; a reference */
    unsigned char *memory;    /* of its arguments */
    cubinet_arg *args;
};

static bool read_target(PyObject *given, PyObject *values, struct each *each, cubinet_launch_target *target)
{
    PyObject *kernel = NULL;
    PyObject *stream = NULL;
    PyObject *own = values;
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "O!O|O", py_kernel_type, &kernel, &stream, &own)) {
        PyErr_Clear();
        py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT,
                        "launch_each(): %R is not (kernel, stream) or (kernel, stream, args)", given);
        return false;
    }
    struct py_kernel *used = (struct py_kernel *)kernel;
    if (!py_config_stream(stream, &target->stream) || !py_module_use(used->module)) {
        return false;
    }
    Py_INCREF(kernel);
    each->kernel = used;
    used->module->is_used = true;
    PyObject *all = PySequence_Tuple(own);
    size_t count = all ? (size_t)PyTuple_Size(all) : 0;
    size_t bytes = used->parameters->is_known ? used->parameters->bytes : PY_PACK_UNKNOWN;
    each->memory = all ? PyMem_Malloc(bytes + 1) : NULL;
    each->args = all ? PyMem_Calloc(count + 1, sizeof(*each->args)) : NULL;
    bool is_packed = each->memory && each->args && py_pack_all(used, all, each->memory, each->args);
    if (all && (!each->memory || !each->args)) {
        PyErr_NoMemory();
    }
    Py_XDECREF(all);
    target->kernel = used->handle;
    target->args = each->args;
    target->arg_count = count;
    return is_packed;
}

static void let_go(struct each *each, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyMem_Free(each[i].memory);
        PyMem_Free(each[i].args);
        if (each[i].kernel) {
            py_module_release(each[i].kernel->module);
            Py_DECREF((PyObject *)each[i].kernel);
        }
    }
}

static PyObject *launch_all(PyObject *given, PyObject *values, const struct py_config *config,
                            struct each *each, cubinet_launch_target *targets)
{
    Py_ssize_t count = PyTuple_Size(given);
    bool is_read = true;
    for (Py_ssize_t i = 0; i < count && is_read; i++) {
        is_read = read_target(PyTuple_GetItem(given, i), values, &each[i], &targets[i]);
    }
    if (!is_read) {
        return NULL;
    }
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status =
        cubinet_launch_each(&config->config, NULL, 0, targets, (size_t)count, NULL);
    Py_END_ALLOW_THREADS if (status)
    {
        return py_raise(status);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *py_launch_each(PyObject *extension, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    (void)extension;
    struct py_config config = {.config = {.size = sizeof(config.config)}};
    if (count < 3 || count > 4) {
        PyErr_Format(PyExc_TypeError,
                     "launch_each() takes targets, grid, block and a tuple of arguments; %zd were given",
                     count);
        return NULL;
    }
    if (!py_config_read(arguments + 1, count - 1, keywords, &config)) {
        return NULL;
    }
    PyObject *given = PySequence_Tuple(arguments[0]);
    PyObject *values = count == 4 ? PySequence_Tuple(arguments[3]) : PyTuple_New(0);
    Py_ssize_t targets = given ? PyTuple_Size(given) : 0;
    struct each *each = PyMem_Calloc((size_t)targets + 1, sizeof(*each));
    cubinet_launch_target *list = PyMem_Calloc((size_t)targets + 1, sizeof(*list));
    PyObject *result = NULL;
    if (given && values && each && list) {
        result = launch_all(given, values, &config, each, list);
    } else if (given && values) {
        PyErr_NoMemory();
    }
    if (each) {
        let_go(each, targets);
    }
    PyMem_Free(each);
    PyMem_Free(list);
    Py_XDECREF(given);
    Py_XDECREF(values);
    return result;
}
