/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/front_end.h"

#include "compile/compile_split.h"
#include "compile/dialect.h"
#include "compile/host_pass.h"
#include "compile/pch_nvrtc.h"
#include "compile/pch_use.h"
#include "compile/refused_names.h"
#include "interpose/hidden_headers.h"
#include "interpose/working_folder.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "process/trace.h"
#include "source/fragment_text.h"
#include "source/host_assertions.h"
#include "source/kernel_parameters.h"
#include "source/launch_sites.h"
#include "source/optional_names.h"
#include "source/overload.h"
#include "source/refused_source.h"
#include "toolkit/default_device.h"
#include "toolkit/device_headers.h"
#include "toolkit/diagnostics.h"
#include "toolkit/missing_header.h"
#include "toolkit/tileiras.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STABLE_NAMES_RELEASE = 12090, /* whose NVRTC takes -no-cache and -frandom-seed */
    /* Later ones read freed memory where the working folder's name is relative: 13.5 crashes on libcu++. */
    RELATIVE_FOLDER_RELEASE = 13000,
    MAX_ROUNDS = 40,             /* in which host code is found by what NVRTC refuses */
    MAX_STALE_ROUNDS = 12,       /* of these, one after another that leave as many errors */
    SYNTAX_ONLY_RELEASE = 12040, /* whose NVRTC takes -fdevice-syntax-only; before, it compiles in vain */
};

static cubinet_status add_all(struct cbn_text_list *list, const struct cbn_text_list *more)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < more->count; i++) {
        status = cbn_text_list_add(list, more->items[i]);
    }
    return status;
}

static cubinet_status add_kernels(struct cbn_text_list *list, const struct cbn_text_list *kernels)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < kernels->count; i++) {
        char *cast = NULL;
        status = overload_cast(kernels->items[i], &cast);
        status = status ? status : cbn_text_list_add(list, cast);
        free(cast);
    }
    return status;
}

/* Has one of Cubinet's own headers included before the source; nothing without them. */
static cubinet_status add_shipped_header(const struct compile_work *work, const char *name,
                                         struct cbn_text_list *options)
{
    const char *folder = work->tools->toolkit->shipped_headers;
    return folder ? cbn_text_list_addf(options, "-include=%s/%s", folder, name) : CUBINET_OK;
}

/* What nvcc defines of the platform, for a source with host code and for one without. */
static cubinet_status add_platform(const struct compile_work *work, struct cbn_text_list *options)
{
    if (work->arguments->device_headers != DEVICE_HEADERS_LENIENT) {
        return CUBINET_OK;
    }
    cubinet_status status = CUBINET_OK;
#ifdef __aarch64__
    status = cbn_text_list_add(options, "-D__aarch64__=1");
#endif
    return status ? status : add_shipped_header(work, DEVICE_HEADERS_PLATFORM, options);
}

static cubinet_status add_implicit_headers(const struct compile_work *work, struct cbn_text_list *options)
{
    return add_shipped_header(work, DEVICE_HEADERS_IMPLICIT, options);
}

/* How often libcu++ repeats some of its templates by macros. It has 10 for nvcc and 16 for NVRTC, which takes
 * 0.4 s to expand them, a third of what CUB's headers take. What is made with either is the same. */
static cubinet_status add_repetitions(const struct compile_work *work, struct cbn_text_list *options)
{
    static const char option[] = "-D_CCCL_META_UNROLL_LIMIT";
    const struct cbn_text_list *given = &work->arguments->nvrtc_options;
    for (size_t i = 0; i < given->count; i++) {
        if (strncmp(given->items[i], option, strlen(option)) == 0) {
            return CUBINET_OK;
        }
    }
    return cbn_text_list_addf(options, "%s=10", option);
}

/* With --tile-only, NVRTC has no names for expressions: then the other kernels are compiled, too, and
 * dropped. */
