/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_piece.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/link/device_elf.h"
#include "loader/link/ptx_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_IS_ENTRY = 0x10 }; /* in st_other of a kernel */

static cubinet_status name_piece(struct cbn_piece *piece, const char *module)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    const char *const parts[] = {"module '", module,
                                 "' (",      cubinet_target_name(piece->info.target, target),
                                 ") of ",    cbn_archive_name(piece->archive)};
    /* Without printf, which would be a tenth of what a link from a warm cache takes. */
    size_t size = 1;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size += strlen(parts[i]);
    }
    piece->name = malloc(size);
    if (!piece->name) {
        return cbn_error_memory();
    }
    char *end = piece->name;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        end = stpcpy(end, parts[i]);
    }
    return CUBINET_OK;
}

static cubinet_status type_of_image(const struct cbn_piece *piece, nvJitLinkInputType *out_type)
{
    switch (piece->info.target.kind) {
    case CUBINET_IMAGE_CUBIN:
        *out_type = NVJITLINK_INPUT_CUBIN;
        return CUBINET_OK;
    case CUBINET_IMAGE_PTX:
        *out_type = NVJITLINK_INPUT_PTX;
        return CUBINET_OK;
    case CUBINET_IMAGE_LTOIR:
        *out_type = NVJITLINK_INPUT_LTOIR;
        return CUBINET_OK;
    case CUBINET_IMAGE_TILEIR:
    case CUBINET_IMAGE_OPTIXIR:
        break;
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: images of kind %d can't be linked", piece->name,
                     (int)piece->info.target.kind);
}

static cubinet_status read_symbols(struct cbn_piece *piece)
{
    uint32_t count = piece->info.defined_count + piece->info.needed_count;
    piece->symbols_complete = (piece->info.flags & CUBINET_IMAGE_SYMBOLS_COMPLETE) != 0;
    piece->symbols = calloc((size_t)count + 1, sizeof(*piece->symbols));
    if (!piece->symbols) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        cubinet_symbol_info info = {.size = sizeof(info)};
        cubinet_status status =
            cubinet_archive_get_symbol(piece->archive, piece->module, piece->image, i, &info);
        if (status) {
            return status;
        }
        piece->symbols[piece->symbol_count++] = (struct cbn_piece_symbol){
            .name = info.name,
            .expression = info.expression,
            .type = info.type,
            .is_defined = (info.flags & CUBINET_SYMBOL_DEFINED) != 0,
            .is_weak = (info.flags & CUBINET_SYMBOL_WEAK) != 0,
        };
    }
    return CUBINET_OK;
}

static cubinet_status read_kernels(struct cbn_piece *piece, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cubinet_kernel_info info = {.size = sizeof(info)};
        cubinet_status status = cubinet_archive_get_kernel(piece->archive, piece->module, i, &info);
        if (status) {
            return status;
        }
        piece->names[piece->name_count++] = (struct cbn_piece_name){
            .name = info.name,
            .expression = info.expression,
            .is_kernel = true,
            .is_in_image = cbn_archive_image_has_kernel(piece->archive, piece->module, piece->image, i),
        };
    }
    return CUBINET_OK;
}

static cubinet_status read_globals(struct cbn_piece *piece, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cubinet_global_info info = {.size = sizeof(info)};
        cubinet_status status = cubinet_archive_get_global(piece->archive, piece->module, i, &info);
        if (status) {
            return status;
        }
        piece->names[piece->name_count++] =
            (struct cbn_piece_name){.name = info.name, .expression = info.expression};
    }
    return CUBINET_OK;
}

static cubinet_status read_names(struct cbn_piece *piece, const cubinet_module_info *module)
{
    size_t most = (size_t)module->kernel_count + module->global_count;
    piece->names = calloc(most + 1, sizeof(*piece->names));
    if (!piece->names) {
        return cbn_error_memory();
    }
    cubinet_status status = read_kernels(piece, module->kernel_count);
    return status ? status : read_globals(piece, module->global_count);
}

