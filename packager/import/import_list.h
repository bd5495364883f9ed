/* SPDX-License-Identifier: Apache-2.0 */
/* Images that another system left, with what it says of them. */
#ifndef IMPORT_LIST_H
#define IMPORT_LIST_H

#include "image/launch_record.h"
#include "import/import_beside.h"
#include "loader/core/support/text_list.h"

#include <stdbool.h>
#include <stddef.h>

enum { IMPORT_TRAILING = 2 };

/* What is known of a kernel before its image is read. */
struct import_kernel {
    char *name;                  /* lowered */
    char *expression;            /* what the source calls it; NULL: no other name */
    struct launch_record record; /* names in it are of the parameters that callers give */
    /* Dimensions of launch bounds, which the system gives as the first parameter; 0: it is an argument. One
     * that has not their size is an argument, too. */
    uint32_t bounds;
    /* Parameters that the system adds after those, in order; their numbers follow from the image. */
    cubinet_hidden_param trailing[IMPORT_TRAILING];
    size_t trailing_count;
};

/* A file with an image. */
struct import_item {
    char *path;
    char *name;     /* of the module; NULL: as other files */
    char *variant;  /* the name if others have the short one; NULL: as other files */
    bool is_part;   /* other files of that name have other kernels of the module */
    char *identity; /* images with another one are of another module, whatever they are for; NULL: unknown */
    bool is_left_out; /* what it has is out of date: the notes say so */
    char *data;       /* the image, out of the file; NULL: it is the file, or somewhere in it */
    size_t size;
    struct import_kernel *kernels;
    size_t kernel_count;
    bool is_sorted; /* the kernels, by name */
};

struct import_list {
    struct import_item *items;
    size_t count;
    struct cbn_text_list notes;  /* what the system did not say, a line each */
    struct import_beside beside; /* for readers */
};

void import_list_free(struct import_list *list);

/* Adds a file, and returns it for the rest to be filled in; until the next is added. NULL if memory is out.
 */
struct import_item *import_list_add(struct import_list *list, const char *path);

void import_item_free(struct import_item *item);

/* Adds a kernel with an empty record. NULL if memory is out. */
struct import_kernel *import_item_kernel(struct import_item *item, const char *name);

/* Makes finding fast. Adds none afterwards. */
void import_item_sort(struct import_item *item);

/* NULL if nothing is known of a kernel of that name. */
const struct import_kernel *import_item_find(const struct import_item *item, const char *name);

/* Copies an image out of its file. CUBINET_ERROR_OUT_OF_MEMORY alone. */
cubinet_status import_item_take(struct import_item *item, const void *data, size_t size);

/* What is known of a kernel whose parameters are known, too. `out_record` is overwritten. */
cubinet_status import_kernel_record(const struct import_kernel *kernel,
                                    const cubinet_kernel_resources *resources,
                                    struct launch_record *out_record);

#endif
