/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_file.h"

#include "archive/entry_name.h"
#include "base/c_text.h"
#include "base/path.h"
#include "build/ninja_text.h"
#include "compile/pch_make.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char ninja_rules[];
extern const size_t ninja_rules_size;

#define OBJECT_FOLDER "$builddir/"

/* The rules, without the comment that they start with. */
static void write_rules(struct buffer *file)
{
    static const char start[] = "\nninja_required_version";
    const unsigned char *rules = memmem(ninja_rules, ninja_rules_size, start, sizeof(start) - 1);
    buffer_append(file, rules, (size_t)(ninja_rules + ninja_rules_size - rules));
}

static void write_word(struct buffer *file, const char *word)
{
    struct buffer quoted = {0};
    shell_word(&quoted, word);
    ninja_value(file, quoted.data ? quoted.data : "");
    file->failed |= quoted.failed;
    buffer_free(&quoted);
}

/* The toolkit that was found: another one is another command line. */
static void write_flags(struct buffer *file, const struct build_request *request,
                        const struct build_plan *plan)
{
    buffer_puts(file, "cubinet_flags =");
    if (plan->toolkit.root) {
        buffer_puts(file, " --toolkit ");
        write_word(file, plan->toolkit.root);
    }
    buffer_puts(file, request->flags.count > 0 ? " " : "");
    ninja_words(file, &request->flags);
    for (size_t i = 0; i < request->headers.count; i++) {
        buffer_puts(file, " -include ");
        write_word(file, request->headers.items[i]);
    }
    buffer_puts(file, "\n");
}

static void write_settings(struct buffer *file, const struct build_request *request,
                           const struct build_plan *plan)
{
    buffer_puts(file, "\nbuilddir = ");
    ninja_value(file, request->folder);
    buffer_puts(file, "\ncubinet = ");
    write_word(file, plan->command);
    buffer_puts(file, "\ncubinet_file = ");
    ninja_value(file, plan->command);
    buffer_puts(file, "\n");
    write_flags(file, request, plan);
}

/* A file name for a module. It stays short enough to have suffixes, and the name of a temporary file. */
static void write_module_file(struct buffer *file, const char *module)
{
    enum { LONGEST = 150, KEPT = 100, DIGEST_BYTES = 8 };
    struct buffer name = {0};
    entry_name_module(&name, module);
    if (name.size <= LONGEST) {
        buffer_append(file, name.data, name.size);
    } else {
        struct cbn_digest digest = cbn_digest(module, strlen(module));
        buffer_append(file, name.data, KEPT);
        buffer_puts(file, "-");
        for (size_t i = 0; i < DIGEST_BYTES; i++) {
            buffer_printf(file, "%02x", digest.bytes[i]);
        }
    }
    file->failed |= name.failed;
    buffer_free(&name);
}

/* What the compile of a source for one virtual architecture makes. */
static void write_object(struct buffer *file, const char *folder, const struct build_source *source,
                         const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_puts(file, folder);
    write_module_file(file, source->module);
    buffer_printf(file, ".%s.cubinet", cubinet_target_name(virtual->target, target));
}

static void write_targets(struct buffer *file, const struct arch_virtual *virtual, const char *separator)
{
    for (size_t i = 0; i < virtual->output_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        buffer_printf(file, "%s%s", i ? separator : "", cubinet_target_name(virtual->outputs[i], name));
    }
}

static void write_archs(struct buffer *file, const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_printf(file, "  archs = --gencode 'arch=%s,code=[", cubinet_target_name(virtual->target, target));
    write_targets(file, virtual, ",");
    buffer_puts(file, "]'\n");
}

/* The file of the headers that are precompiled for one virtual architecture. */
static void write_pch_file(struct buffer *file, const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_printf(file, OBJECT_FOLDER "%s%s", BUILD_PCH_PREFIX, cubinet_target_name(virtual->target, target));
}

