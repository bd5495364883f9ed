/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cache_why.h"

#include "base/command.h"
#include "base/file.h"
#include "cache/cache_nearest.h"
#include "cache/compile_cache.h"
#include "cache/compile_inputs_now.h"
#include "compile/base_dir.h"
#include "compile/compile_place.h"
#include "compile/ptxas_files.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked about. */
struct question {
    struct compile_arguments arguments;
    struct toolkit toolkit;
    char *working_folder;
    char *pretended_folder;
    struct compile_cache_request request;
    struct compile_cache cache;
};

/* What says when it was compiled, among the source and the options; NULL: nothing. */
static const char *what_tells_time(const struct compile_arguments *arguments)
{
    char *data = NULL;
    size_t size = 0;
    if (!compile_arguments_repeatable(arguments)) {
        return "an option asks for this machine's GPUs, or for the time";
    }
    bool tells = !file_read(arguments->source, &data, &size) && inputs_tells_time(data, size);
    free(data);
    return tells ? "it has __TIME__, __DATE__ or __TIMESTAMP__ in it" : NULL;
}

/* nvJitLink reads in the command's own process, where it is seen. */
static bool ptxas_may_read_more(const struct compile_arguments *arguments)
{
    struct cbn_text_list files = {0};
    bool may_read_more = false;
    bool is_nvjitlink = arguments->assembler && strcmp(arguments->assembler, "nvjitlink") == 0;
    if (!is_nvjitlink && !ptxas_files_list(&arguments->nvjitlink_options, &files, &may_read_more)) {
        cbn_text_list_free(&files);
    }
    return may_read_more;
}

/* Why no compile like this one is ever kept; NULL: it may be. */
static const char *what_forbids(const struct compile_arguments *arguments)
{
    if (arguments->no_cache) {
        return "--no-cache is given";
    }
    if (arguments->syntax_only) {
        return "it makes no archive";
    }
    if (arguments->list_launches) {
        return "--list-launches has to read the source";
    }
    if (arguments->has_side_output) {
        return "NVRTC reads or writes files of its own for it";
    }
    if (ptxas_may_read_more(arguments)) {
        return "an option for ptxas is not known, and may have it read files";
    }
    return what_tells_time(arguments);
}

static size_t count_changes(const struct compile_manifest *manifest, const struct manifest_set *set,
                            enum input_state *states, const struct cbn_file_digests *digests)
{
    size_t changes = 0;
    struct input_folders folders = {0};
    for (size_t i = 0; i < set->count; i++) {
        uint32_t item = set->items[i];
        if (states[item] == INPUT_NOT_LOOKED_AT) {
            states[item] = compile_input_now(&manifest->items[item], digests, &folders);
        }
        changes += states[item] != INPUT_SAME;
    }
    return changes;
}

static void print_change(const struct input *input, enum input_state state)
{
    if (state == INPUT_APPEARED) {
        printf("  new: %s, which did not exist then\n", input->path);
    } else if (inputs_is_missing(input->path)) {
        printf("  gone: %s\n", input->path);
    } else {
        printf("  changed: %s\n", input->path);
    }
}

/* Tells what differs from the set with the fewest changes. */
static void print_nearest_set(const struct compile_manifest *manifest, const struct cbn_file_digests *digests,
                              enum input_state *states)
{
    const struct manifest_set *nearest = NULL;
    size_t fewest = 0;
    for (size_t i = 0; i < manifest->set_count; i++) {
        size_t changes = count_changes(manifest, &manifest->sets[i], states, digests);
        if (!nearest || changes < fewest) {
            nearest = &manifest->sets[i];
            fewest = changes;
        }
    }
    if (fewest == 0) {
        puts("not in the cache any more: its result was evicted");
        return;
    }
    puts("not in the cache. It was compiled with the same options, and since then:");
    for (size_t i = 0; i < nearest->count; i++) {
        uint32_t item = nearest->items[i];
        if (states[item] != INPUT_SAME) {
            print_change(&manifest->items[item], states[item]);
        }
    }
}

