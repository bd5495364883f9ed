/* SPDX-License-Identifier: Apache-2.0 */
#include "link/foreign.h"

#include "archive/archive_inside.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/name_check.h"
#include "base/path.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/fatbin_modules.h"
#include "image/host_object.h"
#include "image/nvvm_container.h"
#include "image/tileir_read.h"
#include "loader/core/archive/elf_file.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/select/target.h"
#include "loader/core/support/error.h"
#include "loader/link/read_cubin.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "toolkit/assemble.h"
#include "toolkit/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One file in work. */
struct source {
    struct foreign *foreign;
    const char *path;
    char *name; /* of the module */
    struct draft *draft;
};

/* The number of a target that the image alone tells. */
enum { NOT_TOLD = -1 };

static bool starts_with(const char *data, size_t size, const void *start, size_t start_size)
{
    return size >= start_size && memcmp(data, start, start_size) == 0;
}

/* Whether a file is none of Cubinet's own archives, nor a program with one inside, as far as its first bytes
 * tell. False for one that can't be read: opening it as an archive says why. */
static bool is_foreign(const char *path)
{
    char start[4];
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rbe") : NULL;
    if (!file) {
        return false;
    }
    size_t size = fread(start, 1, sizeof(start), file);
    fclose(file);
    return size > 0 && !starts_with(start, size, "PK\3\4", 4) && !archive_inside(path);
}

/* "gemm" of "build/gemm.sm_90.cubin". */
static char *module_of(const char *path)
{
    const char *name = path_name(path);
    size_t size = strcspn(name, ".");
    return strndup(name, size > 0 ? size : strlen(name));
}

static cubinet_status open_nvjitlink(struct source *source)
{
    struct foreign *foreign = source->foreign;
    struct toolkit toolkit = {0};
    if (foreign->nvjitlink.library.handle) {
        return CUBINET_OK;
    }
    cubinet_status status = toolkit_find(foreign->toolkit, NULL, &toolkit);
    if (!status && !toolkit.nvjitlink) {
        status = cbn_error(CUBINET_ERROR_TOOLKIT, "there is no nvJitLink beside %s", toolkit.nvrtc);
    }
    if (!status) {
        const struct cbn_library_search search = {
            .what = "nvJitLink", .path = toolkit.nvjitlink, .stays = true};
        status = cbn_nvjitlink_open(&search, &foreign->nvjitlink);
    }
    toolkit_free(&toolkit);
    return !status ? status
                   : cbn_error_context(status, "'%s' is LTO-IR, which nvJitLink has to read", source->path);
}

static cubinet_status read_ltoir(struct source *source, const unsigned char *data, size_t size,
                                 cubinet_target target, struct contents *contents)
{
    const cubinet_target virtual = {CUBINET_IMAGE_PTX, target.number, target.suffix};
    cubinet_status status = open_nvjitlink(source);
    if (!status) {
        status = assemble_read_ltoir(&source->foreign->nvjitlink, data, size, virtual, NULL, 0, contents);
    }
    if (!status) {
        contents->toolkit = 0; /* that of the reader says nothing of the writer */
        contents->ptx_isa = 0;
    }
    return status;
}

/* PTX that lacks functions or variables is a piece that has to be linked, as one that Cubinet compiles. */
static cubinet_status read_ptx(const char *text, size_t size, struct contents *contents)
{
    struct symbol_list symbols = {0};
    cubinet_status status = ptx_read(text, size, contents);
    if (!status) {
        status = ptx_symbols_read(text, size, &symbols);
    }
    if (!status && symbol_list_defined(&symbols) < symbols.count) {
        contents->symbols = symbols;
    } else {
        symbol_list_free(&symbols);
    }
    return status;
}

static cubinet_status read_contents(struct source *source, const unsigned char *data, size_t size,
                                    cubinet_target target, struct contents *contents)
{
    switch (target.kind) {
    case CUBINET_IMAGE_CUBIN:
        return cubin_read(data, size, contents);
    case CUBINET_IMAGE_PTX:
        return read_ptx((const char *)data, size, contents);
    case CUBINET_IMAGE_LTOIR:
        return read_ltoir(source, data, size, target, contents);
    case CUBINET_IMAGE_TILEIR:
        return tileir_read(data, size, contents);
    case CUBINET_IMAGE_OPTIXIR:
        return CUBINET_OK; /* it is under a cipher, so its programs are not known */
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "images of kind %d can't be filed", (int)target.kind);
}

