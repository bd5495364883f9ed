/* SPDX-License-Identifier: Apache-2.0 */
/* Running kernels of the corpus and comparing them with the CPU. */
#ifndef TEST_CORPUS_H
#define TEST_CORPUS_H

#include "feature_test.h"

/* One kernel of the corpus. `run` makes inputs, launches, and ends the program if the outcome is wrong; the
 * module is loaded, and its context is current. */
struct corpus_case {
    const char *module;
    const char *kernel;
    void (*run)(struct feature *feature, const char *kernel);
};

/* Each ends with an empty case. */
extern const struct corpus_case library_cases[];
extern const struct corpus_case molecule_cases[];
extern const struct corpus_case picture_cases[];
extern const struct corpus_case sample_cases[];
extern const struct corpus_case sorting_cases[];
extern const struct corpus_case thrust_cases[];

/* Launches with values as arguments, which must be variables or constants of the parameters' types: waits for
 * the end. */
#define LAUNCH(feature, kernel, config, ...)                                                                 \
    do {                                                                                                     \
        const cubinet_arg launch_args[] = {__VA_ARGS__};                                                     \
        feature_launch(feature, kernel, config, launch_args, sizeof(launch_args) / sizeof(launch_args[0]));  \
    } while (0)
#define ARG(variable) CUBINET_ARG(variable)

/* Blocks of `threads` for `count` threads in one dimension, or in two. */
cubinet_launch_config corpus_line(uint32_t count, uint32_t threads);
cubinet_launch_config corpus_plane(uint32_t width, uint32_t height, uint32_t block_x, uint32_t block_y);

/* Fills with numbers from `low` up to `high`, the same each time. */
void corpus_fill(float *values, size_t count, float low, float high, unsigned seed);

/* Compares floats, with a tolerance relative to the size of the expected one, or to 1 if that is smaller. */
void corpus_compare(const float *found, const double *expected, size_t count, double tolerance,
                    const char *kernel);

/* Writes a variable of the module. */
void corpus_set(struct feature *feature, const char *name, const void *data, size_t bytes);

#endif
