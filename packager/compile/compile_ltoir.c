/* SPDX-License-Identifier: Apache-2.0 */
/* LTO-IR, which tells nothing of itself. Of a module that has kernels nvJitLink shows, as PTX, what becomes
 * of them alone. Of a fragment everything counts that it defines and needs, so its source is compiled once
 * more, to relocatable PTX, which is only read: docs/guide/fragments.md. */
#include "compile/compile_ltoir.h"

#include "compile/front_end.h"
#include "loader/core/support/error.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "source/fragment_text.h"
#include "toolkit/assemble.h"
#include "toolkit/device_runtime.h"

#include <stdlib.h>
#include <string.h>

/* What the record of a fragment is made from. */
struct fragment {
    const struct compile_arguments *arguments;
    const struct nvrtc_result *result; /* relocatable PTX, with variables that name exports and imports */
    struct contents contents;          /* of that PTX, cleaned */
};

/* Why an export is none, or CUBINET_OK. `symbol`: NULL if the PTX has none of the name */
static cubinet_status check_export(const struct fragment *fragment, const char *expression, const char *name,
                                   const struct symbol *symbol)
{
    const char *source = fragment->arguments->source;
    if (!symbol && name && contents_has_kernel(&fragment->contents, name)) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "%s: export '%s' is a kernel, which you request with --kernel", source, expression);
    }
    if (!symbol) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "%s: export '%s' cannot be seen from outside: it is static or in an unnamed "
                         "namespace, or the source does not define it",
                         source, expression);
    }
    if (!symbol->is_defined) {
        return cbn_error(CUBINET_ERROR_COMPILE, "%s: export '%s' is declared, but not defined", source,
                         expression);
    }
    if (symbol->is_weak && !symbol->is_variable && !strchr(expression, '<') &&
        strcmp(expression, name) != 0) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "%s: export '%s' is inline, and what is inline is not kept for others; define it "
                         "without `inline`, outside of a class",
                         source, expression);
    }
    return CUBINET_OK;
}

