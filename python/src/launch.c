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
    "       extent=None, threads_per_element=None, use_record=True, programmatic=False,\n"
    "       without_wait=False, attributes=None)\n"
    "\n"
    "Launches the kernel, asynchronously, in its module's context, which need not be current.\n"
    "\n"
    "grid, block: blocks, and threads in a block: an int or up to three; None takes what the\n"
    "    launch record says.\n"
    "args: a tuple with one argument for each parameter that is not hidden. A pointer takes an\n"
    "    array (DLPack or __cuda_array_interface__), an int or None; a number takes an int, a\n"
    "    float, or a number of ctypes or NumPy; a structure takes a ctypes.Structure or Union, a\n"
    "    NumPy record or bytes. They are copied before the call returns. Nothing waits for an array,\n"
    "    and none is kept alive.\n"
    "stream: an object with __cuda_stream__, an address, or None for the default stream.\n"
    "shared: bytes of dynamic shared memory for each block; None takes the record's.\n"
    "cluster: blocks in a cluster, as grid.\n"
    "cooperative: all blocks are resident together.\n"
    "extent, threads_per_element: of kernels that are told launch bounds (Warp's).\n"
    "use_record: False takes nothing from the launch record.\n"
    "programmatic: the kernel may start before the one before it in the stream has ended.\n"
    "without_wait: also one that never waits for it.\n"
    "attributes: a LaunchAttributes.\n"
    "\n"
    "Raises LaunchArgumentsError, LimitError, InvalidArgumentError, DriverError and what else\n"
    "cubinet_kernel_launch() returns. The lock of the interpreter is given up meanwhile.\n"
    "Returns None, or the device node's handle with device_updatable among the attributes.";

const char py_add_node_doc[] =
    "add_node(graph, before, grid, block, args=(), *, ...)\n"
    "\n"
    "Adds the kernel as a node to a CUgraph, after the nodes of a sequence. Graphs and nodes are\n"
    "ints, or what int() takes. The others are as of launch(); the stream does not count. With\n"
    "programmatic the edges to it are programmatic ones. Keep the kernel as long as the graph: a\n"
    "graph does not keep its module loaded. Returns the node, and with device_updatable (node,\n"
    "device node).";

const char py_update_node_doc[] =
    "update_node(node, grid, block, args=(), *, ...)\n"
    "\n"
    "Replaces the kernel, the configuration and the arguments of a node of a CUgraph.";

const char py_update_exec_node_doc[] =
    "update_exec_node(exec, node, grid, block, args=(), *, ...)\n"
    "\n"
    "Replaces the kernel, the configuration and the arguments of a node in a CUgraphExec.";

/* What is done with a configuration and packed arguments. */
struct task {
    enum { LAUNCH, ADD_NODE, UPDATE_NODE, UPDATE_EXEC_NODE } what;
    struct py_kernel *kernel;
    const struct py_config *config;
    CUgraph graph;
    CUgraphNode *dependencies;
    size_t dependency_count;
    CUgraphExec exec;
    CUgraphNode node; /* added, or to be updated */
};

static cubinet_status call(struct task *task, const cubinet_arg *args, size_t count)
{
    const cubinet_kernel *kernel = task->kernel->handle;
    const cubinet_launch_config *config = &task->config->config;
    switch (task->what) {
    case ADD_NODE:
        return cubinet_kernel_add_node(kernel, task->graph, task->dependencies, task->dependency_count,
                                       config, args, count, &task->node);
    case UPDATE_NODE:
        return cubinet_kernel_update_node(kernel, task->node, config, args, count);
    case UPDATE_EXEC_NODE:
        return cubinet_kernel_update_exec_node(kernel, task->exec, task->node, config, args, count);
    default:
        return cubinet_kernel_launch(kernel, config, args, count);
    }
}

/* None; of a node that was added its handle, and of a captured one that kernels update, what they do it with.
 */
