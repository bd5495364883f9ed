/* SPDX-License-Identifier: Apache-2.0 */
/* A compiler launcher for builds of Cubinet inside tests, which run it thousands of times: see objects.py.
 *
 *     take_object TABLE COMPILER ARGUMENT...
 *     take_object --keys SOURCE
 *
 * The first copies the object that the table has for the same compile, or else compiles. The second reads
 * commands, one a line, and prints for each what stands for it in a table, and its object.
 * CUBINET_TEST_SOURCE: a folder that is a copy of the source, whose files count as the source's.
 *
 * The table begins with the line of the source's folder, and goes on with an empty line, a key and an object
 * for each compile. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct compile {
    char *key; /* its arguments, each after a tab, without the paths of what it writes */
    size_t key_size;
    const char *object;  /* NULL: none is named */
    const char *depfile; /* likewise */
};

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* Prints an absolute path without links, and with the source in place of its copy. */
static void print_path(FILE *out, const char *path, const char *source)
{
    char real[PATH_MAX], copy[PATH_MAX];
    const char *shown = realpath(path, real) ? real : path;
    const char *copied = getenv("CUBINET_TEST_SOURCE");
    size_t size = copied && realpath(copied, copy) ? strlen(copy) : 0;
    if (size > 0 && strncmp(shown, copy, size) == 0 && shown[size] == '/') {
        fprintf(out, "\t%s%s", source, shown + size);
    } else {
        fprintf(out, "\t%s", shown);
    }
}

static struct compile read_command(char **words, const char *source)
{
    struct compile compile = {0};
    FILE *out = open_memstream(&compile.key, &compile.key_size);
    if (!out) {
        die("open_memstream");
    }
    for (char **word = words; *word; word++) {
        const char *room =
            strstr(*word, "/walls/room_"); /* the build folder's links to headers of the source */
        bool has_value = strcmp(*word, "-o") == 0 || strcmp(*word, "-MF") == 0 || strcmp(*word, "-MT") == 0;
        if (has_value && word[1]) {
            compile.object = strcmp(*word, "-o") == 0 ? word[1] : compile.object;
            compile.depfile = strcmp(*word, "-MF") == 0 ? word[1] : compile.depfile;
            word++;
        } else if (room) {
            fprintf(out, "\t-I%s", room);
        } else if (strncmp(*word, "-I/", 3) == 0) {
            fprintf(out, "\t-I");
            print_path(out, *word + 2, source);
        } else if (**word == '/') {
            print_path(out, *word, source);
        } else if (strcmp(*word, "-MD") != 0 && strcmp(*word, "-c") != 0) {
            fprintf(out, "\t%s", *word);
        }
    }
    if (fclose(out) != 0) {
        die("a key");
    }
    return compile;
}

static void print_keys(const char *source)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *words[1024];
        size_t count = 0;
        char *rest = line;
        while (count < 1023 && (words[count] = strsep(&rest, " \n"))) {
            count += words[count][0] != '\0';
        }
        words[count] = NULL;
        struct compile compile = read_command(words, source);
        printf("%s\n%s\n", compile.key, compile.object ? compile.object : "");
        free(compile.key);
    }
    free(line);
}

/* A file's bytes, with a zero byte after them. */
static char *read_all(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) {
        return NULL;
    }
    char *bytes = malloc((size_t)info.st_size + 1);
    *size = 0;
    for (ssize_t got = 1; bytes && got > 0 && *size < (size_t)info.st_size; *size += (size_t)got) {
        got = read(file, bytes + *size, (size_t)info.st_size - *size);
        if (got < 0) {
            die(path);
        }
    }
    close(file);
    if (bytes) {
        bytes[*size] = '\0';
    }
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        die(path);
    }
}

/* The object that the table has for a compile, which it keeps as a string; NULL: none. */
static char *find_object(char *table, const struct compile *compile)
{
    char *wanted;
    if (asprintf(&wanted, "\n\n%s\n", compile->key) < 0) {
        die("a key");
    }
    char *found = strstr(table, wanted);
    char *object = found ? found + strlen(wanted) : NULL;
    free(wanted);
    if (object) {
        object[strcspn(object, "\n")] = '\0';
    }
    return object;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--keys") == 0) {
        print_keys(argv[2]);
        return fclose(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    size_t size;
    char *table = argc > 2 ? read_all(argv[1], &size) : NULL;
    if (!table) {
        die("usage: take_object TABLE COMPILER ARGUMENT...");
    }
    char *source = strndup(table, strcspn(table, "\n"));
    struct compile compile = read_command(argv + 2, source);
    char *known = find_object(table, &compile);
    char *bytes = known && compile.object ? read_all(known, &size) : NULL;
    if (!bytes) {
        execv(argv[2], argv + 2);
        die(argv[2]);
    }
    write_all(compile.object, bytes, size);
    if (compile.depfile) {
        char *text;
        int length = asprintf(&text, "%s: %s\n", compile.object, argv[argc - 1]);
        if (length < 0) {
            die(compile.depfile);
        }
        write_all(compile.depfile, text, (size_t)length);
        free(text);
    }
    free(bytes);
    free(compile.key);
    free(source);
    free(table);
    return EXIT_SUCCESS;
}
