/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/nv_info.h"

#include "loader/core/archive/format.h"

enum {
    RECORD_SIZE = 4,

    /* Formats. */
    WITHOUT_VALUE = 1,
    BYTE_VALUE = 2,
    HALF_VALUE = 3,
    SIZED_VALUE = 4,

    PARAM_SIZE = 12,
};

int cbn_nv_info_next(struct cbn_nv_info_reader *reader, struct cbn_nv_info_record *out_record)
{
    if (reader->size == 0) {
        return 0;
    }
    if (reader->size < RECORD_SIZE) {
        return -1;
    }
    const unsigned char *bytes = reader->bytes;
    unsigned format = bytes[0];
    if (format < WITHOUT_VALUE || format > SIZED_VALUE) {
        return -1;
    }
    struct cbn_nv_info_record record = {.code = bytes[1], .value = cbn_get16(bytes + 2)};
    if (format == SIZED_VALUE) {
        record.size = record.value;
        record.data = bytes + RECORD_SIZE;
        record.value = 0;
        if (record.size > reader->size - RECORD_SIZE) {
            return -1;
        }
    } else if (format == BYTE_VALUE) {
        record.value = bytes[2];
    }
    reader->bytes += RECORD_SIZE + record.size;
    reader->size -= RECORD_SIZE + record.size;
    *out_record = record;
    return 1;
}

uint32_t cbn_nv_info_word(const struct cbn_nv_info_record *record, size_t index)
{
    size_t offset = index * sizeof(uint32_t);
    return record->size >= offset + sizeof(uint32_t) ? cbn_get32(record->data + offset) : 0;
}

int cbn_nv_info_param(const struct cbn_nv_info_record *record, struct cbn_nv_info_param *out_param)
{
    int is_v2 = record->code == CBN_NV_INFO_KPARAM_INFO_V2;
    if ((record->code != CBN_NV_INFO_KPARAM_INFO && !is_v2) || record->size < PARAM_SIZE) {
        return 0;
    }
    uint32_t place = cbn_nv_info_word(record, 1);
    uint32_t shape = cbn_nv_info_word(record, 2);
    /* The lower bits say how the parameter is held; the newer form has its size there instead. */
    *out_param = (struct cbn_nv_info_param){
        .ordinal = place & 0xffff,
        .offset = place >> 16,
        .size = is_v2 ? shape & 0xffff : shape >> 18,
    };
    return 1;
}
