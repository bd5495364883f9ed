/* SPDX-License-Identifier: Apache-2.0 */
#include "tuned.h"

#include "error.h"
#include "questions.h"
#include "records.h"

/* What was chosen. */
struct tuned {
    cubinet_kernel *kernel;
    cubinet_launch_config config;
    cubinet_tuned_info info;
};

static const char *source_name(uint32_t source)
{
    return source == CUBINET_TUNED_EXACT ? "exact" : source == CUBINET_TUNED_NEAREST ? "nearest" : "none";
}

static const char *reason_name(uint32_t reason)
{
    static const char *const names[] = {
        [CUBINET_UNTUNED_NOT] = "",
        [CUBINET_UNTUNED_IGNORED] = "ignored",
        [CUBINET_UNTUNED_NO_RECORD] = "no-record",
        [CUBINET_UNTUNED_OUTSIDE] = "outside",
        [CUBINET_UNTUNED_DEFAULT] = "default",
        [CUBINET_UNTUNED_OPTIONS] = "options",
        [CUBINET_UNTUNED_LIMIT] = "limit",
    };
    return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "unknown";
}

/* The kernel by its lowered name, which Python's class takes. */
static PyObject *make_tuned(const struct tuned *tuned)
{
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    const cubinet_launch_config *config = &tuned->config;
    const cubinet_tuned_info *info = &tuned->info;
    cubinet_status status = cubinet_kernel_get_info(tuned->kernel, &kernel);
    return status ? py_raise(status)
                  : Py_BuildValue(
                        "s(III)(III)I(III)OssN(KKK)KKKK", kernel.name, config->grid[0], config->grid[1],
                        config->grid[2], config->block[0], config->block[1], config->block[2],
                        config->dynamic_shared_bytes, config->cluster[0], config->cluster[1],
                        config->cluster[2], config->flags & CUBINET_LAUNCH_COOPERATIVE ? Py_True : Py_False,
                        source_name(info->source), reason_name(info->reason), py_record_number(info->tuning),
                        (unsigned long long)info->extent[0], (unsigned long long)info->extent[1],
                        (unsigned long long)info->extent[2], (unsigned long long)info->time_ns,
                        (unsigned long long)info->noise_ns, (unsigned long long)info->untuned_time_ns,
                        (unsigned long long)info->untuned_noise_ns);
}

PyObject *py_find_tuned(PyObject *self, PyObject *arguments)
{
    struct py_module *module = (struct py_module *)self;
    PyObject *rest = NULL;
    const char *what = NULL;
    uint64_t extent[3];
    cubinet_suggest_options options;
    struct tuned tuned = {.config = {.size = sizeof(tuned.config)}, .info = {.size = sizeof(tuned.info)}};
    if (!PyArg_ParseTuple(arguments, "sO!", &what, &PyTuple_Type, &rest) ||
        !py_suggest_read(rest, extent, &options) || !py_module_use(module)) {
        return NULL;
    }
    /* The lock stays here where a function of Python's is called. */
    PyThreadState *state = options.dynamic_shared_fn ? NULL : PyEval_SaveThread();
    cubinet_status status = cubinet_module_get_tuned(module->handle, what, extent, &options, &tuned.kernel,
                                                     &tuned.config, &tuned.info);
    if (state) {
        PyEval_RestoreThread(state);
    }
    PyObject *made = PyErr_Occurred() ? NULL : status ? py_raise(status) : make_tuned(&tuned);
    py_module_release(module);
    return made;
}
