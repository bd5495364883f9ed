/* SPDX-License-Identifier: Apache-2.0 */
#include <cubinet/status.h>

const char *cubinet_status_name(cubinet_status status)
{
    switch (status) {
#define NAME(status)                                                                                         \
    case status:                                                                                             \
        return #status;
        NAME(CUBINET_OK)
        NAME(CUBINET_ERROR_INVALID_ARGUMENT)
        NAME(CUBINET_ERROR_NOT_FOUND)
        NAME(CUBINET_ERROR_LAUNCH_ARGUMENTS)
        NAME(CUBINET_ERROR_LIMIT)
        NAME(CUBINET_ERROR_CANCELLED)
        NAME(CUBINET_ERROR_OUT_OF_MEMORY)
        NAME(CUBINET_ERROR_IO)
        NAME(CUBINET_ERROR_NOT_ARCHIVE)
        NAME(CUBINET_ERROR_DAMAGED)
        NAME(CUBINET_ERROR_NEWER_FORMAT)
        NAME(CUBINET_ERROR_NO_IMAGE)
        NAME(CUBINET_ERROR_NOT_TRUSTED)
        NAME(CUBINET_ERROR_OTHER_VERSION)
        NAME(CUBINET_ERROR_NO_DRIVER)
        NAME(CUBINET_ERROR_DRIVER_TOO_OLD)
        NAME(CUBINET_ERROR_NO_DEVICE)
        NAME(CUBINET_ERROR_DRIVER)
        NAME(CUBINET_ERROR_DEVICE_MEMORY)
        NAME(CUBINET_ERROR_CONTEXT_DEAD)
        NAME(CUBINET_ERROR_TOOLKIT)
        NAME(CUBINET_ERROR_COMPILE)
        NAME(CUBINET_ERROR_LINK)
#undef NAME
    }
    return "unknown status";
}

cubinet_outcome cubinet_status_outcome(cubinet_status status)
{
    switch (status) {
    case CUBINET_OK:
        return CUBINET_OUTCOME_OK;
    case CUBINET_ERROR_CANCELLED:
    case CUBINET_ERROR_OUT_OF_MEMORY:
    case CUBINET_ERROR_DEVICE_MEMORY:
        return CUBINET_OUTCOME_RETRY;
    case CUBINET_ERROR_CONTEXT_DEAD:
        return CUBINET_OUTCOME_DEAD;
    default:
        return CUBINET_OUTCOME_FAILED;
    }
}
