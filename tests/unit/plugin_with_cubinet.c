/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that was linked with the static library. */
#include <cubinet/archive.h>
#include <cubinet/driver.h>

#include <stdlib.h>

int plugin_main(void);
const char *plugin_fail(void);

__attribute__((visibility("default"))) int plugin_main(void)
{
    cubinet_driver *driver = NULL;
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    cubinet_driver_close(driver);
    return (int)status;
}

/* Fails, and returns the message. */
__attribute__((visibility("default"))) const char *plugin_fail(void)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open("/nonexistent/kernels.cubinet", NULL, &archive);
    cubinet_archive_close(archive);
    return status ? cubinet_error_message() : "";
}

/* As objects of C++ do when a plugin is closed. The library inside must not be gone before. */
__attribute__((destructor)) static void use_it_last(void)
{
    if (!plugin_fail()[0]) {
        abort();
    }
}
