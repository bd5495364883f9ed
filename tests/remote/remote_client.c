/* SPDX-License-Identifier: Apache-2.0 */
/* A process that uses a remote cache as the environment describes it.
 *
 *     remote_client find NUMBER       prints the number of bytes that were found, or "miss"
 *     remote_client store NUMBER SIZE stores an entry of so many bytes of payload
 *     remote_client action NUMBER     prints the name of the ActionResult
 *     remote_client file NUMBER       prints the name of the file in it
 *     remote_client refill ENTRY FILE writes the entry in a file as one of the same key that holds what is in
 * FILE
 *
 * CLIENT_FOLDER is the folder of its local cache, by default none. */
#include "base/file.h"
#include "cache/action_result.h"
#include "cache/remote_cache.h"
#include "loader/cache/cache_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cbn_cache_key make_key(const char *number)
{
    struct cbn_cache_key key;
    cbn_cache_key_start(&key, "test");
    cbn_cache_key_add_text(&key, "number", number);
    return cbn_cache_key_finish(&key) ? (struct cbn_cache_key){0} : key;
}

static int find(struct remote_cache *cache, const struct cbn_cache_key *key)
{
    void *entry = NULL;
    size_t size = 0;
    struct cbn_cache_entry parts;
    if (!remote_cache_find(cache, key, &entry, &size)) {
        puts("miss");
        return 0;
    }
    const char *damage = cbn_cache_entry_read(entry, size, &parts);
    printf("%zu bytes%s%s\n", size, damage ? ", but " : "", damage ? damage : "");
    free(entry);
    return 0;
}

static int store(struct remote_cache *cache, const struct cbn_cache_key *key, size_t payload_size)
{
    unsigned char *payload = calloc(1, payload_size + 1);
    size_t head_size = 0;
    unsigned char *head = payload ? cbn_cache_entry_head(key, payload, payload_size, &head_size) : NULL;
    unsigned char *entry = head ? malloc(head_size + payload_size) : NULL;
    if (entry) {
        memcpy(entry, head, head_size);
        memcpy(entry + head_size, payload, payload_size);
        remote_cache_store(cache, key, entry, head_size + payload_size);
    }
    int result = entry ? 0 : 1;
    free(entry);
    free(head);
    free(payload);
    return result;
}

static int refill(const char *entry_path, const char *payload_path)
{
    char *entry = NULL;
    char *payload = NULL;
    size_t size = 0;
    size_t payload_size = 0;
    size_t head_size = 0;
    struct cbn_cache_entry parts;
    if (file_read(entry_path, &entry, &size) || file_read(payload_path, &payload, &payload_size) ||
        cbn_cache_entry_read((unsigned char *)entry, size, &parts)) {
        return 1;
    }
    const struct cbn_cache_key key = {.bytes = (unsigned char *)parts.key, .size = parts.key_size};
    unsigned char *head = cbn_cache_entry_head(&key, payload, payload_size, &head_size);
    bool is_written = head && fwrite(head, 1, head_size, stdout) == head_size &&
                      fwrite(payload, 1, payload_size, stdout) == payload_size && fflush(stdout) == 0;
    free(head);
    free(payload);
    free(entry);
    return is_written ? 0 : 1;
}

static int print_name(const char *what, const struct cbn_cache_key *key)
{
    struct remote_digest action;
    char name[CBN_CACHE_NAME_SIZE];
    remote_digest_make(key->bytes, key->size, &action);
    puts(strcmp(what, "action") == 0 ? action.hash : cbn_cache_entry_name(key, name));
    return 0;
}

static int use(const char *what, const struct cbn_cache_key *key, const char *size)
{
    const char *folder = getenv("CLIENT_FOLDER");
    struct remote_settings settings;
    struct remote_cache *cache = NULL;
    if (remote_settings_read(NULL, &settings) || !settings.url) {
        fprintf(stderr, "%s\n", cubinet_error_message());
        return 1;
    }
    settings.verbose = getenv("CLIENT_VERBOSE") != NULL;
    if (remote_cache_open(&settings, folder ? folder : "", &cache)) {
        return 1;
    }
    int result =
        strcmp(what, "find") == 0 ? find(cache, key) : store(cache, key, (size_t)strtoul(size, NULL, 10));
    remote_cache_close(cache);
    return result;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    bool is_store = strcmp(what, "store") == 0;
    if (argc == 4 && strcmp(what, "refill") == 0) {
        return refill(argv[2], argv[3]);
    }
    if (argc != (is_store ? 4 : 3)) {
        return 2;
    }
    struct cbn_cache_key key = make_key(argv[2]);
    bool is_name = strcmp(what, "action") == 0 || strcmp(what, "file") == 0;
    int result = is_name ? print_name(what, &key) : use(what, &key, is_store ? argv[3] : "0");
    cbn_cache_key_free(&key);
    return result;
}
