/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_objects.h"

#include "base/c_text.h"
#include "loader/core/support/error.h"
#include "show/header_launch.h"
#include "show/header_scopes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct module_writer {
    struct header_writer *writer;
    const struct header_subject *module;
    char *scope; /* the module's namespace: "kernels_segmented_sum" */
    struct header_object *objects;
    size_t count;
};

/* An identifier that C++ takes, from one that may be empty, start with a digit or be a keyword. */
static void write_identifier(struct buffer *text, const char *name)
{
    bool needs_start = !isalpha((unsigned char)name[0]) && name[0] != '_';
    buffer_printf(text, "%s%s%s", needs_start ? "_" : "", name, c_text_is_keyword(name) ? "_" : "");
}

static cubinet_status make_flat(const struct header_subject *subject, char **out_name)
{
    struct buffer own = {0};
    struct buffer text = {0};
    header_own_identifier(&own, subject);
    write_identifier(&text, own.data ? own.data : "");
    text.failed |= own.failed;
    buffer_free(&own);
    *out_name = buffer_take(&text);
    return *out_name ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status make_scope(struct module_writer *module)
{
    struct buffer name = {0};
    struct buffer text = {0};
    header_identifier(&name, module->module, HEADER_LOWER, "");
    write_identifier(&text, name.data ? name.data : "");
    text.failed |= name.failed;
    buffer_free(&name);
    module->scope = buffer_take(&text);
    return module->scope ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status make_objects(struct module_writer *module, const cubinet_archive *archive,
                                   const struct listing_module *listing,
                                   const struct header_subject *subjects)
{
    module->objects = calloc((size_t)listing->kernel_count + 1, sizeof(*module->objects));
    cubinet_status status = module->objects ? make_scope(module) : cbn_error_memory();
    for (uint32_t i = 0; !status && i < listing->kernel_count; i++) {
        struct header_object *object = &module->objects[module->count];
        object->subject = &subjects[i];
        if (header_launch_read(module->writer, archive, listing, i, subjects[i].lowered,
                               &object->signature)) {
            module->count++;
            object->is_flat = !object->signature.is_nameable;
            status = make_flat(&subjects[i], &object->flat);
        }
    }
    return status ? status : header_scopes_settle(module->objects, module->count);
}

static void free_objects(struct module_writer *module)
{
    for (size_t i = 0; i < module->count; i++) {
        header_signature_free(&module->objects[i].signature);
        free(module->objects[i].flat);
    }
    free(module->objects);
    free(module->scope);
}

/* The last part of the object's path. */
static const char *name_of(const struct header_object *object)
{
    if (object->is_flat) {
        return object->flat;
    }
    const char *name = object->signature.path;
    for (const char *next = strstr(name, "::"); next; next = strstr(name, "::")) {
        name = next + 2;
    }
    return name;
}

static bool is_instance(const struct header_object *object)
{
    return !object->is_flat && object->signature.is_template;
}

/* What all instances have for a template parameter: "class", the type of its values, or "auto". */
static const char *parameter_of(const struct header_object *first, uint32_t number)
{
    const char *parameter = NULL;
    for (const struct header_object *object = first; object; object = object->next_instance) {
        if (number >= object->signature.argument_count) {
            continue;
        }
        const struct header_argument *argument = &object->signature.arguments[number];
        const char *own = !argument->is_value ? "class" : argument->in_pack ? "auto" : argument->type;
        parameter = !parameter || strcmp(parameter, own) == 0 ? own : "auto";
    }
    return parameter ? parameter : "class";
}

static void write_template(struct buffer *text, const struct header_object *first)
{
    const struct header_signature *signature = &first->signature;
    uint32_t fixed = 0;
    buffer_puts(text, "template <");
    for (; fixed < signature->argument_count && !signature->arguments[fixed].in_pack; fixed++) {
        buffer_printf(text, "%s%s", fixed ? ", " : "", parameter_of(first, fixed));
    }
    if (signature->has_pack) {
        buffer_printf(text, "%s%s...", fixed ? ", " : "", parameter_of(first, fixed));
    }
    const char *name = name_of(first);
    buffer_printf(text,
                  "> struct %s {\n"
                  "    static_assert(sizeof(%s *) == 0, \"the archive has no such instance of %s\");\n"
                  "};\n",
                  name, name, name);
}

static void write_base(struct buffer *text, const struct header_signature *signature)
{
    buffer_puts(text, "::cubinet::typed::kernel_of<");
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        buffer_puts(text, i ? ", " : "");
        header_launch_type(text, &signature->parameters[i]);
    }
    buffer_puts(text, ">");
}

static void write_class(const struct module_writer *module, const struct header_object *object)
{
    struct header_writer *writer = module->writer;
    struct buffer *text = &writer->text;
    header_launch_comment(writer, object->subject->lowered, &object->signature);
    buffer_printf(text, "%sstruct %s", is_instance(object) ? "template <> " : "", name_of(object));
    if (is_instance(object)) {
        header_scopes_arguments(text, &object->signature);
    }
    buffer_puts(text, "\n    : ");
    write_base(text, &object->signature);
    buffer_printf(text, " {\n    explicit %s(::cubinet_kernel *kernel = nullptr) noexcept\n        : ",
                  name_of(object));
    if (strcmp(name_of(object), "kernel_of") == 0) {
        write_base(text, &object->signature);
    } else {
        buffer_puts(text, "kernel_of");
    }
    buffer_puts(text, "(");
    header_name(writer, object->subject, HEADER_UPPER, "");
    buffer_puts(text, ", kernel)\n    {\n    }\n};\n");
}

static void write_object(const struct module_writer *module, const struct header_object *object)
{
    struct buffer *text = &module->writer->text;
    const char *path = object->is_flat ? object->flat : object->signature.path;
    size_t outer = (size_t)(name_of(object) - path);
    buffer_printf(text, "\nnamespace %s%s%.*s {\n", module->scope, outer ? "::" : "",
                  outer ? (int)(outer - 2) : 0, path);
    if (object->is_first_instance) {
        write_template(text, object);
    }
    write_class(module, object);
    buffer_puts(text, "}\n");
}

void header_objects(struct header_writer *writer, const cubinet_archive *archive,
                    const struct listing_module *listing, const struct header_subject *module_subject,
                    const struct header_subject *kernels)
{
    struct module_writer module = {.writer = writer, .module = module_subject};
    cubinet_status status = make_objects(&module, archive, listing, kernels);
    header_note(writer, status);
    for (size_t i = 0; !status && !writer->status && i < module.count; i++) {
        write_object(&module, &module.objects[i]);
        header_check_limit(writer);
    }
    free_objects(&module);
}
