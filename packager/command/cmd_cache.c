/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "cache/cache_stats.h"
#include "command/cache_why.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"

#include <cubinet/cache.h>

#include <stdio.h>
#include <string.h>

enum { DIR = 1, LIMIT, JSON, ZERO };

static const struct option options[] = {
    {DIR, "dir", 0, "FOLDER",
     "the cache's folder (default: $CUBINET_CACHE_DIR, else\n$XDG_CACHE_HOME/cubinet)", false},
    {LIMIT, "limit", 0, "SIZE",
     "for stats and trim: the size limit, in bytes or with K, M, G,\nKi, Mi, Gi (default: "
     "$CUBINET_CACHE_LIMIT, else 1Gi)",
     false},
    {ZERO, "zero", 0, NULL, "for stats: reset the counts of hits and misses", false},
    {JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "cache stats|trim|clear|verify [OPTIONS]\n"
             "       cubinet cache why SOURCE [OPTIONS OF THE COMPILE]",
    .about = "Manages the cache of compiles and links:\n  stats   shows its size, hits and misses\n  why     "
             "shows what differs between a compile and the most similar one in the cache\n  trim    removes "
             "the least recently used entries until the limit is met, and files that\n          killed "
             "processes left half-written\n  clear   removes everything\n  verify  checks everything and "
             "removes damaged entries; the exit status is 1 if there are any",
    .example = "cubinet cache stats\n"
               "cubinet cache trim --dir /var/cache/kernels --limit 500M\n"
               "cubinet cache why scale.cu --arch 80 -Iinclude",
    .options = options,
};

struct request {
    struct positionals positionals; /* what to do */
    cubinet_cache_options cache;
    bool json;
    bool zero;
    bool help;
};

struct action {
    const char *name;
    cubinet_status (*run)(cubinet_cache *cache, const struct request *request);
    bool takes_limit;
};

static const char *entries_text(uint64_t entries)
{
    return entries == 1 ? "entry" : "entries";
}

static cubinet_status stats(cubinet_cache *cache, const struct request *request)
{
    cubinet_status status = request->json ? cache_stats_print_json(cache) : cache_stats_print(cache);
    return !status && request->zero ? cache_stats_zero(cache) : status;
}

static cubinet_status print_removed(const struct request *request, const cubinet_cache_removed *removed)
{
    if (request->json) {
        return json_output_print(
            json_pack("{s:I, s:I, s:I, s:I}", "removed_entries", (json_int_t)removed->entries,
                      "removed_bytes", (json_int_t)removed->bytes, "entries",
                      (json_int_t)removed->left_entries, "bytes", (json_int_t)removed->left_bytes));
    }
    char size[SIZE_TEXT_SIZE], left[SIZE_TEXT_SIZE];
    printf("removed %llu %s, %s; left %llu %s, %s\n", (unsigned long long)removed->entries,
           entries_text(removed->entries), size_text(removed->bytes, size),
           (unsigned long long)removed->left_entries, entries_text(removed->left_entries),
           size_text(removed->left_bytes, left));
    return CUBINET_OK;
}

static cubinet_status trim(cubinet_cache *cache, const struct request *request)
{
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    cubinet_status status = cubinet_cache_trim(cache, 0, &removed);
    return status ? status : print_removed(request, &removed);
}

static cubinet_status clear(cubinet_cache *cache, const struct request *request)
{
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    cubinet_status status = cubinet_cache_clear(cache, &removed);
    return status ? status : print_removed(request, &removed);
}

static void print_damage(void *user, const char *file, const char *what)
{
    (void)user;
    printf("%s: %s\n", file, what);
}

static void add_damage(void *user, const char *file, const char *what)
{
    json_array_append_new(
        user, json_pack("{s:o, s:o}", "file", json_output_text(file), "what", json_output_text(what)));
}

static cubinet_status print_verified(const struct request *request, const cubinet_cache_removed *removed,
                                     json_t *damaged)
{
    if (request->json) {
        return json_output_print(json_pack("{s:I, s:I, s:o}", "entries", (json_int_t)removed->left_entries,
                                           "bytes", (json_int_t)removed->left_bytes, "damaged", damaged));
    }
    char size[SIZE_TEXT_SIZE];
    printf("%llu sound %s, %s\n", (unsigned long long)removed->left_entries,
           entries_text(removed->left_entries), size_text(removed->left_bytes, size));
    return CUBINET_OK;
}

static cubinet_status verify(cubinet_cache *cache, const struct request *request)
{
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    json_t *damaged = request->json ? json_array() : NULL;
    cubinet_status status =
        cubinet_cache_verify(cache, request->json ? add_damage : print_damage, damaged, &removed);
    if (status) {
        json_decref(damaged);
        return status;
    }
    status = print_verified(request, &removed, damaged);
    if (!status && removed.entries) {
        status = cbn_error(CUBINET_ERROR_DAMAGED, "%llu %s of '%s' %s damaged and removed",
                           (unsigned long long)removed.entries, entries_text(removed.entries),
                           cubinet_cache_get_directory(cache), removed.entries == 1 ? "was" : "were");
    }
    return status;
}

static const struct action actions[] = {
    {"stats", stats, true},
    {"trim", trim, true},
    {"clear", clear, false},
    {"verify", verify, false},
};
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

static cubinet_status find_action(const char *name, const struct action **out_action)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, name, strlen(name));
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].name, name) == 0) {
            *out_action = &actions[i];
            return CUBINET_OK;
        }
        cbn_nearest_offer(&nearest, actions[i].name);
    }
    const char *found = cbn_nearest_found(&nearest);
    return found ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "unknown action '%s'; the nearest is '%s'", name,
                             found)
                 : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "unknown action '%s'; there are stats, trim, clear, verify and why", name);
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case DIR:
        request->cache.directory = value;
        return CUBINET_OK;
    case LIMIT:
        return cbn_cache_parse_size(value, &request->cache.disk_limit_bytes)
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not a size, such as 500M or 2Gi",
                               value);
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case ZERO:
        request->zero = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status parse(struct request *request, int argc, char **argv, const struct action **out_action)
{
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (status || request->help) {
        return status;
    }
    if (request->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no action is given: stats, trim, clear, verify or why");
    }
    status = find_action(request->positionals.values[0], out_action);
    if (!status && request->cache.disk_limit_bytes && !(*out_action)->takes_limit) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--limit has no meaning for %s", (*out_action)->name);
    }
    if (!status && request->zero && (*out_action)->run != stats) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--zero has no meaning for %s", (*out_action)->name);
    }
    return status;
}

static int run_action(const struct action *action, const struct request *request)
{
    cubinet_cache *cache = NULL;
    cubinet_status status = cubinet_cache_open(&request->cache, &cache);
    if (!status) {
        status = action->run(cache, request);
    }
    int result = command_exit(status);
    cubinet_cache_close(cache);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request = {.cache = {.size = sizeof(request.cache),
                                        .shared_directory = "",
                                        .flags = CUBINET_CACHE_REQUIRE_DIRECTORY | CUBINET_CACHE_NO_CREATE}};
    const struct action *action = NULL;
    if (argc > 0 && strcmp(argv[0], "why") == 0) {
        return cache_why(argc - 1, argv + 1);
    }
    if (parse(&request, argc, argv, &action)) {
        return command_usage("cache");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    return run_action(action, &request);
}

const struct command cmd_cache = {"cache", "manage the cache of compiles and links", run};
