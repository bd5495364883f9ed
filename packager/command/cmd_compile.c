/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet compile`. */
#include "archive/archive_writer.h"
#include "base/colour.h"
#include "base/command.h"
#include "base/json_output.h"
#include "cache/code_cache.h"
#include "cache/compile_cache.h"
#include "command/commands.h"
#include "command/made.h"
#include "compile/base_dir.h"
#include "compile/compile.h"
#include "compile/compile_arguments.h"
#include "compile/compile_key.h"
#include "compile/compile_options.h"
#include "compile/compile_output.h"
#include "compile/compile_place.h"
#include "compile/compile_plan.h"
#include "compile/compile_provenance.h"
#include "compile/compile_tile.h"
#include "compile/inputs.h"
#include "compile/pch_nvrtc.h"
#include "compile/ptxas_files.h"
#include "interpose/hidden_headers.h"
#include "interpose/opened_files.h"
#include "loader/core/support/error.h"
#include "process/build_notes.h"
#include "process/large_pages.h"
#include "process/supervise.h"
#include "process/trace.h"
#include "toolkit/device_headers.h"
#include "toolkit/nvrtc_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What this run holds. */
struct run {
    struct compile_arguments arguments;
    struct toolkit toolkit;
    char *working_folder;
    char *pretended_folder; /* what the compiler takes for it */
    struct compile_output output;
    struct compile_cache cache;
    struct code_cache code;
    struct timespec start;
    struct buffer messages;
    struct buffer listing;    /* of launches, for standard output */
    bool ptxas_may_read_more; /* than is noted as input */
    bool wrong_usage;         /* what failed was to understand the arguments */
    double started;           /* made_seconds() */
    const char *cache_state;  /* "hit" or "miss"; NULL: the cache was not asked */
    bool is_done;             /* a child has compiled, and said how that went */
    int exit;                 /* its exit status */
};

static cubinet_status prepare(struct run *run, int argc, char **argv)
{
    const struct compile_arguments *arguments = &run->arguments;
    run->start = inputs_clock();
    cubinet_status status = compile_place_folders(arguments, &run->working_folder, &run->pretended_folder);
    if (status) {
        return status;
    }
    run->output = (struct compile_output){
        .arguments = arguments, .toolkit = &run->toolkit, .working_folder = run->working_folder};
    status = compile_output_name(&run->output);
    if (!status) {
        status = compile_environment_clear(arguments->verbose);
    }
    if (!status) {
        status = compile_output_check(&run->output);
    }
    if (!status) {
        status = compile_place_toolkit(arguments, &run->toolkit);
    }
    return status ? status : compile_key(argc, argv, run->working_folder, &run->toolkit, &run->output.key);
}

/* The working folder's maps come after the user's. */
enum { FOLDER_MAPS = 2 };

static cubinet_status make_path_maps(const struct run *run, struct cbn_text_list *texts,
                                     struct ptx_path_map **out_maps)
{
    const struct compile_arguments *arguments = &run->arguments;
    struct ptx_path_map *maps = calloc(arguments->path_map_count + FOLDER_MAPS, sizeof(*maps));
    cubinet_status status = maps ? cbn_text_list_addf(texts, "%s/", run->working_folder) : cbn_error_memory();
    if (!status) {
        status = cbn_text_list_addf(texts, "%s/", run->pretended_folder);
    }
    if (status) {
        free(maps);
        return status;
    }
    for (size_t i = 0; i < arguments->path_map_count; i++) {
        maps[i] = arguments->path_maps[i];
    }
    struct ptx_path_map *own = maps + arguments->path_map_count;
    own[0] = (struct ptx_path_map){.from = texts->items[0], .to = texts->items[1]};
    own[1] = (struct ptx_path_map){.from = COMPILE_ABSOLUTE_FOLDER "/", .to = texts->items[1]};
    *out_maps = maps;
    return CUBINET_OK;
}

/* The module, and the one of tile kernels, which with --tile-only is the same; NULL if none are compiled. */
static cubinet_status add_modules(const struct compile_arguments *arguments, struct draft *draft,
                                  struct draft_module **out_module, struct draft_module **out_tile)
{
    bool has_both = arguments->tile == COMPILE_TILE_TOO;
    char *name = NULL;
    if (has_both && asprintf(&name, "%s" COMPILE_TILE_SUFFIX, arguments->module) < 0) {
        return cbn_error_memory();
    }
    bool is_ok = !has_both || draft_module(draft, name);
    *out_module = is_ok ? draft_module(draft, arguments->module) : NULL;
    *out_tile = has_both && *out_module ? draft_module(draft, name) : arguments->tile ? *out_module : NULL;
    free(name);
    return *out_module ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status compile_into(struct run *run, struct compile_tools *tools, const struct arch_plan *plan,
                                   struct draft *draft)
{
    const struct compile_arguments *arguments = &run->arguments;
    struct cbn_text_list texts = {0};
    struct cbn_text_list quiet = {0};
    struct ptx_path_map *maps = NULL;
    struct draft_module *tile = NULL;
    struct draft_module *module = NULL;
    cubinet_status status = add_modules(arguments, draft, &module, &tile);
    if (!status) {
        status = make_path_maps(run, &texts, &maps);
    }
    for (size_t i = 0; !status && i < arguments->system_folders.count; i++) {
        status = cbn_text_list_add(&quiet, arguments->system_folders.items[i]);
    }
    for (size_t i = 0; !status && i < run->toolkit.include_count; i++) {
        status = cbn_text_list_add(&quiet, run->toolkit.includes[i]);
    }
    if (!status) {
        status = ptxas_files_note(&arguments->nvjitlink_options, &run->ptxas_may_read_more);
    }
    if (!status) {
        struct compile_work work = {
            .tools = tools,
            .arguments = arguments,
            .plan = plan,
            .store = code_cache_store(&run->code),
            .quiet_folders = quiet,
            .path_maps = maps,
            .path_map_count = arguments->path_map_count + FOLDER_MAPS,
            .working_folder = run->pretended_folder,
            .module = module,
            .tile = tile,
            .messages = &run->messages,
            .listing = &run->listing,
        };
        status = compile_source(&work);
    }
    draft_drop_empty(draft, arguments->tile == COMPILE_TILE_TOO ? 1 : draft->module_count);
    cbn_text_list_free(&texts);
    cbn_text_list_free(&quiet);
    free(maps);
    return status;
}

static const char *said(const struct run *run)
{
    return run->messages.data ? run->messages.data : "";
}

static cubinet_status write_and_keep(struct run *run, const struct draft *draft, struct inputs *inputs)
{
    char *archive = NULL;
    struct compile_result result = {.messages = said(run)};
    cubinet_status status =
        run->arguments.syntax_only ? CUBINET_OK : archive_make(draft, &archive, &result.archive_size);
    if (!status) {
        result.archive = archive;
        status = compile_output_write(&run->output, inputs, &result);
    }
    if (!status) {
        compile_cache_keep(&run->cache, inputs, &result);
    }
    free(archive);
    return status;
}

/* Writes what another compile made of the same, if the cache has it; says whether it did. */
static cubinet_status write_found(struct run *run, bool *out_found)
{
    struct compile_found found;
    *out_found = compile_cache_find(&run->cache, &found);
    if (!*out_found) {
        return CUBINET_OK;
    }
    buffer_puts(&run->messages, found.result.messages);
    if (run->arguments.verbose) {
        fprintf(stderr, "%s is taken from the cache\n", run->arguments.output);
    }
    cubinet_status status = compile_output_write(&run->output, &found.inputs, &found.result);
    compile_found_free(&found);
    return status;
}

/* Opens it where precompiled headers need it, if any may be used. */
static cubinet_status open_nvrtc(const struct compile_arguments *arguments,
                                 const struct cbn_library_search *search, struct nvrtc *out_nvrtc)
{
    char *reason = NULL;
    if (arguments->pch_files.count == 0) {
        return nvrtc_open(search, out_nvrtc);
    }
    cubinet_status status = pch_nvrtc_open(search, out_nvrtc, &reason);
    if (!status && reason && arguments->verbose) {
        fprintf(stderr, "precompiled headers are not used: %s\n", reason);
    }
    free(reason);
    return status;
}

static cubinet_status compile_and_write(struct run *run, int argc, char **argv)
{
    const struct compile_arguments *arguments = &run->arguments;
    const struct cbn_library_search search = {.what = "NVRTC", .path = run->toolkit.nvrtc, .stays = true};
    struct compile_tools tools = {.toolkit = &run->toolkit};
    struct arch_plan plan = {0};
    struct draft draft = {0};
    struct opened_files files = {0};
    struct inputs inputs = {0};
    large_pages_use();
    cubinet_status status = open_nvrtc(arguments, &search, &tools.nvrtc);
    if (!status) {
        const struct compile_plan_request request = {&arguments->gencodes, &arguments->archs, arguments->code,
                                                     arguments->only, arguments->fragment};
        const struct arch_supported supported = {tools.nvrtc.supported, tools.nvrtc.supported_count,
                                                 tools.nvrtc.version};
        status = compile_plan_make(&request, &supported, &plan);
        run->wrong_usage = status == CUBINET_ERROR_INVALID_ARGUMENT;
    }
    if (!status) {
        compile_plan_trace(arguments->module, &plan);
        opened_files_start();
        device_headers_hide(&run->toolkit);
        code_cache_open(&run->cache, &run->code);
        status = compile_into(run, &tools, &plan, &draft);
        code_cache_close(&run->code);
        hidden_headers_stop();
        cubinet_status stopped = opened_files_stop(&files);
        if (status == CUBINET_ERROR_COMPILE) {
            inputs_note_unreadable(&files, &run->messages);
        }
        status = status ? status : stopped;
    }
    if (!status) {
        status = inputs_gather(arguments->source, &files, &run->toolkit, run->start, &inputs);
    }
    if (!status && arguments->provenance != PROVENANCE_NONE && !arguments->syntax_only) {
        const struct compile_provenance made = {argc, argv, arguments, &tools, &inputs};
        status = compile_provenance_record(&made, &draft);
    }
    if (!status) {
        inputs.certain &= !arguments->has_side_output && compile_arguments_repeatable(arguments) &&
                          !(run->ptxas_may_read_more && tools.ptxas);
        status = write_and_keep(run, &draft, &inputs);
    } else {
        compile_cache_note_failure(&run->cache);
    }
    inputs_free(&inputs);
    opened_files_free(&files);
    draft_free(&draft);
    arch_plan_free(&plan);
    device_runtime_free(&tools.device_runtime);
    cbn_nvjitlink_close(&tools.nvjitlink);
    nvrtc_close(&tools.nvrtc);
    return status;
}

static cubinet_status find_or_compile(struct run *run, int argc, char **argv)
{
    const struct compile_cache_request request = {
        .argc = argc,
        .argv = argv,
        .arguments = &run->arguments,
        .toolkit = &run->toolkit,
        .working_folder = run->working_folder,
        .pretended_folder = run->pretended_folder,
    };
    bool is_found = false;
    compile_cache_open(&request, &run->cache);
    cubinet_status status = write_found(run, &is_found);
    run->cache_state = is_found ? "hit" : run->cache.is_open ? "miss" : NULL;
    if (run->cache_state) {
        build_notes_add(run->cache_state, run->arguments.output);
    }
    if (!status && !is_found) {
        run->is_done = supervise(&run->arguments.limits, run->arguments.source, &run->exit);
        status = run->is_done ? CUBINET_OK : compile_and_write(run, argc, argv);
    }
    compile_cache_close(&run->cache);
    return status;
}

static void run_free(struct run *run)
{
    compile_arguments_free(&run->arguments);
    toolkit_free(&run->toolkit);
    buffer_free(&run->messages);
    buffer_free(&run->listing);
    free(run->working_folder);
    free(run->pretended_folder);
    compile_output_free(&run->output);
}

/* Prints what the toolkit compiles for, as nvcc does: each number with every prefix that was asked for. */
static int list_architectures(const struct compile_arguments *arguments)
{
    struct toolkit toolkit = {0};
    struct nvrtc_answer answer = {0};
    cubinet_status status = toolkit_find(arguments->toolkit, &arguments->limits, &toolkit);
    int result =
        status ? command_exit(status) : nvrtc_ask(toolkit.nvrtc, &arguments->limits, toolkit.nvrtc, &answer);
    bool both = arguments->list_architectures && arguments->list_codes;
    for (size_t i = 0; result == EXIT_OK && i < answer.count; i++) {
        int number = answer.numbers[i];
        if (both) {
            printf("arch=compute_%d,code=sm_%d\n", number, number);
        } else {
            printf("%s_%d\n", arguments->list_codes ? "sm" : "compute", number);
        }
    }
    toolkit_free(&toolkit);
    return result;
}

static const char *written_depfile(const struct compile_arguments *arguments)
{
    return arguments->write_depfile ? arguments->depfile : NULL;
}

/* Prints what was made, for --json. */
static cubinet_status print_json(const struct run *run, bool is_skipped)
{
    const struct compile_arguments *arguments = &run->arguments;
    const char *depfile = written_depfile(arguments);
    json_t *document = NULL;
    cubinet_status status = CUBINET_OK;
    if (arguments->syntax_only) {
        document = json_pack("{s:n, s:i, s:[]}", "archive", "bytes", 0, "modules");
    } else {
        status = made_json(arguments->output, &document);
    }
    if (status) {
        return status;
    }
    json_object_set_new(document, "depfile", depfile ? json_output_text(depfile) : json_null());
    json_object_set_new(document, "cache", run->cache_state ? json_string(run->cache_state) : json_null());
    json_object_set_new(document, "up_to_date", json_boolean(is_skipped));
    json_object_set_new(document, "seconds", made_duration(made_seconds(run->started)));
    json_object_set_new(document, "warnings", made_warnings(said(run)));
    return json_output_print(document);
}

static int run_prepared(struct run *run, int argc, char **argv)
{
    bool skipped = false;
    run->started = made_seconds(0);
    cubinet_status status = prepare(run, argc, argv);
    if (!status) {
        status = compile_output_skip(&run->output, &run->messages, &skipped);
    }
    if (!status && !skipped) {
        status = find_or_compile(run, argc, argv);
    }
    if (run->is_done) {
        return run->exit;
    }
    colour_messages(stderr, said(run));
    if (!status && run->listing.data) {
        fputs(run->listing.data, stdout);
    }
    status = supervise_explain(status, &run->messages);
    if (!status && run->arguments.json) {
        status = print_json(run, skipped);
    }
    return run->wrong_usage ? command_usage("compile") : command_exit(status);
}

static int run_expanded(int argc, char **argv)
{
    struct run run = {0};
    if (compile_arguments_read(argc, argv, &run.arguments)) {
        return command_usage("compile");
    }
    if (run.arguments.help || run.arguments.list_architectures || run.arguments.list_codes) {
        int answered = EXIT_OK;
        if (run.arguments.help) {
            compile_options_help();
        } else {
            answered = list_architectures(&run.arguments);
        }
        run_free(&run);
        return answered;
    }
    if (!run.arguments.no_warnings) {
        nvcc_ignored_warn(&run.arguments.ignored);
    }
    int result;
    trace_subject(run.arguments.module, NULL);
    /* Limits hold for waiting too. Without them a child is made where the compilers are needed. */
    if (!limits_are_set(&run.arguments.limits) ||
        !supervise(&run.arguments.limits, run.arguments.source, &result)) {
        result = run_prepared(&run, argc, argv);
    }
    run_free(&run);
    return result;
}

static int run_compile(int argc, char **argv)
{
    struct arguments arguments;
    if (compile_arguments_expand(argc, argv, &arguments)) {
        return command_usage("compile");
    }
    int status = !base_dir_apply(&arguments) ? run_expanded(arguments.count, arguments.values)
                                             : command_usage("compile");
    arguments_free(&arguments);
    return status;
}

const struct command cmd_compile = {
    .name = "compile",
    .summary = "compile a CUDA source into an archive",
    .run = run_compile,
};
