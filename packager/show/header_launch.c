/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_launch.h"

#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "show/header_bounds.h"
#include "show/header_record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The most parameters that a macro may have with every compiler: C11, 5.2.4.1. */
enum { MAX_MACRO_PARAMETERS = 127, OWN_PARAMETERS = 2 };

static cubinet_status fit(struct header_signature *signature, const struct header_bounds *bounds)
{
    struct header_type *types = reallocarray(signature->parameters, bounds->param_count + 1, sizeof(*types));
    if (!types) {
        return cbn_error_memory();
    }
    signature->parameters = types;
    bool is_same_count = signature->parameter_count == bounds->param_count;
    signature->parameter_count = bounds->param_count;
    for (uint32_t i = 0; i < bounds->param_count; i++) {
        uint32_t bytes = bounds->params[i].size;
        if (!is_same_count || (types[i].bytes && types[i].bytes != bytes)) {
            types[i] = (struct header_type){.kind = HEADER_TYPE_SIZED};
        }
        types[i].bytes = bytes;
    }
    return CUBINET_OK;
}

/* Types of a kernel whose name tells none, and leaves out hidden parameters. */
static void take_record(struct header_signature *signature, const struct header_record *record)
{
    const cubinet_launch_record *known = &record->record;
    bool has_names = known->param_name_count == signature->parameter_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        struct header_type type = signature->parameters[i];
        if (has_names && !signature->is_mangled && known->param_names[i].type[0]) {
            type = header_recorded_type(known->param_names[i].type, type.bytes);
            signature->is_recorded = true;
        }
        type.name = has_names ? known->param_names[i].name : "";
        if (!header_record_hides(record, i)) {
            signature->parameters[kept++] = type;
        }
    }
    signature->hidden_count = signature->parameter_count - kept;
    signature->parameter_count = kept;
}

bool header_launch_read(struct header_writer *writer, const cubinet_archive *archive,
                        const struct listing_module *module, uint32_t kernel, const char *lowered,
                        struct header_signature *out_signature)
{
    struct header_bounds bounds;
    struct header_record record;
    cubinet_status status = header_bounds_read(archive, module, kernel, &bounds);
    if (status || bounds.param_count == CUBINET_UNKNOWN || bounds.params_differ) {
        header_note(writer, status);
        return false;
    }
    struct header_signature signature = {0};
    status = header_signature_read(writer->types, lowered, &signature);
    if (!status) {
        status = fit(&signature, &bounds);
    }
    if (!status) {
        status = header_record_read(archive, module, kernel, &record);
    }
    if (status || record.hidden_differ) {
        header_note(writer, status);
        header_signature_free(&signature);
        return false;
    }
    take_record(&signature, &record);
    *out_signature = signature;
    return true;
}

static void write_pointer(struct buffer *text, const struct header_type *type)
{
    const char *qualifiers = type->is_const && type->is_volatile ? "const volatile "
                             : type->is_const                    ? "const "
                             : type->is_volatile                 ? "volatile "
                                                                 : "";
    bool is_pointer = type->text[strlen(type->text) - 1] == '*';
    buffer_printf(text, is_pointer ? "%s%s*" : "%s%s *", is_pointer ? type->text : qualifiers,
                  is_pointer ? qualifiers : type->text);
}

/* How each kind is written, around the C type, the object's type or the count of bytes. */
static const struct {
    const char *type, *end;
    const char *parameter;
} spellings[] = {
    [HEADER_TYPE_NUMBER] = {"", "", "CUBINET_PARAM("},
    [HEADER_TYPE_POINTER] = {"", "", "CUBINET_PARAM("},
    [HEADER_TYPE_OBJECT] = {"::cubinet::typed::object_pointer<", ">", "CUBINET_PARAM_OBJECT("},
    [HEADER_TYPE_VALUE] = {"::cubinet::typed::value<", ">", "CUBINET_PARAM_VALUE("},
    [HEADER_TYPE_SIZED] = {"::cubinet::typed::sized<", ">", "CUBINET_PARAM_SIZED("},
};

