/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a harness the files of a folder, without a fuzzing engine: what was found once stays found. */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>

static void give(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(size + 1);
    if (!data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* the last line tells which one it was, should the harness not return */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    struct dirent **names = NULL;
    int count = scandir(argv[1], &names, NULL, alphasort);
    size_t given = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            give(path);
            given++;
        }
        free(names[i]);
    }
    free(names);
    printf("%zu files\n", given);
    return given > 0 ? 0 : 1; /* an empty corpus tests nothing */
}
