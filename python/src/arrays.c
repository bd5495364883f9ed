/* SPDX-License-Identifier: Apache-2.0 */
#include "arrays.h"

#include "dlpack.h"

#include <stdlib.h>
#include <string.h>

/* Classes that were asked what they offer, the last of each hash, with a reference to each. */
enum { KNOWN_CLASSES = 64 };

static struct {
    PyTypeObject *class;
    const struct dl_exchange *exchange; /* NULL: it has none */
    bool is_buffer;                     /* cuda.core's: memory without a type */
} known[KNOWN_CLASSES];

#define ON_CPU "an array in the memory of the CPU, which has to be copied to the device first"

/* What arrays are asked for. */
enum name { INTERFACE, DLPACK, DATA, TYPESTR, HANDLE, ON_DEVICE, NAMES };

static PyObject *names[NAMES];

int py_array_start(void)
{
    static const char *const texts[NAMES] = {
        "__cuda_array_interface__", "__dlpack__", "data", "typestr", "handle", "is_device_accessible"};
    for (int i = 0; i < NAMES; i++) {
        names[i] = PyUnicode_InternFromString(texts[i]);
        if (!names[i]) {
            return -1;
        }
    }
    return 0;
}

static enum py_found in_trouble(struct py_array *out_array, const char *trouble)
{
    PyErr_Clear();
    out_array->trouble = trouble;
    return PY_FAILED;
}

static enum py_found take_tensor(const struct dl_tensor *tensor, struct py_array *out_array)
{
    static const enum py_class classes[] = {
        [DL_INT] = PY_SIGNED,    [DL_UINT] = PY_UNSIGNED, [DL_FLOAT] = PY_FLOAT,
        [DL_BFLOAT] = PY_BFLOAT, [DL_BOOL] = PY_BOOL,
    };
    if (tensor->device_type != DL_CUDA && tensor->device_type != DL_CUDA_HOST &&
        tensor->device_type != DL_CUDA_MANAGED) {
        return in_trouble(out_array,
                          tensor->device_type == DL_CPU ? ON_CPU : "an array that is not on a CUDA device");
    }
    bool is_number = tensor->lanes == 1 && tensor->code < sizeof(classes) / sizeof(classes[0]) &&
                     (tensor->code == DL_INT || classes[tensor->code]);
    out_array->address = (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
    out_array->element = is_number ? classes[tensor->code] : PY_UNKNOWN;
    out_array->element_size = (uint32_t)tensor->bits * tensor->lanes / 8;
    out_array->device = tensor->device_type == DL_CUDA ? tensor->device_id : -1;
    return PY_FOUND;
}

/* What a class offers; NULL, without an exception, if it offers nothing. */
static const struct dl_exchange *ask_class(PyTypeObject *class)
{
    enum { VERSION = 1 };
    PyObject *capsule = PyObject_GetAttrString((PyObject *)class, "__dlpack_c_exchange_api__");
    const struct dl_exchange *exchange =
        capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    Py_XDECREF(capsule); /* the functions live as long as the class */
    PyErr_Clear();
    while (exchange && exchange->major != VERSION) {
        exchange = exchange->previous;
    }
    return exchange;
}

/* cuda.core's Buffer offers __dlpack__() too, which costs a microsecond. */
static bool is_buffer(PyTypeObject *class)
{
    bool has_all = true;
    static const char *const attributes[] = {"handle", "is_device_accessible", "memory_resource"};
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        PyObject *attribute = PyObject_GetAttrString((PyObject *)class, attributes[i]);
        has_all = has_all && attribute;
        Py_XDECREF(attribute);
    }
    PyErr_Clear();
    return has_all;
}

/* The place of what is known of a class. */
static size_t place_of(PyTypeObject *class)
{
    size_t place = ((uintptr_t) class >> 5) % KNOWN_CLASSES;
    if (known[place].class != class) {
        const struct dl_exchange *exchange = ask_class(class);
        bool buffer = !exchange && is_buffer(class);
        PyTypeObject *before = known[place].class;
        Py_INCREF((PyObject *)class);
        known[place].class = class;
        known[place].exchange = exchange;
        known[place].is_buffer = buffer;
        Py_XDECREF((PyObject *)before);
    }
    return place;
}

static enum py_found read_buffer(PyObject *object, struct py_array *out_array)
{
    PyObject *on_device = PyObject_GetAttr(object, names[ON_DEVICE]);
    int reachable = on_device ? PyObject_IsTrue(on_device) : -1;
    Py_XDECREF(on_device);
    if (reachable <= 0) {
        return reachable < 0 ? PY_FAILED : in_trouble(out_array, ON_CPU);
    }
    PyObject *handle = PyObject_GetAttr(object, names[HANDLE]);
    PyObject *number = handle ? PyNumber_Long(handle) : NULL;
    out_array->address = number ? PyLong_AsUnsignedLongLong(number) : 0;
    out_array->element = PY_UNKNOWN;
    out_array->element_size = 1;
    Py_XDECREF(number);
    Py_XDECREF(handle);
    return PyErr_Occurred() ? PY_FAILED : PY_FOUND;
}

