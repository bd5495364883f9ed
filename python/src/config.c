/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "attributes.h"
#include "error.h"

/* A number from 0 to `most`; `what`: its name for the message, or NULL. */
static bool side_of(const char *what, PyObject *value, uint64_t most, uint64_t *out_side)
{
    PyObject *index = PyNumber_Index(value);
    if (!index) {
        return false;
    }
    unsigned long long side = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred() || side > most) {
        PyErr_Clear();
        py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "%s%s%S is not a number from 0 to %llu",
                        what ? what : "", what ? ": " : "", value, (unsigned long long)most);
        return false;
    }
    *out_side = side;
    return true;
}

static bool sides_of_sequence(const char *what, PyObject *value, Py_ssize_t most, uint64_t largest,
                              uint64_t *sides)
{
    PyObject *all = PySequence_Tuple(value);
    if (!all) {
        return false;
    }
    Py_ssize_t count = PyTuple_Size(all);
    bool is_read = count >= 1 && count <= most;
    if (!is_read) {
        py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT, "%s has %zd dimensions; 1 to %zd are possible", what,
                        count, most);
    }
    for (Py_ssize_t i = 0; i < count && is_read; i++) {
        is_read = side_of(what, PyTuple_GetItem(all, i), largest, &sides[i]);
    }
    Py_DECREF(all);
    return is_read;
}

static bool read_sides(const char *what, PyObject *value, Py_ssize_t most, uint64_t largest, uint64_t *sides)
{
    if (value == Py_None) {
        return true;
    }
    return PyIndex_Check(value) ? side_of(what, value, largest, &sides[0])
                                : sides_of_sequence(what, value, most, largest, sides);
}

bool py_config_sides(const char *what, PyObject *value, Py_ssize_t most, uint32_t *sides)
{
    uint64_t read[4] = {0};
    if (!read_sides(what, value, most, UINT32_MAX, read)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < most; i++) {
        sides[i] = (uint32_t)read[i];
    }
    return true;
}

bool py_config_extent(PyObject *value, uint64_t sides[3])
{
    sides[0] = sides[1] = sides[2] = 0;
    return read_sides("extent", value, 3, UINT64_MAX, sides);
}

bool py_config_number(const char *what, PyObject *value, uint32_t *number)
{
    uint64_t read = 0;
    if (value != Py_None && !side_of(what, value, UINT32_MAX, &read)) {
        return false;
    }
    *number = (uint32_t)read;
    return true;
}

int py_config_u32(PyObject *value, void *out_number)
{
    uint64_t read = 0;
    bool is_read = side_of(NULL, value, UINT32_MAX, &read);
    if (is_read) {
        *(uint32_t *)out_number = (uint32_t)read;
    }
    return is_read;
}

int py_config_u64(PyObject *value, void *out_number)
{
    return side_of(NULL, value, UINT64_MAX, out_number);
}

/* The address in (version, address), which __cuda_stream__ is, or returns; takes the reference. */
static bool stream_of_protocol(PyObject *offered, CUstream *out_stream)
{
    if (PyCallable_Check(offered)) {
        PyObject *called = PyObject_CallNoArgs(offered);
        Py_DECREF(offered);
        offered = called;
    }
    bool is_pair = offered && PyTuple_Check(offered) && PyTuple_Size(offered) == 2;
    PyObject *address = is_pair ? PyTuple_GetItem(offered, 1) : NULL;
    if (address) {
        *out_stream = (CUstream)PyLong_AsVoidPtr(address);
    } else if (!PyErr_Occurred()) {
        py_raise_format(CUBINET_ERROR_INVALID_ARGUMENT,
                        "the stream's __cuda_stream__ is not (version, address)");
    }
    Py_XDECREF(offered);
    return !PyErr_Occurred();
}

