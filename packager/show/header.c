/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header.h"

#include "base/path.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "show/header_kernel.h"
#include "show/header_launch.h"
#include "show/header_objects.h"
#include "show/header_types.h"
#include "show/header_writer.h"

#include <stdlib.h>
#include <string.h>

/* What identifiers are made for. Modules, and each module's kernels and globals, are in the listing's order.
 */
struct subjects {
    struct header_subject archive;
    struct header_subject *modules;
    struct header_subject **kernels;
    struct header_subject **globals;
};

/* What goes by a mangled name alone is called as people read it. */
static cubinet_status make_readable(struct cbn_readable *readable, struct header_subject *subject)
{
    const char *name =
        strcmp(subject->name, subject->lowered) == 0 ? cbn_readable_name(readable, subject->lowered) : NULL;
    if (!name) {
        return CUBINET_OK;
    }
    subject->readable = strdup(name);
    subject->name = subject->readable;
    return subject->readable ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status make_all_readable(struct header_subject *subjects, uint32_t count)
{
    struct cbn_readable *readable = cbn_readable_new();
    cubinet_status status = readable ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < count; i++) {
        status = make_readable(readable, &subjects[i]);
    }
    cbn_readable_free(readable);
    return status;
}

static cubinet_status make_module(const struct listing_module *module, const struct header_subject *parent,
                                  struct header_subject **out_kernels, struct header_subject **out_globals)
{
    *out_kernels = calloc((size_t)module->kernel_count + 1, sizeof(**out_kernels));
    *out_globals = calloc((size_t)module->global_count + 1, sizeof(**out_globals));
    if (!*out_kernels || !*out_globals) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        const cubinet_kernel_info *kernel = &module->kernels[i];
        (*out_kernels)[i] =
            (struct header_subject){.parent = parent, .name = kernel->expression, .lowered = kernel->name};
    }
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        (*out_globals)[i] =
            (struct header_subject){.parent = parent, .name = global->expression, .lowered = global->name};
    }
    cubinet_status status = make_all_readable(*out_kernels, module->kernel_count);
    return status ? status : make_all_readable(*out_globals, module->global_count);
}

static cubinet_status make_subjects(const struct listing *listing, const char *prefix,
                                    struct subjects *subjects)
{
    size_t count = listing->module_count;
    subjects->archive = (struct header_subject){.name = prefix};
    subjects->modules = calloc(count + 1, sizeof(*subjects->modules));
    subjects->kernels = calloc(count + 1, sizeof(*subjects->kernels));
    subjects->globals = calloc(count + 1, sizeof(*subjects->globals));
    if (!subjects->modules || !subjects->kernels || !subjects->globals) {
        return cbn_error_memory();
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        const char *name = listing->modules[i].name;
        subjects->modules[i] =
            (struct header_subject){.parent = &subjects->archive, .name = name, .lowered = name};
        status = make_module(&listing->modules[i], &subjects->modules[i], &subjects->kernels[i],
                             &subjects->globals[i]);
    }
    return status;
}

static void free_list(struct header_subject *subjects, uint32_t count)
{
    for (uint32_t i = 0; subjects && i < count; i++) {
        free(subjects[i].readable);
    }
    free(subjects);
}

static void free_subjects(struct subjects *subjects, const struct listing *listing)
{
    for (uint32_t i = 0; i < listing->module_count; i++) {
        if (subjects->kernels) {
            free_list(subjects->kernels[i], listing->modules[i].kernel_count);
        }
        if (subjects->globals) {
            free_list(subjects->globals[i], listing->modules[i].global_count);
        }
    }
    free(subjects->modules);
    free(subjects->kernels);
    free(subjects->globals);
}