static bool is_relocatable(const unsigned char *data, size_t size)
{
    Elf64_Ehdr header;
    return cbn_elf_header(data, size, &header) && header.e_type == ET_REL;
}

/* Takes over `words`: what --arch of `cubinet link` takes. */
static cubinet_status refuse_relocatable(const struct source *source, struct buffer *words)
{
    cubinet_status status = cbn_error_memory();
    if (!words->failed) {
        status = cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "'%s' has device code that was compiled to be linked (-dc, -rdc=true), which no GPU loads: "
            "link it, and what else it needs, with `cubinet link %s -o FILE --arch %s`",
            source->path, source->path, words->size ? words->data : "native");
    }
    buffer_free(words);
    return status;
}

/* "80-real" of code that links for that target. */
static void put_architecture(struct buffer *words, cubinet_target target)
{
    enum { LONGEST = 200 };
    char word[32];
    bool is_code = target.kind == CUBINET_IMAGE_CUBIN || target.kind == CUBINET_IMAGE_LTOIR;
    const char suffix[] = {(char)target.suffix, '\0'};
    snprintf(word, sizeof(word), "%d%s-real", target.number, suffix);
    if (is_code && target.number > 0 && words->size < LONGEST &&
        (!words->data || !strstr(words->data, word))) {
        buffer_printf(words, "%s%s", words->size ? "," : "", word);
    }
}

static cubinet_status refuse_object(const struct source *source, const struct host_fatbins *fatbins)
{
    struct fatbin_reader reader = {.bytes = fatbins->bytes, .size = fatbins->size};
    struct cbn_fatbin_entry entry;
    struct buffer words = {0};
    bool found = true;
    while (!fatbin_next(&reader, &found, &entry) && found) {
        put_architecture(&words, entry.target);
    }
    return refuse_relocatable(source, &words);
}

static cubinet_status refuse_cubin(const struct source *source, cubinet_target told, const void *data,
                                   size_t size)
{
    struct buffer words = {0};
    told.number = told.number ? told.number : cbn_relocatable_number(data, size);
    put_architecture(&words, told);
    return refuse_relocatable(source, &words);
}

static bool is_target(cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    return cbn_target_read(cubinet_target_name(target, name), &target);
}

/* "sm_90a", or what stands where such a name should. */
enum { TARGET_TEXT_SIZE = 64 };
static const char *target_text(cubinet_target target, char text[TARGET_TEXT_SIZE])
{
    if (is_target(target)) {
        return cubinet_target_name(target, text);
    }
    snprintf(text, TARGET_TEXT_SIZE, "architecture number %d, which does not exist", target.number);
    return text;
}

/* What a container says that an image is for must be what the image says, if it says anything. */
static cubinet_status check_target(const struct source *source, cubinet_target told, cubinet_target target,
                                   const struct contents *contents)
{
    char label[TARGET_TEXT_SIZE];
    char name[TARGET_TEXT_SIZE];
    if (told.number != NOT_TOLD && contents->target.kind && !contents_fit(contents, told)) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "'%s' labels an image with %s, and the image itself is for %s", source->path,
                         target_text(told, label), target_text(contents->target, name));
    }
    if (!is_target(target)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "'%s' has an image for %s", source->path,
                         target_text(target, label));
    }
    return CUBINET_OK;
}

/* Reads what an image tells of itself. A failure leaves contents to be freed. */
static cubinet_status read_image(struct source *source, cubinet_target told, const unsigned char *data,
                                 size_t size, struct contents *contents)
{
    if (told.kind == CUBINET_IMAGE_CUBIN && is_relocatable(data, size)) {
        return refuse_cubin(source, told, data, size);
    }
    cubinet_status status = read_contents(source, data, size, told, contents);
    return status ? cbn_error_context(status, "'%s'", source->path) : CUBINET_OK;
}

/* Files an image, whose bytes it takes over. `told`: the target as far as its container tells; a suffix that
 * is told there is not in every image. */
