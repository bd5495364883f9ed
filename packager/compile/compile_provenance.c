/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_provenance.h"

#include "base/file.h"
#include "base/path.h"
#include "compile/compile_options.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "process/trace.h"

#include <stdlib.h>
#include <string.h>

/* Options that decide the code. Architectures and kernels are not among them: an archive lists those. */
static bool decides_code(int id)
{
    switch (id) {
    case ID_DEFINE:
    case ID_UNDEFINE:
    case ID_STD:
    case ID_OPTIMIZE:
    case ID_FAST_COMPILE:
    case ID_DEBUG:
    case ID_OPTIMIZE_DEBUG:
    case ID_LINE_INFO:
    case ID_FAST_MATH:
    case ID_FTZ:
    case ID_PREC_DIV:
    case ID_PREC_SQRT:
    case ID_FMAD:
    case ID_MAX_REGISTERS:
    case ID_JUMP_TABLES:
    case ID_STACK_PROTECTOR:
    case ID_RELOCATABLE:
    case ID_DEVICE_C:
    case ID_OPTIMIZE_LTOIR:
    case ID_DEVICE_RUNTIME:
    case ID_DEFAULT_DEVICE:
    case ID_RELAXED_CONSTEXPR:
    case ID_EXTENDED_LAMBDA:
    case ID_NO_INITIALIZER_LIST:
    case ID_NO_MOVE_FORWARD:
    case ID_DEFAULT_STREAM:
    case ID_RESTRICT:
    case ID_VECTORIZE:
    case ID_ENABLE_TILE:
    case ID_TILE_ONLY:
    case ID_SIMT_ONLY:
    case ID_DEFAULT_TILE:
    case ID_TILEIRAS:
    case ID_CONTROLS:
    case ID_PTXAS:
    case ID_NVRTC:
    case ID_NVJITLINK:
    case ID_KEEP_GLOBALS:
    case ID_KEEP_SHARED_ADDRESSES:
    case ID_STD_HEADERS:
        return true;
    default:
        return false;
    }
}

/* What an option's value names in the file system differs from machine to machine, and counts by what is in
 * it, which the digest of the inputs covers. */
static bool may_name_file(const char *value)
{
    return value && strchr(value, '/');
}

/* Files and options may have any bytes; what is recorded of them is text of one line. */
static char *recorded(const char *text)
{
    return cbn_text_shown(strdup(text), 0);
}

/* An option in one form, whichever of its spellings was used. */
static void add_option(struct buffer *text, int id, const char *value)
{
    const struct option *option = compile_options;
    while (option->id != id) {
        option++;
    }
    char *shown = recorded(value ? value : "");
    text->failed |= !shown;
    buffer_printf(text, "%s--%s%s%s", text->size ? "\n" : "", option->name, value ? "=" : "",
                  shown ? shown : "");
    free(shown);
}

static cubinet_status list_options(const struct compile_provenance *made, char **out_text)
{
    struct option_reader reader = {
        .options = compile_options,
        .more = nvcc_options,
        .argc = made->argc,
        .argv = made->argv,
        .skips_unknown = nvcc_forwards_unknown(made->argc, made->argv),
    };
    struct buffer text = {0};
    buffer_puts(&text, "");
    for (int id; (id = option_next(&reader)) != OPTION_END && id != OPTION_ERROR;) {
        if (decides_code(id) && !may_name_file(reader.value)) {
            add_option(&text, id, reader.value);
        }
    }
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status name_compiler(const struct compile_tools *tools, char **out_name)
{
    struct buffer name = {0};
    int version = tools->nvrtc.version;
    if (tools->nvrtc_build[0]) {
        buffer_printf(&name, "NVRTC %s", tools->nvrtc_build);
    } else {
        buffer_printf(&name, "NVRTC %d.%d", version / 1000, version % 1000 / 10);
    }
    *out_name = buffer_take(&name);
    return *out_name ? CUBINET_OK : cbn_error_memory();
}

static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct cbn_sha256));
}

/* The digest of all: of each once, in ascending order, since names and order differ between folders. */
static void digest_digests(struct cbn_sha256 *digests, size_t count, unsigned char out[CBN_SHA256_SIZE])
{
    struct cbn_sha256_state state;
    cbn_sha256_start(&state);
    qsort(digests, count, sizeof(*digests), compare_digests);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !cbn_sha256_equal(&digests[i - 1], &digests[i])) {
            cbn_sha256_add(&state, digests[i].bytes, sizeof(digests[i].bytes));
        }
    }
    struct cbn_sha256 digest = cbn_sha256_finish(&state);
    memcpy(out, digest.bytes, sizeof(digest.bytes));
}

/* The source is the first of the inputs. */
static cubinet_status digest_inputs(const struct inputs *inputs, struct provenance *provenance)
{
    struct cbn_sha256 *digests = calloc(inputs->count + 1, sizeof(*digests));
    cubinet_status status = digests ? CUBINET_OK : cbn_error_memory();
    size_t count = 0;
    for (size_t i = 0; !status && i < inputs->count; i++) {
        if (inputs->items[i].kind == INPUT_FILE) {
            status = file_sha256(inputs->items[i].path, &digests[count++]);
        }
    }
    if (!status) {
        memcpy(provenance->source_sha256, digests[0].bytes, CBN_SHA256_SIZE);
        digest_digests(digests, count, provenance->inputs_sha256);
    }
    free(digests);
    return status;
}

static cubinet_status record(const struct provenance *provenance, struct draft *draft)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < draft->module_count; i++) {
        struct draft_module *module = &draft->modules[i];
        for (size_t j = 0; !status && j < module->image_count; j++) {
            status = provenance_copy(provenance, &module->images[j].provenance);
        }
    }
    return status;
}

cubinet_status compile_provenance_record(const struct compile_provenance *made, struct draft *draft)
{
    struct provenance provenance = {.source = recorded(path_name(made->arguments->source))};
    trace_begin("digest provenance", NULL);
    cubinet_status status = provenance.source ? list_options(made, &provenance.options) : cbn_error_memory();
    if (!status) {
        status = name_compiler(made->tools, &provenance.compiler);
    }
    if (!status && made->arguments->provenance == PROVENANCE_SOURCES) {
        status = digest_inputs(made->inputs, &provenance);
    }
    if (!status) {
        status = record(&provenance, draft);
    }
    trace_end();
    provenance_free(&provenance);
    return status;
}
