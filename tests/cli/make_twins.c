/* SPDX-License-Identifier: Apache-2.0 */
/* Writes two files that XXH3-128 takes for one: tests/unit/twins.h.
 *
 *     make_twins FIRST SECOND HIDDEN COMMON
 */
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: make_twins FIRST SECOND HIDDEN COMMON\n", stderr);
        return 2;
    }
    struct twins twins = twins_make(argv[3], argv[4]);
    write_file(argv[1], twins.first, twins.size);
    write_file(argv[2], twins.second, twins.size);
    twins_free(&twins);
    return 0;
}
