/* SPDX-License-Identifier: Apache-2.0 */
#include "import/pickle.h"

#include "base/array.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* The machine that a pickle is a program for: a stack, places in it, and values that were noted. */
struct machine {
    struct pickle *pickle;
    const unsigned char *at;
    const unsigned char *end;
    struct pickle_value **stack;
    size_t depth;
    size_t *marks; /* depths of the stack */
    size_t mark_count;
    struct pickle_value **memo;
    size_t memo_count;
    bool is_done;
};

bool pickle_is(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    return size > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

static cubinet_status damaged(void)
{
    return cbn_error(CUBINET_ERROR_DAMAGED,
                     "a pickle of Python's that is cut off, or of a form that is not known");
}

/* Every step of the program makes at most one value, so there are at most as many values as bytes. */
static struct pickle_value *make(struct machine *machine, enum pickle_kind kind)
{
    struct pickle *pickle = machine->pickle;
    struct pickle_value **values = array_grow(pickle->values, pickle->value_count, sizeof(*pickle->values));
    struct pickle_value *value = values ? calloc(1, sizeof(*value)) : NULL;
    pickle->values = values ? values : pickle->values;
    if (value) {
        value->kind = kind;
        values[pickle->value_count++] = value;
    }
    return value;
}

static cubinet_status push(struct machine *machine, struct pickle_value *value)
{
    struct pickle_value **stack =
        value ? array_grow(machine->stack, machine->depth, sizeof(*machine->stack)) : NULL;
    if (!stack) {
        return cbn_error_memory();
    }
    machine->stack = stack;
    stack[machine->depth++] = value;
    return CUBINET_OK;
}

/* What the steps after the last mark have left. */
static size_t bottom(const struct machine *machine)
{
    return machine->mark_count > 0 ? machine->marks[machine->mark_count - 1] : 0;
}

static struct pickle_value *pop(struct machine *machine)
{
    return machine->depth > bottom(machine) ? machine->stack[--machine->depth] : NULL;
}

static struct pickle_value *top(const struct machine *machine)
{
    return machine->depth > bottom(machine) ? machine->stack[machine->depth - 1] : NULL;
}

static cubinet_status push_number(struct machine *machine, enum pickle_kind kind, int64_t number)
{
    struct pickle_value *value = make(machine, kind);
    if (value) {
        value->number = number;
    }
    return push(machine, value);
}

static cubinet_status add_item(struct pickle_value *value, const struct pickle_value *item)
{
    const struct pickle_value **items = array_grow(value->items, value->item_count, sizeof(*value->items));
    if (!items) {
        return cbn_error_memory();
    }
    value->items = items;
    items[value->item_count++] = item;
    return CUBINET_OK;
}

static cubinet_status mark(struct machine *machine)
{
    size_t *marks = array_grow(machine->marks, machine->mark_count, sizeof(*marks));
    if (!marks) {
        return cbn_error_memory();
    }
    machine->marks = marks;
    marks[machine->mark_count++] = machine->depth;
    return CUBINET_OK;
}

/* Moves the last `count` of the stack into a value. */
static cubinet_status move(struct machine *machine, struct pickle_value *value, size_t count)
{
    cubinet_status status = value ? CUBINET_OK : cbn_error_memory();
    for (size_t i = machine->depth - count; !status && i < machine->depth; i++) {
        status = add_item(value, machine->stack[i]);
    }
    machine->depth -= count;
    return status;
}

static cubinet_status push_collected(struct machine *machine, enum pickle_kind kind, size_t count)
{
    if (machine->depth - bottom(machine) < count) {
        return damaged();
    }
    struct pickle_value *value = make(machine, kind);
    cubinet_status status = move(machine, value, count);
    return status ? status : push(machine, value);
}

static cubinet_status push_marked(struct machine *machine, enum pickle_kind kind)
{
    if (machine->mark_count == 0) {
        return damaged();
    }
    struct pickle_value *value = make(machine, kind);
    cubinet_status status = move(machine, value, machine->depth - bottom(machine));
    machine->mark_count--;
    return status ? status : push(machine, value);
}

/* Adds what follows the mark to what lies before it. */
static cubinet_status add_marked(struct machine *machine, enum pickle_kind kind)
{
    size_t start = bottom(machine);
    if (machine->mark_count == 0) {
        return damaged();
    }
    machine->mark_count--;
    if (start <= bottom(machine)) {
        return damaged();
    }
    struct pickle_value *value = machine->stack[start - 1];
    size_t count = machine->depth - start;
    if (value->kind == PICKLE_CALL) { /* of an object that behaves like a list or a dict */
        machine->depth = start;
        return CUBINET_OK;
    }
    return value->kind == kind ? move(machine, value, count) : damaged();
}

static cubinet_status add_one(struct machine *machine, enum pickle_kind kind, size_t count)
{
    if (machine->depth - bottom(machine) <= count) {
        return damaged();
    }
    struct pickle_value *value = machine->stack[machine->depth - count - 1];
    if (value->kind == PICKLE_CALL) {
        machine->depth -= count;
        return CUBINET_OK;
    }
    return value->kind == kind ? move(machine, value, count) : damaged();
}

/* What is set in an object. */
static cubinet_status build(struct machine *machine)
{
    const struct pickle_value *state = pop(machine);
    struct pickle_value *object = top(machine);
    if (!object) {
        return damaged();
    }
    return object->kind == PICKLE_CALL && object->item_count == 2 ? add_item(object, state) : CUBINET_OK;
}

static cubinet_status take(struct machine *machine, uint64_t size, const unsigned char **out_bytes)
{
    if (size > (uint64_t)(machine->end - machine->at)) {
        return damaged();
    }
    *out_bytes = machine->at;
    machine->at += size;
    return CUBINET_OK;
}

/* A number of 1, 2, 4 or 8 bytes. */
static cubinet_status take_number(struct machine *machine, size_t size, uint64_t *out_number)
{
    const unsigned char *bytes = NULL;
    cubinet_status status = take(machine, size, &bytes);
    *out_number = 0;
    for (size_t i = 0; !status && i < size; i++) {
        *out_number |= (uint64_t)bytes[i] << (8 * i);
    }
    return status;
}

/* Bytes whose count stands before them. */
static cubinet_status push_bytes(struct machine *machine, enum pickle_kind kind, size_t count_size)
{
    uint64_t size;
    const unsigned char *bytes = NULL;
    cubinet_status status = take_number(machine, count_size, &size);
    status = status ? status : take(machine, size, &bytes);
    struct pickle_value *value = !status ? make(machine, kind) : NULL;
    if (value) {
        value->bytes = bytes;
        value->size = (size_t)size;
    }
    return status ? status : push(machine, value);
}

static cubinet_status push_integer(struct machine *machine, size_t size)
{
    uint64_t number;
    cubinet_status status = take_number(machine, size, &number);
    return status ? status
                  : push_number(machine, PICKLE_NUMBER,
                                size == sizeof(int32_t) ? (int32_t)(uint32_t)number : (int64_t)number);
}

static cubinet_status push_long(struct machine *machine, size_t count_size)
{
    uint64_t size;
    const unsigned char *bytes = NULL;
    cubinet_status status = take_number(machine, count_size, &size);
    status = status ? status : take(machine, size, &bytes);
    uint64_t number =
        !status && size > 0 && size <= sizeof(number) && (bytes[size - 1] & 0x80) ? UINT64_MAX : 0;
    for (size_t i = (size_t)size; !status && size <= sizeof(number) && i > 0; i--) {
        number = number << 8 | bytes[i - 1];
    }
    return status ? status : push_number(machine, PICKLE_NUMBER, (int64_t)number);
}

/* Its bytes are in the network's order. */
static cubinet_status push_real(struct machine *machine)
{
    const unsigned char *bytes = NULL;
    uint64_t bits = 0;
    cubinet_status status = take(machine, sizeof(bits), &bytes);
    for (size_t i = 0; !status && i < sizeof(bits); i++) {
        bits = bits << 8 | bytes[i];
    }
    struct pickle_value *value = !status ? make(machine, PICKLE_NUMBER) : NULL;
    if (value) {
        memcpy(&value->real, &bits, sizeof(bits));
    }
    return status ? status : push(machine, value);
}

/* A line of text. */
static cubinet_status push_line(struct machine *machine)
{
    const unsigned char *end = memchr(machine->at, '\n', (size_t)(machine->end - machine->at));
    struct pickle_value *value = end ? make(machine, PICKLE_TEXT) : NULL;
    if (!end) {
        return damaged();
    }
    if (value) {
        value->bytes = machine->at;
        value->size = (size_t)(end - machine->at);
        machine->at = end + 1;
    }
    return push(machine, value);
}

static cubinet_status push_global_of_lines(struct machine *machine)
{
    cubinet_status status = push_line(machine);
    status = status ? status : push_line(machine);
    return status ? status : push_collected(machine, PICKLE_GLOBAL, 2);
}

/* Notes the top under a number. Numbers go up by one in what Python writes. */
static cubinet_status note(struct machine *machine, uint64_t number)
{
    struct pickle_value *value = top(machine);
    if (!value || number > machine->memo_count) {
        return damaged();
    }
    if (number < machine->memo_count) {
        machine->memo[number] = value;
        return CUBINET_OK;
    }
    struct pickle_value **memo = array_grow(machine->memo, machine->memo_count, sizeof(*memo));
    if (!memo) {
        return cbn_error_memory();
    }
    machine->memo = memo;
    memo[machine->memo_count++] = value;
    return CUBINET_OK;
}

static cubinet_status note_numbered(struct machine *machine, size_t size)
{
    uint64_t number;
    cubinet_status status = take_number(machine, size, &number);
    return status ? status : note(machine, number);
}

static cubinet_status push_noted(struct machine *machine, size_t size)
{
    uint64_t number;
    cubinet_status status = take_number(machine, size, &number);
    if (!status && number >= machine->memo_count) {
        status = damaged();
    }
    return status ? status : push(machine, machine->memo[number]);
}

static cubinet_status skip(struct machine *machine, size_t size)
{
    const unsigned char *bytes;
    return take(machine, size, &bytes);
}

static cubinet_status drop(struct machine *machine)
{
    if (!pop(machine)) {
        if (machine->mark_count == 0) {
            return damaged();
        }
        machine->mark_count--;
    }
    return CUBINET_OK;
}

static cubinet_status drop_marked(struct machine *machine)
{
    if (machine->mark_count == 0) {
        return damaged();
    }
    machine->depth = machine->marks[--machine->mark_count];
    return CUBINET_OK;
}

static cubinet_status push_top(struct machine *machine)
{
    struct pickle_value *value = top(machine);
    return value ? push(machine, value) : damaged();
}

static cubinet_status stop(struct machine *machine)
{
    machine->pickle->top = machine->mark_count == 0 && machine->depth == 1 ? machine->stack[0] : NULL;
    machine->is_done = true;
    return machine->pickle->top ? CUBINET_OK : damaged();
}

/* Simple values and marks. */
static cubinet_status step_value(struct machine *machine, unsigned char code)
{
    switch (code) {
    case 'N':
        return push_number(machine, PICKLE_NONE, 0);
    case 0x88:
        return push_number(machine, PICKLE_BOOL, 1);
    case 0x89:
        return push_number(machine, PICKLE_BOOL, 0);
    case 'J':
        return push_integer(machine, 4);
    case 'K':
        return push_integer(machine, 1);
    case 'M':
        return push_integer(machine, 2);
    case 0x8a:
        return push_long(machine, 1);
    case 0x8b:
        return push_long(machine, 4);
    case 'G':
        return push_real(machine);
    case 0x8c:
        return push_bytes(machine, PICKLE_TEXT, 1);
    case 'X':
        return push_bytes(machine, PICKLE_TEXT, 4);
    case 0x8d:
        return push_bytes(machine, PICKLE_TEXT, 8);
    case 'C':
    case 'U':
        return push_bytes(machine, PICKLE_BYTES, 1);
    case 'B':
    case 'T':
        return push_bytes(machine, PICKLE_BYTES, 4);
    case 0x8e:
    case 0x96:
        return push_bytes(machine, PICKLE_BYTES, 8);
    default:
        return damaged();
    }
}

/* Values made of others. */
static cubinet_status step_collection(struct machine *machine, unsigned char code)
{
    switch (code) {
    case ')':
    case ']':
    case 0x8f:
        return push_collected(machine, PICKLE_TUPLE, 0);
    case '}':
        return push_collected(machine, PICKLE_DICT, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return push_collected(machine, PICKLE_TUPLE, (size_t)(code - 0x84));
    case 't':
    case 'l':
    case 0x91:
        return push_marked(machine, PICKLE_TUPLE);
    case 'd':
        return push_marked(machine, PICKLE_DICT);
    case 'e':
    case 0x90:
        return add_marked(machine, PICKLE_TUPLE);
    case 'u':
        return add_marked(machine, PICKLE_DICT);
    case 'a':
        return add_one(machine, PICKLE_TUPLE, 1);
    case 's':
        return add_one(machine, PICKLE_DICT, 2);
    default:
        return step_value(machine, code);
    }
}

/* One step of the program. */
static cubinet_status step(struct machine *machine, unsigned char code)
{
    switch (code) {
    case '.':
        return stop(machine);
    case 0x80:
        return skip(machine, 1);
    case 0x95:
        return skip(machine, 8);
    case '(':
        return mark(machine);
    case '0':
        return drop(machine);
    case '1':
        return drop_marked(machine);
    case '2':
        return push_top(machine);
    case 'c':
        return push_global_of_lines(machine);
    case 0x93:
        return push_collected(machine, PICKLE_GLOBAL, 2);
    case 'R':
    case 0x81:
        return push_collected(machine, PICKLE_CALL, 2);
    case 0x92: { /* with arguments by name, which are left out */
        cubinet_status status = drop(machine);
        return status ? status : push_collected(machine, PICKLE_CALL, 2);
    }
    case 'Q':
        return push_collected(machine, PICKLE_CALL, 1);
    case 'b':
        return build(machine);
    case 'q':
        return note_numbered(machine, 1);
    case 'r':
        return note_numbered(machine, 4);
    case 0x94:
        return note(machine, machine->memo_count);
    case 'h':
        return push_noted(machine, 1);
    case 'j':
        return push_noted(machine, 4);
    default:
        return step_collection(machine, code);
    }
}

cubinet_status pickle_read(const void *data, size_t size, struct pickle *out_pickle)
{
    struct pickle pickle = {0};
    struct machine machine = {.pickle = &pickle, .at = data, .end = (const unsigned char *)data + size};
    cubinet_status status = pickle_is(data, size) ? CUBINET_OK : damaged();
    while (!status && !machine.is_done) {
        status = machine.at < machine.end ? step(&machine, *machine.at++) : damaged();
    }
    free(machine.stack);
    free(machine.marks);
    free(machine.memo);
    if (status) {
        pickle_free(&pickle);
    } else {
        pickle.size = (size_t)(machine.at - (const unsigned char *)data);
        *out_pickle = pickle;
    }
    return status;
}

void pickle_free(struct pickle *pickle)
{
    for (size_t i = 0; i < pickle->value_count; i++) {
        free(pickle->values[i]->items);
        free(pickle->values[i]);
    }
    free(pickle->values);
    *pickle = (struct pickle){0};
}

bool pickle_is_text(const struct pickle_value *value, const char *text)
{
    return value && value->kind == PICKLE_TEXT && value->size == strlen(text) &&
           memcmp(value->bytes, text, value->size) == 0;
}

const struct pickle_value *pickle_item(const struct pickle_value *value, size_t number)
{
    bool has_items = value && (value->kind == PICKLE_TUPLE || value->kind == PICKLE_CALL);
    return has_items && number < value->item_count ? value->items[number] : NULL;
}

bool pickle_is_call(const struct pickle_value *value, const char *name)
{
    const struct pickle_value *called = value && value->kind == PICKLE_CALL ? pickle_item(value, 0) : NULL;
    return called && called->kind == PICKLE_GLOBAL && pickle_is_text(called->items[1], name);
}

const struct pickle_value *pickle_get(const struct pickle_value *value, const char *key)
{
    const struct pickle_value *dict = value && value->kind == PICKLE_CALL ? pickle_item(value, 2) : value;
    for (size_t i = 0; dict && dict->kind == PICKLE_DICT && i + 1 < dict->item_count; i += 2) {
        if (pickle_is_text(dict->items[i], key)) {
            return dict->items[i + 1];
        }
    }
    return NULL;
}
