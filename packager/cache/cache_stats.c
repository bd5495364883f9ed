/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache_stats.h"

#include "base/command.h"
#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_state.h"
#include "loader/cache/cache_sweep.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The entries of one kind, or of all. */
struct group {
    const char *kind;
    uint64_t entries;
    uint64_t bytes;
    int64_t oldest;
    int64_t newest;
};

static const char *kind_of(const struct cbn_cache_file *file)
{
    return file->name + CBN_CACHE_DIGITS + 1;
}

static int by_kind(const void *a, const void *b)
{
    return strcmp(kind_of(a), kind_of(b));
}

static void count(struct group *group, const struct cbn_cache_file *file)
{
    group->oldest = group->entries == 0 || file->used < group->oldest ? file->used : group->oldest;
    group->newest = group->entries == 0 || file->used > group->newest ? file->used : group->newest;
    group->entries++;
    group->bytes += file->size;
}

/* The group that starts with file number `first`; sets `*next` to the file after its last. */
static struct group next_group(const struct cbn_cache_listing *listing, size_t first, size_t *next)
{
    struct group group = {.kind = kind_of(&listing->files[first])};
    size_t i = first;
    while (i < listing->count && strcmp(kind_of(&listing->files[i]), group.kind) == 0) {
        count(&group, &listing->files[i++]);
    }
    *next = i;
    return group;
}

static struct group whole(const struct cbn_cache_listing *listing)
{
    struct group group = {0};
    for (size_t i = 0; i < listing->count; i++) {
        count(&group, &listing->files[i]);
    }
    return group;
}

/* Lists the folder with the entries of each kind together. */
static cubinet_status read_listing(const cubinet_cache *cache, struct cbn_cache_listing *out_listing)
{
    int error = cbn_cache_list(&cache->own, out_listing);
    if (error) {
        return cbn_error(CUBINET_ERROR_IO, "the cache folder '%s' cannot be read: %s",
                         cubinet_cache_get_directory(cache), strerror(error));
    }
    if (out_listing->count) {
        qsort(out_listing->files, out_listing->count, sizeof(*out_listing->files), by_kind);
    }
    return CUBINET_OK;
}

enum { TIME_SIZE = 32 };

static const char *local_time(int64_t seconds, char text[TIME_SIZE])
{
    time_t when = (time_t)seconds;
    struct tm parts = {0};
    localtime_r(&when, &parts);
    strftime(text, TIME_SIZE, "%Y-%m-%d %H:%M", &parts);
    return text;
}

static json_t *universal_time(const struct group *group, int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm parts = {0};
    char text[TIME_SIZE];
    gmtime_r(&when, &parts);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return group->entries ? json_string(text) : json_null();
}

static void add_row(struct text_table *table, const struct group *group)
{
    char size[SIZE_TEXT_SIZE], oldest[TIME_SIZE], newest[TIME_SIZE];
    text_table_add(table, "%s", group->kind);
    text_table_add(table, "%llu", (unsigned long long)group->entries);
    text_table_add(table, "%s", size_text(group->bytes, size));
    text_table_add(table, "%s", local_time(group->oldest, oldest));
    text_table_add(table, "%s", local_time(group->newest, newest));
}

static cubinet_status print_table(const struct cbn_cache_listing *listing)
{
    static const char *const heads[] = {"KIND", "ENTRIES", "SIZE", "OLDEST USE", "NEWEST USE"};
    struct text_table table = {.alignment = "lrrll"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        text_table_add(&table, "%s", heads[i]);
    }
    for (size_t i = 0; i < listing->count;) {
        struct group group = next_group(listing, i, &i);
        add_row(&table, &group);
    }
    return text_table_print(&table, 0, stdout);
}

static void print_sum(const cubinet_cache *cache, const struct cbn_cache_listing *listing)
{
    char size[SIZE_TEXT_SIZE], limit[SIZE_TEXT_SIZE];
    printf("%zu %s, %s of %s, in %s\n", listing->count, listing->count == 1 ? "entry" : "entries",
           size_text(listing->bytes, size), size_text(cache->disk_limit, limit),
           cubinet_cache_get_directory(cache));
    if (listing->temporaries) {
        printf("%zu half-written %s: being written now, or left by a process that was killed\n",
               listing->temporaries, listing->temporaries == 1 ? "file" : "files");
    }
}

static uint64_t count_compiles(const struct cbn_cache_counters *counters)
{
    uint64_t count = 0;
    for (enum cbn_cache_counter i = CBN_COUNT_HITS; i < CBN_COUNT_SINCE; i++) {
        count += counters->values[i];
    }
    return count;
}

/* Warns if there are counters that can't be read: then nobody knows what compiles found. */
static bool read_counters(const cubinet_cache *cache, struct cbn_cache_counters *out_counters)
{
    int error = cbn_cache_counters_read(&cache->own, out_counters);
    if (error) {
        command_warning("'%s/counters' can't be read, so what compiles found is not known: %s",
                        cubinet_cache_get_directory(cache),
                        error == EPERM ? "it is not a regular file that only the folder's owner writes to"
                                       : strerror(error));
    }
    return error == 0;
}

/* What compiles found since they were first counted, or counted from zero. */
static void print_compiles(const uint64_t *values)
{
    unsigned long long here = values[CBN_COUNT_HITS];
    unsigned long long shared = values[CBN_COUNT_SHARED_HITS];
    unsigned long long remote = values[CBN_COUNT_REMOTE_HITS];
    unsigned long long misses = values[CBN_COUNT_MISSES];
    unsigned long long others = values[CBN_COUNT_FAILURES] + values[CBN_COUNT_UNCACHEABLE];
    char since[TIME_SIZE];
    printf("compiles since %s: %llu found here", local_time((int64_t)values[CBN_COUNT_SINCE], since), here);
    if (shared + remote > 0) {
        printf(", %llu in the shared folder, %llu on other machines", shared, remote);
    }
    printf(", %llu made", misses);
    if (others > 0) {
        printf(", %llu failed, %llu not to be kept", (unsigned long long)values[CBN_COUNT_FAILURES],
               (unsigned long long)values[CBN_COUNT_UNCACHEABLE]);
    }
    putchar('\n');
}

