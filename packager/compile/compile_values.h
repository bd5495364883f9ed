/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `cubinet compile` whose values have a form of their own: lists, levels, words. */
#ifndef COMPILE_VALUES_H
#define COMPILE_VALUES_H

#include "base/options.h"
#include "compile/compile_arguments.h"

/* Reads the value of -O or -Werror that is the next argument: gcc's options take a joined value or none,
 * nvcc's also one that follows. */
void compile_values_take_optional(struct option_reader *reader, int id);

/* -O; NULL: without a level. */
cubinet_status compile_values_add_optimization(const char *level, struct cbn_text_list *nvjitlink_options);

/* -Xptxas. */
cubinet_status compile_values_add_ptxas_options(struct compile_arguments *arguments, const char *list);

/* --file-prefix-map. */
cubinet_status compile_values_add_path_map(struct compile_arguments *arguments, const char *text);

/* Whether an option's value is a list whose values are forwarded one by one, such as -I's; and takes one. */
bool compile_values_is_list(int id);
cubinet_status compile_values_take_list(struct compile_arguments *arguments, int id, const char *list);

/* --assembler. */
cubinet_status compile_values_take_assembler(struct compile_arguments *arguments, const char *name);

/* -l. */
cubinet_status compile_values_take_libraries(struct compile_arguments *arguments, const char *list);

/* -cudadevrt. */
cubinet_status compile_values_take_device_runtime(struct compile_arguments *arguments, const char *value);

/* -default-stream. */
cubinet_status compile_values_take_default_stream(struct compile_arguments *arguments, const char *value);

#endif
