/* SPDX-License-Identifier: Apache-2.0 */
/* An image of another tool on its way into a draft. */
#ifndef FOREIGN_IMAGE_H
#define FOREIGN_IMAGE_H

#include "image/contents.h"

struct foreign_image {
    char *name;     /* of its module; what the user said, or the shortest */
    char *longer;   /* where other images have that name; NULL: the user said it */
    char *identity; /* others of that name with another one are of another module; NULL: unknown */
    bool is_named;  /* by the user */
    cubinet_target target;
    unsigned char *data;
    size_t size;
    struct contents contents;
    char *origin; /* the file, for messages */
    bool is_part; /* others of its name may have other kernels of the module, for the same target */
    uint32_t link_floor;
};

void foreign_image_free(struct foreign_image *image);

#endif
