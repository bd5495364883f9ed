/* SPDX-License-Identifier: Apache-2.0 */
#include "questions.h"

#include "config.h"
#include "error.h"
#include "records.h"

/* Gives the module back, and says how the call went. */
static PyObject *finish(struct py_kernel *kernel, cubinet_status status, PyObject *(*make)(const void *),
                        const void *result)
{
    PyObject *made = PyErr_Occurred() ? NULL : status ? py_raise(status) : make(result);
    py_module_release(kernel->module);
    return made;
}

/* The block, shared bytes (None: the record's), cluster, cooperative. */
static bool read_config(PyObject *arguments, cubinet_launch_config *config)
{
    PyObject *block = NULL;
    PyObject *shared = NULL;
    PyObject *cluster = NULL;
    int cooperative = 0;
    *config = (cubinet_launch_config){.size = sizeof(*config)};
    if (!PyArg_ParseTuple(arguments, "OOOp", &block, &shared, &cluster, &cooperative)) {
        return false;
    }
    config->flags = (cooperative ? CUBINET_LAUNCH_COOPERATIVE : 0U);
    if (!py_config_sides("block", block, 3, config->block) ||
        !py_config_number("shared", shared, &config->dynamic_shared_bytes) ||
        !py_config_sides("cluster", cluster, 3, config->cluster)) {
        return false;
    }
    if (shared != Py_None && config->dynamic_shared_bytes == 0) {
        config->flags |= CUBINET_LAUNCH_NO_DYNAMIC_SHARED;
    }
    return true;
}

static PyObject *make_occupancy(const void *result)
{
    const cubinet_occupancy *occupancy = result;
    char limiters[CUBINET_LIMITER_TEXT_SIZE];
    return Py_BuildValue("dIIIsII", occupancy->occupancy, occupancy->active_blocks_per_multiprocessor,
                         occupancy->active_warps_per_multiprocessor, occupancy->max_warps_per_multiprocessor,
                         cubinet_occupancy_limiter_text(occupancy->limiters, limiters),
                         occupancy->allocated_registers_per_block,
                         occupancy->allocated_shared_bytes_per_block);
}

PyObject *py_occupancy(PyObject *self, PyObject *arguments)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    cubinet_launch_config config;
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    if (!read_config(arguments, &config) || !py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status = cubinet_kernel_get_occupancy(kernel->handle, &config, &occupancy);
    Py_END_ALLOW_THREADS return finish(kernel, status, make_occupancy, &occupancy);
}

static PyObject *make_number(const void *result)
{
    return PyLong_FromUnsignedLong(*(const uint32_t *)result);
}

PyObject *py_max_active_clusters(PyObject *self, PyObject *arguments)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    cubinet_launch_config config;
    uint32_t clusters = 0;
    if (!read_config(arguments, &config) || !py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status =
        cubinet_kernel_get_max_active_clusters(kernel->handle, &config, &clusters);
    Py_END_ALLOW_THREADS return finish(kernel, status, make_number, &clusters);
}

PyObject *py_available_dynamic_shared(PyObject *self, PyObject *arguments)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    uint32_t blocks = 0;
    uint32_t threads = 0;
    uint32_t bytes = 0;
    if (!PyArg_ParseTuple(arguments, "O&O&", py_config_u32, &blocks, py_config_u32, &threads) ||
        !py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status;
    Py_BEGIN_ALLOW_THREADS status =
        cubinet_kernel_get_available_dynamic_shared(kernel->handle, blocks, threads, &bytes);
    Py_END_ALLOW_THREADS return finish(kernel, status, make_number, &bytes);
}

static PyObject *make_none(const void *unused)
{
    (void)unused;
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *py_prefer_shared(PyObject *self, PyObject *percent)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    int overflow = 0;
    long wanted = PyLong_AsLongAndOverflow(percent, &overflow);
    if (wanted == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (overflow || wanted < -1 || wanted > 100) {
        return py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "percent: %S is not a number from -1 to 100",
                               percent);
    }
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status = cubinet_kernel_prefer_shared(kernel->handle, (int)wanted);
    return finish(kernel, status, make_none, NULL);
}