cubinet_status cbn_piece_from_archive(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                      struct cbn_piece *out_piece)
{
    struct cbn_piece piece = {.module = module, .image = image, .info = {.size = sizeof(piece.info)}};
    cubinet_module_info about = {.size = sizeof(about)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &about);
    if (!status) {
        status = cubinet_archive_get_image(archive, module, image, &piece.info);
    }
    if (status) {
        return status;
    }
    piece.archive = cbn_archive_retain(archive);
    piece.size = (size_t)piece.info.stored_size;
    status = cbn_archive_image_identity(archive, module, image, &piece.identity);
    if (!status) {
        status = name_piece(&piece, about.name);
    }
    if (!status) {
        status = type_of_image(&piece, &piece.type);
    }
    if (!status) {
        status = read_symbols(&piece);
    }
    if (!status) {
        status = read_names(&piece, &about);
    }
    if (status) {
        cbn_piece_free(&piece);
        return status;
    }
    *out_piece = piece;
    return CUBINET_OK;
}

/* What a symbol of device code is to a linker; false: nothing. */
static bool take_symbol(const struct cbn_elf_symbol *symbol, struct cbn_piece_symbol *out_symbol)
{
    bool is_kernel = symbol->type == STT_FUNC && symbol->other & SYMBOL_IS_ENTRY;
    bool is_shared = symbol->name[0] == '.'; /* the linker's own, such as .nv.reservedSmem.offset0 */
    if (symbol->binding == STB_LOCAL || is_kernel || is_shared ||
        (symbol->type != STT_FUNC && symbol->type != STT_OBJECT)) {
        return false;
    }
    *out_symbol = (struct cbn_piece_symbol){
        .name = symbol->name,
        .type = "",
        .is_defined = symbol->section != SHN_UNDEF,
        .is_weak = symbol->binding == STB_WEAK,
    };
    return true;
}

/* Device code tells its symbols itself. What is no ELF file is for nvJitLink to refuse. */
static cubinet_status read_elf_symbols(struct cbn_piece *piece)
{
    struct cbn_elf elf;
    cubinet_status status = cbn_elf_open(&elf, piece->data, piece->size);
    if (status) {
        return cbn_error_context(status, "%s", piece->name);
    }
    piece->symbols = calloc(elf.symbol_count + 1, sizeof(*piece->symbols));
    if (!piece->symbols) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < elf.symbol_count; i++) {
        struct cbn_elf_symbol symbol;
        status = cbn_elf_symbol(&elf, i, &symbol);
        if (status) {
            return cbn_error_context(status, "%s", piece->name);
        }
        piece->symbol_count += take_symbol(&symbol, &piece->symbols[piece->symbol_count]);
    }
    piece->symbols_complete = true;
    return CUBINET_OK;
}

/* PTX tells its symbols too: it is looked through twice, to count them and to take them. Text that is no PTX
 * is for nvJitLink to refuse. */
static cubinet_status read_ptx_symbols(struct cbn_piece *piece)
{
    struct cbn_ptx_symbols symbols = cbn_ptx_symbols_in((const char *)piece->data);
    struct cbn_ptx_symbol symbol;
    size_t count = 0;
    while (cbn_ptx_next_symbol(&symbols, &symbol)) {
        cbn_text_list_addf(&piece->symbol_names, "%.*s", (int)symbol.name_size, symbol.name);
        count++;
    }
    piece->symbols = calloc(count + 1, sizeof(*piece->symbols));
    if (!piece->symbols || piece->symbol_names.failed) {
        return cbn_error_memory();
    }
    symbols = cbn_ptx_symbols_in((const char *)piece->data);
    while (cbn_ptx_next_symbol(&symbols, &symbol)) {
        piece->symbols[piece->symbol_count] = (struct cbn_piece_symbol){
            .name = piece->symbol_names.items[piece->symbol_count],
            .type = "",
            .is_defined = symbol.is_defined,
            .is_weak = symbol.is_weak,
        };
        piece->symbol_count++;
    }
    piece->symbols_complete = !symbols.is_damaged;
    return CUBINET_OK;
}

/* nvJitLink's types have the public numbers, but for the one that it finds out itself. LTO-IR is told by its
 * first bytes: options depend on it. */
static nvJitLinkInputType type_of_data(cubinet_piece_kind kind, const void *data, size_t size)
{
    static const unsigned char ltoir[] = {0xed, 0x43, 0x4e, 0x7f};
    if (kind != CUBINET_PIECE_ANY) {
        return (nvJitLinkInputType)kind;
    }
    return size >= sizeof(ltoir) && memcmp(data, ltoir, sizeof(ltoir)) == 0 ? NVJITLINK_INPUT_LTOIR
                                                                            : NVJITLINK_INPUT_ANY;
}