static cubinet_status add_image(struct source *source, cubinet_target told, unsigned char *data, size_t size)
{
    struct contents contents = {0};
    struct draft_image *image = NULL;
    struct draft_module *module = draft_module(source->draft, source->name);
    cubinet_status status = module ? read_image(source, told, data, size, &contents) : cbn_error_memory();
    cubinet_target target = told.number == NOT_TOLD ? contents.target : told;
    if (!status) {
        status = check_target(source, told, target, &contents);
    }
    if (!status) {
        status = draft_add_image(module, target, data, size, &contents, source->path, &image);
    } else {
        free(data);
    }
    if (!status && target.kind == CUBINET_IMAGE_LTOIR) {
        image->link_floor = (uint32_t)source->foreign->nvjitlink.version;
    }
    contents_free(&contents);
    return status;
}

/* Images in fatbins that Cubinet does not know are told once. */
static cubinet_status note_unread(struct source *source, const struct cbn_fatbin_entry *entry)
{
    if (source->foreign->unread) {
        return CUBINET_OK;
    }
    if (asprintf(&source->foreign->unread, "'%s' has an image of kind %d, which is left out", source->path,
                 entry->code) < 0) {
        source->foreign->unread = NULL;
        return cbn_error_memory();
    }
    return CUBINET_OK;
}

static cubinet_status add_entry(struct source *source, const struct cbn_fatbin_entry *entry)
{
    unsigned char *data = NULL;
    size_t size = 0;
    if (!entry->target.kind) {
        return note_unread(source, entry);
    }
    cubinet_status status = fatbin_unpack(entry, &data, &size);
    if (status) {
        return cbn_error_context(status, "'%s'", source->path);
    }
    cubinet_target told = entry->target;
    if (told.kind == CUBINET_IMAGE_TILEIR) {
        told.number = NOT_TOLD;
    }
    return add_image(source, told, data, size);
}

/* Files an entry in the module of its container. */
static cubinet_status add_entry_of(const struct source *source, const struct fatbin_modules *modules,
                                   size_t container, const struct cbn_fatbin_entry *entry)
{
    struct source part = *source;
    size_t number = modules->numbers[container];
    if (number == 0) {
        return CUBINET_OK;
    }
    if (modules->count > 1 && asprintf(&part.name, "%s.%zu", source->name, number) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = add_entry(&part, entry);
    if (part.name != source->name) {
        free(part.name);
    }
    return status;
}

static cubinet_status add_entries(const struct source *source, const struct fatbin_modules *modules,
                                  const void *data, size_t size)
{
    struct fatbin_reader reader = {.bytes = data, .size = size};
    struct cbn_fatbin_entry entry;
    bool found = true;
    cubinet_status status = CUBINET_OK;
    while (!status && !(status = fatbin_next(&reader, &found, &entry)) && found) {
        status = add_entry_of(source, modules, reader.containers - 1, &entry);
    }
    return status;
}

static cubinet_status add_fatbins(const struct source *source, const void *data, size_t size)
{
    struct fatbin_modules modules = {0};
    cubinet_status status = fatbin_modules_find(data, size, &modules);
    if (status) {
        return cbn_error_context(status, "'%s'", source->path);
    }
    status = add_entries(source, &modules, data, size);
    fatbin_modules_free(&modules);
    return status;
}

static cubinet_status add_object(struct source *source, const void *data, size_t size)
{
    struct host_fatbins fatbins;
    cubinet_status status = host_object_find(data, size, &fatbins);
    if (status) {
        return cbn_error_context(status, "'%s'", source->path);
    }
    if (fatbins.is_relocatable) {
        return refuse_object(source, &fatbins);
    }
    return add_fatbins(source, fatbins.bytes, fatbins.size);
}

/* A copy of the file's bytes, since images belong to the draft. */
static cubinet_status add_copy(struct source *source, cubinet_target told, const void *data, size_t size)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, data, size);
    return add_image(source, told, copy, size);
}

static cubinet_status add_elf(struct source *source, const char *data, size_t size)
{
    return cubin_is(data, size)
               ? add_copy(source, (cubinet_target){CUBINET_IMAGE_CUBIN, NOT_TOLD, 0}, data, size)
               : add_object(source, data, size);
}

