/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "arrays.h"
#include "error.h"
#include "scalars.h"

#include <string.h>

/* One argument, for its value and for messages. */
struct place {
    const struct py_kernel *kernel;
    size_t index;                         /* among the arguments, from 0 */
    const struct py_parameter *parameter; /* NULL: nothing is known of it */
    unsigned char *bytes;                 /* where its value goes */
    size_t room;
    size_t size; /* that it has; of a parameter that is known, the parameter's */
};

/* Takes the text that says what is wrong. */
static bool refuse(const struct place *place, PyObject *what)
{
    const struct py_parameter *parameter = place->parameter;
    bool has_name = parameter && parameter->name[0];
    bool has_type = parameter && parameter->text[0];
    if (what) {
        py_raise_format(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                        "kernel '%U': argument %zu (from 0)%s%s%s is %U%s%s%s", place->kernel->name,
                        place->index, has_name ? ", '" : "", has_name ? parameter->name : "",
                        has_name ? "'," : "", what, has_type ? "; the parameter is '" : "",
                        has_type ? parameter->text : "", has_type ? "'" : "");
        Py_DECREF(what);
    }
    return false;
}

static bool refuse_text(const struct place *place, const char *what)
{
    return refuse(place, PyUnicode_FromString(what));
}

static bool refuse_class(const struct place *place, PyObject *value)
{
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__name__");
    refuse(place, name ? PyUnicode_FromFormat("a %S, which is not a number, array or address", name) : NULL);
    Py_XDECREF(name);
    return false;
}

/* Whether the parameter is known to be of a class or an enumeration, which nothing else is said of. */
static bool is_class(const struct place *place)
{
    return place->parameter && place->parameter->type.class == PY_UNKNOWN && place->parameter->text[0];
}

/* The type that a number is written as: that of the parameter, or what its size and the number tell. */
static enum py_class class_for(const struct place *place, const struct py_number *number)
{
    enum py_class known = place->parameter ? place->parameter->type.class : PY_UNKNOWN;
    if (known != PY_UNKNOWN) {
        return known;
    }
    return number->class == PY_SIGNED && number->i >= 0 ? PY_UNSIGNED : number->class;
}

static bool put_number(struct place *place, PyObject *value, const struct py_number *number)
{
    enum py_class class = class_for(place, number);
    bool is_known = place->parameter && place->parameter->type.class != PY_UNKNOWN;
    size_t size = place->size;
    if (!place->parameter) { /* as much as the number has; of Python's int and float nobody knows */
        if (number->size == 0) {
            return refuse_text(place, "of unknown size: give it as ctypes.c_int32, "
                                      "numpy.float32 or another type of a known size");
        }
        size = place->size = number->size;
    }
    if (is_class(place) && number->size == 0) {
        return refuse(place,
                      PyUnicode_FromFormat("%R, where a structure of %zu bytes is needed", value, size));
    }
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return refuse(place, PyUnicode_FromFormat("a number, where %zu bytes are needed", size));
    }
    if (!is_known && number->size != 0 && number->size != size) {
        return refuse(place, PyUnicode_FromFormat("%R, which has %u bytes, where %zu are needed", value,
                                                  number->size, size));
    }
    if (!is_known && number->class == PY_FLOAT && size < 4 && number->size == 0) {
        return refuse_text(place, "a float; whether the parameter is float16 or bfloat16 is not "
                                  "recorded: give it as numpy.float16 or as bytes");
    }
    const char *trouble = class == PY_POINTER && number->class == PY_FLOAT
                              ? "where an array or an address is needed"
                              : py_number_write(number, class, (uint32_t)size, place->bytes);
    if (!trouble) {
        return true;
    }
    return refuse(place, PyUnicode_FromFormat("%R, %s", value, trouble));
}

static bool put_int(struct place *place, PyObject *value)
{
    struct py_number number;
    if (!py_number_of_int(value, &number)) {
        PyErr_Clear();
        return refuse_text(place, "an int of more than 64 bits");
    }
    if (!place->parameter) { /* an address, as in every binding of CUDA */
        number.size = 8;
    }
    return put_number(place, value, &number);
}

