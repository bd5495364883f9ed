/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the kernel that the embedded archive has, by the name that the header has for it. */
#include <cubinet/cubinet.h>
#include <stdio.h>

#include "saxpy.h"

int main(void)
{
    cubinet_archive *archive;
    cubinet_status status = cubinet_archive_open_memory(saxpy_archive, saxpy_archive_size, NULL, &archive);
    if (status) {
        fprintf(stderr, "%s\n", cubinet_error_message());
        return 1;
    }
    printf("module %s has %s\n", SAXPY_SAXPY, SAXPY_SAXPY_SAXPY_FLOAT);
    cubinet_archive_close(archive);
    return 0;
}
