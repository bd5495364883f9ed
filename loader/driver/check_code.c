/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/check_code.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"

#include <stdbool.h>

/* Other code than PTX, which the driver takes too, starts with a byte that no text starts with: ELF files
 * with 0x7f, fatbins with 0x50 0xed, which is no UTF-8. */
static cubinet_status check_ptx(const unsigned char *code, uint64_t size)
{
    bool is_binary = code[0] == 0x7f || (size > 1 && code[0] == 0x50 && code[1] == 0xed);
    return is_binary ? cbn_error(CUBINET_ERROR_DAMAGED, "not PTX: it is machine code") : CUBINET_OK;
}

/* The driver is told no size: it reads until the end that the bytecode itself tells. */
static cubinet_status check_tileir(const void *code, uint64_t size, int number)
{
    struct cbn_tileir tileir;
    cubinet_status status = cbn_tileir_open(code, (size_t)size, &tileir);
    if (!status && tileir.number != number) {
        status =
            cbn_error(CUBINET_ERROR_DAMAGED, "it is Tile IR %d.%d", tileir.number / 10, tileir.number % 10);
    }
    return status;
}

static cubinet_status check(const cubinet_image_info *info, const void *code, struct cbn_elf *out_elf)
{
    switch (info->target.kind) {
    case CUBINET_IMAGE_PTX:
        return check_ptx(code, info->raw_size);
    case CUBINET_IMAGE_TILEIR:
        return check_tileir(code, info->raw_size, info->target.number);
    default:
        return cbn_elf_open(out_elf, code, (size_t)info->raw_size);
    }
}

cubinet_status cbn_check_code(const cubinet_archive *archive, uint32_t module, const cubinet_image_info *info,
                              const void *code, struct cbn_elf *out_elf)
{
    cubinet_status status = check(info, code, out_elf);
    cubinet_module_info described = {.size = sizeof(described)};
    if (status != CUBINET_ERROR_DAMAGED) {
        return status;
    }
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(info->target, target);
    cubinet_archive_get_module(archive, module, &described); /* its block was read before the image */
    return cbn_error_context(status, "%s is damaged: %s of module '%s'", cbn_archive_name(archive), target,
                             described.name);
}
