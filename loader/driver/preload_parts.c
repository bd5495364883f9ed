/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/preload_parts.h"

#include "loader/core/support/error.h"
#include "loader/driver/load_later.h"

#include <stdlib.h>
#include <string.h>

struct cbn_preload_parts cbn_preload_parts_of(struct cubinet_module *module)
{
    return (struct cbn_preload_parts){.module = module, .refused = CUBINET_UNKNOWN};
}

bool cbn_preload_parts_left(const struct cbn_preload_parts *parts)
{
    return !parts->status && parts->refused == CUBINET_UNKNOWN &&
           parts->begun < parts->module->code->part_count;
}

/* The first that fails is reported. */
static void note_failure(struct cbn_preload_parts *parts, cubinet_status status)
{
    if (!parts->status) {
        parts->status = status;
        parts->driver_result = cubinet_error_driver_result();
        parts->message = strdup(cubinet_error_message());
    }
}

void cbn_preload_parts_load(struct cbn_preload_parts *parts, pthread_mutex_t *mutex)
{
    uint32_t part = parts->begun++;
    cubinet_status status = CUBINET_OK;
    parts->busy++;
    pthread_mutex_unlock(mutex);
    enum cbn_attempt attempt = cbn_module_ready_part(parts->module, part, &status);
    pthread_mutex_lock(mutex);
    parts->busy--;
    if (attempt == CBN_ATTEMPT_REFUSED) {
        parts->refused = part;
    } else if (attempt == CBN_ATTEMPT_FAILED) {
        note_failure(parts, status);
    }
}

cubinet_status cbn_preload_parts_end(struct cbn_preload_parts *parts, bool *out_again)
{
    bool has_moved = false;
    cubinet_status status = CUBINET_OK;
    *out_again = false;
    if (parts->status) {
        status = cbn_error_driver(parts->status, parts->driver_result, "%s",
                                  parts->message ? parts->message : "out of memory");
        free(parts->message);
    } else if (parts->refused != CUBINET_UNKNOWN) {
        status = cbn_module_need_part(parts->module, parts->refused, &has_moved);
        *out_again = !status; /* also where the driver has taken the part now: others are left */
    }
    return status;
}
