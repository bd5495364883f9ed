/* SPDX-License-Identifier: Apache-2.0 */
#include "build/profile.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

/* A header that one compile parses is not worth a precompiled one. */
enum { WORTH_COMPILES = 2 };

static double seconds(int64_t microseconds)
{
    return (double)microseconds / 1000000;
}

static void add_time(struct text_table *table, int64_t time)
{
    text_table_add(table, "%.2f s", seconds(time));
}

/* A time that an old NVRTC does not tell. */
static void add_part(struct text_table *table, int64_t time)
{
    if (time > 0) {
        add_time(table, time);
    } else {
        text_table_add(table, "-");
    }
}

static void add_module(struct text_table *table, const struct profile_module *module, const char *name)
{
    add_time(table, module->total);
    add_part(table, module->nvrtc);
    add_part(table, module->front_end);
    add_part(table, module->nvvm);
    add_part(table, module->assembling);
    text_table_add(table, "%zu", module->compiles);
    text_table_add(table, "%s", name);
}

static void add_titles(struct text_table *table, const char *const *titles, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_table_add(table, "%s", titles[i]);
    }
}

static cubinet_status print_modules(const struct profile *profile, size_t most, FILE *file)
{
    static const char *const titles[] = {"total",      "NVRTC",    "front end", "NVVM",
                                         "assembling", "compiles", "module"};
    struct text_table table = {.alignment = "rrrrrrl"};
    fputs("Modules:\n", file);
    add_titles(&table, titles, sizeof(titles) / sizeof(titles[0]));
    for (size_t i = 0; i < profile->module_count && i < most; i++) {
        add_module(&table, &profile->modules[i], profile->modules[i].name);
    }
    if (profile->module_count > 1) {
        add_module(&table, &profile->all, "all modules");
    }
    return text_table_print(&table, 2, file);
}

static cubinet_status print_headers(const struct profile *profile, size_t most, FILE *file)
{
    static const char *const titles[] = {"self", "with its own", "compiles", "header"};
    struct text_table table = {.alignment = "rrrl"};
    fputs("\nHeaders, by the time of their own text, and with what they include:\n", file);
    add_titles(&table, titles, sizeof(titles) / sizeof(titles[0]));
    for (size_t i = 0; i < profile->header_count && i < most; i++) {
        const struct profile_header *header = &profile->headers[i];
        add_time(&table, header->self);
        add_time(&table, header->inclusive);
        text_table_add(&table, "%zu", header->compiles);
        text_table_add(&table, "%s", header->path);
    }
    return text_table_print(&table, 2, file);
}

static int compare_direct(const void *a, const void *b)
{
    const struct profile_header *x = *(const struct profile_header *const *)a;
    const struct profile_header *y = *(const struct profile_header *const *)b;
    return (x->direct < y->direct) - (x->direct > y->direct);
}

/* The headers that are worth to be precompiled, the most expensive first. */
static struct profile_header **choose_direct(const struct profile *profile, size_t *out_count)
{
    struct profile_header **chosen = calloc(profile->header_count + 1, sizeof(struct profile_header *));
    *out_count = 0;
    for (size_t i = 0; chosen && i < profile->header_count; i++) {
        if (profile->headers[i].direct_compiles >= WORTH_COMPILES) {
            chosen[(*out_count)++] = &profile->headers[i];
        }
    }
    if (chosen && *out_count > 0) {
        qsort(chosen, *out_count, sizeof(struct profile_header *), compare_direct);
    }
    return chosen;
}

static cubinet_status print_direct(const struct profile *profile, size_t most, FILE *file)
{
    static const char *const titles[] = {"time", "compiles", "header"};
    struct text_table table = {.alignment = "rrl"};
    size_t count = 0;
    struct profile_header **chosen = choose_direct(profile, &count);
    if (!chosen) {
        return cbn_error_memory();
    }
    if (count > 0) {
        fputs("\nIncluded by several sources themselves: precompiling these (--pch) saves most of their "
              "time:\n",
              file);
        add_titles(&table, titles, sizeof(titles) / sizeof(titles[0]));
    }
    for (size_t i = 0; i < count && i < most; i++) {
        add_time(&table, chosen[i]->direct);
        text_table_add(&table, "%zu", chosen[i]->direct_compiles);
        text_table_add(&table, "%s", chosen[i]->path);
    }
    free(chosen);
    return text_table_print(&table, 2, file);
}

cubinet_status profile_print(const struct profile *profile, size_t most, FILE *file)
{
    cubinet_status status = print_modules(profile, most, file);
    if (!status && profile->header_count > 0) {
        status = print_headers(profile, most, file);
    }
    return status ? status : print_direct(profile, most, file);
}

static json_t *time_json(int64_t microseconds, bool known)
{
    return known ? json_integer((json_int_t)microseconds) : json_null();
}

static json_t *module_json(const struct profile_module *module)
{
    bool tells = module->front_end > 0 || module->nvrtc == 0;
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "name", json_output_text(module->name),
                     "compiles", (json_int_t)module->compiles, "total_us", time_json(module->total, true),
                     "nvrtc_us", time_json(module->nvrtc, true), "front_end_us",
                     time_json(module->front_end, tells), "nvvm_us", time_json(module->nvvm, tells),
                     "assembling_us", time_json(module->assembling, true));
}

static json_t *header_json(const struct profile_header *header)
{
    return json_pack("{s:o, s:I, s:o, s:o, s:I, s:o}", "path", json_output_text(header->path), "compiles",
                     (json_int_t)header->compiles, "self_us", time_json(header->self, true), "inclusive_us",
                     time_json(header->inclusive, true), "direct_compiles",
                     (json_int_t)header->direct_compiles, "direct_us", time_json(header->direct, true));
}

json_t *profile_json(const struct profile *profile)
{
    json_t *modules = json_array();
    json_t *headers = json_array();
    for (size_t i = 0; i < profile->module_count; i++) {
        json_array_append_new(modules, module_json(&profile->modules[i]));
    }
    for (size_t i = 0; i < profile->header_count; i++) {
        json_array_append_new(headers, header_json(&profile->headers[i]));
    }
    return json_pack("{s:o, s:o}", "modules", modules, "headers", headers);
}