static void write_inside(struct buffer *text, const struct header_type *type)
{
    switch (type->kind) {
    case HEADER_TYPE_NUMBER:
        buffer_puts(text, type->text);
        break;
    case HEADER_TYPE_POINTER:
        write_pointer(text, type);
        break;
    case HEADER_TYPE_OBJECT:
        buffer_puts(text, type->is_const ? "const void" : "void");
        break;
    case HEADER_TYPE_VALUE:
    case HEADER_TYPE_SIZED:
        buffer_printf(text, "%u", type->bytes);
        break;
    }
}

void header_launch_type(struct buffer *text, const struct header_type *type)
{
    buffer_puts(text, spellings[type->kind].type);
    write_inside(text, type);
    buffer_puts(text, spellings[type->kind].end);
}

static void write_parameter(struct buffer *text, const struct header_type *type, uint32_t number)
{
    buffer_puts(text, spellings[type->kind].parameter);
    write_inside(text, type);
    buffer_printf(text, ") p%u", number);
}

static bool is_by_address(const struct header_type *type)
{
    return type->kind == HEADER_TYPE_VALUE || type->kind == HEADER_TYPE_SIZED;
}

static void write_arg(struct buffer *text, const struct header_type *type, uint32_t number)
{
    if (is_by_address(type)) {
        buffer_printf(text, "CUBINET_PARAM_VALUE_ARG(p%u, %u)", number, type->bytes);
    } else {
        buffer_printf(text, "CUBINET_PARAM_ARG(p%u)", number);
    }
}

static void write_pass(struct buffer *text, const struct header_type *type, uint32_t number)
{
    if (is_by_address(type)) {
        buffer_printf(text, "CUBINET_PASS_SIZED(%u, p%u)", type->bytes, number);
    } else if (type->kind == HEADER_TYPE_NUMBER) {
        buffer_puts(text, "CUBINET_PASS_");
        for (const char *c = type->text; *c; c++) {
            buffer_printf(text, "%c", *c == ' ' ? '_' : toupper((unsigned char)*c));
        }
        buffer_printf(text, "(p%u)", number);
    } else if (type->kind == HEADER_TYPE_OBJECT || strcmp(type->text, "void") == 0) {
        buffer_printf(text, "CUBINET_PASS_OBJECT(p%u)", number);
    } else {
        buffer_printf(text, "CUBINET_PASS_%sPOINTER(%s, p%u)",
                      type->is_const      ? "CONST_"
                      : type->is_volatile ? "VOLATILE_"
                                          : "",
                      type->text, number);
    }
}

static void write_list(struct buffer *text, const struct header_signature *launched, const char *separator,
                       void (*write)(struct buffer *, const struct header_type *, uint32_t))
{
    for (uint32_t i = 0; i < launched->parameter_count; i++) {
        buffer_puts(text, i ? separator : "");
        write(text, &launched->parameters[i], i);
    }
}

static void write_remark(struct buffer *text, const struct header_type *type, uint32_t number)
{
    if (type->kind == HEADER_TYPE_OBJECT) {
        buffer_printf(text, "\n * p%u points to what the header can't name: any such pointer fits.", number);
    } else if (type->kind == HEADER_TYPE_VALUE) {
        buffer_printf(text, "\n * p%u is a class or an enumeration: any of %u bytes fits.", number,
                      type->bytes);
    } else if (type->kind == HEADER_TYPE_SIZED) {
        buffer_printf(text, "\n * p%u has a type that the header can't name: whatever has %u bytes fits.",
                      number, type->bytes);
    }
}

