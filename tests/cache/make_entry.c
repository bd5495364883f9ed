/* SPDX-License-Identifier: Apache-2.0 */
/* Puts entries into a cache's folder, for tests of the command.
 *
 *     make_entry FOLDER KIND TEXT...
 *
 * makes an entry of that kind for each TEXT, which is its key and what is kept, and prints its file's name.
 */
#include "loader/cache/cache.h"
#include "loader/cache/cache_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cubinet_status status)
{
    if (status) {
        fprintf(stderr, "make_entry: %s\n", cubinet_error_message());
        exit(EXIT_FAILURE);
    }
}

static cubinet_status copy_text(void *text, void **out_data, size_t *out_size)
{
    *out_data = strdup(text);
    *out_size = strlen(text);
    return *out_data ? CUBINET_OK : CUBINET_ERROR_OUT_OF_MEMORY;
}

static void make_entry(cubinet_cache *cache, const char *kind, char *text)
{
    struct cbn_cache_key key;
    struct cbn_blob *blob = NULL;
    char name[CBN_CACHE_NAME_SIZE];
    cbn_cache_key_start(&key, kind);
    cbn_cache_key_add_text(&key, "text", text);
    check(cbn_cache_key_finish(&key));
    check(cbn_cache_obtain(cache, &key, copy_text, text, NULL, &blob));
    puts(cbn_cache_entry_name(&key, name));
    cbn_blob_release(blob);
    cbn_cache_key_free(&key);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: make_entry FOLDER KIND TEXT...\n", stderr);
        return 2;
    }
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = argv[1],
                                           .shared_directory = "",
                                           .flags = CUBINET_CACHE_REQUIRE_DIRECTORY};
    cubinet_cache *cache = NULL;
    check(cubinet_cache_open(&options, &cache));
    for (int i = 3; i < argc; i++) {
        make_entry(cache, argv[2], argv[i]);
    }
    cubinet_cache_close(cache);
    return 0;
}