static cubinet_status add_nvvm(struct source *source, const char *data, size_t size)
{
    cubinet_target target;
    cubinet_status status = nvvm_container_target(data, size, &target);
    return !status ? add_copy(source, target, data, size) : cbn_error_context(status, "'%s'", source->path);
}

/* What to do with files that are given by mistake. */
static const char *advice(const char *path, const char *data, size_t size)
{
    static const char library[] = "!<arch>\n";
    const char *suffix = strrchr(path, '.');
    if (starts_with(data, size, library, strlen(library))) {
        return "; of a static library, pack the objects in it (`ar x`), or link it (`cubinet link`) if they "
               "were compiled for that";
    }
    return suffix && strcmp(suffix, ".cu") == 0 ? "; compile sources with `cubinet compile`" : "";
}

/* PTX is text with .version somewhere behind comments. NULs at its end are no part of it. */
static cubinet_status add_text(struct source *source, const char *data, size_t size)
{
    while (size > 0 && data[size - 1] == '\0') {
        size--;
    }
    if (!memmem(data, size, ".version", strlen(".version")) || memchr(data, '\0', size)) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "'%s' is nothing that an archive holds: neither an archive nor a cubin, PTX, LTO-IR, Tile IR, "
            "OptiX-IR, a fatbin, or an object with fatbins in it%s",
            source->path, advice(source->path, data, size));
    }
    return add_copy(source, (cubinet_target){CUBINET_IMAGE_PTX, NOT_TOLD, 0}, data, size);
}

static cubinet_status add_bytes(struct source *source, const char *data, size_t size)
{
    if (cbn_fatbin_is(data, size)) {
        return add_fatbins(source, data, size);
    }
    if (nvvm_container_is(data, size)) {
        return add_nvvm(source, data, size);
    }
    if (cbn_tileir_is(data, size)) {
        return add_copy(source, (cubinet_target){CUBINET_IMAGE_TILEIR, NOT_TOLD, 0}, data, size);
    }
    if (cbn_is_elf(data, size)) {
        return add_elf(source, data, size);
    }
    return add_text(source, data, size);
}

/* module: NULL for the default */
static cubinet_status add_file(struct foreign *foreign, const char *module, const char *path,
                               struct draft *draft)
{
    char *data = NULL;
    size_t size = 0;
    const char *name = module ? module : foreign->module;
    struct source source = {
        .foreign = foreign,
        .path = path,
        .name = name ? strdup(name) : module_of(path),
        .draft = draft,
    };
    cubinet_status status = source.name ? file_read(path, &data, &size) : cbn_error_memory();
    if (!status) {
        status = add_bytes(&source, data, size);
    }
    free(data);
    free(source.name);
    return status;
}

static cubinet_status refuse_named_archive(const char *module, const char *path)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    cubinet_archive_close(archive);
    return status ? status
                  : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                              "'%s' is an archive, whose modules have names: leave '%s=' out", path, module);
}

/* A file whose module is named. */
static cubinet_status add_named(struct foreign *foreign, const char *module, const char *path,
                                struct draft *draft)
{
    cubinet_status status = name_check("a module's name", module);
    if (status) {
        return status;
    }
    return is_foreign(path) ? add_file(foreign, module, path, draft) : refuse_named_archive(module, path);
}

cubinet_status foreign_take(struct foreign *foreign, const char *input, struct draft *draft,
                            const char **out_archive)
{
    const char *equals = strchr(input, '=');
    *out_archive = NULL;
    if (equals && access(input, F_OK) != 0 && access(equals + 1, F_OK) == 0) {
        char *module = strndup(input, (size_t)(equals - input));
        cubinet_status status = module ? add_named(foreign, module, equals + 1, draft) : cbn_error_memory();
        free(module);
        return status;
    }
    if (is_foreign(input)) {
        return add_file(foreign, NULL, input, draft);
    }
    *out_archive = input;
    return CUBINET_OK;
}

void foreign_free(struct foreign *foreign)
{
    cbn_nvjitlink_close(&foreign->nvjitlink);
    free(foreign->unread);
    *foreign = (struct foreign){0};
}
