/* SPDX-License-Identifier: Apache-2.0 */
#include "link/foreign_image.h"

#include <stdlib.h>

void foreign_image_free(struct foreign_image *image)
{
    free(image->name);
    free(image->longer);
    free(image->identity);
    free(image->data);
    free(image->origin);
    contents_free(&image->contents);
    *image = (struct foreign_image){0};
}
