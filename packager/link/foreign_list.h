/* SPDX-License-Identifier: Apache-2.0 */
/* Images of other tools on their way into a draft: they are filed once all are there, since the names of
 * their modules depend on which others there are. */
#ifndef FOREIGN_LIST_H
#define FOREIGN_LIST_H

#include "archive/draft.h"
#include "link/foreign_image.h"

#include <stdbool.h>

/* What modules are called that the user did not name. */
enum foreign_name_by {
    FOREIGN_BY_NAME,  /* as the file up to its first dot, or as FOREIGN_BY_FILE where that is taken */
    FOREIGN_BY_FILE,  /* as the file without its suffix and a target before it: "kernel.1" of kernel.1.ptx */
    FOREIGN_BY_PATH,  /* the same with its folders: "cache/1f3a/kernel.1" */
    FOREIGN_BY_KERNEL /* as the one kernel in it; as FOREIGN_BY_NAME if it has several */
};

/* The option that says it. CUBINET_ERROR_INVALID_ARGUMENT unless the text is "name", "file", "path" or
 * "kernel". */
cubinet_status foreign_name_by_option(const char *text, enum foreign_name_by *out_by);

struct foreign_list {
    struct foreign_image *items;
    size_t count;
};

/* Takes over what is in the image, also after a failure. */
cubinet_status foreign_list_add(struct foreign_list *list, struct foreign_image *image);

/* Names the modules, files the images in the draft, and empties the list. The order of adding makes no
 * difference. Different images of one module for one target are CUBINET_ERROR_INVALID_ARGUMENT. */
cubinet_status foreign_list_file(struct foreign_list *list, struct draft *draft);

void foreign_list_free(struct foreign_list *list);

/* What FOREIGN_BY_FILE and FOREIGN_BY_PATH call a file, which the caller frees; NULL if memory is out. */
char *foreign_file_name(const char *path);
char *foreign_path_name(const char *path);

#endif