static PyObject *result_of(const struct task *task)
{
    if (task->config->attributes.out_device_node) {
        PyObject *device_node = PyLong_FromVoidPtr((void *)task->config->device_node);
        return task->what == ADD_NODE && device_node
                   ? Py_BuildValue("NN", PyLong_FromVoidPtr((void *)task->node), device_node)
                   : device_node;
    }
    if (task->what == ADD_NODE) {
        return PyLong_FromVoidPtr((void *)task->node);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *submit(struct task *task, const cubinet_arg *args, size_t count)
{
    cubinet_status status;
    struct py_module *module = task->kernel->module;
    if (!py_module_use(module)) {
        return NULL;
    }
    module->is_used = true;
    Py_BEGIN_ALLOW_THREADS status = call(task, args, count);
    Py_END_ALLOW_THREADS PyObject *result = status ? py_raise(status) : result_of(task);
    py_module_release(module); /* at last: it may unload the module, whose error is another */
    return result;
}

static PyObject *submit_in(struct task *task, PyObject *values, unsigned char *memory, cubinet_arg *args)
{
    return py_pack_all(task->kernel, values, memory, args) ? submit(task, args, (size_t)PyTuple_Size(values))
                                                           : NULL;
}

static PyObject *submit_large(struct task *task, PyObject *values, size_t bytes)
{
    unsigned char *memory = PyMem_Malloc(bytes);
    cubinet_arg *args = PyMem_Calloc((size_t)PyTuple_Size(values) + 1, sizeof(*args));
    PyObject *result = memory && args ? submit_in(task, values, memory, args) : PyErr_NoMemory();
    PyMem_Free(args);
    PyMem_Free(memory);
    return result;
}

static PyObject *submit_values(struct task *task, PyObject *values)
{
    alignas(16) unsigned char memory[BYTES_ON_STACK];
    cubinet_arg args[ARGS_ON_STACK];
    const struct py_parameters *parameters = task->kernel->parameters;
    size_t bytes = parameters->is_known ? parameters->bytes : PY_PACK_UNKNOWN;
    return bytes <= sizeof(memory) && PyTuple_Size(values) <= ARGS_ON_STACK
               ? submit_in(task, values, memory, args)
               : submit_large(task, values, bytes);
}

/* Grid, block, perhaps arguments, and keywords. */
static PyObject *run(struct task *task, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    struct py_config config;
    config.config = (cubinet_launch_config){.size = sizeof(config.config)};
    config.attributes.out_device_node = NULL;
    if (!py_config_read(arguments, count, keywords, &config)) {
        return NULL;
    }
    task->config = &config;
    PyObject *values = count == 3 ? PySequence_Tuple(arguments[2]) : PyTuple_New(0); /* a tuple is itself */
    PyObject *result = values ? submit_values(task, values) : NULL;
    Py_XDECREF(values);
    return result;
}

PyObject *py_launch(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    struct task task = {.what = LAUNCH, .kernel = (struct py_kernel *)self};
    if (count < 2 || count > 3) {
        PyErr_Format(PyExc_TypeError, "launch() takes grid, block and a tuple of arguments; %zd were given",
                     count);
        return NULL;
    }
    return run(&task, arguments, count, keywords);
}

/* A handle of the driver's, as an int or as what int() takes. */
static void *handle_of(PyObject *value)
{
    PyObject *number = PyNumber_Long(value);
    void *handle = number ? PyLong_AsVoidPtr(number) : NULL;
    Py_XDECREF(number);
    return handle;
}

PyObject *py_update_node(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    struct task task = {.what = UPDATE_NODE, .kernel = (struct py_kernel *)self};
    if (count < 3 || count > 4) {
        PyErr_Format(PyExc_TypeError,
                     "update_node() takes a node, grid, block and a tuple of arguments; %zd were given",
                     count);
        return NULL;
    }
    task.node = handle_of(arguments[0]);
    return PyErr_Occurred() ? NULL : run(&task, arguments + 1, count - 1, keywords);
}

PyObject *py_update_exec_node(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords)
{
    struct task task = {.what = UPDATE_EXEC_NODE, .kernel = (struct py_kernel *)self};
    if (count < 4 || count > 5) {
        PyErr_Format(
            PyExc_TypeError,
            "update_exec_node() takes a graph, a node, grid, block and a tuple of arguments; %zd were given",
            count);
        return NULL;
    }
    task.exec = handle_of(arguments[0]);
    task.node = PyErr_Occurred() ? NULL : handle_of(arguments[1]);
    return PyErr_Occurred() ? NULL : run(&task, arguments + 2, count - 2, keywords);
}

/* The nodes that a node depends on; NULL, with the exception set, if they are none. */
static CUgraphNode *nodes_of(PyObject *given, size_t *out_count)
{
    PyObject *all = PySequence_Tuple(given);
    Py_ssize_t count = all ? PyTuple_Size(all) : 0;
    CUgraphNode *nodes = all ? PyMem_Calloc((size_t)count + 1, sizeof(CUgraphNode)) : NULL;
    if (all && !nodes) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; nodes && i < count && !PyErr_Occurred(); i++) {
        nodes[i] = handle_of(PyTuple_GetItem(all, i));
    }
    Py_XDECREF(all);
    *out_count = (size_t)count;
    return nodes;
}

PyObject *py_add_node(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    struct task task = {.what = ADD_NODE, .kernel = (struct py_kernel *)self};
    if (count < 4 || count > 5) {
        PyErr_Format(PyExc_TypeError,
                     "add_node() takes a graph, nodes before, grid, block and a tuple of arguments; %zd were "
                     "given",
                     count);
        return NULL;
    }
    task.graph = handle_of(arguments[0]);
    task.dependencies = PyErr_Occurred() ? NULL : nodes_of(arguments[1], &task.dependency_count);
    PyObject *result = PyErr_Occurred() ? NULL : run(&task, arguments + 2, count - 2, keywords);
    PyMem_Free(task.dependencies);
    return result;
}