static cubinet_status add_tile(const struct compile_arguments *arguments, struct cbn_text_list *options)
{
    bool has_expressions = arguments->kernels.count + arguments->globals.count > 0;
    bool is_only = arguments->tile == COMPILE_TILE_ONLY && !has_expressions;
    return arguments->tile ? cbn_text_list_add(options, is_only ? "-tile-only" : "-enable-tile") : CUBINET_OK;
}

cubinet_status compile_pass_options(const struct compile_work *work, const struct compile_pass *pass,
                                    struct cbn_text_list *out_options)
{
    const struct compile_arguments *arguments = work->arguments;
    const struct toolkit *toolkit = work->tools->toolkit;
    cubinet_status status = cbn_text_list_addf(out_options, "-arch=%s", compile_name_of(pass->target).text);
    if (!status) {
        status = cbn_text_list_add(out_options, "-device-int128"); /* nvcc has __int128 without an option */
    }
    if (!status) {
        status = add_repetitions(work, out_options);
    }
    if (!status) {
        status = add_platform(work, out_options);
    }
    if (!status && work->implicit_headers) {
        status = add_implicit_headers(work, out_options);
    }
    if (!status && work->nvcc_names) {
        status = add_shipped_header(work, DEVICE_HEADERS_NVCC_NAMES, out_options);
    }
    if (!status && work->cuda_std_names) {
        status = add_shipped_header(work, DEVICE_HEADERS_CUDA_STD_NAMES, out_options);
    }
    if (!status && work->algorithm_kernels) {
        status = add_shipped_header(work, DEVICE_HEADERS_ALGORITHM_KERNELS, out_options);
    }
    if (!status && work->tools->nvrtc.version >= STABLE_NAMES_RELEASE) {
        status = cbn_text_list_add(out_options, "-no-cache");
        if (!status) {
            status = cbn_text_list_addf(out_options, "-frandom-seed=%s", arguments->module);
        }
    }
    if (!status && pass->makes) {
        status = cbn_text_list_add(out_options, pass->makes == CUBINET_IMAGE_OPTIXIR ? "-optix-ir" : "-dlto");
    }
    if (!status && arguments->syntax_only && work->tools->nvrtc.version >= SYNTAX_ONLY_RELEASE) {
        status = cbn_text_list_add(out_options, "-fdevice-syntax-only");
    }
    if (!status) {
        status = add_tile(arguments, out_options);
    }
    if (!status) {
        status = add_all(out_options, &arguments->nvrtc_options);
    }
    if (!status && work->is_cxx17) {
        status = dialect_renew(out_options);
    }
    if (!status && work->is_cxx20) {
        status = dialect_raise(out_options);
    }
    if (!status && work->default_device) {
        status = cbn_text_list_add(out_options, "-default-device");
    }
    if (!status && pass->relocatable) {
        status = cbn_text_list_add(out_options, "-rdc=true");
    }
    for (size_t i = 0; !status && i < toolkit->include_count; i++) {
        status = cbn_text_list_addf(out_options, "-I%s", toolkit->includes[i]);
    }
    return status;
}

/* The exit line for an option that NVRTC refused. Of a dialect it does not say which it was. */
static cubinet_status fail_option(const struct compile_work *work, const char *said)
{
    static const char dialect[] = "-std=";
    int release = work->tools->nvrtc.version;
    const struct cbn_text_list *options = &work->arguments->nvrtc_options;
    for (size_t i = 0; strstr(said, "(-std)") && i < options->count; i++) {
        if (strncmp(options->items[i], dialect, strlen(dialect)) == 0) {
            return cbn_error(
                CUBINET_ERROR_COMPILE,
                "NVRTC of CUDA %d.%d does not take '%s'; it takes c++03, c++11, c++14, c++17 and "
                "c++20",
                release / 1000, release % 1000 / 10, options->items[i]);
        }
    }
    if (release < TILE_RELEASE && (strstr(said, "tile") || strstr(said, "simt-only"))) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "NVRTC of CUDA %d.%d has no CUDA Tile C++, which CUDA 13.3 and later have",
                         release / 1000, release % 1000 / 10);
    }
    return cbn_error(CUBINET_ERROR_COMPILE, "NVRTC of CUDA %d.%d: %s", release / 1000, release % 1000 / 10,
                     said);
}