bool py_config_stream(PyObject *value, CUstream *out_stream)
{
    static PyObject *protocol;
    if (value == Py_None) {
        *out_stream = NULL;
        return true;
    }
    if (PyLong_Check(value)) {
        *out_stream = (CUstream)PyLong_AsVoidPtr(value);
        return !PyErr_Occurred();
    }
    if (!protocol) {
        protocol = PyUnicode_InternFromString("__cuda_stream__");
    }
    PyObject *offered = protocol ? PyObject_GetAttr(value, protocol) : NULL;
    if (offered) {
        return stream_of_protocol(offered, out_stream);
    }
    PyErr_Clear();
    offered = PyObject_GetAttrString(value, "cuda_stream"); /* PyTorch's, which has no protocol */
    if (offered) {
        *out_stream = (CUstream)PyLong_AsVoidPtr(offered);
        Py_DECREF(offered);
        return !PyErr_Occurred();
    }
    PyErr_Clear();
    py_raise_format(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "stream: %R is not a stream: an object with __cuda_stream__, an address or None is needed", value);
    return false;
}

static bool set_flag(PyObject *value, uint32_t flag, bool when, cubinet_launch_config *config)
{
    int is_true = PyObject_IsTrue(value);
    if (is_true >= 0 && (is_true != 0) == when) {
        config->flags |= flag;
    }
    return is_true >= 0;
}

enum keyword {
    STREAM,
    SHARED,
    CLUSTER,
    COOPERATIVE,
    EXTENT,
    PER_ELEMENT,
    USE_RECORD,
    PROGRAMMATIC,
    WITHOUT_WAIT,
    ATTRIBUTES,
    KEYWORDS
};

static const char *const texts[KEYWORDS] = {
    "stream",     "shared",       "cluster",      "cooperative", "extent", "threads_per_element",
    "use_record", "programmatic", "without_wait", "attributes",
};

static PyObject *names[KEYWORDS];

int py_config_start(void)
{
    for (int i = 0; i < KEYWORDS; i++) {
        names[i] = PyUnicode_InternFromString(texts[i]);
        if (!names[i]) {
            return -1;
        }
    }
    return 0;
}

static int find(PyObject *keyword)
{
    int found = 0;
    while (found < KEYWORDS && names[found] != keyword) { /* names in calls are interned */
        found++;
    }
    if (found == KEYWORDS) {
        for (found = 0; found < KEYWORDS && PyUnicode_Compare(names[found], keyword) != 0; found++) {
        }
    }
    return found;
}

static bool read_keyword(PyObject *keyword, PyObject *value, struct py_config *whole)
{
    cubinet_launch_config *config = &whole->config;
    switch (find(keyword)) {
    case STREAM:
        return py_config_stream(value, &config->stream);
    case SHARED:
        /* A number that is given counts, 0 too. */
        if (!py_config_number("shared", value, &config->dynamic_shared_bytes)) {
            return false;
        }
        config->flags |=
            value != Py_None && config->dynamic_shared_bytes == 0 ? CUBINET_LAUNCH_NO_DYNAMIC_SHARED : 0;
        return true;
    case CLUSTER:
        return py_config_sides("cluster", value, 3, config->cluster);
    case COOPERATIVE:
        return set_flag(value, CUBINET_LAUNCH_COOPERATIVE, true, config);
    case EXTENT:
        return py_config_sides("extent", value, 4, config->extent);
    case PER_ELEMENT:
        return py_config_number("threads_per_element", value, &config->threads_per_element);
    case USE_RECORD:
        return set_flag(value, CUBINET_LAUNCH_NO_RECORD, false, config);
    case PROGRAMMATIC:
        return set_flag(value, CUBINET_LAUNCH_PROGRAMMATIC, true, config);
    case WITHOUT_WAIT:
        return set_flag(value, CUBINET_LAUNCH_WITHOUT_WAIT, true, config);
    case ATTRIBUTES:
        return py_attributes_read(value, whole);
    default:
        PyErr_Format(PyExc_TypeError, "launch() got an unexpected keyword argument '%U'", keyword);
        return false;
    }
}

bool py_config_read(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                    struct py_config *config)
{
    if (!py_config_sides("grid", arguments[0], 3, config->config.grid) ||
        !py_config_sides("block", arguments[1], 3, config->config.block)) {
        return false;
    }
    Py_ssize_t keyword_count = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < keyword_count; i++) {
        if (!read_keyword(PyTuple_GetItem(keywords, i), arguments[count + i], config)) {
            return false;
        }
    }
    return true;
}