static void write_pch(struct buffer *file, const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_puts(file, "\nbuild ");
    write_pch_file(file, virtual);
    buffer_puts(file, " | ");
    write_pch_file(file, virtual);
    buffer_puts(file, PCH_DATA_SUFFIX ": cubinet_pch | $cubinet_file\n");
    write_archs(file, virtual);
    buffer_printf(file, "  description = Precompiling headers for %s\n",
                  cubinet_target_name(virtual->target, target));
}

static void write_compile(struct buffer *file, const struct build_source *source,
                          const struct arch_virtual *virtual, bool has_pch)
{
    buffer_puts(file, "\nbuild ");
    write_object(file, OBJECT_FOLDER, source, virtual);
    buffer_puts(file, ": cubinet_compile ");
    ninja_path(file, source->path);
    buffer_puts(file, " | $cubinet_file");
    if (has_pch) { /* what comes out does not depend on it, so it is only to be there first */
        buffer_puts(file, " || ");
        write_pch_file(file, virtual);
        buffer_puts(file, "\n  flags = --pch ");
        write_pch_file(file, virtual);
    }
    buffer_puts(file, "\n  module = ");
    write_word(file, source->module);
    buffer_puts(file, "\n");
    write_archs(file, virtual);
    if (source->names.count > 0) {
        buffer_puts(file, "  names = ");
        ninja_words(file, &source->names);
        buffer_puts(file, "\n");
    }
    buffer_puts(file, "  description = Compiling ");
    ninja_value(file, source->module);
    buffer_puts(file, " for ");
    write_targets(file, virtual, ", ");
    buffer_puts(file, "\n");
}

static void write_pack(struct buffer *file, const struct build_request *request,
                       const struct build_plan *plan)
{
    buffer_puts(file, "\nbuild ");
    ninja_path(file, request->archive);
    buffer_puts(file, ": cubinet_pack");
    for (size_t i = 0; i < request->source_count; i++) {
        for (size_t j = 0; j < plan->images.virtual_count; j++) {
            buffer_puts(file, " $\n    ");
            write_object(file, OBJECT_FOLDER, &request->sources[i], &plan->images.virtuals[j]);
        }
    }
    buffer_puts(file, " | $cubinet_file");
    for (size_t i = 0; i < request->packing_files.count; i++) {
        buffer_puts(file, " ");
        ninja_path(file, request->packing_files.items[i]);
    }
    buffer_puts(file, "\n");
    if (request->packing.count > 0) {
        buffer_puts(file, "  flags = ");
        ninja_words(file, &request->packing);
        buffer_puts(file, "\n");
    }
}

/* What the program calls the archive's bytes. */
static void write_symbol(struct buffer *file, const struct build_request *request)
{
    if (request->symbol) {
        buffer_puts(file, request->symbol);
        return;
    }
    c_text_file_identifier(file, request->archive);
}

static void write_header(struct buffer *file, const struct build_request *request)
{
    buffer_puts(file, "\nbuild ");
    ninja_path(file, request->header);
    buffer_puts(file, ": cubinet_header ");
    ninja_path(file, request->archive);
    buffer_puts(file, " | $cubinet_file\n");
    if (request->object || request->cxx) {
        buffer_printf(file, "  flags =%s", request->cxx ? " --c++" : "");
        buffer_puts(file, request->object ? " --embedded " : "");
        if (request->object) {
            write_symbol(file, request);
        }
        buffer_puts(file, "\n");
    }
}

static void write_embed(struct buffer *file, const struct build_request *request)
{
    buffer_puts(file, "\nbuild ");
    ninja_path(file, request->object);
    buffer_puts(file, ": cubinet_embed ");
    ninja_path(file, request->archive);
    buffer_puts(file, "\n  symbol = ");
    write_symbol(file, request);
    buffer_puts(file, "\n");
}

/* The edge that writes the file anew. */
static void write_again(struct buffer *file, const struct build_request *request,
                        const struct cbn_text_list *again)
{
    buffer_puts(file, "\nrule cubinet_ninja\n  command = $cubinet ");
    ninja_words(file, again);
    buffer_puts(file, "\n  generator = 1\n  description = Writing $out\n\nbuild ");
    ninja_path(file, request->file);
    buffer_puts(file, ": cubinet_ninja | $cubinet_file\n");
}