/* What compiles that were not found found of their machine code, part by part. */
static void print_code(const uint64_t *values)
{
    unsigned long long shared = values[CBN_COUNT_CODE_SHARED_HITS];
    unsigned long long remote = values[CBN_COUNT_CODE_REMOTE_HITS];
    printf("machine code of those made: %llu found here", (unsigned long long)values[CBN_COUNT_CODE_HITS]);
    if (shared + remote > 0) {
        printf(", %llu in the shared folder, %llu on other machines", shared, remote);
    }
    printf(", %llu assembled\n", (unsigned long long)values[CBN_COUNT_CODE_MISSES]);
}

static uint64_t count_code(const struct cbn_cache_counters *counters)
{
    uint64_t count = 0;
    for (enum cbn_cache_counter i = CBN_COUNT_CODE_HITS; i < CBN_COUNTERS; i++) {
        count += counters->values[i];
    }
    return count;
}

static void print_counters(const cubinet_cache *cache)
{
    struct cbn_cache_counters counters;
    if (!read_counters(cache, &counters)) {
        return;
    }
    if (count_compiles(&counters) > 0) {
        print_compiles(counters.values);
    }
    if (count_code(&counters) > 0) {
        print_code(counters.values);
    }
}

static json_t *compiles_json(const struct cbn_cache_counters *counters)
{
    const uint64_t *values = counters->values;
    const struct group group = {.entries = count_compiles(counters)};
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "found", (json_int_t)values[CBN_COUNT_HITS],
                     "found_shared", (json_int_t)values[CBN_COUNT_SHARED_HITS], "found_remote",
                     (json_int_t)values[CBN_COUNT_REMOTE_HITS], "made", (json_int_t)values[CBN_COUNT_MISSES],
                     "failed", (json_int_t)values[CBN_COUNT_FAILURES], "not_kept",
                     (json_int_t)values[CBN_COUNT_UNCACHEABLE], "since",
                     universal_time(&group, (int64_t)values[CBN_COUNT_SINCE]));
}

static json_t *code_json(const uint64_t *values)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "found", (json_int_t)values[CBN_COUNT_CODE_HITS], "found_shared",
                     (json_int_t)values[CBN_COUNT_CODE_SHARED_HITS], "found_remote",
                     (json_int_t)values[CBN_COUNT_CODE_REMOTE_HITS], "assembled",
                     (json_int_t)values[CBN_COUNT_CODE_MISSES]);
}

static void zero_compiles(void *user, struct cbn_cache_counters *counters)
{
    (void)user;
    for (enum cbn_cache_counter i = CBN_COUNT_HITS; i < CBN_COUNT_SINCE; i++) {
        counters->values[i] = 0;
    }
    for (enum cbn_cache_counter i = CBN_COUNT_CODE_HITS; i < CBN_COUNTERS; i++) {
        counters->values[i] = 0;
    }
    counters->values[CBN_COUNT_SINCE] = (uint64_t)time(NULL);
}

cubinet_status cache_stats_zero(const cubinet_cache *cache)
{
    return cbn_cache_counters_change(&cache->own, zero_compiles, NULL)
               ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_IO, "the counters of '%s' cannot be written",
                           cubinet_cache_get_directory(cache));
}

cubinet_status cache_stats_print(const cubinet_cache *cache)
{
    struct cbn_cache_listing listing;
    cubinet_status status = read_listing(cache, &listing);
    if (status) {
        return status;
    }
    if (listing.count) {
        status = print_table(&listing);
    }
    if (!status) {
        print_sum(cache, &listing);
        print_counters(cache);
    }
    cbn_cache_listing_free(&listing);
    return status;
}

static json_t *group_json(const struct group *group)
{
    return json_pack("{s:o, s:I, s:I, s:o, s:o}", "kind", json_output_text(group->kind), "entries",
                     (json_int_t)group->entries, "bytes", (json_int_t)group->bytes, "oldest_use",
                     universal_time(group, group->oldest), "newest_use",
                     universal_time(group, group->newest));
}

cubinet_status cache_stats_print_json(const cubinet_cache *cache)
{
    struct cbn_cache_listing listing;
    cubinet_status status = read_listing(cache, &listing);
    if (status) {
        return status;
    }
    json_t *kinds = json_array();
    for (size_t i = 0; i < listing.count;) {
        struct group group = next_group(&listing, i, &i);
        json_array_append_new(kinds, group_json(&group));
    }
    struct group all = whole(&listing);
    struct cbn_cache_counters counters;
    bool are_counted = read_counters(cache, &counters);
    status = json_output_print(json_pack(
        "{s:o, s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:o, s:o}", "directory",
        json_output_text(cubinet_cache_get_directory(cache)), "limit_bytes", (json_int_t)cache->disk_limit,
        "entries", (json_int_t)all.entries, "bytes", (json_int_t)all.bytes, "oldest_use",
        universal_time(&all, all.oldest), "newest_use", universal_time(&all, all.newest), "half_written",
        (json_int_t)listing.temporaries, "compiles", are_counted ? compiles_json(&counters) : json_null(),
        "code", are_counted ? code_json(counters.values) : json_null(), "kinds", kinds));
    cbn_cache_listing_free(&listing);
    return status;
}