/* The exit line for a source that NVRTC refused. */
static cubinet_status fail_refused(const struct compile_work *work, cubinet_target source,
                                   const struct diagnostics *diagnostics)
{
    const char *path = work->arguments->source;
    if (diagnostics->refused_option) {
        return fail_option(work, diagnostics->refused_option);
    }
    if (diagnostics->refused_expression && diagnostics->refused_because && diagnostics->errors == 0) {
        return refused_expression(work, diagnostics->refused_expression, diagnostics->refused_because);
    }
    if (diagnostics->errors > 0) {
        return cbn_error(CUBINET_ERROR_COMPILE, "%s: %zu error%s when compiled for %s", path,
                         diagnostics->errors, diagnostics->errors == 1 ? "" : "s",
                         compile_name_of(source).text);
    }
    return CUBINET_ERROR_COMPILE; /* with the message that nvrtc_compile() left */
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    while (*text) {
        text = strchrnul(text, '\n');
        text += *text == '\n';
        count++;
    }
    return count;
}

cubinet_status compile_report(struct compile_work *work, const struct nvrtc_result *result,
                              cubinet_target source, cubinet_status compiled)
{
    const struct diagnostics_options options = {
        .source = work->arguments->source,
        .last_line = count_lines(work->text),
        .quiet_folders = (const char *const *)work->quiet_folders.items,
        .quiet_folder_count = work->quiet_folders.count,
        .no_warnings = work->arguments->no_warnings,
        .error_limit = work->arguments->error_limit,
        .already_said = work->messages->data,
    };
    const struct fragment_names names = {&work->arguments->exports, &work->arguments->imports};
    struct fragment_refusal refusal;
    struct diagnostics diagnostics;
    if (!result->log) {
        return compiled;
    }
    if (compiled == CUBINET_ERROR_COMPILE && fragment_text_refused(result->log, &names, &refusal)) {
        return refused_symbol(work, &refusal);
    }
    cubinet_status status = diagnostics_read(result->log, &options, &diagnostics);
    if (status) {
        return status;
    }
    if (compiled == CUBINET_ERROR_COMPILE) {
        const struct refused_source refused = {work->arguments->source, work->text, &diagnostics,
                                               work->arguments->device_headers};
        status = refused_source_report(&refused, work->messages);
        missing_header_explain(diagnostics.text, &work->arguments->nvrtc_options, work->messages);
        if (!status && work->host_notes.data) {
            buffer_puts(work->messages, work->host_notes.data);
        }
    } else {
        buffer_puts(work->messages, diagnostics.text);
    }
    work->warnings += diagnostics.warnings;
    if (compiled == CUBINET_ERROR_COMPILE) {
        compiled = status ? status : fail_refused(work, source, &diagnostics);
    }
    diagnostics_free(&diagnostics);
    return compiled;
}

const char *compile_pretended_folder(const struct compile_work *work)
{
    const char *folder = work->working_folder;
    bool takes_relative = work->tools->nvrtc.version <= RELATIVE_FOLDER_RELEASE;
    return folder[0] == '/' || takes_relative ? folder : COMPILE_ABSOLUTE_FOLDER;
}

/* LTO-IR, and passes whose result is not filed, are compiled without tile kernels. */
static bool compile_wants_tile(const struct compile_work *work, const struct compile_pass *pass)
{
    return work->tile && !pass->makes && !work->arguments->syntax_only;
}

static cubinet_status run_with_options(struct compile_work *work, const struct compile_pass *pass,
                                       const struct cbn_text_list *options,
                                       const struct cbn_text_list *expressions,
                                       struct nvrtc_result *out_result)
{
    const struct nvrtc_job job = {
        .source = pass->text,
        .name = work->arguments->source,
        .options = (const char *const *)options->items,
        .option_count = options->count,
        .expressions = (const char *const *)expressions->items,
        .expression_count = expressions->count,
        .makes = pass->makes,
        .wants_tile = compile_wants_tile(work, pass),
        .empty_header = PCH_LAST_HEADER,
    };
    compile_say(work, "nvrtc", options);
    trace_begin("NVRTC", compile_name_of(pass->target).text);
    working_folder_pretend(compile_pretended_folder(work));
    cubinet_status status = nvrtc_compile(&work->tools->nvrtc, &job, out_result);
    working_folder_pretend(NULL);
    trace_end();
    return status;
}

