/* SPDX-License-Identifier: Apache-2.0 */
#include "attributes.h"

#include "error.h"

#include <string.h>

/* An event's address: None, an int, an object of PyTorch's, or one that int() takes. */
static bool event_of(PyObject *value, CUevent *out_event)
{
    if (value == Py_None) {
        return true;
    }
    PyObject *number = PyObject_GetAttrString(value, "cuda_event");
    if (!number) {
        PyErr_Clear();
        number = PyNumber_Long(value);
    }
    if (number) {
        *out_event = (CUevent)PyLong_AsVoidPtr(number);
        Py_DECREF(number);
    }
    return !PyErr_Occurred();
}

/* The number of a word among some; 0 for None. */
static bool word_of(const char *what, PyObject *value, const char *const *words, uint32_t count,
                    uint32_t *out_number)
{
    if (value == Py_None) {
        return true;
    }
    const char *word = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    for (uint32_t i = 0; word && i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            *out_number = i;
            return true;
        }
    }
    PyErr_Clear();
    py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %R is not a valid value", what, value);
    return false;
}

static bool priority_of(PyObject *value, cubinet_launch_attributes *out)
{
    int overflow = 0;
    if (value == Py_None) {
        return true;
    }
    long priority = PyLong_AsLongAndOverflow(value, &overflow);
    if (!PyErr_Occurred() && (overflow || priority < INT32_MIN || priority > INT32_MAX)) {
        py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "priority: %S is not a number from %d to %d", value,
                        INT32_MIN, INT32_MAX);
    }
    out->flags |= CUBINET_ATTRIBUTE_PRIORITY;
    out->priority = (int32_t)priority;
    return !PyErr_Occurred();
}

static bool flag_of(PyObject *value, uint32_t flag, cubinet_launch_attributes *out)
{
    int is_true = PyObject_IsTrue(value);
    out->flags |= is_true > 0 ? flag : 0;
    return is_true >= 0;
}

static bool domain_of(PyObject *value, cubinet_launch_attributes *out)
{
    static const char *const words[] = {"default", "remote"};
    out->flags |= value != Py_None ? CUBINET_ATTRIBUTE_MEMORY_DOMAIN : 0;
    return word_of("memory_domain", value, words, 2, &out->memory_domain);
}

static bool map_of(PyObject *value, cubinet_launch_attributes *out)
{
    out->flags |= value != Py_None ? CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP : 0;
    return py_config_sides("memory_domain_map", value, 2, out->memory_domain_map);
}

static bool scheduling_of(PyObject *value, cubinet_launch_attributes *out)
{
    static const char *const words[] = {"default", "spread", "balanced"};
    return word_of("cluster_scheduling", value, words, 3, &out->cluster_scheduling);
}

static bool preferred_of(PyObject *value, cubinet_launch_attributes *out)
{
    return py_config_sides("preferred_cluster", value, 3, out->preferred_cluster);
}

static bool programmatic_of(PyObject *value, cubinet_launch_attributes *out)
{
    return event_of(value, &out->programmatic_event);
}

static bool trigger_of(PyObject *value, cubinet_launch_attributes *out)
{
    return flag_of(value, CUBINET_ATTRIBUTE_TRIGGER_AT_START, out);
}

static bool completion_of(PyObject *value, cubinet_launch_attributes *out)
{
    return event_of(value, &out->completion_event);
}

static bool updatable_of(PyObject *value, cubinet_launch_attributes *out)
{
    return flag_of(value, CUBINET_ATTRIBUTE_DEVICE_UPDATABLE, out);
}

bool py_attributes_read(PyObject *value, struct py_config *config)
{
    static const struct {
        const char *name;
        bool (*read)(PyObject *value, cubinet_launch_attributes *out);
    } members[] = {
        {"priority", priority_of},
        {"programmatic_event", programmatic_of},
        {"trigger_at_start", trigger_of},
        {"completion_event", completion_of},
        {"cluster_scheduling", scheduling_of},
        {"memory_domain", domain_of},
        {"memory_domain_map", map_of},
        {"preferred_cluster", preferred_of},
        {"device_updatable", updatable_of},
    };
    if (value == Py_None) {
        return true;
    }
    config->attributes = (cubinet_launch_attributes){.size = sizeof(config->attributes)};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        PyObject *member = PyObject_GetAttrString(value, members[i].name);
        bool is_read = member && members[i].read(member, &config->attributes);
        Py_XDECREF(member);
        if (!is_read) {
            return false;
        }
    }
    if (config->attributes.flags & CUBINET_ATTRIBUTE_DEVICE_UPDATABLE) {
        config->attributes.out_device_node = &config->device_node;
    }
    config->config.attributes = &config->attributes;
    return true;
}
