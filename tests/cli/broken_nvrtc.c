/* SPDX-License-Identifier: Apache-2.0 */
/* An NVRTC that takes whoever loads it down, as the environment variable BROKEN_NVRTC says: "abort" or
 * "hang". */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void end_badly(void)
{
    const char *how = getenv("BROKEN_NVRTC");
    if (how && strcmp(how, "abort") == 0) {
        abort();
    }
    while (how && strcmp(how, "hang") == 0) {
        pause();
    }
}
