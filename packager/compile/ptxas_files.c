/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/ptxas_files.h"

#include "base/comma_list.h"
#include "base/file.h"
#include "compile/inputs.h"
#include "interpose/opened_files.h"
#include "loader/core/support/error.h"
#include "loader/link/ptxas_word.h"
#include "toolkit/ptxas.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 64 };

struct listing {
    struct cbn_text_list *files;
    bool may_read_more;
};

static cubinet_status take_word(struct listing *listing, struct cbn_ptxas_words *words, const char *word);

/* Takes the words of a file with options. */
static cubinet_status take_options(struct listing *listing, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct cbn_ptxas_words words = {0};
    if (file_read(path, &text, &size)) {
        return CUBINET_OK; /* ptxas says so */
    }
    listing->may_read_more |= strlen(text) != size;
    char *rest = NULL;
    cubinet_status status = CUBINET_OK;
    for (char *word = strtok_r(text, " \t\r\n\v\f", &rest); !status && word;
         word = strtok_r(NULL, " \t\r\n\v\f", &rest)) {
        status = take_word(listing, &words, word);
    }
    free(text);
    return status;
}

/* ptxas would wait for somebody to write into a pipe, and read a device without end. */
static cubinet_status check_regular(const char *path)
{
    struct stat about;
    if (fstatat(AT_FDCWD, path, &about, 0) != 0 || S_ISREG(about.st_mode)) {
        return CUBINET_OK; /* of one that is not there ptxas says so */
    }
    return cbn_error(CUBINET_ERROR_IO, "'%s', which an option for ptxas names, is not a regular file", path);
}

static cubinet_status take_files(struct listing *listing, const char *list, bool have_options)
{
    struct cbn_text_list paths = {0};
    cubinet_status status = comma_list_split(list, &paths);
    for (size_t i = 0; !status && i < paths.count; i++) {
        listing->may_read_more |= listing->files->count >= MOST_FILES;
        if (listing->files->count < MOST_FILES && !cbn_text_list_has(listing->files, paths.items[i])) {
            status = check_regular(paths.items[i]);
            if (!status) {
                status = cbn_text_list_add(listing->files, paths.items[i]);
            }
            if (!status && have_options) {
                status = take_options(listing, paths.items[i]);
            }
        }
    }
    cbn_text_list_free(&paths);
    return status;
}

static cubinet_status take_word(struct listing *listing, struct cbn_ptxas_words *words, const char *word)
{
    const char *files = NULL;
    listing->may_read_more |= strpbrk(word, "\"'\\") != NULL; /* which ptxas takes away, and we don't */
    switch (cbn_ptxas_word(words, word, &files)) {
    case CBN_PTXAS_PLAIN:
        break;
    case CBN_PTXAS_FILES:
        return take_files(listing, files, false);
    case CBN_PTXAS_OPTIONS:
        return take_files(listing, files, true);
    case CBN_PTXAS_UNKNOWN:
        listing->may_read_more = true;
        return files && !inputs_is_missing(files) ? take_files(listing, files, false) : CUBINET_OK;
    }
    return CUBINET_OK;
}

/* Takes the options that ptxas gets as they are, or those in -Xptxas=. */
static cubinet_status take_nvjitlink_options(struct listing *listing, struct cbn_ptxas_words *words,
                                             const struct cbn_text_list *options, bool forwarded)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < options->count; i++) {
        const char *option = options->items[i];
        const char *word = ptxas_forwarded(option);
        if (forwarded && word) {
            status = take_word(listing, words, word);
        } else if (!forwarded && !word && !cbn_nvjitlink_reads_nothing(option)) {
            status = take_word(listing, words, option);
        }
    }
    return status;
}

cubinet_status ptxas_files_list(const struct cbn_text_list *options, struct cbn_text_list *out_files,
                                bool *out_may_read_more)
{
    struct cbn_text_list files = {0};
    struct listing listing = {.files = &files};
    struct cbn_ptxas_words words = {0};
    cubinet_status status = take_nvjitlink_options(&listing, &words, options, false);
    if (!status) {
        status = take_nvjitlink_options(&listing, &words, options, true);
    }
    if (status) {
        cbn_text_list_free(&files);
        return status;
    }
    *out_files = files;
    *out_may_read_more = listing.may_read_more;
    return CUBINET_OK;
}

cubinet_status ptxas_files_note(const struct cbn_text_list *options, bool *out_may_read_more)
{
    struct cbn_text_list files = {0};
    cubinet_status status = ptxas_files_list(options, &files, out_may_read_more);
    for (size_t i = 0; !status && i < files.count; i++) {
        opened_files_add(files.items[i], inputs_is_missing(files.items[i]));
    }
    cbn_text_list_free(&files);
    return status;
}
