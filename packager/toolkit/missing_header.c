/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/missing_header.h"

#include "loader/core/support/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const char *wanted; /* as it is included: "my/heder.h" */
    struct cbn_nearest nearest;
    char *best; /* as it should be included */
};

/* Whether a file may be meant: no hidden one, and no source where a header is wanted. */
static bool is_header(const char *name, const char *wanted)
{
    static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc"};
    const char *suffix = strrchr(name, '.');
    const char *wanted_suffix = strrchr(wanted, '.');
    bool is_same = suffix && wanted_suffix ? strcmp(suffix, wanted_suffix) == 0 : suffix == wanted_suffix;
    for (size_t i = 0; suffix && !is_same && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        is_same = strcmp(suffix, suffixes[i]) == 0;
    }
    return is_same && name[0] != '.' && strcmp(name, wanted) != 0;
}

/* Offers what a folder has beside the header that is wanted: of "my/heder.h", what is in "my". */
static void offer_folder(const char *folder, struct search *search)
{
    const char *slash = strrchr(search->wanted, '/');
    int inside = slash ? (int)(slash - search->wanted) : 0;
    char *path = NULL;
    DIR *entries = asprintf(&path, "%s/%.*s", folder, inside, search->wanted) < 0 ? NULL : opendir(path);
    free(path);
    if (!entries) {
        return;
    }
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        size_t before = search->nearest.distance;
        if (is_header(entry->d_name, search->wanted)) {
            cbn_nearest_offer(&search->nearest, entry->d_name);
        }
        if (search->nearest.distance == before) {
            continue;
        }
        char *name = NULL;
        if (asprintf(&name, "%.*s%s%s", inside, search->wanted, inside ? "/" : "", entry->d_name) < 0) {
            break;
        }
        free(search->best);
        search->best = name;
        search->nearest.name = name + inside + (inside > 0); /* the entry goes with its folder */
    }
    closedir(entries);
}

/* The folder of the file that a message is about. */
static char *folder_of(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', size);
    return slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
}

/* Whether there is a note already on what the header is. */
static bool is_explained(const char *wanted, const struct buffer *notes)
{
    char *note = NULL;
    if (!notes->data || asprintf(&note, "note: <%s>", wanted) < 0) {
        return false;
    }
    bool is_there = strstr(notes->data, note);
    free(note);
    return is_there;
}

/* `file`: the one that includes it; `place` starts its notes. */
static void search_folders(struct search *search, const char *file, size_t file_size,
                           const struct cbn_text_list *options, const char *place, struct buffer *notes)
{
    const char *slash = strrchr(search->wanted, '/');
    const char *plain = slash ? slash + 1 : search->wanted;
    char *own = folder_of(file, file_size);
    struct buffer folders = {.failed = !own};
    cbn_nearest_start(&search->nearest, plain, strlen(plain));
    if (own) {
        offer_folder(own, search);
        buffer_puts(&folders, own);
    }
    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->items[i], "-I", 2) == 0 && !(own && strcmp(options->items[i] + 2, own) == 0)) {
            offer_folder(options->items[i] + 2, search);
            buffer_printf(&folders, ", %s", options->items[i] + 2);
        }
    }
    if (cbn_nearest_found(&search->nearest)) {
        buffer_printf(notes, "%s note: did you mean \"%s\"?\n", place, search->best);
    }
    notes->failed |= folders.failed;
    if (!folders.failed) {
        buffer_printf(notes, "%s note: looked for it in %s; -I adds a folder\n", place, folders.data);
    }
    buffer_free(&folders);
    free(search->best);
    free(own);
}

/* The size of a place without the numbers of its line and column: a path may have colons, too. */
static size_t without_numbers(const char *place, size_t size)
{
    size_t kept = size;
    for (size_t i = size; i > 0 && strchr("0123456789:", place[i - 1]); i--) {
        kept = place[i - 1] == ':' ? i - 1 : kept;
    }
    return kept;
}

void missing_header_explain(const char *messages, const struct cbn_text_list *options, struct buffer *notes)
{
    static const char missing[] = "error: cannot open source file \"";
    const char *line = strstr(messages, missing);
    const char *name = line ? line + strlen(missing) : NULL;
    while (line && line > messages && line[-1] != '\n') {
        line--;
    }
    if (!line) {
        return;
    }
    size_t place_size = (size_t)(name - strlen(missing) - line);
    while (place_size > 0 && line[place_size - 1] != ':') { /* "fatal" */
        place_size--;
    }
    size_t file_size = without_numbers(line, place_size);
    char *wanted = strndup(name, strcspn(name, "\"\n"));
    char *place = strndup(line, place_size);
    struct search search = {.wanted = wanted};
    if (wanted && is_explained(wanted, notes)) {
        /* It is known what it is, which says more. */
    } else if (wanted && place) {
        search_folders(&search, line, file_size, options, place, notes);
    } else {
        notes->failed = true;
    }
    free(place);
    free(wanted);
}
