/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of how a kernel in one image is launched, on its way into an archive:
 * <cubinet/launch_record.h> says what the members mean. Readers of images fill it, as do those of what other
 * systems leave beside them and of `pack --launch`. */
#ifndef LAUNCH_RECORD_H
#define LAUNCH_RECORD_H

#include <cubinet/launch_record.h>

#include <stdbool.h>

/* Start with LAUNCH_RECORD_EMPTY, set members of `known` (numbers and flags), and add hidden parameters and
 * names by the functions below. */
struct launch_record {
    cubinet_launch_record known; /* its arrays are those below */
    cubinet_hidden_param *hidden;
    cubinet_param_name *names; /* whose strings are its own */
};

#define LAUNCH_RECORD_EMPTY                                                                                  \
    {                                                                                                        \
        .known = {.size = sizeof(cubinet_launch_record), .dynamic_shared_bytes = CUBINET_UNKNOWN }           \
    }

/* Frees what is inside and makes it empty. */
void launch_record_free(struct launch_record *record);

/* Forgets the names of parameters. */
void launch_record_free_names(struct launch_record *record);

/* Whether nothing is known. */
bool launch_record_is_empty(const struct launch_record *record);

/* Adds a hidden parameter, after those of lower numbers. One that is there already is
 * CUBINET_ERROR_INVALID_ARGUMENT. */
cubinet_status launch_record_add_hidden(struct launch_record *record, const cubinet_hidden_param *hidden);

/* Adds what the source calls the next parameter; NULL and "": not known. Names are for all parameters or
 * none, hidden ones included. */
cubinet_status launch_record_add_name(struct launch_record *record, const char *name, const char *type);

/* `out_record` is overwritten. */
cubinet_status launch_record_copy(const struct launch_record *record, struct launch_record *out_record);

/* Takes what `given` knows, whether or not it was known before. */
cubinet_status launch_record_override(struct launch_record *record, const struct launch_record *given);

/* Takes what `other` knows and was not known. CUBINET_ERROR_INVALID_ARGUMENT, which names the member, if they
 * contradict each other. Names of parameters do not: sources that differ in these alone compile to one image.
 */
cubinet_status launch_record_settle(struct launch_record *record, const struct launch_record *other);

/* Whether both have names of parameters, and not the same ones. */
bool launch_record_names_differ(const cubinet_launch_record *a, const cubinet_launch_record *b);

/* CUBINET_ERROR_INVALID_ARGUMENT unless the record can be one of a kernel with these parameters: hidden ones
 * are among them and have the size of what they are given, and there are as many names. */
cubinet_status launch_record_fits(const struct launch_record *record,
                                  const cubinet_kernel_resources *resources);

/* What an archive records of a kernel that the image has. `out_record` is overwritten. */
cubinet_status launch_record_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t kernel, struct launch_record *out_record);

/* Bytes of the parameter that takes what such a hidden parameter is given; 0: the kind is not known, or has
 * no such dimensions. */
uint32_t hidden_param_bytes(const cubinet_hidden_param *hidden);

/* "scratch", "profile", "launch-bounds"; NULL: the kind is not known. */
const char *hidden_kind_name(uint32_t kind);

#endif
