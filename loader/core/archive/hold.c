/* SPDX-License-Identifier: Apache-2.0 */
/* Reading images of an archive beyond its close. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"

void cbn_archive_hold(cubinet_archive *archive, struct cbn_archive_holder *holder)
{
    pthread_mutex_lock(&archive->holding);
    holder->next = archive->holders;
    archive->holders = holder;
    pthread_mutex_unlock(&archive->holding);
}

void cbn_archive_unhold(cubinet_archive *archive, struct cbn_archive_holder *holder)
{
    pthread_mutex_lock(&archive->holding);
    struct cbn_archive_holder **link = &archive->holders;
    while (*link != holder) {
        link = &(*link)->next;
    }
    *link = holder->next;
    pthread_mutex_unlock(&archive->holding);
}

void cbn_archive_leave(struct cubinet_archive *archive)
{
    pthread_mutex_lock(&archive->holding);
    if (!archive->holders) {
        cbn_storage_close_file(&archive->storage);
    } else if (cbn_storage_is_callers(&archive->storage)) {
        for (struct cbn_archive_holder *holder = archive->holders; holder; holder = holder->next) {
            holder->before_close(holder);
        }
    }
    pthread_mutex_unlock(&archive->holding);
}