static void write_edges(struct buffer *file, const struct build_request *request,
                        const struct build_plan *plan)
{
    bool has_pch = request->headers.count > 0;
    for (size_t i = 0; has_pch && i < plan->images.virtual_count; i++) {
        write_pch(file, &plan->images.virtuals[i]);
    }
    for (size_t i = 0; i < request->source_count; i++) {
        for (size_t j = 0; j < plan->images.virtual_count; j++) {
            write_compile(file, &request->sources[i], &plan->images.virtuals[j], has_pch);
        }
    }
    write_pack(file, request, plan);
    if (request->header) {
        write_header(file, request);
    }
    if (request->object) {
        write_embed(file, request);
    }
}

static void write_default(struct buffer *file, const struct build_request *request)
{
    const char *const outputs[] = {request->archive, request->header, request->object};
    buffer_puts(file, "\ndefault");
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (outputs[i]) {
            buffer_puts(file, " ");
            ninja_path(file, outputs[i]);
        }
    }
    buffer_puts(file, "\n");
}

cubinet_status build_file_text(const struct build_request *request, const struct build_plan *plan,
                               const struct cbn_text_list *again, char **out_text)
{
    struct buffer file = {0};
    buffer_printf(&file, "# Made by `cubinet %s`.\n", again ? "ninja" : "build");
    write_rules(&file);
    buffer_puts(&file, "\npipe = |"); /* a path cannot have it otherwise */
    write_settings(&file, request, plan);
    write_edges(&file, request, plan);
    if (again && request->file) {
        write_again(&file, request, again);
    }
    write_default(&file, request);
    char *text = buffer_take(&file);
    if (!text) {
        return cbn_error_memory();
    }
    *out_text = text;
    return CUBINET_OK;
}

static bool makes(const struct build_source *source, const struct arch_virtual *virtual, const char *file)
{
    struct buffer object = {0};
    write_object(&object, "", source, virtual);
    bool same = !object.failed && strcmp(object.data, path_name(file)) == 0;
    buffer_free(&object);
    return same;
}

static bool describe_pch(struct buffer *text, const struct build_plan *plan, const char *file)
{
    for (size_t i = 0; i < plan->images.virtual_count; i++) {
        char target[CUBINET_TARGET_NAME_SIZE];
        struct buffer made = {0};
        cubinet_target_name(plan->images.virtuals[i].target, target);
        buffer_printf(&made, BUILD_PCH_PREFIX "%s", target);
        bool same = !made.failed && strcmp(made.data, path_name(file)) == 0;
        buffer_free(&made);
        if (same) {
            buffer_printf(text, "Precompiling headers for %s", target);
            return true;
        }
    }
    return false;
}

/* Only modules have names of their own in a build, so that the file's name without folders tells them apart.
 */
static bool describe_compile(struct buffer *text, const struct build_request *request,
                             const struct build_plan *plan, const char *file)
{
    for (size_t i = 0; i < request->source_count; i++) {
        for (size_t j = 0; j < plan->images.virtual_count; j++) {
            if (makes(&request->sources[i], &plan->images.virtuals[j], file)) {
                buffer_printf(text, "Compiling %s for ", request->sources[i].module);
                write_targets(text, &plan->images.virtuals[j], ", ");
                return true;
            }
        }
    }
    return false;
}

char *build_file_describe(const struct build_request *request, const struct build_plan *plan,
                          const char *file)
{
    struct buffer text = {0};
    if (strcmp(path_name(file), path_name(request->archive)) == 0) {
        buffer_printf(&text, "Packing %s", file);
    } else if (request->header && strcmp(path_name(file), path_name(request->header)) == 0) {
        buffer_printf(&text, "Writing %s", file);
    } else if (request->object && strcmp(path_name(file), path_name(request->object)) == 0) {
        buffer_printf(&text, "Embedding %s", request->archive);
    } else if (!describe_pch(&text, plan, file) && !describe_compile(&text, request, plan, file)) {
        buffer_printf(&text, "Making %s", file);
    }
    return buffer_take(&text);
}
