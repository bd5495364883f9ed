/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.core's ObjectCode in pickles: an image, with the name of each kernel that was asked for by an
 * expression. */
#ifndef IMPORT_CODE_OBJECT_H
#define IMPORT_CODE_OBJECT_H

#include "import/import_list.h"
#include "import/pickle.h"

#include <stdbool.h>

/* Whether a value is one that has its image with it, and not a path. */
bool code_object_is(const struct pickle_value *value);

/* Its image. */
const struct pickle_value *code_object_image(const struct pickle_value *value);

/* Adds every ObjectCode that is in a file, a pickle. *out_is_one is false for any other file; nothing is
 * added then. CUBINET_ERROR_INVALID_ARGUMENT for one that refers to a file. */
cubinet_status import_code_objects(const char *path, struct import_list *list, bool *out_is_one);

#endif
