/* SPDX-License-Identifier: Apache-2.0 */
#include "process/build_slots.h"

#include "base/command.h"
#include "base/lock_holder.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* "N:PATH" of the file. */
static const char variable[] = "CUBINET_SLOTS";

enum {
    MOST_SLOTS = 1024,
    PAUSE_MS = 5, /* nothing waits for whichever lock is free first */
};

static int file = -1;
static size_t slot_count;
static atomic_bool has[MOST_SLOTS]; /* a lock that is held is granted again */

cubinet_status build_slots_offer(const char *folder, uint32_t count)
{
    char *place = realpath(folder, NULL);
    char *value = NULL;
    if (!place || asprintf(&value, "%u:%s/slots", count < MOST_SLOTS ? count : MOST_SLOTS, place) < 0) {
        free(place);
        return cbn_error_memory();
    }
    int result = setenv(variable, value, 1);
    free(place);
    free(value);
    return result == 0 ? CUBINET_OK : cbn_error_memory();
}

cubinet_status build_slots_offer_none(void)
{
    unsetenv(variable);
    return CUBINET_OK;
}

static int set_lock(size_t slot, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)slot, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock);
}

bool build_slots_take(size_t *out_slot)
{
    errno = 0;
    for (size_t i = 0; i < slot_count; i++) {
        if (!atomic_load(&has[i]) && set_lock(i, F_WRLCK) == 0) {
            atomic_store(&has[i], true);
            *out_slot = i;
            return true;
        }
    }
    return false;
}

void build_slots_give_back(size_t slot)
{
    set_lock(slot, F_UNLCK);
    atomic_store(&has[slot], false);
}

/* The slot that every compile needs for itself. A compile without it is one thread too many; who keeps all
 * of them for so long may be stopped, and would keep the build for ever. */
static bool wait_for_first(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
    uint32_t limit_ms = cbn_cache_default_wait_ms();
    uint32_t waited_ms = 0;
    size_t slot;
    while (!build_slots_take(&slot)) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return false;
        }
        if (waited_ms >= limit_ms) {
            char holder[LOCK_HOLDER_SIZE];
            command_warning("no thread of the build became free in %u s (CUBINET_CACHE_WAIT), so it has one "
                            "more; %s has one",
                            limit_ms / 1000, lock_holder(file, holder));
            return true;
        }
        nanosleep(&pause, NULL);
        waited_ms += PAUSE_MS;
    }
    return true;
}

bool build_slots_open(void)
{
    const char *value = getenv(variable);
    char *path = NULL;
    unsigned long count = value ? strtoul(value, &path, 10) : 0;
    if (count == 0 || count > MOST_SLOTS || *path != ':') {
        return false;
    }
    file = open(path + 1, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    slot_count = count;
    if (file >= 0 && wait_for_first()) {
        return true;
    }
    if (file >= 0) {
        close(file);
    }
    file = -1;
    slot_count = 0;
    return false;
}