/* NULs at the end of PTX do not belong to it: NVRTC counts one. */
static size_t size_to_keep(cubinet_piece_kind kind, const unsigned char *data, size_t size)
{
    while (kind == CUBINET_PIECE_PTX && size > 0 && data[size - 1] == '\0') {
        size--;
    }
    return size;
}

static cubinet_status copy(struct cbn_piece *piece, const void *data, size_t size, const char *name,
                           size_t number)
{
    int length = name ? asprintf(&piece->name, "%s", name) : asprintf(&piece->name, "piece %zu", number);
    if (length < 0) {
        piece->name = NULL;
        return cbn_error_memory();
    }
    piece->data = malloc(size + 1);
    if (!piece->data) {
        return cbn_error_memory();
    }
    memcpy(piece->data, data, size);
    piece->data[size] = '\0';
    piece->size = size;
    piece->identity = cbn_sha256(data, size);
    return CUBINET_OK;
}

cubinet_status cbn_piece_from_memory(cubinet_piece_kind kind, const void *data, size_t size, const char *name,
                                     size_t number, struct cbn_piece *out_piece)
{
    if (kind < CUBINET_PIECE_ANY || kind > CUBINET_PIECE_LIBRARY) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %d is not a cubinet_piece_kind",
                         name ? name : "a piece", (int)kind);
    }
    size = data ? size_to_keep(kind, data, size) : 0;
    if (size == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: the piece is %s", name ? name : "a piece",
                         data ? "empty" : "NULL");
    }
    struct cbn_piece piece = {.type = type_of_data(kind, data, size)};
    cubinet_status status = copy(&piece, data, size, name, number);
    if (!status && kind == CUBINET_PIECE_PTX) {
        cbn_ptx_target((const char *)piece.data, &piece.info.target);
        status = read_ptx_symbols(&piece);
    }
    if (!status && kind == CUBINET_PIECE_CUBIN) {
        status = read_elf_symbols(&piece);
    }
    if (status) {
        cbn_piece_free(&piece);
        return status;
    }
    *out_piece = piece;
    return CUBINET_OK;
}

void cbn_piece_free(struct cbn_piece *piece)
{
    cbn_archive_release(piece->archive);
    free(piece->name);
    free(piece->data);
    free(piece->symbols);
    free(piece->names);
    cbn_text_list_free(&piece->symbol_names);
    *piece = (struct cbn_piece){0};
}

cubinet_status cbn_piece_read(const struct cbn_piece *piece, const unsigned char **out_data, size_t *out_size,
                              unsigned char **out_owned)
{
    *out_owned = NULL;
    if (!piece->archive) {
        *out_data = piece->data;
        *out_size = piece->size;
        return CUBINET_OK;
    }
    /* nvJitLink takes text for PTX only where a NUL follows, and in an archive the next image does. */
    bool needs_end = piece->info.target.kind == CUBINET_IMAGE_PTX;
    struct cbn_image_bytes bytes;
    cubinet_status status =
        cbn_archive_take_image(piece->archive, piece->module, piece->image, needs_end, &bytes);
    if (!status) {
        *out_data = bytes.data;
        *out_size = bytes.size;
        *out_owned = bytes.owned;
    }
    return status;
}

const char *cbn_piece_find_name(const struct cbn_piece *piece, const char *expression_or_name, bool is_kernel)
{
    for (size_t i = 0; i < piece->name_count; i++) {
        const struct cbn_piece_name *name = &piece->names[i];
        if (name->is_kernel == is_kernel && (strcmp(name->name, expression_or_name) == 0 ||
                                             cbn_expression_equal(name->expression, expression_or_name))) {
            return name->name;
        }
    }
    return NULL;
}

const char *cbn_piece_find_expression(const struct cbn_piece *piece, const char *name, bool is_kernel)
{
    for (size_t i = 0; i < piece->name_count; i++) {
        if (piece->names[i].is_kernel == is_kernel && strcmp(piece->names[i].name, name) == 0) {
            return piece->names[i].expression;
        }
    }
    return NULL;
}