/* Finds a precompiled header for these options. Tells the user why one that was given is of no use. */
static bool find_pch(const struct compile_work *work, const struct cbn_text_list *options,
                     struct pch_use *out_use)
{
    const struct compile_tools *tools = work->tools;
    struct pch_setting setting = {0};
    struct buffer notes = {0};
    if (work->arguments->pch_files.count == 0 || work->skips_host_code) {
        return false;
    }
    hidden_headers_stop(); /* the precompiled ones were found by each other */
    char *folder = getcwd(NULL, 0);
    bool found = folder && !pch_setting_make(options, folder, tools->toolkit->nvrtc, &setting) &&
                 pch_use_find(&work->arguments->pch_files, &tools->nvrtc, &setting, out_use, &notes);
    if (work->arguments->verbose && !found && notes.data) {
        fputs(notes.data, stderr);
    }
    device_headers_hide(tools->toolkit);
    pch_setting_free(&setting);
    buffer_free(&notes);
    free(folder);
    return found;
}

/* Compiles with a precompiled header. A source that is refused is compiled once more without, so that the
 * messages are those that are said without one; but for names that are optional, which are refused often. */
static cubinet_status run_with_pch(struct compile_work *work, const struct compile_pass *pass,
                                   const struct pch_use *use, const struct cbn_text_list *options,
                                   const struct cbn_text_list *expressions, struct nvrtc_result *result,
                                   bool *out_done)
{
    struct cbn_text_list more = {0};
    bool used = false;
    cubinet_status status = pch_nvrtc_options(options, "use", use->data, &more);
    if (!status) {
        status = run_with_options(work, pass, &more, expressions, result);
    }
    cbn_text_list_free(&more);
    cubinet_status finished = pch_use_finish(use, result, &used);
    if (finished) {
        return finished;
    }
    *out_done = used && (status != CUBINET_ERROR_COMPILE || work->arguments->optional_names);
    if (*out_done) {
        pch_use_note_inputs(use);
    }
    if (work->arguments->verbose) {
        fprintf(stderr, "precompiled header %s is %s\n", use->file,
                *out_done ? "used"
                : used    ? "not used: NVRTC found errors"
                          : "not used: NVRTC refused it");
    }
    return status;
}

/* Takes the option for precompiled headers that need it: without them, the compile would find out. */
static cubinet_status use_default_device(struct compile_work *work, struct cbn_text_list *options)
{
    work->default_device = true;
    return cbn_text_list_add_once(options, "-default-device");
}

static cubinet_status run_nvrtc(struct compile_work *work, const struct compile_pass *pass,
                                struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                struct nvrtc_result *out_result)
{
    struct pch_use use = {0};
    if (find_pch(work, options, &use)) {
        bool done = false;
        cubinet_status status = use.record.default_device ? use_default_device(work, options) : CUBINET_OK;
        if (!status) {
            status = run_with_pch(work, pass, &use, options, expressions, out_result, &done);
        }
        pch_use_free(&use);
        if (done) {
            return status;
        }
        nvrtc_result_free(out_result);
    }
    return run_with_options(work, pass, options, expressions, out_result);
}

/* Compiles once more without the expressions that were refused, if those are optional. */
static cubinet_status run_without_refused(struct compile_work *work, const struct compile_pass *pass,
                                          struct cbn_text_list *options,
                                          const struct cbn_text_list *expressions,
                                          struct nvrtc_result *result)
{
    struct cbn_text_list kept = {0};
    bool refused = false;
    cubinet_status status = optional_names_keep(result->log ? result->log : "", expressions, &kept, &refused);
    if (!status && refused) {
        nvrtc_result_free(result);
        status = run_nvrtc(work, pass, options, &kept, result);
        if (!status) {
            status = optional_names_spread(expressions, &kept, result);
        }
    } else if (!status) {
        status = CUBINET_ERROR_COMPILE; /* for another reason */
    }
    cbn_text_list_free(&kept);
    return status;
}

