/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_file.h"

#include "base/c_text.h"
#include "build/build_environment.h"
#include "build/build_modules.h"
#include "build/build_steps.h"
#include "build/ninja_text.h"
#include "compile/pch_make.h"
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
static void write_flag_variable(struct buffer *file, const char *name, const struct build_plan *plan,
                                const struct cbn_text_list *flags)
{
    buffer_printf(file, "%s =", name);
    if (plan->toolkit.root) {
        buffer_puts(file, " --toolkit ");
        write_word(file, plan->toolkit.root);
    }
    buffer_puts(file, flags->count > 0 ? " " : "");
    ninja_words(file, flags);
}

static void write_flags(struct buffer *file, const struct build_request *request,
                        const struct build_plan *plan)
{
    write_flag_variable(file, "cubinet_flags", plan, &request->flags);
    for (size_t i = 0; i < request->headers.count; i++) {
        buffer_puts(file, " -include ");
        write_word(file, request->headers.items[i]);
    }
    buffer_puts(file, "\n");
    if (request->is_linked) {
        write_flag_variable(file, "cubinet_link_flags", plan, &request->link_flags);
        buffer_puts(file, "\n");
    }
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

static void write_archs(struct buffer *file, const struct arch_virtual *virtual, bool is_piece)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_printf(file, "  archs = --gencode 'arch=%s,code=[", cubinet_target_name(virtual->target, target));
    if (is_piece) {
        buffer_puts(file, build_step_piece(virtual, target));
    } else {
        build_step_targets(file, virtual, ",");
    }
    buffer_puts(file, "]'\n");
}

/* The same for a link, which takes words. */
static void write_link_archs(struct buffer *file, const struct arch_virtual *virtual)
{
    buffer_puts(file, "  archs = --arch ");
    for (size_t i = 0; i < virtual->output_count; i++) {
        const cubinet_target *target = &virtual->outputs[i];
        const char suffix[] = {(char)target->suffix, '\0'};
        buffer_printf(file, "%s%d%s-%s", i ? "," : "", target->number, suffix,
                      target->kind == CUBINET_IMAGE_PTX ? "virtual" : "real");
    }
    buffer_puts(file, "\n");
}

/* The file of the headers that are precompiled for one virtual architecture. */
static void write_pch_file(struct buffer *file, const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_printf(file, OBJECT_FOLDER "%s%s", BUILD_PCH_PREFIX, cubinet_target_name(virtual->target, target));
}

/* What compiles and links depend on; what they make tells the pack. */
static void write_inputs(struct buffer *file, const struct build_request *request)
{
    buffer_puts(file, " | $cubinet_file");
    if (request->runs_ninja) {
        buffer_puts(file, " " OBJECT_FOLDER BUILD_ENVIRONMENT_FILE);
    }
}

static void write_pch(struct buffer *file, const struct build_request *request,
                      const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_puts(file, "\nbuild ");
    write_pch_file(file, virtual);
    buffer_puts(file, " | ");
    write_pch_file(file, virtual);
    buffer_puts(file, PCH_DATA_SUFFIX ": cubinet_pch");
    write_inputs(file, request);
    buffer_puts(file, "\n");
    write_archs(file, virtual, false);
    buffer_printf(file, "  description = Precompiling headers for %s\n",
                  cubinet_target_name(virtual->target, target));
}

static void write_names(struct buffer *file, const struct build_source *source)
{
    if (source->names.count == 0 && !source->piece) {
        return;
    }
    buffer_puts(file, "  names = ");
    buffer_puts(file, source->piece ? "--fragment" : "");
    buffer_puts(file, source->piece && source->names.count > 0 ? " " : "");
    ninja_words(file, &source->names);
    buffer_puts(file, "\n");
}

static void write_description(struct buffer *file, struct buffer *text)
{
    buffer_puts(file, "  description = ");
    ninja_value(file, text->data ? text->data : "");
    buffer_puts(file, "\n");
    file->failed |= text->failed;
    buffer_free(text);
}

static void write_compile(struct buffer *file, const struct build_request *request,
                          const struct build_source *source, const struct arch_virtual *virtual, bool has_pch)
{
    struct buffer text = {0};
    buffer_puts(file, "\nbuild ");
    build_step_file(file, OBJECT_FOLDER, build_step_module(source), virtual);
    buffer_puts(file, ": cubinet_compile ");
    ninja_path(file, source->path);
    write_inputs(file, request);
    if (has_pch) { /* what comes out does not depend on it, so it is only to be there first */
        buffer_puts(file, " || ");
        write_pch_file(file, virtual);
        buffer_puts(file, "\n  flags = --pch ");
        write_pch_file(file, virtual);
    }
    buffer_puts(file, "\n  module = ");
    write_word(file, build_step_module(source));
    buffer_puts(file, "\n");
    write_archs(file, virtual, source->piece != NULL);
    write_names(file, source);
    build_step_compile(&text, source, virtual);
    write_description(file, &text);
}