/* What a parameter points to against what an array has. Unsigned integers stand for types that systems have
 * no other name for (Triton's float16, float8), integers of either sign for each other, and arrays of bytes
 * are memory for anything (cuda.core's Buffer). */
static bool fits_element(const struct py_type *type, const struct py_array *array)
{
    bool is_integer = array->element == PY_SIGNED || array->element == PY_UNSIGNED;
    if (type->class != PY_POINTER || type->element == PY_UNKNOWN || type->element == PY_POINTER ||
        array->element == PY_UNKNOWN || (is_integer && array->element_size == 1)) {
        return true;
    }
    if (type->element_size != array->element_size) {
        return false;
    }
    return type->element == array->element || type->element == PY_UNSIGNED ||
           (type->element == PY_SIGNED && is_integer);
}

static bool put_array(struct place *place, const struct py_array *array)
{
    const struct py_type *type = place->parameter ? &place->parameter->type : NULL;
    CUdevice device = place->kernel->module->device;
    if (!place->parameter) {
        place->size = sizeof(array->address);
    }
    if (place->size != sizeof(array->address) ||
        (type && type->class != PY_POINTER && type->class != PY_UNKNOWN) || is_class(place)) {
        return refuse(place,
                      PyUnicode_FromFormat("an array, where a value of %zu bytes is needed", place->size));
    }
    if (type && !fits_element(type, array)) {
        return refuse(place, PyUnicode_FromFormat("an array of %s",
                                                  py_class_name(array->element, array->element_size)));
    }
    if (array->device >= 0 && array->device != device) {
        return refuse(
            place, PyUnicode_FromFormat("an array on device %d, which device %d may not reach (copy it, or "
                                        "give its address if peer access is enabled)",
                                        array->device, device));
    }
    memcpy(place->bytes, &array->address, sizeof(array->address));
    return true;
}

static bool is_raw(const char *format)
{
    return !format || strcmp(format, "B") == 0 || strcmp(format, "c") == 0 || strcmp(format, "b") == 0 ||
           strcmp(format, "<B") == 0;
}

/* Whether an object is a structure or a union of ctypes'. One of a byte has the format of a number. */
static bool is_structure(PyObject *value)
{
    static const char *const classes[] = {"Structure", "Union"};
    bool is_found = false;
    PyObject *name = PyUnicode_FromString("_ctypes");
    PyObject *module = name ? PyImport_GetModule(name) : NULL; /* it is there if an object of it is */
    for (size_t i = 0; module && i < sizeof(classes) / sizeof(classes[0]); i++) {
        PyObject *class = PyObject_GetAttrString(module, classes[i]);
        is_found |= class && PyObject_IsInstance(value, class) > 0;
        Py_XDECREF(class);
    }
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Clear();
    return is_found;
}

static bool is_number(PyObject *value, const Py_buffer *buffer, struct py_number *out_number)
{
    return buffer->ndim == 0 &&
           py_number_of_bytes(buffer->format, buffer->buf, (size_t)buffer->len, out_number) &&
           !(strcmp(buffer->format, "B") == 0 && is_structure(value));
}

/* A number of ctypes' or NumPy's, a structure, or bytes. */
static bool put_buffer(struct place *place, PyObject *value, const Py_buffer *buffer)
{
    struct py_number number;
    size_t size = (size_t)buffer->len;
    if (is_number(value, buffer, &number)) {
        return put_number(place, value, &number);
    }
    enum py_class class = place->parameter ? place->parameter->type.class : PY_UNKNOWN;
    if (class != PY_UNKNOWN || (buffer->ndim > 0 && !is_raw(buffer->format))) {
        return refuse_text(place, buffer->ndim > 0 ? "an array in the memory of the CPU, which has to be "
                                                     "copied to the device first"
                                                   : "a structure, or a number of another byte order");
    }
    if (!place->parameter) {
        place->size = size;
    }
    if (size != place->size || size > place->room) {
        return refuse(place, PyUnicode_FromFormat("%zu bytes, where %zu are needed", size, place->size));
    }
    memcpy(place->bytes, buffer->buf, size);
    return true;
}