/* Compiles once more with the headers that nvcc includes, if that was without them. The next pass knows. */
static cubinet_status run_with_implicit_headers(struct compile_work *work, const struct compile_pass *pass,
                                                struct cbn_text_list *options,
                                                const struct cbn_text_list *expressions,
                                                struct nvrtc_result *result)
{
    if (work->implicit_headers || !work->tools->toolkit->shipped_headers) {
        return CUBINET_ERROR_COMPILE;
    }
    work->implicit_headers = true;
    cubinet_status status = add_implicit_headers(work, options);
    if (!status) {
        nvrtc_result_free(result);
        status = run_nvrtc(work, pass, options, expressions, result);
    }
    return status;
}

/* Whether a log is of a source that names what is not declared. */
static bool lacks_names(const char *log)
{
    return strstr(log, "\" is undefined") || strstr(log, "has no member \"") ||
           strstr(log, "is not a template") || strstr(log, "must be a class or namespace name");
}

/* Compiles once more with another header, unless that was so. The next pass knows. */
static cubinet_status run_with_header(struct compile_work *work, const struct compile_pass *pass,
                                      struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                      const char *header, bool *known, struct nvrtc_result *result)
{
    if (*known || !work->tools->toolkit->shipped_headers) {
        return CUBINET_ERROR_COMPILE;
    }
    *known = true;
    cubinet_status status = add_shipped_header(work, header, options);
    if (!status) {
        nvrtc_result_free(result);
        status = run_with_options(work, pass, options, expressions, result); /* no precompiled one has it */
    }
    return status;
}

/* Whether a log is of a source that uses names of libcu++ without its headers. */
static bool lacks_cuda_std(const char *log)
{
    return strstr(log, "namespace \"cuda::std\" has no member") ||
           (strstr(log, "must be a class or namespace name") && strstr(log, "cuda::std::"));
}

/* Whether NVRTC refuses to name one of the kernels that CUB and Thrust have for their algorithms. */
static bool lacks_algorithm_kernels(const struct cbn_text_list *expressions, const char *log)
{
    bool is_theirs = false;
    for (size_t i = 0; i < expressions->count && !is_theirs; i++) {
        is_theirs = strstr(expressions->items[i], "cub::") || strstr(expressions->items[i], "thrust::");
    }
    return is_theirs && strstr(log, "Input name expression was");
}

/* Compiles once more with what else nvcc declares, and with what --kernel is about, if that may be missing.
 */
static cubinet_status run_with_names(struct compile_work *work, const struct compile_pass *pass,
                                     struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                     struct nvrtc_result *result)
{
    cubinet_status status = CUBINET_ERROR_COMPILE;
    if (lacks_names(result->log ? result->log : "")) {
        status = run_with_header(work, pass, options, expressions, DEVICE_HEADERS_NVCC_NAMES,
                                 &work->nvcc_names, result);
    }
    if (status == CUBINET_ERROR_COMPILE && lacks_cuda_std(result->log ? result->log : "")) {
        status = run_with_header(work, pass, options, expressions, DEVICE_HEADERS_CUDA_STD_NAMES,
                                 &work->cuda_std_names, result);
    }
    if (status == CUBINET_ERROR_COMPILE &&
        lacks_algorithm_kernels(expressions, result->log ? result->log : "")) {
        status = run_with_header(work, pass, options, expressions, DEVICE_HEADERS_ALGORITHM_KERNELS,
                                 &work->algorithm_kernels, result);
    }
    return status;
}

/* Compiles once more with -default-device, if that is what headers of the toolkit's lack. The next pass
 * knows. */