static void write_start(struct header_writer *writer, const struct shown_archive *shown,
                        struct header_subject *archive)
{
    header_comment(writer, "/* Made by `cubinet header` from ", path_name(shown->path));
    buffer_puts(&writer->text, ".\n"
                               " * What may differ between a kernel's images is what holds for all of them: "
                               "MAX_THREADS is the least,\n"
                               " * STATIC_SHARED_BYTES the largest. */\n"
                               "#ifndef ");
    header_define_name(writer, archive, HEADER_UPPER, "_CUBINET_H");
    buffer_puts(&writer->text, "\n#define ");
    header_name(writer, archive, HEADER_UPPER, "_CUBINET_H");
    buffer_puts(&writer->text,
                "\n\n"
                "/* What launches kernels needs the library's headers; names alone do not. */\n"
                "#ifdef __has_include\n"
                "#if __has_include(<cubinet/typed.h>)\n"
                "#include <cubinet/typed.h>\n"
                "#endif\n"
                "#endif\n\n");
    const char *version = shown->listing.archive.archive_version;
    if (version[0]) {
        header_define_string(writer, archive, "_ARCHIVE_VERSION", version);
        buffer_puts(&writer->text, "\n");
    }
}

static void write_modules(struct header_writer *writer, const struct listing *listing,
                          struct subjects *subjects)
{
    buffer_puts(&writer->text,
                "/* Modules, for cubinet_module_load(), and their numbers in the archive. */\n");
    for (uint32_t i = 0; i < listing->module_count; i++) {
        header_define_string(writer, &subjects->modules[i], "", subjects->modules[i].name);
    }
    header_define_list(writer, &subjects->archive, "module", subjects->modules, listing->module_count);
}

/* Namespaces are called as the modules, and nothing else is, the bytes that cubinet_embed() declares among
 * it. */
static void reserve_namespaces(struct header_writer *writer, const struct listing *listing,
                               struct subjects *subjects)
{
    header_reserve(writer, &subjects->archive, "_size");
    for (uint32_t i = 0; i < listing->module_count; i++) {
        header_reserve(writer, &subjects->modules[i], "");
    }
}

static void write_kernels(struct header_writer *writer, const struct shown_archive *shown, uint32_t module,
                          struct subjects *subjects)
{
    const struct listing_module *listing = &shown->listing.modules[module];
    if (listing->kernel_count == 0) {
        return;
    }
    header_comment(writer, "\n/* Kernels of module ", listing->name);
    buffer_puts(&writer->text, ", for cubinet_module_find_kernel(), and their numbers in it. */\n");
    for (uint32_t i = 0; !writer->status && i < listing->kernel_count; i++) {
        header_kernel(writer, shown->archive, listing, i, &subjects->kernels[module][i]);
    }
    header_define_list(writer, &subjects->modules[module], "kernel", subjects->kernels[module],
                       listing->kernel_count);
}

static void write_launches(struct header_writer *writer, const struct shown_archive *shown, uint32_t module,
                           struct subjects *subjects)
{
    const struct listing_module *listing = &shown->listing.modules[module];
    if (listing->kernel_count == 0) {
        return;
    }
    buffer_puts(&writer->text, "\n#ifdef CUBINET_TYPED_H\n");
    for (uint32_t i = 0; !writer->status && i < listing->kernel_count; i++) {
        header_launch(writer, shown->archive, listing, i, &subjects->kernels[module][i]);
    }
    buffer_puts(&writer->text, "\n#endif\n");
}

static const char *space_of(const cubinet_global_info *global)
{
    return global->flags & CUBINET_GLOBAL_CONSTANT  ? "\n/* __constant__ "
           : global->flags & CUBINET_GLOBAL_MANAGED ? "\n/* __managed__ "
                                                    : "\n/* __device__ ";
}

static void write_globals(struct header_writer *writer, const struct listing_module *module,
                          struct header_subject *subjects)
{
    if (module->global_count == 0) {
        return;
    }
    header_comment(writer, "\n/* Variables of module ", module->name);
    buffer_puts(&writer->text, ", for cubinet_module_find_global(). */\n");
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        header_comment(writer, space_of(global), global->expression);
        buffer_puts(&writer->text, " */\n");
        header_define_string(writer, &subjects[i], "", global->name);
        if (global->bytes > 0) {
            header_define_number(writer, &subjects[i], "_BYTES", global->bytes);
        }
    }
}