/* An object of cuda.bindings that holds an address, and others that int() takes. */
static bool put_other(struct place *place, PyObject *value)
{
    enum py_class class = place->parameter ? place->parameter->type.class : PY_UNKNOWN;
    bool may_be_address =
        class == PY_POINTER || (class == PY_UNKNOWN && (place->size == 8 || !place->parameter));
    PyObject *number =
        PyIndex_Check(value) || (may_be_address && !PyUnicode_Check(value)) ? PyNumber_Long(value) : NULL;
    bool is_put = number && put_int(place, number);
    if (!number) {
        PyErr_Clear();
        refuse_class(place, value);
    }
    Py_XDECREF(number);
    return is_put;
}

static bool put_object(struct place *place, PyObject *value)
{
    Py_buffer buffer;
    struct py_array array;
    if (PyObject_CheckBuffer(value)) {
        if (PyObject_GetBuffer(value, &buffer, PyBUF_FORMAT | PyBUF_ND) == 0) {
            bool is_put = put_buffer(place, value, &buffer);
            PyBuffer_Release(&buffer);
            return is_put;
        }
        PyErr_Clear(); /* not contiguous, or no memory of the host: what else does it offer? */
    }
    switch (py_array_read(value, &array)) {
    case PY_FOUND:
        return put_array(place, &array);
    case PY_NOT_FOUND:
        return put_other(place, value);
    default:
        return array.trouble ? refuse(place, PyUnicode_FromString(array.trouble)) : false;
    }
}

static bool put(struct place *place, PyObject *value)
{
    struct py_number number = {.class = PY_FLOAT};
    if (PyLong_Check(value)) {
        return put_int(place, value);
    }
    if (PyFloat_CheckExact(value)) { /* numpy.float64, which is derived from it, has a size of its own */
        number.f = PyFloat_AsDouble(value);
        return put_number(place, value, &number);
    }
    if (value == Py_None) {
        return put_array(place, &(struct py_array){.address = 0, .device = -1});
    }
    return put_object(place, value);
}

/* An argument for each parameter that a caller gives; NULL if there are not as many. */
static const struct py_parameter *parameter_for(const struct py_parameters *parameters, size_t index,
                                                size_t count)
{
    return count == parameters->count ? &parameters->all[index] : parameters->shown[index];
}

static bool check_count(const struct py_kernel *kernel, size_t count)
{
    const struct py_parameters *parameters = kernel->parameters;
    if (!parameters->is_known || count == parameters->count || count == parameters->shown_count) {
        return true;
    }
    if (parameters->shown_count == parameters->count) {
        py_raise_format(CUBINET_ERROR_LAUNCH_ARGUMENTS, "kernel '%U' takes %u arguments; %zu were given",
                        kernel->name, parameters->count, count);
    } else {
        py_raise_format(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                        "kernel '%U' takes %u arguments, or %u with those that its launch record supplies; "
                        "%zu were given",
                        kernel->name, parameters->shown_count, parameters->count, count);
    }
    return false;
}

bool py_pack_all(const struct py_kernel *kernel, PyObject *values, unsigned char *memory, cubinet_arg *args)
{
    const struct py_parameters *parameters = kernel->parameters;
    size_t count = (size_t)PyTuple_Size(values);
    size_t room = parameters->is_known ? parameters->bytes : PY_PACK_UNKNOWN;
    if (!check_count(kernel, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct py_parameter *parameter =
            parameters->is_known ? parameter_for(parameters, i, count) : NULL;
        struct place place = {kernel, i, parameter, memory, room, parameter ? parameter->size : 0};
        if (!parameter && room < py_pack_room(1)) {
            return refuse_text(&place, "one too many: no GPU takes so many bytes of arguments");
        }
        if (!put(&place, PyTuple_GetItem(values, (Py_ssize_t)i))) {
            return false;
        }
        args[i] = (cubinet_arg){memory, place.size};
        memory += py_pack_room(place.size);
        room -= py_pack_room(place.size);
    }
    return true;
}
