/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of launches start from: a simulated machine with a loaded module. */
#ifndef LAUNCH_SETUP_H
#define LAUNCH_SETUP_H

#include "loader/driver/cuda_abi.h"
#include "machine.h"
#include "unit.h"

#include <cubinet/cubinet.h>

#include <string.h>

struct setup {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
};

static inline struct setup set_up_release(const char *devices, const char *images, int release)
{
    struct setup setup = {.driver = machine_start_release(devices, release),
                          .archive = machine_archive(images, 0)};
    setup.module = machine_load(setup.driver, setup.archive, 0);
    return setup;
}

static inline struct setup set_up(const char *devices, const char *images)
{
    return set_up_release(devices, images, 13000);
}

static inline void tear_down(struct setup *setup)
{
    simdriver_fail_none();
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    cubinet_archive_close(setup->archive);
    machine_stop(setup->driver);
}

static inline void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in the message: %s\n", part, cubinet_error_message());
        fail();
    }
}

/* The value of an attribute that a launch must have. */
static inline cbn_cu_launch_value attribute_of(const struct simdriver_launch *launch, unsigned int id)
{
    const unsigned char *value = simdriver_attribute_of(launch, id);
    cbn_cu_launch_value copy;
    assert_non_null(value);
    memcpy(&copy, value, sizeof(copy));
    return copy;
}

#endif
