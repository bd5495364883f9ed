/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <cubinet/cubinet.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void die(const char *subject, const char *what, int result)
{
    fprintf(stderr, "%s: %s%s%s failed (%d) %s\n", program_invocation_short_name, subject ? subject : "",
            subject ? ": " : "", what, result, cubinet_error_message());
    exit(1);
}

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *times, size_t count)
{
    qsort(times, count, sizeof(*times), by_value);
    return times[count / 2];
}

void *slurp(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    void *data = size > 0 ? malloc((size_t)size) : NULL;
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    if (out_size) {
        *out_size = (size_t)size;
    }
    return data;
}