static enum py_found read_exchange(const struct dl_exchange *exchange, PyObject *object,
                                   struct py_array *out_array)
{
    if (exchange->to_tensor) {
        struct dl_tensor tensor;
        return exchange->to_tensor(object, &tensor) ? PY_FAILED : take_tensor(&tensor, out_array);
    }
    struct dl_managed_versioned *managed = NULL;
    if (exchange->to_managed(object, &managed)) {
        return PY_FAILED;
    }
    enum py_found found = take_tensor(&managed->tensor, out_array);
    if (managed->deleter) {
        managed->deleter(managed);
    }
    return found;
}

/* "<f4": byte order, class, bytes. */
static bool take_typestr(PyObject *typestr, struct py_array *out_array)
{
    static const char letters[] = "iufb";
    static const enum py_class classes[] = {PY_SIGNED, PY_UNSIGNED, PY_FLOAT, PY_BOOL};
    const char *text = typestr ? PyUnicode_AsUTF8AndSize(typestr, NULL) : NULL;
    if (!text || strlen(text) < 3) {
        return false;
    }
    const char *letter = strchr(letters, text[1]);
    out_array->element = letter ? classes[letter - letters] : PY_UNKNOWN;
    out_array->element_size = (uint32_t)strtoul(text + 2, NULL, 10);
    return true;
}

static enum py_found read_interface(PyObject *interface, struct py_array *out_array)
{
    PyObject *data = PyDict_Check(interface) ? PyDict_GetItemWithError(interface, names[DATA]) : NULL;
    PyObject *address = data && PyTuple_Check(data) ? PyTuple_GetItem(data, 0) : NULL;
    if (!address || !take_typestr(PyDict_GetItemWithError(interface, names[TYPESTR]), out_array)) {
        return in_trouble(out_array, "an array whose __cuda_array_interface__ lacks 'data' or 'typestr'");
    }
    out_array->address = address == Py_None ? 0 : PyLong_AsUnsignedLongLong(address);
    return PyErr_Occurred() ? PY_FAILED : PY_FOUND;
}

static enum py_found read_capsule(PyObject *capsule, struct py_array *out_array)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        const struct dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
        return take_tensor(&managed->tensor, out_array);
    }
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const struct dl_managed_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        return take_tensor(&managed->tensor, out_array);
    }
    return in_trouble(out_array, "an object whose __dlpack__() returned no capsule of DLPack's");
}

/* Where an array is; DL_CUDA if the object does not tell. */
static long device_type_of(PyObject *object)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    PyObject *type = device && PyTuple_Check(device) ? PyTuple_GetItem(device, 0) : NULL;
    PyObject *number = type ? PyNumber_Long(type) : NULL;
    long read = number ? PyLong_AsLong(number) : DL_CUDA;
    Py_XDECREF(number);
    Py_XDECREF(device);
    PyErr_Clear();
    return read;
}

/* With stream=-1, the producer does not wait for anything; a producer on the CPU knows no streams. */
static enum py_found read_dlpack(PyObject *object, PyObject *method, struct py_array *out_array)
{
    PyObject *arguments = PyTuple_New(0);
    PyObject *keywords = arguments ? PyDict_New() : NULL;
    PyObject *capsule = NULL;
    if (keywords && device_type_of(object) == DL_CPU) {
        capsule = PyObject_Call(method, arguments, keywords);
    } else if (keywords) {
        PyObject *stream = PyLong_FromLong(-1);
        if (stream && PyDict_SetItemString(keywords, "stream", stream) == 0) {
            capsule = PyObject_Call(method, arguments, keywords);
        }
        Py_XDECREF(stream);
    }
    enum py_found found = capsule ? read_capsule(capsule, out_array) : PY_FAILED;
    Py_XDECREF(capsule);
    Py_XDECREF(keywords);
    Py_XDECREF(arguments);
    return found;
}

/* An attribute; NULL, without an exception, if there is none or reading it fails. */
static PyObject *attribute(PyObject *object, enum name name)
{
    PyObject *value = PyObject_GetAttr(object, names[name]);
    if (!value) {
        PyErr_Clear();
    }
    return value;
}

enum py_found py_array_read(PyObject *object, struct py_array *out_array)
{
    size_t place = place_of(Py_TYPE(object));
    out_array->trouble = NULL;
    out_array->device = -1;
    if (known[place].exchange) {
        return read_exchange(known[place].exchange, object, out_array);
    }
    if (known[place].is_buffer) {
        return read_buffer(object, out_array);
    }
    PyObject *offered = attribute(object, INTERFACE);
    if (offered) {
        enum py_found found = read_interface(offered, out_array);
        Py_DECREF(offered);
        return found;
    }
    offered = attribute(object, DLPACK);
    if (offered) {
        enum py_found found = read_dlpack(object, offered, out_array);
        Py_DECREF(offered);
        return found;
    }
    return PY_NOT_FOUND;
}
