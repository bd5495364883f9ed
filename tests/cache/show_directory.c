/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the folder that a cache has by default, and the one that it has where its program names it. */
#include <cubinet/cache.h>

#include <stdio.h>

/* The leak sanitizer does not work in setuid programs. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

static int show(const cubinet_cache_options *options)
{
    cubinet_cache *cache = NULL;
    if (cubinet_cache_open(options, &cache) != CUBINET_OK) {
        return 1;
    }
    printf("'%s'\n", cubinet_cache_get_directory(cache));
    cubinet_cache_close(cache);
    return 0;
}

int main(int argc, char **argv)
{
    const cubinet_cache_options named = {.size = sizeof(named), .directory = argc > 1 ? argv[1] : ""};
    return show(NULL) || show(&named);
}
