/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/array.h"
#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "origin/public_keys.h"

#include <cubinet/catalog.h>

#include <stdlib.h>
#include <string.h>

enum { OPT_KEY = 1, OPT_VERSION, OPT_ABI, OPT_JSON };

static const struct option which_options[] = {
    {OPT_KEY, "public-key", 0, "KEY",
     "leave out archives that this key has not signed: NAME.pub of\n`cubinet keygen`, minisign's, or its "
     "last "
     "line. May be repeated",
     false},
    {OPT_VERSION, "require-version", 0, "TERMS",
     "leave out archives of other versions than these, such as\n'>= 1.4, < 2'", false},
    {OPT_ABI, "require-abi", 0, "TAG", "leave out archives without this ABI tag", false},
    {OPT_JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "which PATHS [MODULE] [OPTIONS]",
    .about = "Shows which archive of a search path each module comes from, and which archives were left out, "
             "as\ncubinet_catalog_open() does. PATHS are folders and archives, separated by ':'. Those "
             "of\nCUBINET_ARCHIVE_PATH come after them.",
    .example = "cubinet which /opt/app/share:plugins segmented_sum --require-version '>= 1.4'",
    .options = which_options,
};

struct which {
    struct positionals positionals; /* paths, and the module */
    cubinet_archive_options required;
    struct cbn_text_list keys;
    bool as_json;
    bool help;
};

/* A module, and the archive that it comes from. */
struct found {
    const char *module;
    const char *version;
    const char *path;
};

struct found_list {
    struct found *items;
    size_t count;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct which *which = data;
    switch (id) {
    case OPTION_POSITIONAL:
        return command_take(&which->positionals, 2, value);
    case OPT_KEY:
        return public_keys_add(&which->keys, value);
    case OPT_VERSION:
        which->required.require_version = value;
        return CUBINET_OK;
    case OPT_ABI:
        which->required.require_abi = value;
        return CUBINET_OK;
    case OPT_JSON:
        which->as_json = true;
        return CUBINET_OK;
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status get_entry(const cubinet_catalog *catalog, uint32_t number,
                                cubinet_catalog_entry *out_entry)
{
    *out_entry = (cubinet_catalog_entry){.size = sizeof(*out_entry)};
    return cubinet_catalog_get_entry(catalog, number, out_entry);
}

/* Adds a module of the entry's archive, unless another archive's is found in its place. */
static cubinet_status add_module(const cubinet_catalog *catalog, const cubinet_catalog_entry *entry,
                                 uint32_t number, struct found_list *list)
{
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_archive_info archive = {.size = sizeof(archive)};
    const cubinet_archive *from = NULL;
    cubinet_status status = cubinet_archive_get_module(entry->archive, number, &module);
    if (!status) {
        status = cubinet_archive_get_info(entry->archive, &archive);
    }
    if (!status) {
        status = cubinet_catalog_find_module(catalog, module.name, &from, NULL);
    }
    if (status || from != entry->archive) {
        return status;
    }
    struct found *items = array_grow(list->items, list->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    list->items = items;
    list->items[list->count++] = (struct found){module.name, archive.archive_version, entry->path};
    return CUBINET_OK;
}

static int by_module(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->module, ((const struct found *)b)->module);
}

/* All modules, or the one of that name, in the byte order of their names. */
static cubinet_status find(const cubinet_catalog *catalog, const char *name, struct found_list *list)
{
    const cubinet_archive *only = NULL;
    uint32_t only_module = 0;
    cubinet_status status =
        name ? cubinet_catalog_find_module(catalog, name, &only, &only_module) : CUBINET_OK;
    for (uint32_t i = 0; !status && i < cubinet_catalog_get_entry_count(catalog); i++) {
        cubinet_catalog_entry entry;
        status = get_entry(catalog, i, &entry);
        if (status || (only && only != entry.archive)) {
            continue;
        }
        for (uint32_t j = 0; !status && j < cubinet_archive_get_module_count(entry.archive); j++) {
            if (!only || j == only_module) {
                status = add_module(catalog, &entry, j, list);
            }
        }
    }
    if (!status && list->count > 0) {
        qsort(list->items, list->count, sizeof(*list->items), by_module);
    }
    return status;
}

static void warn_of_left_out(const cubinet_catalog *catalog)
{
    for (uint32_t i = 0; i < cubinet_catalog_get_entry_count(catalog); i++) {
        cubinet_catalog_entry entry;
        if (!get_entry(catalog, i, &entry) && !entry.archive) {
            command_warning("left out: %s", entry.reason);
        }
    }
}

static cubinet_status print_text(const cubinet_catalog *catalog, const struct found_list *list)
{
    struct text_table table = {.alignment = "lll"};
    text_table_add(&table, "MODULE");
    text_table_add(&table, "VERSION");
    text_table_add(&table, "ARCHIVE");
    for (size_t i = 0; i < list->count; i++) {
        text_table_add(&table, "%s", list->items[i].module);
        text_table_add(&table, "%s", list->items[i].version[0] ? list->items[i].version : "-");
        text_table_add(&table, "%s", list->items[i].path);
    }
    warn_of_left_out(catalog);
    return text_table_print(&table, 0, stdout);
}

static cubinet_status print_json(const cubinet_catalog *catalog, const struct found_list *list)
{
    json_t *modules = json_array();
    json_t *left_out = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct found *found = &list->items[i];
        json_array_append_new(modules, json_pack("{s:o, s:o, s:o}", "module", json_output_text(found->module),
                                                 "archive_version", json_output_text(found->version),
                                                 "archive", json_output_text(found->path)));
    }
    for (uint32_t i = 0; i < cubinet_catalog_get_entry_count(catalog); i++) {
        cubinet_catalog_entry entry;
        if (!get_entry(catalog, i, &entry) && !entry.archive) {
            json_array_append_new(left_out, json_pack("{s:o, s:o}", "path", json_output_text(entry.path),
                                                      "reason", json_output_text(entry.reason)));
        }
    }
    return json_output_print(json_pack("{s:o, s:o}", "modules", modules, "left_out", left_out));
}

static cubinet_status show(const struct which *which)
{
    const cubinet_catalog_options options = {.size = sizeof(options), .archive = &which->required};
    const struct positionals *given = &which->positionals;
    cubinet_catalog *catalog = NULL;
    struct found_list list = {0};
    cubinet_status status = cubinet_catalog_open(given->values[0], &options, &catalog);
    if (!status) {
        status = find(catalog, given->count > 1 ? given->values[1] : NULL, &list);
    }
    if (!status) {
        status = which->as_json ? print_json(catalog, &list) : print_text(catalog, &list);
    }
    free(list.items);
    cubinet_catalog_close(catalog);
    return status;
}

static int run_with(struct which *which, int argc, char **argv)
{
    if (command_read(which_options, argc, argv, take_option, which, &which->help)) {
        return command_usage("which");
    }
    if (which->help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    if (which->positionals.count == 0) {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no search path is given");
        return command_usage("which");
    }
    which->required.public_keys = (const char *const *)which->keys.items;
    which->required.public_key_count = which->keys.count;
    return command_exit(show(which));
}

static int run(int argc, char **argv)
{
    struct which which = {.required.size = sizeof(which.required)};
    int result = run_with(&which, argc, argv);
    cbn_text_list_free(&which.keys);
    return result;
}

const struct command cmd_which = {"which", "show which archive of a search path modules come from", run};
