/* SPDX-License-Identifier: Apache-2.0 */
/* What bytes of a file cost that are used once, at a place that was not used before: read into memory; used
 * from a mapping that is there; or from one that is made and ended for them. The reason for CBN_COPIED_MAX.
 *
 *     bench_read_or_map FILE     some hundred megabytes or more */
#include "measure.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 1001, LEAST = 4 << 10, MOST = 1 << 20 };

struct file {
    const char *path;
    int descriptor;
    size_t size;
};

/* So that no look at the bytes is left out. */
static volatile uint64_t used;

/* Looks at all of the bytes, as a digest does. */
static void use(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof(word));
        sum += word;
    }
    used = sum;
}

static unsigned char *map(const struct file *file)
{
    void *bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    MUST_OF(file->path, bytes == MAP_FAILED);
    return bytes;
}

static double time_reading(const struct file *file, size_t offset, size_t size)
{
    double start = now();
    unsigned char *bytes = malloc(size);
    MUST_OF(file->path, !bytes || pread(file->descriptor, bytes, size, (off_t)offset) != (ssize_t)size);
    use(bytes, size);
    free(bytes);
    return now() - start;
}

static double time_mapping(const struct file *file, size_t offset, size_t size)
{
    double start = now();
    unsigned char *bytes = map(file);
    use(bytes + offset, size);
    munmap(bytes, file->size);
    return now() - start;
}

/* Ends with no page of the mapping in this process. */
static double time_touching(const struct file *file, unsigned char *mapping, size_t offset, size_t size)
{
    double start = now();
    use(mapping + offset, size);
    double end = now();
    madvise(mapping, file->size, MADV_DONTNEED);
    return end - start;
}

/* A place that nobody looked at lately. */
static size_t next_place(const struct file *file, size_t size)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (size_t)((state >> 16) % (file->size - size)) / 64 * 64;
}

/* Each at places of its own, so that none leaves bytes in the processor's cache for the others. */
static void compare(const struct file *file, unsigned char *mapping, size_t size)
{
    static double reading[ROUNDS], touching[ROUNDS], mapping_for_it[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        reading[round] = time_reading(file, next_place(file, size), size);
        touching[round] = time_touching(file, mapping, next_place(file, size), size);
        mapping_for_it[round] = time_mapping(file, next_place(file, size), size);
    }
    printf("%8zu bytes  read %6.1f  mapped already %6.1f  mapped for it %6.1f us\n", size,
           median_of(reading, ROUNDS), median_of(touching, ROUNDS), median_of(mapping_for_it, ROUNDS));
}

int main(int argc, char **argv)
{
    struct stat about;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_read_or_map FILE\n");
        return 2;
    }
    struct file file = {.path = argv[1], .descriptor = open(argv[1], O_RDONLY | O_CLOEXEC)};
    MUST_OF(file.path, file.descriptor < 0 || fstat(file.descriptor, &about) || about.st_size <= MOST);
    file.size = (size_t)about.st_size;
    unsigned char *mapping = map(&file);
    for (size_t size = LEAST; size <= MOST; size *= 2) {
        compare(&file, mapping, size);
    }
    munmap(mapping, file.size);
    close(file.descriptor);
    return 0;
}
