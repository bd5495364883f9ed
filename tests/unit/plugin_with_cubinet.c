/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that was linked with the static library. */
#include <cubinet/driver.h>

int plugin_main(void);

__attribute__((visibility("default"))) int plugin_main(void)
{
    cubinet_driver *driver = NULL;
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    cubinet_driver_close(driver);
    return (int)status;
}