/* What the manifest of the key says. False if there is none. */
static cubinet_status explain_manifest(struct compile_cache *cache, bool *out_explained)
{
    static const enum cbn_cache_source layers[] = {CBN_CACHE_DISK, CBN_CACHE_SHARED, CBN_CACHE_REMOTE};
    struct compile_manifest manifest = {0};
    *out_explained = false;
    for (size_t i = 0; !*out_explained && i < sizeof(layers) / sizeof(layers[0]); i++) {
        *out_explained = compile_cache_read_manifest(cache, layers[i], &manifest) && manifest.set_count > 0;
    }
    if (!*out_explained) {
        return CUBINET_OK;
    }
    enum input_state *states = calloc(manifest.item_count + 1, sizeof(*states));
    if (states) {
        print_nearest_set(&manifest, &cache->digests, states);
    }
    compile_manifest_free(&manifest);
    free(states);
    return states ? CUBINET_OK : cbn_error_memory();
}

/* How the nearest compile of the source differs before anything of it is read. */
static cubinet_status explain_key(const struct compile_cache *cache)
{
    struct nearest_key nearest;
    cubinet_status status = cache_nearest_find(cache->command.cache, &cache->key, &nearest);
    if (status) {
        return status;
    }
    if (!nearest.bytes) {
        puts("not in the cache, and neither is any other compile of it");
        return CUBINET_OK;
    }
    puts("not in the cache. The most similar compile in it differs:");
    key_difference_print((struct key_bytes){cache->key.bytes, cache->key.size},
                         (struct key_bytes){nearest.bytes, nearest.size}, stdout);
    free(nearest.bytes);
    return CUBINET_OK;
}

static cubinet_status explain(struct question *question)
{
    struct compile_found found;
    const char *forbidden = what_forbids(&question->arguments);
    printf("%s: ", question->arguments.source);
    if (forbidden) {
        printf("never in the cache: %s\n", forbidden);
        return CUBINET_OK;
    }
    if (compile_cache_look(&question->cache, &found)) {
        compile_found_free(&found);
        puts("in the cache");
        return CUBINET_OK;
    }
    bool explained;
    cubinet_status status = explain_manifest(&question->cache, &explained);
    return !status && !explained ? explain_key(&question->cache) : status;
}

static cubinet_status prepare(struct question *question, int argc, char **argv)
{
    const struct compile_arguments *arguments = &question->arguments;
    cubinet_status status =
        compile_place_folders(arguments, &question->working_folder, &question->pretended_folder);
    if (!status) {
        status = compile_environment_clear(false);
    }
    if (!status) {
        status = compile_place_toolkit(arguments, &question->toolkit);
    }
    if (status) {
        return status;
    }
    question->request = (struct compile_cache_request){
        .argc = argc,
        .argv = argv,
        .arguments = arguments,
        .toolkit = &question->toolkit,
        .working_folder = question->working_folder,
        .pretended_folder = question->pretended_folder,
    };
    return CUBINET_OK;
}

/* Without a cache there is nothing to tell. */
static cubinet_status open_cache(struct question *question)
{
    if (what_forbids(&question->arguments)) {
        return CUBINET_OK;
    }
    compile_cache_open(&question->request, &question->cache);
    if (question->cache.is_open) {
        return CUBINET_OK;
    }
    char *data = NULL;
    size_t size = 0;
    cubinet_status status = file_read(question->arguments.source, &data, &size);
    free(data);
    status = status ? status : question->cache.problem;
    return status ? status
                  : cbn_error(CUBINET_ERROR_NOT_FOUND,
                              "no cache is named: give --cache, or set CUBINET_CACHE_DIR");
}

static int answer(struct question *question, int argc, char **argv)
{
    question->cache = (struct compile_cache){.digests = {.fd = -1}, .claim = {.lock = {.fd = -1}}};
    cubinet_status status = prepare(question, argc, argv);
    if (!status) {
        status = open_cache(question);
    }
    if (!status) {
        status = explain(question);
    }
    compile_cache_close(&question->cache);
    toolkit_free(&question->toolkit);
    free(question->working_folder);
    free(question->pretended_folder);
    return command_exit(status);
}

int cache_why(int argc, char **argv)
{
    struct arguments expanded;
    struct question question = {0};
    if (compile_arguments_expand(argc, argv, &expanded)) {
        return command_usage("cache");
    }
    int result = EXIT_USAGE;
    if (base_dir_apply(&expanded) ||
        compile_arguments_read(expanded.count, expanded.values, &question.arguments)) {
        command_usage("cache");
    } else {
        result = answer(&question, expanded.count, expanded.values);
        compile_arguments_free(&question.arguments);
    }
    arguments_free(&expanded);
    return result;
}