static cubinet_status set_expression(struct symbol *symbol, const char *expression)
{
    if (strcmp(symbol->name, expression) == 0) {
        return CUBINET_OK;
    }
    free(symbol->expression);
    symbol->expression = strdup(expression);
    return symbol->expression ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status record_exports(struct fragment *fragment)
{
    const struct cbn_text_list *exports = &fragment->arguments->exports;
    for (size_t i = 0; i < exports->count; i++) {
        const char *expression = exports->items[i];
        char *name = NULL;
        cubinet_status status = fragment_text_lowered(fragment->result->image, fragment->result->size, true,
                                                      i, expression, &name);
        struct symbol *symbol = name ? symbol_list_find(&fragment->contents.symbols, name) : NULL;
        if (!status) {
            status = check_export(fragment, expression, name, symbol);
        }
        if (!status) {
            status = set_expression(symbol, expression);
        }
        free(name);
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

/* Marks in `imported` the symbols that are declared as imports. One that is declared and not needed is no
 * error: a macro may have left it out. */
static cubinet_status record_imports(struct fragment *fragment, bool *imported)
{
    const struct cbn_text_list *imports = &fragment->arguments->imports;
    struct symbol_list *symbols = &fragment->contents.symbols;
    for (size_t i = 0; i < imports->count; i++) {
        const char *expression = imports->items[i];
        char *name = NULL;
        cubinet_status status = fragment_text_lowered(fragment->result->image, fragment->result->size, false,
                                                      i, expression, &name);
        struct symbol *symbol = name ? symbol_list_find(symbols, name) : NULL;
        free(name);
        if (symbol && symbol->is_defined) {
            return cbn_error(CUBINET_ERROR_COMPILE, "%s: import '%s' is defined in the source itself",
                             fragment->arguments->source, expression);
        }
        if (!status && symbol) {
            imported[symbol - symbols->items] = true;
            status = set_expression(symbol, expression);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

/* Once one import is declared, all are; the device runtime is the toolkit's. */
static cubinet_status check_imports(struct fragment *fragment)
{
    const struct symbol_list *symbols = &fragment->contents.symbols;
    bool *imported = calloc(symbols->count + 1, sizeof(*imported));
    cubinet_status status = imported ? record_imports(fragment, imported) : cbn_error_memory();
    bool are_declared = fragment->arguments->imports.count > 0;
    for (size_t i = 0; !status && are_declared && i < symbols->count; i++) {
        if (!symbols->items[i].is_defined && !imported[i] && !device_runtime_has(symbols->items[i].name)) {
            status = cbn_error(
                CUBINET_ERROR_COMPILE, "%s: it needs %s '%s', which is not among the declared imports",
                fragment->arguments->source, symbols->items[i].is_variable ? "variable" : "function",
                symbols->items[i].name);
        }
    }
    free(imported);
    return status;
}

static cubinet_status check_has_symbols(const struct fragment *fragment)
{
    const struct symbol_list *symbols = &fragment->contents.symbols;
    if (fragment->contents.kernel_count > 0 || (symbols->count > 0 && symbols->items[0].is_defined)) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_COMPILE,
                     "%s: it defines nothing that other code could be linked with; functions that are "
                     "templates are made when they are named, as in --export 'op<float>'",
                     fragment->arguments->source);
}

static cubinet_status read_symbols(struct fragment *fragment, const char *ptx, size_t size)
{
    cubinet_status status = ptx_read(ptx, size, &fragment->contents);
    if (!status) {
        contents_keep_names(&fragment->contents);
        status = ptx_symbols_read(ptx, size, &fragment->contents.symbols);
    }
    if (!status) {
        const struct compile_arguments *arguments = fragment->arguments;
        contents_drop_unused_globals(&fragment->contents, &fragment->contents.symbols,
                                     (const char *const *)fragment->result->lowered +
                                         arguments->kernels.count,
                                     arguments->globals.count);
        status = record_exports(fragment);
    }
    if (!status) {
        status = check_imports(fragment);
    }
    if (!status) {
        symbol_list_drop_weak_variables(&fragment->contents.symbols);
        status = check_has_symbols(fragment);
    }
    return status;
}

/* Compiles the source to PTX to see what there is in the LTO-IR. */
static cubinet_status read_fragment(struct compile_work *work, cubinet_target target,
                                    struct contents *out_contents)
{
    const struct fragment_names names = {&work->arguments->exports, &work->arguments->imports};
    struct nvrtc_result result = {0};
    struct fragment fragment = {.arguments = work->arguments, .result = &result};
    char *text = NULL;
    char *ptx = NULL;
    size_t size = 0;
    cubinet_status status = fragment_text_make(work->text, &names, true, &text);
    if (!status) {
        const struct compile_pass pass = {.target = target, .text = text, .relocatable = true};
        status = compile_front_end(work, &pass, &result);
    }
    if (!status) {
        status = compile_clean_ptx(work, &result, true, &ptx, &size);
    }
    if (!status) {
        status = read_symbols(&fragment, ptx, size);
    }
    nvrtc_result_free(&result);
    free(text);
    free(ptx);
    if (status) {
        contents_free(&fragment.contents);
        return status;
    }
    *out_contents = fragment.contents;
    return CUBINET_OK;
}

static cubinet_status read_whole(struct compile_work *work, cubinet_target target,
                                 const struct nvrtc_result *result, struct contents *out_contents)
{
    cubinet_status status = compile_open_nvjitlink(work->tools);
    return status ? status
                  : assemble_read_ltoir(&work->tools->nvjitlink, result->image, result->size, target,
                                        (const char *const *)result->lowered + work->arguments->kernels.count,
                                        work->arguments->globals.count, out_contents);
}

cubinet_status compile_ltoir(struct compile_work *work, const struct arch_virtual *virtual)
{
    const bool is_fragment = work->arguments->fragment;
    const struct fragment_names names = {&work->arguments->exports, &work->arguments->imports};
    struct nvrtc_result result = {0};
    struct contents contents = {0};
    char *text = NULL;
    cubinet_status status = fragment_text_make(work->text, &names, false, &text);
    if (!status) {
        const struct compile_pass pass = {
            .target = virtual->target, .text = text, .makes = CUBINET_IMAGE_LTOIR};
        status = compile_front_end(work, &pass, &result);
    }
    if (!status) {
        status = is_fragment ? read_fragment(work, virtual->target, &contents)
                             : read_whole(work, virtual->target, &result, &contents);
    }
    if (!status) {
        status = compile_record_expressions(work, &result, &contents);
    }
    if (!status) {
        status = compile_say_unsettled(work, &contents);
    }
    if (!status) {
        status = compile_file_result(work, virtual, CUBINET_IMAGE_LTOIR, &result, &contents);
    }
    nvrtc_result_free(&result);
    contents_free(&contents);
    free(text);
    return status;
}
