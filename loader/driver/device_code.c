/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/device_code.h"

#include <stdlib.h>

struct cbn_device_code *cbn_device_code_new(uint32_t part_count)
{
    struct cbn_device_code *code = calloc(1, sizeof(*code) + part_count * sizeof(code->parts[0]));
    if (code) {
        /* With glibc, neither of the two fails. */
        pthread_mutex_init(&code->mutex, NULL);
        pthread_cond_init(&code->part_ended, NULL);
        atomic_init(&code->users, 1);
        code->part_count = part_count;
    }
    return code;
}

struct cbn_device_code *cbn_device_code_share(struct cbn_device_code *code)
{
    atomic_fetch_add_explicit(&code->users, 1, memory_order_relaxed);
    return code;
}

bool cbn_part_begin(struct cbn_device_code *code, uint32_t number)
{
    struct cbn_part *part = &code->parts[number];
    if (cbn_part_is_loaded(code, number)) {
        return false;
    }
    pthread_mutex_lock(&code->mutex);
    while (part->is_loading) {
        pthread_cond_wait(&code->part_ended, &code->mutex);
    }
    bool is_callers = !cbn_part_is_loaded(code, number);
    part->is_loading = is_callers;
    pthread_mutex_unlock(&code->mutex);
    return is_callers;
}

void cbn_part_end(struct cbn_device_code *code, uint32_t number, bool is_loaded)
{
    struct cbn_part *part = &code->parts[number];
    if (is_loaded) {
        free(part->kept.owned);
        part->kept = (struct cbn_image_bytes){0};
    }
    pthread_mutex_lock(&code->mutex);
    part->is_loading = false;
    atomic_store_explicit(&part->is_loaded, is_loaded, memory_order_release);
    pthread_cond_broadcast(&code->part_ended);
    pthread_mutex_unlock(&code->mutex);
}

cbn_cu_result cbn_part_drop(const struct cbn_driver_table *cu, struct cbn_part *part)
{
    cbn_cu_result result = part->library ? cu->cuLibraryUnload(part->library) : CBN_CU_SUCCESS;
    cbn_param_counts_free(&part->params);
    free(part->jit_log);
    part->library = NULL;
    part->jit_log = NULL;
    return result;
}

cbn_cu_result cbn_device_code_release(const struct cbn_driver_table *cu, struct cbn_device_code *code)
{
    cbn_cu_result result = CBN_CU_SUCCESS;
    if (!code || atomic_fetch_sub_explicit(&code->users, 1, memory_order_acq_rel) > 1) {
        return result;
    }
    for (uint32_t i = 0; i < code->part_count; i++) {
        cbn_cu_result dropped = cbn_part_drop(cu, &code->parts[i]);
        result = result != CBN_CU_SUCCESS ? result : dropped;
        free(code->parts[i].kept.owned);
    }
    pthread_cond_destroy(&code->part_ended);
    pthread_mutex_destroy(&code->mutex);
    free(code);
    return result;
}