static cubinet_status run_for_default_device(struct compile_work *work, const struct compile_pass *pass,
                                             struct cbn_text_list *options,
                                             const struct cbn_text_list *expressions,
                                             struct nvrtc_result *result)
{
    const struct toolkit *toolkit = work->tools->toolkit;
    const struct cbn_text_list folders = {.items = toolkit->includes, .count = toolkit->include_count};
    if (!default_device_is_needed(result->log ? result->log : "", &folders, options)) {
        return CUBINET_ERROR_COMPILE;
    }
    cubinet_status status = use_default_device(work, options);
    if (!status) {
        nvrtc_result_free(result);
        status = run_nvrtc(work, pass, options, expressions, result);
    }
    return status;
}

/* Compiles once more as C++20, if what NVRTC has in that alone is refused. The next pass knows. */
static cubinet_status run_as_cxx20(struct compile_work *work, const struct compile_pass *pass,
                                   struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                   struct nvrtc_result *result)
{
    if (work->is_cxx20 || !dialect_is_refused(result->log ? result->log : "")) {
        return CUBINET_ERROR_COMPILE;
    }
    work->is_cxx20 = true;
    cubinet_status status = dialect_raise(options);
    if (!status) {
        nvrtc_result_free(result);
        status = run_with_options(work, pass, options, expressions, result); /* no precompiled one is C++20 */
    }
    return status;
}

/* Compiles once more as C++17, if headers of the toolkit's want that. The next pass knows. */
static cubinet_status run_as_cxx17(struct compile_work *work, const struct compile_pass *pass,
                                   struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                   struct nvrtc_result *result)
{
    if (work->is_cxx17 || work->arguments->device_headers != DEVICE_HEADERS_LENIENT ||
        !dialect_is_too_old(result->log ? result->log : "")) {
        return CUBINET_ERROR_COMPILE;
    }
    work->is_cxx17 = true;
    cubinet_status status = dialect_renew(options);
    if (!status) {
        nvrtc_result_free(result);
        status = run_nvrtc(work, pass, options, expressions, result);
    }
    return status;
}

/* NVRTC, once more with what it turned out to need. */
static cubinet_status run_until_complete(struct compile_work *work, const struct compile_pass *pass,
                                         struct cbn_text_list *options,
                                         const struct cbn_text_list *expressions, struct nvrtc_result *result)
{
    cubinet_status status = run_nvrtc(work, pass, options, expressions, result);
    if (status == CUBINET_ERROR_COMPILE) {
        status = run_as_cxx17(work, pass, options, expressions, result);
    }
    if (status == CUBINET_ERROR_COMPILE) {
        status = run_with_implicit_headers(work, pass, options, expressions, result);
    }
    if (status == CUBINET_ERROR_COMPILE) {
        status = run_with_names(work, pass, options, expressions, result);
    }
    if (status == CUBINET_ERROR_COMPILE) {
        status = run_as_cxx20(work, pass, options, expressions, result);
    }
    if (status == CUBINET_ERROR_COMPILE) {
        status = run_for_default_device(work, pass, options, expressions, result);
        if (status == CUBINET_ERROR_COMPILE) { /* errors in headers hid those about names */
            status = run_with_names(work, pass, options, expressions, result);
        }
    }
    if (status == CUBINET_ERROR_COMPILE && work->arguments->optional_names) {
        status = run_without_refused(work, pass, options, expressions, result);
    }
    return status;
}

/* Of pragmas and attributes that are the host compiler's, nvcc says nothing. */
#define NVCC_IS_SILENT "-diag-suppress=161,1097"

/* Adds an option before the others, of which later ones override it. */
static cubinet_status add_first(struct cbn_text_list *options, const char *option)
{
    cubinet_status status = cbn_text_list_add(options, option);
    if (!status) {
        char *added = options->items[options->count - 1];
        memmove(options->items + 1, options->items, (options->count - 1) * sizeof(*options->items));
        options->items[0] = added;
    }
    return status;
}

/* What is left of a source has nvcc's names. NVRTC's flag lazy_field_initializers, which would
 * spare host classes errors, loses constructors of device classes. */
