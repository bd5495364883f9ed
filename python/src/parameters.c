/* SPDX-License-Identifier: Apache-2.0 */
#include "parameters.h"

#include "arguments.h"
#include "error.h"

#include <string.h>

static char *copy_text(const char *text, size_t size)
{
    char *copy = PyMem_Malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

/* A parameter's name and type, which belong to it. False without memory. */
static bool set_texts(struct py_parameter *parameter, const char *name, const char *type, size_t type_size)
{
    parameter->name = copy_text(name, strlen(name));
    parameter->text = copy_text(type, type_size);
    if (!parameter->name || !parameter->text) {
        PyErr_NoMemory();
        return false;
    }
    struct py_type read = py_type_read(type, type_size);
    if (read.size == parameter->size) { /* what says otherwise is not believed */
        parameter->type = read;
    }
    return true;
}

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

/* Where the parameters begin in "ns::scale<float>(float*, int)": at the last '(' outside of brackets. */
static const char *list_in(const char *readable)
{
    const char *list = NULL;
    int depth = 0;
    for (const char *at = readable; *at; at++) {
        if (*at == '(' && depth == 0) {
            list = at + 1;
        }
        depth += strchr("(<[{", *at) != NULL;
        depth -= strchr(")>]}", *at) != NULL;
    }
    return list;
}

/* The types that a mangled name tells; "" for each where it tells none. */
static bool set_by_name(struct py_parameters *parameters, const char *readable)
{
    const char *at = list_in(readable);
    for (uint32_t i = 0; i < parameters->count; i++) {
        const char *start = at ? skip_spaces(at) : "";
        const char *end = at ? py_type_end(start) : start;
        if (!set_texts(&parameters->all[i], "", start, (size_t)(end - start))) {
            return false;
        }
        at = *end == ',' ? end + 1 : NULL;
    }
    return true;
}

/* What a lowered name says, in memory that PyMem_Free() takes; "" for one that is not mangled. */
static char *readable_of(const cubinet_kernel *kernel)
{
    cubinet_kernel_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_kernel_get_info(kernel, &info);
    if (status) {
        return (char *)py_raise(status);
    }
    size_t size = cubinet_name_readable(info.name, NULL, 0) + 1;
    char *text = PyMem_Malloc(size);
    if (!text) {
        return (char *)PyErr_NoMemory();
    }
    cubinet_name_readable(info.name, text, size);
    return text;
}

static bool set_types(struct py_parameters *parameters, const cubinet_kernel *kernel,
                      const cubinet_launch_record *record)
{
    if (record->param_names && record->param_name_count == parameters->count) {
        for (uint32_t i = 0; i < parameters->count; i++) {
            const cubinet_param_name *known = &record->param_names[i];
            if (!set_texts(&parameters->all[i], known->name, known->type, strlen(known->type))) {
                return false;
            }
        }
        return true;
    }
    char *readable = readable_of(kernel);
    bool is_set = readable && set_by_name(parameters, readable);
    PyMem_Free(readable);
    return is_set;
}

static void set_shown(struct py_parameters *parameters, const cubinet_launch_record *record)
{
    for (uint32_t i = 0; i < record->hidden_count; i++) {
        if (record->hidden[i].param < parameters->count) {
            parameters->all[record->hidden[i].param].is_hidden = true;
        }
    }
    for (uint32_t i = 0; i < parameters->count; i++) {
        if (!parameters->all[i].is_hidden) {
            parameters->shown[parameters->shown_count++] = &parameters->all[i];
        }
    }
}

static bool fill(struct py_parameters *parameters, const cubinet_kernel *kernel,
                 const cubinet_kernel_resources *resources, const cubinet_launch_record *record)
{
    for (uint32_t i = 0; i < parameters->count; i++) {
        parameters->all[i].size = resources->params[i].size;
        parameters->all[i].offset = resources->params[i].offset;
        parameters->bytes += py_pack_room(resources->params[i].size);
    }
    set_shown(parameters, record);
    return set_types(parameters, kernel, record);
}

struct py_parameters *py_parameters_new(const cubinet_kernel *kernel)
{
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    cubinet_launch_record record = {.size = sizeof(record)};
    cubinet_status status = cubinet_kernel_get_resources(kernel, &resources);
    status = status ? status : cubinet_kernel_get_launch_record(kernel, &record);
    if (status) {
        return (struct py_parameters *)py_raise(status);
    }
    struct py_parameters *parameters = PyMem_Calloc(1, sizeof(*parameters));
    if (!parameters) {
        return (struct py_parameters *)PyErr_NoMemory();
    }
    parameters->is_known = resources.param_count != CUBINET_UNKNOWN;
    parameters->count = parameters->is_known ? resources.param_count : 0;
    parameters->all = PyMem_Calloc(parameters->count + 1U, sizeof(*parameters->all));
    parameters->shown = PyMem_Calloc(parameters->count + 1U, sizeof(struct py_parameter *));
    if (!parameters->all || !parameters->shown) {
        PyErr_NoMemory();
    } else if (fill(parameters, kernel, &resources, &record)) {
        return parameters;
    }
    py_parameters_free(parameters);
    return NULL;
}

void py_parameters_free(struct py_parameters *parameters)
{
    if (!parameters) {
        return;
    }
    for (uint32_t i = 0; parameters->all && i < parameters->count; i++) {
        PyMem_Free(parameters->all[i].name);
        PyMem_Free(parameters->all[i].text);
    }
    PyMem_Free(parameters->all);
    PyMem_Free((void *)parameters->shown);
    PyMem_Free(parameters);
}

PyObject *py_parameters_describe(const struct py_parameters *parameters)
{
    if (!parameters->is_known) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    PyObject *all = PyTuple_New((Py_ssize_t)parameters->count);
    for (uint32_t i = 0; all && i < parameters->count; i++) {
        const struct py_parameter *parameter = &parameters->all[i];
        PyObject *one = Py_BuildValue("ssIIO", parameter->name, parameter->text, parameter->offset,
                                      parameter->size, parameter->is_hidden ? Py_True : Py_False);
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one) != 0) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}
