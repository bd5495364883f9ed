/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that was linked with the static library. */
#include <cubinet/archive.h>
#include <cubinet/driver.h>
#include <cubinet/link.h>

#include <stdlib.h>

int plugin_main(void);
const char *plugin_fail(void);
cubinet_status plugin_link(const char *libcuda, const char *nvjitlink);

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

/* Links with a driver and an nvJitLink, and keeps nothing of it. */
__attribute__((visibility("default"))) cubinet_status plugin_link(const char *libcuda, const char *nvjitlink)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
    const cubinet_driver_options driver_options = {.size = sizeof(driver_options), .library = libcuda};
    const cubinet_link_options link_options = {.size = sizeof(link_options), .nvjitlink = nvjitlink};
    cubinet_driver *driver = NULL;
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    cubinet_status status = cubinet_driver_open(&driver_options, &driver);
    if (!status) {
        status = cubinet_link_create(driver, 0, &link_options, &link);
    }
    if (!status) {
        status = cubinet_link_add_data(link, CUBINET_PIECE_PTX, ptx, sizeof(ptx), NULL);
    }
    if (!status) {
        status = cubinet_link_get_cubin(link, &cubin, &size);
    }
    cubinet_link_destroy(link);
    cubinet_driver_close(driver);
    return status;
}

/* As objects of C++ do when a plugin is closed. The library inside must not be gone before. */
__attribute__((destructor)) static void use_it_last(void)
{
    if (!plugin_fail()[0]) {
        abort();
    }
}
