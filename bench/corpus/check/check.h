/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the corpus's kernels, what they are given, and what has to come out of them. */
#ifndef CORPUS_CHECK_H
#define CORPUS_CHECK_H

#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_ARGUMENTS = 8, LARGEST_VALUE = 64 };

/* An argument is memory of the device or a value. */
struct argument {
    size_t bytes;
    void *host;   /* what the memory holds before the launch; NULL for a value */
    void *result; /* what it holds after it; NULL for a value or memory that is only read */
    CUdeviceptr device;
    unsigned char value[LARGEST_VALUE];
};

/* One launch. Its shape is in corpus.json, its arguments are made by the module's check. */
struct run {
    const char *kernel; /* name expression */
    unsigned grid[3];
    unsigned block[3];
    struct argument arguments[MOST_ARGUMENTS];
    size_t count; /* of arguments */
    uint32_t random;
    size_t wrong; /* results that are not as expected */
};

/* How the kernels of a module are checked; both are given any launch of corpus.json of that module. */
struct check {
    void (*prepare)(struct run *run); /* adds the arguments, in their order */
    void (*verify)(struct run *run);  /* compares the results with the CPU's, all or a sample */
};

/* The next argument: memory that is only read, which the caller fills; memory that is written, every byte
 * `fill` before the launch; a value. */
void *run_input(struct run *run, size_t bytes);
void run_output(struct run *run, size_t bytes, unsigned char fill);
void run_value(struct run *run, const void *value, size_t bytes);
#define RUN_VALUE(run, variable) run_value(run, &(variable), sizeof(variable))

/* Memory of the argument of that number: before the launch and after it. */
const void *run_before(const struct run *run, size_t argument);
const void *run_after(const struct run *run, size_t argument);

void run_free(struct run *run);

/* Blocks along x. threads: of a block. */
size_t run_blocks(const struct run *run);
size_t run_threads(const struct run *run);

/* The template argument of that number in the kernel's expression. */
size_t run_template_number(const struct run *run, int argument);

/* The first template argument, if it is a type that an array of numbers may have. */
enum number { NUMBER_INT, NUMBER_FLOAT, NUMBER_DOUBLE };
enum number run_template_type(const struct run *run);
size_t number_bytes(enum number type);
double number_get(enum number type, const void *array, size_t i);
void number_put(enum number type, void *array, size_t i, double value);

/* The same sequence for every run: 32 bits, or a number from `low` up to `high`. */
uint32_t run_random(struct run *run);
double run_uniform(struct run *run, double low, double high);

/* The next argument: `count` numbers from `low` up to `high`. */
void run_numbers(struct run *run, enum number type, size_t count, double low, double high);

/* Compare result `i`; the first that is wrong is printed. `tolerance` is relative to the expected value, or
 * absolute where that is below 1. */
void run_expect(struct run *run, size_t i, double found, double expected, double tolerance);
void run_expect_bits(struct run *run, size_t i, uint64_t found, uint64_t expected);

#endif