/* The shared memory of a block, as the caller's function says; 0 once it failed. */
static uint32_t call_shared(uint32_t block_threads, void *user)
{
    uint32_t bytes = 0;
    PyObject *result = PyErr_Occurred() ? NULL : PyObject_CallFunction(user, "I", block_threads);
    if (result) {
        py_config_number("shared", result, &bytes);
        Py_DECREF(result);
    }
    return bytes;
}

bool py_suggest_read(PyObject *arguments, uint64_t extent[3], cubinet_suggest_options *options)
{
    PyObject *wanted = NULL;
    PyObject *shared = NULL;
    PyObject *cluster = NULL;
    int cooperative = 0;
    int tuning = 0;
    *options = (cubinet_suggest_options){.size = sizeof(*options)};
    if (!PyArg_ParseTuple(arguments, "OO&OO&Opp", &wanted, py_config_u32, &options->max_block_threads,
                          &shared, py_config_u32, &options->elements_per_thread, &cluster, &cooperative,
                          &tuning) ||
        !py_config_extent(wanted, extent) || !py_config_sides("cluster", cluster, 3, options->cluster)) {
        return false;
    }
    options->flags =
        (cooperative ? CUBINET_LAUNCH_COOPERATIVE : 0U) | (tuning ? 0U : (uint32_t)CUBINET_SUGGEST_NO_TUNING);
    if (PyCallable_Check(shared)) {
        options->dynamic_shared_fn = call_shared;
        options->dynamic_shared_user = shared;
        return true;
    }
    if (!py_config_number("shared", shared, &options->dynamic_shared_bytes)) {
        return false;
    }
    options->flags |=
        shared != Py_None && options->dynamic_shared_bytes == 0 ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED : 0U;
    return true;
}

struct suggestion {
    cubinet_launch_config config;
    cubinet_launch_estimate estimate;
};

static PyObject *make_suggestion(const void *result)
{
    const struct suggestion *made = result;
    const cubinet_launch_config *config = &made->config;
    const cubinet_launch_estimate *estimate = &made->estimate;
    return Py_BuildValue("(III)(III)I(III)(KKK)KKdd", config->grid[0], config->grid[1], config->grid[2],
                         config->block[0], config->block[1], config->block[2], config->dynamic_shared_bytes,
                         config->cluster[0], config->cluster[1], config->cluster[2], estimate->rounds[0],
                         estimate->rounds[1], estimate->rounds[2], estimate->blocks,
                         estimate->resident_blocks, estimate->waves, estimate->tail_efficiency);
}

PyObject *py_suggest(PyObject *self, PyObject *arguments)
{
    struct py_kernel *kernel = (struct py_kernel *)self;
    cubinet_suggest_options options;
    uint64_t extent[3];
    struct suggestion made = {
        .config = {.size = sizeof(made.config)},
        .estimate = {.size = sizeof(made.estimate)},
    };
    if (!py_suggest_read(arguments, extent, &options) || !py_module_use(kernel->module)) {
        return NULL;
    }
    /* The lock stays here where a function of Python's is called. */
    PyThreadState *state = options.dynamic_shared_fn ? NULL : PyEval_SaveThread();
    cubinet_status status =
        cubinet_kernel_suggest_launch(kernel->handle, extent, &options, &made.config, &made.estimate);
    if (state) {
        PyEval_RestoreThread(state);
    }
    return finish(kernel, status, make_suggestion, &made);
}

PyObject *py_resources(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    struct py_kernel *kernel = (struct py_kernel *)self;
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status = cubinet_kernel_get_resources(kernel->handle, &resources);
    return finish(kernel, status, py_record_resources, &resources);
}

PyObject *py_launch_record(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    struct py_kernel *kernel = (struct py_kernel *)self;
    cubinet_launch_record record = {.size = sizeof(record)};
    if (!py_module_use(kernel->module)) {
        return NULL;
    }
    cubinet_status status = cubinet_kernel_get_launch_record(kernel->handle, &record);
    return finish(kernel, status, py_record_launch, &record);
}