void header_launch_comment(struct header_writer *writer, const char *lowered,
                           const struct header_signature *launched)
{
    const char *full = cbn_readable_full(writer->readable, lowered);
    header_comment(writer, "\n/* Launches ", full ? full : lowered);
    buffer_puts(&writer->text, ".");
    if (!launched->is_mangled && !launched->is_recorded && launched->parameter_count > 0) {
        buffer_puts(&writer->text,
                    "\n * The archive tells sizes of its parameters, not types: whatever has a "
                    "parameter's size fits.");
    }
    if (launched->hidden_count) {
        buffer_printf(&writer->text,
                      "\n * %u hidden parameter%s what the launch record says; see "
                      "<cubinet/launch_record.h>.",
                      launched->hidden_count, launched->hidden_count == 1 ? " gets" : "s get");
    }
    for (uint32_t i = 0; i < launched->parameter_count; i++) {
        const struct header_type *type = &launched->parameters[i];
        if (type->name && type->name[0]) {
            buffer_printf(&writer->text, "\n * p%u: ", i);
            header_comment(writer, "", type->name);
        }
        if (launched->is_mangled || launched->is_recorded) {
            write_remark(&writer->text, type, i);
        }
    }
    buffer_puts(&writer->text, " */\n");
}

static void write_body(struct buffer *text, const struct header_signature *launched)
{
    if (launched->parameter_count == 0) {
        buffer_puts(text, "{\n    return cubinet_kernel_launch(kernel, config, NULL, 0);\n}\n");
        return;
    }
    buffer_puts(text, "{\n    const cubinet_arg args[] = {\n        ");
    write_list(text, launched, ",\n        ", write_arg);
    buffer_printf(text, "};\n    return cubinet_kernel_launch(kernel, config, args, %u);\n}\n",
                  launched->parameter_count);
}

/* In C the function's conversions would let pass what does not fit. */
static void write_macro(struct header_writer *writer, struct header_subject *subject,
                        const struct header_signature *launched)
{
    if (launched->parameter_count == 0) {
        return;
    }
    buffer_puts(&writer->text, "#ifndef __cplusplus\n#define ");
    header_name(writer, subject, HEADER_LOWER, "");
    buffer_puts(&writer->text, "(kernel, config");
    for (uint32_t i = 0; i < launched->parameter_count; i++) {
        buffer_printf(&writer->text, ", p%u", i);
    }
    buffer_puts(&writer->text, ") \\\n    ");
    header_name(writer, subject, HEADER_LOWER, "");
    buffer_puts(&writer->text, "(kernel, config, \\\n        ");
    write_list(&writer->text, launched, ", \\\n        ", write_pass);
    buffer_puts(&writer->text, ")\n#endif\n");
}

static void write_function(struct header_writer *writer, struct header_subject *subject,
                           const struct header_signature *launched)
{
    if (launched->parameter_count > MAX_MACRO_PARAMETERS - OWN_PARAMETERS) {
        header_comment(writer, "\n/* More parameters than a macro may have: ", subject->name);
        buffer_puts(&writer->text, " */\n");
        return;
    }
    header_launch_comment(writer, subject->lowered, launched);
    buffer_puts(&writer->text, "static inline cubinet_status ");
    header_define_name(writer, subject, HEADER_LOWER, "");
    buffer_puts(&writer->text, "(\n    const cubinet_kernel *kernel, const cubinet_launch_config *config");
    buffer_puts(&writer->text, launched->parameter_count ? ",\n    " : "");
    write_list(&writer->text, launched, ",\n    ", write_parameter);
    buffer_puts(&writer->text, ")\n");
    write_body(&writer->text, launched);
    write_macro(writer, subject, launched);
}

void header_launch(struct header_writer *writer, const cubinet_archive *archive,
                   const struct listing_module *module, uint32_t kernel, struct header_subject *subject)
{
    struct header_signature launched;
    if (header_launch_read(writer, archive, module, kernel, subject->lowered, &launched)) {
        write_function(writer, subject, &launched);
        header_signature_free(&launched);
    }
}