static cubinet_status add_host_code_options(const struct compile_work *work, struct cbn_text_list *options)
{
    cubinet_status status = add_shipped_header(work, DEVICE_HEADERS_HOST_CODE, options);
    if (!status) {
        status = cbn_text_list_add(options, "-DCUBINET_HOST_MEMBERS");
    }
    if (!status) {
        status = add_first(options, NVCC_IS_SILENT);
    }
    return status;
}

/* Has NVRTC see the source without its host code, from now on. */
static cubinet_status skip_host_code(struct compile_work *work, struct host_pass *host,
                                     struct cbn_text_list *options, struct compile_pass *pass)
{
    cubinet_status status = CUBINET_OK;
    if (!work->implicit_headers) {
        work->implicit_headers = true;
        status = add_implicit_headers(work, options);
    }
    if (!status && !work->skips_host_code) {
        status = add_host_code_options(work, options);
    }
    if (!status) {
        status = use_default_device(work, options);
    }
    host->is_silent |= cbn_text_list_remove(options, "-w"); /* warnings tell what uses the host's types */
    work->skips_host_code = true;
    return status ? status : host_pass_apply(host, work->text, &pass->text);
}

static size_t count_errors(const char *log)
{
    static const char mark[] = "error: ";
    size_t count = 0;
    for (const char *at = log; (at = strstr(at, mark)); at += strlen(mark)) {
        count++;
    }
    return count;
}

/* Rounds of finding host code. Headers that host code fills can go on for minutes, and be refused in the end.
 */
struct rounds {
    int count;
    int stale; /* since there were fewer errors */
    size_t least;
};

/* Whether another round may be of use. What operators may launch, which can spread through headers, is left
 * out before that ends. */
static bool rounds_go_on(struct rounds *rounds, struct host_pass *host, const char *log)
{
    size_t errors = count_errors(log);
    bool is_better = rounds->count == 0 || errors < rounds->least;
    rounds->least = is_better ? errors : rounds->least;
    rounds->stale = is_better ? 0 : rounds->stale + 1;
    rounds->count++;
    if (rounds->stale == MAX_STALE_ROUNDS && host_skip_stop_guessing(&host->skip)) {
        rounds->stale = 0;
    }
    return rounds->count < MAX_ROUNDS && rounds->stale < MAX_STALE_ROUNDS;
}

/* Has the log start with the errors for which something was dropped that is missed now. */
static cubinet_status add_causes(const struct host_skip *skip, struct nvrtc_result *result)
{
    struct buffer log = {0};
    cubinet_status status = host_skip_causes(skip, result->log, &log);
    buffer_puts(&log, result->log);
    char *text = status ? NULL : buffer_take(&log);
    if (!text) {
        buffer_free(&log);
        return cbn_error_memory();
    }
    free(result->log);
    result->log = text;
    return CUBINET_ERROR_COMPILE; /* still */
}

/* A source that compiles as it is, with -default-device, is compiled as it is. Any other with host code would
 * be refused. What NVRTC refuses still, and is the host's, is dropped, as long as there is some. */
static cubinet_status run_rounds(struct compile_work *work, const struct compile_pass *pass,
                                 struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                 struct host_pass *host, bool *skips, struct nvrtc_result *result)
{
    struct compile_pass changed = *pass;
    struct rounds rounds = {0};
    cubinet_status status = CUBINET_OK;
    bool again = true;
    while (again) {
        again = false;
        status = *skips ? skip_host_code(work, host, options, &changed) : CUBINET_OK;
        if (!status) {
            nvrtc_result_free(result);
            status = run_until_complete(work, &changed, options, expressions, result);
        }
        if (status == CUBINET_ERROR_COMPILE && host->is_needed && result->log) {
            again = !*skips;
            cubinet_status learned =
                again ? CUBINET_OK : host_pass_learn(host, result->log, work->arguments->verbose, &again);
            status = learned ? learned : status;
            *skips = true;
            again &= rounds_go_on(&rounds, host, result->log);
        }
    }
    return status;
}

