/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "arguments.h"
#include "config.h"
#include "error.h"

#include <stdalign.h>

/* Launches with more take memory. */
enum { BYTES_ON_STACK = 1024, ARGS_ON_STACK = 64 };

const char py_launch_doc[] =
    "launch(grid, block, args=(), *, stream=None, shared=None, cluster=None, cooperative=False,\n"
    "       extent=None, threads_per_element=None, use_record=True)\n"
    "\n"
    "Launches the kernel, asynchronously, in its module's context, which need not be current.\n"
    "\n"
    "grid, block: blocks, and threads in a block: an int or up to three; None takes what the\n"
    "    launch record says.\n"
    "args: a tuple with one argument for each parameter that is not hidden. A pointer takes an\n"
    "    array (DLPack or __cuda_array_interface__), an int or None; a number takes an int, a\n"
    "    float, or a number of ctypes or NumPy; a structure takes a ctypes.Structure, a NumPy\n"
    "    record or bytes. They are copied before the call returns. Nothing waits for an array,\n"
    "    and none is kept alive.\n"
    "stream: an object with __cuda_stream__, an address, or None for the default stream.\n"
    "shared: bytes of dynamic shared memory for each block; None takes the record's.\n"
    "cluster: blocks in a cluster, as grid.\n"
    "cooperative: all blocks are resident together.\n"
    "extent, threads_per_element: of kernels that are told launch bounds (Warp's).\n"
    "use_record: False takes nothing from the launch record.\n"
    "\n"
    "Raises LaunchArgumentsError, LimitError, InvalidArgumentError, DriverError and what else\n"
    "cubinet_kernel_launch() returns. The lock of the interpreter is given up meanwhile.";

static bool read_config(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                        cubinet_launch_config *config)
{
    if (!py_config_sides("grid", arguments[0], 3, config->grid) ||
        !py_config_sides("block", arguments[1], 3, config->block)) {
        return false;
    }
    Py_ssize_t keyword_count = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < keyword_count; i++) {
        PyObject *keyword = PyTuple_GetItem(keywords, i);
        if (!py_config_keyword(keyword, arguments[count + i], config)) {
            return false;
        }
    }
    return true;
}

static PyObject *submit(struct py_kernel *kernel, const cubinet_launch_config *config,
                        const cubinet_arg *args, size_t count)
{
    cubinet_status status;
    struct py_module *module = kernel->module;
    if (!py_module_use(module)) {
        return NULL;
    }
    module->has_launched = true;
    Py_BEGIN_ALLOW_THREADS status = cubinet_kernel_launch(kernel->handle, config, args, count);
    Py_END_ALLOW_THREADS py_module_release(module);
    if (status) {
        return py_raise(status);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *launch_in(struct py_kernel *kernel, const cubinet_launch_config *config, PyObject *values,
                           unsigned char *memory, cubinet_arg *args)
{
    return py_pack_all(kernel->parameters, kernel->name, values, memory, args)
               ? submit(kernel, config, args, (size_t)PyTuple_Size(values))
               : NULL;
}

static PyObject *launch_large(struct py_kernel *kernel, const cubinet_launch_config *config, PyObject *values,
                              size_t bytes)
{
    unsigned char *memory = PyMem_Malloc(bytes);
    cubinet_arg *args = PyMem_Calloc((size_t)PyTuple_Size(values) + 1, sizeof(*args));
    PyObject *result = memory && args ? launch_in(kernel, config, values, memory, args) : PyErr_NoMemory();
    PyMem_Free(args);
    PyMem_Free(memory);
    return result;
}

static PyObject *launch(struct py_kernel *kernel, const cubinet_launch_config *config, PyObject *values)
{
    alignas(16) unsigned char memory[BYTES_ON_STACK];
    cubinet_arg args[ARGS_ON_STACK];
    size_t bytes = kernel->parameters->is_known ? kernel->parameters->bytes : PY_PACK_UNKNOWN;
    return bytes <= sizeof(memory) && PyTuple_Size(values) <= ARGS_ON_STACK
               ? launch_in(kernel, config, values, memory, args)
               : launch_large(kernel, config, values, bytes);
}

PyObject *py_launch(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    cubinet_launch_config config = {.size = sizeof(config)};
    if (count < 2 || count > 3) {
        PyErr_Format(PyExc_TypeError, "launch() takes grid, block and a tuple of arguments; %zd were given",
                     count);
        return NULL;
    }
    if (!read_config(arguments, count, keywords, &config)) {
        return NULL;
    }
    PyObject *values = count == 3 ? PySequence_Tuple(arguments[2]) : PyTuple_New(0); /* a tuple is itself */
    PyObject *result = values ? launch((struct py_kernel *)self, &config, values) : NULL;
    Py_XDECREF(values);
    return result;
}
