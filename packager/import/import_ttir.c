/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_ttir.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sha256.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* What C calls a type of MLIR's; NULL: nothing. Triton passes narrow floats as their bits. */
static const char *c_type(const char *type, size_t size, bool is_pointer)
{
    static const struct {
        const char *type;
        const char *value;
        const char *pointer;
    } table[] = {
        {"i1", "int8_t", "int8_t *"},       {"i8", "int8_t", "int8_t *"},
        {"i16", "int16_t", "int16_t *"},    {"i32", "int32_t", "int32_t *"},
        {"i64", "int64_t", "int64_t *"},    {"f16", "uint16_t", "uint16_t *"},
        {"bf16", "uint16_t", "uint16_t *"}, {"f32", "float", "float *"},
        {"f64", "double", "double *"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strlen(table[i].type) == size && memcmp(table[i].type, type, size) == 0) {
            return is_pointer ? table[i].pointer : table[i].value;
        }
    }
    return is_pointer ? "void *" : NULL;
}

/* The C type of "!tt.ptr<f16>", "!tt.ptr<f16, 3>" or "i32". */
static const char *read_type(const char *at)
{
    static const char pointer[] = "!tt.ptr<";
    bool is_pointer = strncmp(at, pointer, sizeof(pointer) - 1) == 0;
    at += is_pointer ? sizeof(pointer) - 1 : 0;
    return c_type(at, strcspn(at, " ,>){"), is_pointer);
}

/* The end of a parameter: a ',' or ')' outside of brackets and strings; NULL if there is none. */
static const char *end_of(const char *at)
{
    int depth = 0;
    bool is_string = false;
    for (; *at; at++) {
        if (*at == '"') {
            is_string = !is_string;
        } else if (is_string) {
            at += at[0] == '\\' && at[1] ? 1 : 0;
        } else if (depth == 0 && (*at == ',' || *at == ')')) {
            return at;
        } else if (strchr("<({[", *at)) {
            depth++;
        } else if (strchr(">)}]", *at)) {
            depth--;
        }
    }
    return NULL;
}

/* Adds the parameter at "%name: type", and moves past its end. False if there is none. */
static bool add_param(const char **at, struct launch_record *record, cubinet_status *status)
{
    *at += strspn(*at, " \t\n");
    const char *end = **at == '%' ? end_of(*at) : NULL;
    size_t size = end ? strcspn(*at + 1, ": ,)") : 0;
    const char *type = end ? *at + 1 + size : NULL;
    struct buffer name = {0};
    if (!end || size == 0 || *type != ':' || isdigit((unsigned char)(*at)[1])) {
        return false;
    }
    buffer_append(&name, *at + 1, size);
    type++;
    type += strspn(type, " ");
    const char *c = read_type(type);
    *status = name.failed ? cbn_error_memory() : launch_record_add_name(record, name.data, c ? c : "");
    buffer_free(&name);
    *at = end + 1;
    return !*status && *end == ',';
}

cubinet_status import_ttir_names(const char *text, const char *kernel, struct launch_record *record)
{
    struct buffer start = {0};
    buffer_printf(&start, "tt.func public @%s(", kernel);
    const char *at = start.failed ? NULL : strstr(text, start.data);
    cubinet_status status = start.failed ? cbn_error_memory() : CUBINET_OK;
    if (at) {
        at += start.size;
        while (add_param(&at, record, &status)) {
        }
    }
    buffer_free(&start);
    return status;
}

char *import_ttir_identity(const char *text)
{
    static const char place[] = "#loc";
    struct buffer identity = {0};
    struct cbn_sha256_state state;
    cbn_sha256_start(&state);
    while (*text) {
        size_t size = strcspn(text, "\n");
        size += text[size] == '\n';
        if (strncmp(text, place, sizeof(place) - 1) != 0) {
            cbn_sha256_add(&state, text, size);
        }
        text += size;
    }
    struct cbn_sha256 digest = cbn_sha256_finish(&state);
    for (size_t i = 0; i < sizeof(digest.bytes); i++) {
        buffer_printf(&identity, "%02x", digest.bytes[i]);
    }
    return buffer_take(&identity);
}