static int compare_paths(const void *a, const void *b)
{
    const struct build_source *const *x = a;
    const struct build_source *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

/* The sources of a module, in an order that does not depend on how they were given. NULL: memory is out. */
static const struct build_source **sources_of(const struct build_request *request, const char *module,
                                              size_t *out_count)
{
    const struct build_source **sources = calloc(request->source_count, sizeof(*sources));
    size_t count = 0;
    for (size_t i = 0; sources && i < request->source_count; i++) {
        if (strcmp(request->sources[i].module, module) == 0) {
            sources[count++] = &request->sources[i];
        }
    }
    if (sources) {
        qsort(sources, count, sizeof(*sources), compare_paths);
    }
    *out_count = count;
    return sources;
}

static void write_link(struct buffer *file, const struct build_request *request, const char *module,
                       const struct arch_virtual *virtual)
{
    struct buffer text = {0};
    size_t count = 0;
    const struct build_source **sources = sources_of(request, module, &count);
    file->failed |= !sources;
    buffer_puts(file, "\nbuild ");
    build_step_file(file, OBJECT_FOLDER, module, virtual);
    buffer_puts(file, ": cubinet_link");
    for (size_t i = 0; i < count; i++) {
        buffer_puts(file, " $\n    ");
        build_step_file(file, OBJECT_FOLDER, sources[i]->piece, virtual);
    }
    write_inputs(file, request);
    for (size_t i = 0; i < request->link_files.count; i++) {
        buffer_puts(file, " ");
        ninja_path(file, request->link_files.items[i]);
    }
    buffer_puts(file, "\n  module = ");
    write_word(file, module);
    buffer_puts(file, "\n");
    write_link_archs(file, virtual);
    build_step_link(&text, module, virtual);
    write_description(file, &text);
    free(sources);
}

static void write_pack(struct buffer *file, const struct build_request *request,
                       const struct build_plan *plan)
{
    buffer_puts(file, "\nbuild ");
    ninja_path(file, request->archive);
    buffer_puts(file, ": cubinet_pack");
    for (size_t i = 0; i < request->source_count; i++) {
        bool is_packed = build_modules_is_first(request, i);
        for (size_t j = 0; is_packed && j < plan->images.virtual_count; j++) {
            buffer_puts(file, " $\n    ");
            build_step_file(file, OBJECT_FOLDER, request->sources[i].module, &plan->images.virtuals[j]);
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

/* The edge that rewrites the file. */
static void write_again(struct buffer *file, const struct build_request *request,
                        const struct cbn_text_list *again)
{
    buffer_puts(file, "\nrule cubinet_ninja\n  command = $cubinet ");
    ninja_words(file, again);
    buffer_puts(file, "\n  generator = 1\n  description = Writing $out\n\nbuild ");
    ninja_path(file, request->file);
    buffer_puts(file, ": cubinet_ninja | $cubinet_file");
    for (size_t i = 0; i < request->argument_files.count; i++) {
        buffer_puts(file, " ");
        ninja_path(file, request->argument_files.items[i]);
    }
    buffer_puts(file, "\n");
}

/* Pieces are compiled to relocatable LTO-IR, for which headers would have to be precompiled twice. */
static bool has_unlinked(const struct build_request *request)
{
    for (size_t i = 0; i < request->source_count; i++) {
        if (!request->sources[i].piece) {
            return true;
        }
    }
    return false;
}

static void write_edges(struct buffer *file, const struct build_request *request,
                        const struct build_plan *plan)
{
    bool has_pch = request->headers.count > 0;
    bool needs_pch = has_pch && has_unlinked(request);
    for (size_t i = 0; needs_pch && i < plan->images.virtual_count; i++) {
        write_pch(file, request, &plan->images.virtuals[i]);
    }
    for (size_t i = 0; i < request->source_count; i++) {
        for (size_t j = 0; j < plan->images.virtual_count; j++) {
            write_compile(file, request, &request->sources[i], &plan->images.virtuals[j],
                          has_pch && !request->sources[i].piece);
        }
    }
    for (size_t i = 0; i < request->source_count; i++) {
        bool is_linked = request->sources[i].piece && build_modules_is_first(request, i);
        for (size_t j = 0; is_linked && j < plan->images.virtual_count; j++) {
            write_link(file, request, request->sources[i].module, &plan->images.virtuals[j]);
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
