/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_steps.h"

#include "archive/entry_name.h"
#include "base/path.h"
#include "build/build_modules.h"
#include "build/ninja_text.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <string.h>

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

/* What is made of a module, or of a piece of one, for one virtual architecture. */
void build_step_file(struct buffer *file, const char *folder, const char *module,
                     const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_puts(file, folder);
    write_module_file(file, module);
    buffer_printf(file, ".%s.cubinet", cubinet_target_name(virtual->target, target));
}

/* What a source's own compile makes. */
const char *build_step_module(const struct build_source *source)
{
    return source->piece ? source->piece : source->module;
}

const char *build_step_piece(const struct arch_virtual *virtual, char text[CUBINET_TARGET_NAME_SIZE])
{
    cubinet_target target = virtual->target;
    target.kind = CUBINET_IMAGE_LTOIR;
    return cubinet_target_name(target, text);
}

void build_step_targets(struct buffer *file, const struct arch_virtual *virtual, const char *separator)
{
    for (size_t i = 0; i < virtual->output_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        buffer_printf(file, "%s%s", i ? separator : "", cubinet_target_name(virtual->outputs[i], name));
    }
}

/* "Compiling scale for sm_80, compute_80". */
void build_step_compile(struct buffer *text, const struct build_source *source,
                        const struct arch_virtual *virtual)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    buffer_printf(text, "Compiling %s for ", build_step_module(source));
    if (source->piece) {
        buffer_puts(text, build_step_piece(virtual, target));
    } else {
        build_step_targets(text, virtual, ", ");
    }
}

void build_step_link(struct buffer *text, const char *module, const struct arch_virtual *virtual)
{
    buffer_printf(text, "Linking %s for ", module);
    build_step_targets(text, virtual, ", ");
}

static bool makes(const char *module, const struct arch_virtual *virtual, const char *file)
{
    struct buffer object = {0};
    build_step_file(&object, "", module, virtual);
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

static bool describe_step_of(struct buffer *text, const struct build_source *source,
                             const struct arch_virtual *virtual, const char *file)
{
    if (makes(build_step_module(source), virtual, file)) {
        build_step_compile(text, source, virtual);
        return true;
    }
    if (source->piece && makes(source->module, virtual, file)) {
        build_step_link(text, source->module, virtual);
        return true;
    }
    return false;
}

/* Only modules have names of their own in a build, so that the file's name without folders tells them apart.
 */
static bool describe_step(struct buffer *text, const struct build_request *request,
                          const struct build_plan *plan, const char *file)
{
    for (size_t i = 0; i < request->source_count; i++) {
        for (size_t j = 0; j < plan->images.virtual_count; j++) {
            if (describe_step_of(text, &request->sources[i], &plan->images.virtuals[j], file)) {
                return true;
            }
        }
    }
    return false;
}

char *build_step_describe(const struct build_request *request, const struct build_plan *plan,
                          const char *file)
{
    struct buffer text = {0};
    if (strcmp(path_name(file), path_name(request->archive)) == 0) {
        buffer_printf(&text, "Packing %s", file);
    } else if (request->header && strcmp(path_name(file), path_name(request->header)) == 0) {
        buffer_printf(&text, "Writing %s", file);
    } else if (request->object && strcmp(path_name(file), path_name(request->object)) == 0) {
        buffer_printf(&text, "Embedding %s", request->archive);
    } else if (!describe_pch(&text, plan, file) && !describe_step(&text, request, plan, file)) {
        buffer_printf(&text, "Making %s", file);
    }
    return buffer_take(&text);
}

/* One step for build_steps_each(), whose texts it frees. */
static cubinet_status offer(struct buffer *file, struct buffer *text, build_step_fn take, void *data)
{
    bool failed = file->failed || text->failed;
    cubinet_status status = failed ? cbn_error_memory() : take(data, file->data, text->data);
    buffer_free(file);
    buffer_free(text);
    return status;
}

static cubinet_status offer_source(const struct build_request *request, size_t source,
                                   const struct arch_virtual *virtual, build_step_fn take, void *data)
{
    const struct build_source *about = &request->sources[source];
    struct buffer file = {0};
    struct buffer text = {0};
    build_step_file(&file, "", build_step_module(about), virtual);
    build_step_compile(&text, about, virtual);
    cubinet_status status = offer(&file, &text, take, data);
    if (!status && about->piece && build_modules_is_first(request, source)) {
        build_step_file(&file, "", about->module, virtual);
        build_step_link(&text, about->module, virtual);
        status = offer(&file, &text, take, data);
    }
    return status;
}

/* Steps outside the build folder, whose paths Ninja's status line has as the shell reads them. */
static cubinet_status offer_output(const char *what, const char *output, build_step_fn take, void *data)
{
    struct buffer file = {0};
    struct buffer text = {0};
    if (!output) {
        return CUBINET_OK;
    }
    buffer_puts(&file, path_name(output));
    buffer_printf(&text, "%s ", what);
    shell_word(&text, output);
    return offer(&file, &text, take, data);
}

cubinet_status build_steps_each(const struct build_request *request, const struct build_plan *plan,
                                build_step_fn take, void *data)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < plan->images.virtual_count; i++) {
        const struct arch_virtual *virtual = &plan->images.virtuals[i];
        struct buffer file = {0};
        struct buffer text = {0};
        char target[CUBINET_TARGET_NAME_SIZE];
        buffer_printf(&file, BUILD_PCH_PREFIX "%s", cubinet_target_name(virtual->target, target));
        buffer_printf(&text, "Precompiling headers for %s", target);
        status = offer(&file, &text, take, data);
        for (size_t j = 0; !status && j < request->source_count; j++) {
            status = offer_source(request, j, virtual, take, data);
        }
    }
    if (!status) {
        status = offer_output("Packing", request->archive, take, data);
    }
    return status ? status : offer_output("Writing", request->header, take, data);
}