/* The symbols that cubinet_embed makes, in CMake and in Ninja. */
static void write_embedded(struct header_writer *writer, const char *symbol)
{
    buffer_printf(&writer->text,
                  "\n/* The archive inside the program, for cubinet_archive_open_memory(). */\n"
                  "#include <stddef.h>\n"
                  "#ifdef __cplusplus\n"
                  "extern \"C\" {\n"
                  "#endif\n"
                  "extern const unsigned char %s[];\n"
                  "extern const size_t %s_size; /* bytes */\n"
                  "#ifdef __cplusplus\n"
                  "}\n"
                  "#endif\n",
                  symbol, symbol);
}

static void write_header(struct header_writer *writer, const struct shown_archive *shown,
                         const struct header_options *options, struct subjects *subjects)
{
    write_start(writer, shown, &subjects->archive);
    write_modules(writer, &shown->listing, subjects);
    if (options->cxx) {
        reserve_namespaces(writer, &shown->listing, subjects);
    }
    for (uint32_t i = 0; i < shown->listing.module_count; i++) {
        write_kernels(writer, shown, i, subjects);
        write_launches(writer, shown, i, subjects);
        write_globals(writer, &shown->listing.modules[i], subjects->globals[i]);
    }
    if (options->embedded) {
        write_embedded(writer, options->embedded);
    }
}

/* Once the names in C are settled. */
static void write_end(struct header_writer *writer, const struct shown_archive *shown,
                      const struct header_options *options, const struct subjects *subjects)
{
    if (options->cxx) {
        buffer_puts(&writer->text,
                    "\n#if defined(CUBINET_TYPED_H) && defined(__cplusplus) && __cplusplus >= 201703L\n"
                    "/* Kernels as function objects: bind() one to a module, then call it. */\n");
        for (uint32_t i = 0; !writer->status && i < shown->listing.module_count; i++) {
            header_objects(writer, shown->archive, &shown->listing.modules[i], &subjects->modules[i],
                           subjects->kernels[i]);
        }
        buffer_puts(&writer->text, "\n#endif\n");
    }
    buffer_puts(&writer->text, "\n#endif\n");
}

/* A kernel's name stands before the number of each of its parameters, so what is a few bytes in an archive
 * could be gigabytes here. */
static size_t text_limit(const struct shown_archive *shown)
{
    enum { RATIO = 256, ALWAYS = 16 << 20 };
    uint64_t size = shown->listing.archive.archive_size;
    return size > ALWAYS / RATIO ? (size_t)(size * RATIO) : ALWAYS;
}

static cubinet_status write_text(const struct shown_archive *shown, const struct header_options *options,
                                 struct subjects *subjects, const struct header_writer *empty,
                                 char **out_text)
{
    cubinet_status status = CUBINET_OK;
    bool again = true;
    while (!status && again) {
        struct header_writer writer = *empty;
        write_header(&writer, shown, options, subjects);
        status = writer.status ? writer.status : header_names_check(&writer.names, &again);
        if (!status && !again) {
            write_end(&writer, shown, options, subjects);
            status = header_take(&writer, out_text);
        }
        header_writer_free(&writer);
    }
    return status;
}

cubinet_status header_text(const struct shown_archive *shown, const struct header_options *options,
                           char **out_text)
{
    struct subjects subjects = {0};
    const struct header_writer empty = {
        .limit = text_limit(shown), .readable = cbn_readable_new(), .types = header_types_new()};
    cubinet_status status = empty.readable && empty.types ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = make_subjects(&shown->listing, options->prefix, &subjects);
    }
    if (!status) {
        status = write_text(shown, options, &subjects, &empty, out_text);
    }
    cbn_readable_free(empty.readable);
    header_types_free(empty.types);
    free_subjects(&subjects, &shown->listing);
    return status;
}