/* Reads the source once more, and compiles it. */
static cubinet_status run_again(struct compile_work *work, const struct compile_pass *pass,
                                struct cbn_text_list *options, const struct cbn_text_list *expressions,
                                struct host_pass *host, struct nvrtc_result *result)
{
    struct host_pass before = *host;
    cubinet_status status = host_pass_begin(work, pass, options, host);
    bool skips = host->is_needed;
    host->is_silent = before.is_silent;
    host_pass_end(&before);
    return status ? status : run_rounds(work, pass, options, expressions, host, &skips, result);
}

static void warn_of_left_out(struct compile_work *work, cubinet_status status)
{
    if (!status && !work->arguments->no_warnings) {
        buffer_printf(work->messages,
                      "%s: warning: NVRTC refuses what is left out for it by #ifndef __CUDACC_RTC__, so that "
                      "stays out: kernels that only it launches need --kernel\n",
                      work->arguments->source);
        work->warnings++;
    }
}

/* Compiles a source, without its host code if it has some. */
static cubinet_status run_without_host_code(struct compile_work *work, const struct compile_pass *pass,
                                            struct cbn_text_list *options,
                                            const struct cbn_text_list *expressions,
                                            struct nvrtc_result *result)
{
    struct host_pass host = {0};
    cubinet_status status = host_pass_begin(work, pass, options, &host);
    /* Passes before this one may have added the option. */
    bool skips = host.is_needed && !cbn_text_list_has(&work->arguments->nvrtc_options, "-default-device");
    work->skips_host_code = false;
    if (!status) {
        status = run_rounds(work, pass, options, expressions, &host, &skips, result);
    }
    if (skips && status == CUBINET_ERROR_COMPILE && host.has_left_out) {
        work->refuses_left_out = true;
        status = run_again(work, pass, options, expressions, &host, result);
        warn_of_left_out(work, status);
    }
    if (skips && result->log && host_pass_quiet(&host, result->log) && !status) {
        status = CUBINET_ERROR_COMPILE;
    }
    if (skips && status == CUBINET_ERROR_COMPILE && result->log) {
        status = add_causes(&host.skip, result);
        host_skip_explain(&host.skip, work->arguments->source, result->log, &work->host_notes);
    } else if (skips && !status) {
        if (!work->arguments->no_warnings) {
            work->warnings += host_assertions_warn(&host.skip, work->arguments->source, work->messages);
        }
        status = host_skip_used(&host.skip, &work->used_kernels);
    }
    bool wants_launches = skips || work->arguments->list_launches;
    if (!status && work->launches && wants_launches && host.skip.unit.file_count > 0) {
        status = launch_sites_add(&host.skip, work->launches);
    }
    if (!status && work->parameters && host.skip.unit.file_count > 0) {
        kernel_parameters_free(work->parameters);
        status = kernel_parameters_add(&host.skip, work->parameters);
    }
    host_pass_end(&host);
    return status;
}

cubinet_status compile_front_end(struct compile_work *work, const struct compile_pass *pass,
                                 struct nvrtc_result *out_result)
{
    struct cbn_text_list options = {0};
    struct cbn_text_list expressions = {0};
    struct nvrtc_result result = {0};
    struct compile_split split = {0};
    cubinet_status status = compile_pass_options(work, pass, &options);
    if (!status) {
        status = add_kernels(&expressions, &work->arguments->kernels);
    }
    if (!status) {
        status = add_all(&expressions, &work->arguments->globals);
    }
    if (status) {
        goto done;
    }
    status = compile_split_begin(work->arguments, &options, &split);
    if (!status) {
        status = run_without_host_code(work, pass, &options, &expressions, &result);
    }
    compile_split_end(&split);
    status = compile_report(work, &result, pass->target, status);
    if (!status) {
        *out_result = result;
        result = (struct nvrtc_result){0};
    }
done:
    cbn_text_list_free(&options);
    cbn_text_list_free(&expressions);
    nvrtc_result_free(&result);
    return status;
}
