/* SPDX-License-Identifier: Apache-2.0 */
#include "link/foreign.h"

#include "archive/archive_inside.h"
#include "base/buffer.h"
#include "base/command.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/name_check.h"
#include "base/path.h"
#include "image/cubin.h"
#include "image/embedded.h"
#include "image/fatbin.h"
#include "image/fatbin_modules.h"
#include "image/host_object.h"
#include "image/nvvm_container.h"
#include "image/offload.h"
#include "image/tileir_read.h"
#include "import/import_folder.h"
#include "import/import_inductor.h"
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
    const char *input;              /* as the user named it; NULL: in a folder */
    char *name;                     /* of the module */
    char *longer;                   /* where others have that name; NULL: the user said it */
    const struct import_item *item; /* what its system says of it; NULL: nothing */
    const char *bytes;              /* the file's; NULL: images are out of something else */
    size_t at;                      /* where the image's entry of a fatbin is in them; 0: it is in none */
    size_t number;                  /* of the module in the file, from 1; 0: there is one */
    bool is_in_folder;              /* that the user named: what has no device code is passed over */
    bool is_shared;                 /* the file has several images, which may be of one module */
    bool is_offloaded;              /* out of a bundle of clang's */
    size_t *offloaded;              /* how many images came out of it; NULL: not a bundle */
    struct foreign_list *images;
};

/* The number of a target that the image alone tells. */
enum { NOT_TOLD = -1 };

static bool starts_with(const char *data, size_t size, const void *start, size_t start_size)
{
    return size >= start_size && memcmp(data, start, start_size) == 0;
}

/* PyTorch's packages are zip files, too. */
static bool is_package(const char *path)
{
    const char *suffix = strrchr(path, '.');
    return suffix && strcmp(suffix, ".pt2") == 0;
}

/* Whether a file is none of Cubinet's own archives, nor a program with one inside, as far as its first bytes
 * tell. False for one that can't be read: opening it as an archive says why. */
static bool is_foreign(const char *path)
{
    char start[4];
    struct stat about;
    bool is_there = stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode)) {
        return true;
    }
    FILE *file = is_there && S_ISREG(about.st_mode) ? fopen(path, "rbe") : NULL;
    if (!file) {
        return false;
    }
    size_t size = fread(start, 1, sizeof(start), file);
    fclose(file);
    bool is_zip = starts_with(start, size, "PK\3\4", 4);
    return size > 0 && (is_zip ? is_package(path) : !archive_inside(path));
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

/* PTX that lacks functions or variables is a piece that has to be linked, and PTX that defines functions for
 * others is one that can be, as those that Cubinet compiles. */
static bool is_piece(const struct symbol_list *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        if (!symbols->items[i].is_defined || !symbols->items[i].is_variable) {
            return true;
        }
    }
    return false;
}

static cubinet_status read_ptx(const char *text, size_t size, struct contents *contents)
{
    struct symbol_list symbols = {0};
    cubinet_status status = ptx_read(text, size, contents);
    if (!status) {
        status = ptx_symbols_read(text, size, &symbols);
    }
    if (!status && is_piece(&symbols)) {
        symbol_list_drop_weak_variables(&symbols);
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
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "images of kind %d can't be packed", (int)target.kind);
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
    if (source->is_offloaded) {
        status = cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "an image was compiled to be linked (-fgpu-rdc, -fopenmp-targets=), and no GPU loads it: "
            "link it with clang, and pack the program");
    } else if (!words->failed) {
        char place[48] = "";
        if (source->at > 0) {
            snprintf(place, sizeof(place), ", the image at offset %#zx,", source->at);
        }
        status = cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "'%s' has device code%s that was compiled to be linked (-dc, -rdc=true), which no GPU loads: "
            "link it, and what else it needs, with `cubinet link %s -o FILE --arch %s`",
            source->path, place, source->path, words->size ? words->data : "native");
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

/* Adds what the user says that LTO-IR defines. */
static cubinet_status take_exports(const struct source *source, struct contents *contents)
{
    const struct foreign *foreign = source->foreign;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < foreign->exports.count; i++) {
        if (!source->input || strcmp(source->input, foreign->exporters.items[i]) != 0) {
            continue;
        }
        char *expression = strdup(foreign->exports.items[i]);
        char *equals = expression ? strchr(expression, '=') : NULL;
        if (equals) {
            *equals = '\0';
        }
        const struct symbol symbol = {
            .name = equals ? equals + 1 : expression,
            .expression = equals ? expression : NULL,
            .is_defined = true,
        };
        contents->symbols.is_recorded = true;
        status = expression ? symbol_list_add(&contents->symbols, &symbol) : cbn_error_memory();
        free(expression);
    }
    symbol_list_sort(&contents->symbols);
    return status;
}

/* Adds what the file's system says of kernels to what the image says. */
static cubinet_status take_records(const struct source *source, struct contents *contents)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; source->item && !status && i < contents->kernel_count; i++) {
        struct contents_kernel *kernel = &contents->kernels[i];
        const struct import_kernel *known = import_item_find(source->item, kernel->name);
        struct launch_record record = LAUNCH_RECORD_EMPTY;
        if (!known) {
            continue;
        }
        status = import_kernel_record(known, &kernel->resources, &record);
        if (!status) {
            status = launch_record_fits(&record, &kernel->resources);
        }
        if (!status) {
            status = launch_record_override(&kernel->launch, &record);
        }
        launch_record_free(&record);
        if (!status && known->expression && !(kernel->expression = strdup(known->expression))) {
            status = cbn_error_memory();
        }
    }
    return status ? cbn_error_context(status, "'%s'", source->path) : CUBINET_OK;
}

/* A module's name, and a number after it where the file has several modules. */
static char *numbered(const char *name, size_t number)
{
    char *text = NULL;
    return number == 0 ? strdup(name) : asprintf(&text, "%s.%zu", name, number) < 0 ? NULL : text;
}

/* By its only kernel, as the user wants it; otherwise the file's name stays. */
static cubinet_status name_by_kernel(struct foreign_image *image)
{
    const struct contents_kernel *kernel = image->contents.kernels;
    if (image->contents.kernel_count != 1) {
        return CUBINET_OK;
    }
    free(image->name);
    image->name = strdup(kernel->expression ? kernel->expression : kernel->name);
    return image->name ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status name_image(const struct source *source, struct foreign_image *image)
{
    image->name = numbered(source->name, source->number);
    image->longer = source->longer ? numbered(source->longer, source->number) : NULL;
    image->origin = strdup(source->path);
    image->is_named = !source->longer;
    image->is_part = image->is_named || (source->item && source->item->is_part);
    /* modules of other programs have the same numbers by chance */
    const char *identity = source->number > 0 ? source->path : source->item ? source->item->identity : NULL;
    image->identity = identity ? strdup(identity) : NULL;
    if (!image->name || !image->origin || (source->longer && !image->longer) ||
        (identity && !image->identity)) {
        return cbn_error_memory();
    }
    if (source->is_shared && image->contents.kernel_count == 1) {
        free(image->longer);
        image->longer = NULL;
        if (asprintf(&image->longer, "%s.%s", source->name, image->contents.kernels[0].name) < 0) {
            image->longer = NULL;
            return cbn_error_memory();
        }
    }
    return source->longer && source->foreign->name_by == FOREIGN_BY_KERNEL ? name_by_kernel(image)
                                                                           : CUBINET_OK;
}

/* Files an image, whose bytes it takes over. `told`: the target as far as its container tells; a suffix that
 * is told there is not in every image. */
static cubinet_status add_image(struct source *source, cubinet_target told, unsigned char *data, size_t size)
{
    struct foreign_image image = {.data = data, .size = size};
    cubinet_status status = read_image(source, told, data, size, &image.contents);
    image.target = told.number == NOT_TOLD ? image.contents.target : told;
    if (!status) {
        status = check_target(source, told, image.target, &image.contents);
    }
    if (!status) {
        status = take_records(source, &image.contents);
    }
    if (!status && image.target.kind == CUBINET_IMAGE_LTOIR) {
        status = take_exports(source, &image.contents);
    }
    if (!status) {
        status = name_image(source, &image);
    }
    if (status) {
        foreign_image_free(&image);
        return status;
    }
    image.link_floor = (uint32_t)source->foreign->nvjitlink.version;
    return foreign_list_add(source->images, &image);
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
    part.number = modules->count > 1 ? number : source->number;
    bool is_in_file = source->bytes && !source->is_offloaded;
    part.at = is_in_file ? (size_t)(entry->bytes - (const unsigned char *)source->bytes) : 0;
    return add_entry(&part, entry);
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

/* A copy of the file's bytes, since images belong to the draft. Cubins that lack their last byte, which is
 * zero, get it: CuPy leaves it off, and the driver does not look at it. */
static cubinet_status add_copy(struct source *source, cubinet_target told, const void *data, size_t size)
{
    size_t whole = embedded_cubin_size(data, size) == size + 1 ? size + 1 : size;
    unsigned char *copy = malloc(whole > 0 ? whole : 1);
    if (!copy) {
        return cbn_error_memory();
    }
    copy[whole > 0 ? whole - 1 : 0] = 0;
    memcpy(copy, data, size);
    return add_image(source, told, copy, whole);
}

static cubinet_status add_found(struct source *source, const struct embedded *found)
{
    return found->is_fatbin ? add_fatbins(source, found->bytes, found->size)
                            : add_copy(source, (cubinet_target){CUBINET_IMAGE_CUBIN, NOT_TOLD, 0},
                                       found->bytes, found->size);
}

/* Images of one module, such as a serialised object's, as far as they are for different targets. */
static cubinet_status add_shared(const struct source *source, const struct embedded *found, size_t number)
{
    struct source part = *source;
    part.is_shared = true;
    part.longer = numbered(source->longer ? source->longer : source->name, number);
    cubinet_status status = part.longer ? add_found(&part, found) : cbn_error_memory();
    free(part.longer);
    return status;
}

/* Files the fatbins and cubins that lie anywhere in a file. Those of a program are a module each, unless
 * there is one. */
static cubinet_status add_embedded(struct source *source, const void *data, size_t size, size_t *out_count)
{
    bool is_program = cbn_is_elf(data, size);
    struct embedded_reader reader = {.bytes = data, .size = size};
    struct embedded found;
    cubinet_status status = CUBINET_OK;
    *out_count = 0;
    while (embedded_next(&reader, &found)) {
        ++*out_count;
    }
    reader = (struct embedded_reader){.bytes = data, .size = size};
    for (size_t i = 1; !status && embedded_next(&reader, &found); i++) {
        struct source part = *source;
        part.number = *out_count > 1 ? i : source->number;
        status = *out_count > 1 && !is_program ? add_shared(source, &found, i) : add_found(&part, &found);
    }
    return status;
}

static cubinet_status add_offload(const struct source *source, const void *data, size_t size);

/* Images in sections of clang's, of a program or an object. */
static cubinet_status add_offload_sections(const struct source *source, const void *data, size_t size,
                                           bool *out_found)
{
    size_t number = 0;
    const unsigned char *bytes;
    size_t count;
    size_t images = 0;
    struct source part = *source;
    cubinet_status status = CUBINET_OK;
    part.is_offloaded = true;
    part.offloaded = &images;
    *out_found = false;
    while (!status && host_object_next_offload(data, size, &number, &bytes, &count)) {
        *out_found = true;
        status = add_offload(&part, bytes, count);
    }
    return status ? cbn_error_context(status, "'%s'", source->path) : CUBINET_OK;
}

static cubinet_status add_object(struct source *source, const void *data, size_t size)
{
    struct host_fatbins fatbins;
    bool has_offloads;
    cubinet_status status = add_offload_sections(source, data, size, &has_offloads);
    if (status) {
        return status;
    }
    status = host_object_find(data, size, &fatbins);
    size_t count = 0;
    if (has_offloads && status) {
        return CUBINET_OK;
    }
    if (status == CUBINET_ERROR_INVALID_ARGUMENT) {
        cubinet_status found = add_embedded(source, data, size, &count);
        if (found || count > 0 || source->is_in_folder) {
            return found;
        }
    }
    if (status) {
        return cbn_error_context(status, "'%s'", source->path);
    }
    if (fatbins.is_relocatable) {
        return refuse_object(source, &fatbins);
    }
    if (fatbins.is_split) {
        return add_embedded(source, data, size, &count);
    }
    return add_fatbins(source, fatbins.bytes, fatbins.size);
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

static bool is_library(const char *data, size_t size)
{
    static const char library[] = "!<arch>\n";
    return starts_with(data, size, library, strlen(library));
}

/* What to do with files that are given by mistake. */
static const char *advice(const char *path, const char *data, size_t size)
{
    const char *suffix = strrchr(path, '.');
    if (is_library(data, size)) {
        return "; of a static library, pack the objects in it (`ar x`), or link it (`cubinet link`) if they "
               "were compiled for that";
    }
    return suffix && strcmp(suffix, ".cu") == 0 ? "; compile sources with `cubinet compile`" : "";
}

/* Where a cubin starts that is cut off, after what a cache has put before it; NULL: there is none. */
static const char *find_cut_off(const char *data, size_t size)
{
    const char *end = data + size;
    const char *at = data;
    while ((at = memmem(at, (size_t)(end - at), ELFMAG, SELFMAG)) && !cubin_is(at, (size_t)(end - at))) {
        at++;
    }
    return at;
}

/* PTX is text with .version somewhere after comments. NULs at its end do not belong to it. */
static cubinet_status add_text(struct source *source, const char *data, size_t size)
{
    const size_t whole = size;
    while (size > 0 && data[size - 1] == '\0') {
        size--;
    }
    if (!memmem(data, size, ".version", strlen(".version")) || memchr(data, '\0', size)) {
        size_t count = 0;
        cubinet_status status =
            is_library(data, size) ? CUBINET_OK : add_embedded(source, data, whole, &count);
        const char *cubin = status || count > 0 ? NULL : find_cut_off(data, whole);
        if (cubin) {
            return add_copy(source, (cubinet_target){CUBINET_IMAGE_CUBIN, NOT_TOLD, 0}, cubin,
                            whole - (size_t)(cubin - data));
        }
        if (status || count > 0 || source->is_in_folder) {
            return status;
        }
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' can't be packed: it is neither an archive nor a cubin, PTX, LTO-IR, Tile IR, "
                         "OptiX-IR, a fatbin, or a file with fatbins or cubins in it%s",
                         source->path, advice(source->path, data, size));
    }
    return add_copy(source, (cubinet_target){CUBINET_IMAGE_PTX, NOT_TOLD, 0}, data, size);
}

static cubinet_status add_bytes(struct source *source, const char *data, size_t size);

static bool is_bitcode(const unsigned char *data, size_t size)
{
    return starts_with((const char *)data, size, "BC\xC0\xDE", 4) ||
           starts_with((const char *)data, size, "\xDE\xC0\x17\x0B", 4);
}

/* Images for one target are of different sources where objects were linked. */
static cubinet_status add_offloaded(void *user, const unsigned char *image, size_t size)
{
    const struct source *source = user;
    struct source part = *source;
    if (is_bitcode(image, size)) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "an image is LLVM's bitcode, which becomes machine code when it is linked: pack the program "
            "that was linked, or compile without -foffload-lto");
    }
    part.is_shared = true;
    part.longer = numbered(source->longer ? source->longer : source->name, ++*source->offloaded);
    cubinet_status status = part.longer ? add_bytes(&part, (const char *)image, size) : cbn_error_memory();
    free(part.longer);
    return status;
}

/* Of a source that counts what comes out of it. */
static cubinet_status add_offload(const struct source *source, const void *data, size_t size)
{
    struct source part = *source;
    return offload_is(data, size) ? offload_read(data, size, add_offloaded, &part)
                                  : add_offloaded(&part, data, size);
}

/* A file of clang's. */
static cubinet_status add_offload_file(const struct source *source, const void *data, size_t size)
{
    struct source part = *source;
    size_t images = 0;
    part.is_offloaded = true;
    part.offloaded = &images;
    cubinet_status status = add_offload(&part, data, size);
    return status ? cbn_error_context(status, "'%s'", source->path) : CUBINET_OK;
}

static cubinet_status add_bytes(struct source *source, const char *data, size_t size)
{
    if (offload_is(data, size) && !source->is_offloaded) {
        return add_offload_file(source, data, size);
    }
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

/* A package of PyTorch's, with what is said in it of the kernels. */
static cubinet_status add_package(struct source *source, const char *data, size_t size)
{
    struct import_item package = {.path = NULL};
    cubinet_status status = import_inductor(data, size, &package);
    struct source part = *source;
    part.item = &package;
    if (!status) {
        status = add_bytes(&part, data, size);
    }
    import_item_free(&package);
    return status;
}

/* Names as the user wants them, or as the file's system has them. */
static cubinet_status name_source(struct source *source, const char *module)
{
    const struct foreign *foreign = source->foreign;
    const struct import_item *item = source->item;
    const char *given = module ? module : foreign->module;
    if (given) {
        source->name = strdup(given);
        return source->name ? CUBINET_OK : cbn_error_memory();
    }
    source->longer = item && item->variant ? strdup(item->variant) : foreign_file_name(source->path);
    if (foreign->name_by == FOREIGN_BY_PATH) {
        source->name = foreign_path_name(source->path);
    } else if (foreign->name_by == FOREIGN_BY_FILE) {
        source->name = foreign_file_name(source->path);
    } else {
        source->name = item && item->name ? strdup(item->name) : module_of(source->path);
    }
    return source->name && source->longer ? CUBINET_OK : cbn_error_memory();
}

/* module: NULL for the default */
static cubinet_status add_source(struct source *source, const char *module)
{
    const struct import_item *item = source->item;
    char *data = NULL;
    size_t size = 0;
    cubinet_status status = name_source(source, module);
    if (!status && item && item->data) {
        status = add_bytes(source, item->data, item->size);
    } else if (!status) {
        status = file_read(source->path, &data, &size);
        source->bytes = data;
    }
    if (!status && data) {
        status = is_package(source->path) ? add_package(source, data, size) : add_bytes(source, data, size);
    }
    free(data);
    free(source->name);
    free(source->longer);
    return status;
}

static cubinet_status add_items(struct foreign *foreign, const char *module, const struct import_list *list)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < list->count; i++) {
        struct source source = {
            .foreign = foreign,
            .path = list->items[i].path,
            .item = &list->items[i],
            .is_in_folder = true,
            .images = &foreign->images,
        };
        status = source.item->is_left_out ? CUBINET_OK : add_source(&source, module);
    }
    for (size_t i = 0; !status && i < list->notes.count; i++) {
        status = cbn_text_list_add(&foreign->notes, list->notes.items[i]);
    }
    return status;
}

/* Nothing came out of what could have had some. A note says why best. */
static cubinet_status refuse_empty(const struct import_list *list, const char *path)
{
    return list->notes.count > 0
               ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s", list->notes.items[0])
               : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "there is no device code in any of the %zu candidate files of '%s'", list->count,
                           path);
}

/* What another system left: a folder, or the file in it that describes the rest. */
static cubinet_status add_left(struct foreign *foreign, const char *module, const char *path,
                               bool *out_is_one)
{
    struct import_list list = {0};
    *out_is_one = folder_is(path);
    cubinet_status status = *out_is_one ? import_folder(path, &list) : import_file(path, &list, out_is_one);
    size_t before = foreign->images.count;
    if (!status && *out_is_one) {
        status = add_items(foreign, module, &list);
    }
    if (!status && *out_is_one && foreign->images.count == before) {
        status = refuse_empty(&list, path);
    }
    import_list_free(&list);
    return status;
}

/* Exports that no LTO-IR took. */
static cubinet_status check_exports(const struct foreign *foreign, const char *input, size_t before)
{
    bool has_some = cbn_text_list_has(&foreign->exporters, input);
    for (size_t i = before; i < foreign->images.count; i++) {
        has_some = has_some && foreign->images.items[i].target.kind != CUBINET_IMAGE_LTOIR;
    }
    return has_some
               ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "--export is about LTO-IR, and there is none in '%s': what PTX defines is read "
                           "from it",
                           input)
               : CUBINET_OK;
}

static cubinet_status add_file(struct foreign *foreign, const char *module, const char *input,
                               const char *path)
{
    bool is_left;
    size_t before = foreign->images.count;
    cubinet_status status = add_left(foreign, module, path, &is_left);
    struct source source = {.foreign = foreign, .path = path, .input = input, .images = &foreign->images};
    if (!status && !is_left) {
        status = add_source(&source, module);
    }
    return status ? status : check_exports(foreign, input, before);
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
static cubinet_status add_named(struct foreign *foreign, const char *module, const char *input,
                                const char *path)
{
    cubinet_status status = name_check("a module's name", module);
    if (status) {
        return status;
    }
    return is_foreign(path) ? add_file(foreign, module, input, path) : refuse_named_archive(module, path);
}

/* FILE of NAME=FILE, or the whole text if that is a file's name. */
static const char *path_of(const char *input)
{
    const char *equals = strchr(input, '=');
    bool is_named = equals && access(input, F_OK) != 0 && access(equals + 1, F_OK) == 0;
    return is_named ? equals + 1 : input;
}

/* Whether a file of any depth is in a folder. */
static bool is_below(const char *path, const char *folder)
{
    char *file = realpath(path, NULL);
    char *above = realpath(folder, NULL);
    size_t size = above ? strlen(above) : 0;
    bool is = file && above && strncmp(file, above, size) == 0 && file[size] == '/';
    free(file);
    free(above);
    return is;
}

void foreign_outputs(const char *input, const char *output, const char *merged_into, struct outputs *outputs)
{
    const char *path = path_of(input);
    if (!is_foreign(path)) {
        outputs_edit(outputs, "the archive", path, merged_into);
        return;
    }
    outputs_read(outputs, "the input", path);
    if (output && folder_is(path) && is_below(output, path) && is_foreign(output)) {
        outputs_read(outputs, "a file of an input folder", output);
    }
}

cubinet_status foreign_take(struct foreign *foreign, const char *input, const char **out_archive)
{
    const char *path = path_of(input);
    *out_archive = NULL;
    if (path != input) {
        char *module = strndup(input, (size_t)(path - input) - 1);
        cubinet_status status = module ? add_named(foreign, module, input, path) : cbn_error_memory();
        free(module);
        return status;
    }
    if (is_foreign(input)) {
        return add_file(foreign, NULL, input, input);
    }
    *out_archive = input;
    return check_exports(foreign, input, foreign->images.count);
}

cubinet_status foreign_export(struct foreign *foreign, const char *input, const char *text)
{
    const char *equals = strchr(text, '=');
    if (text[0] == '\0' || equals == text || (equals && !equals[1])) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "a function to export is given as EXPR or EXPR=LOWERED, and not as '%s'", text);
    }
    cubinet_status status = cbn_text_list_add(&foreign->exporters, input);
    return status ? status : cbn_text_list_add(&foreign->exports, text);
}

cubinet_status foreign_file(struct foreign *foreign, struct draft *draft)
{
    return foreign_list_file(&foreign->images, draft);
}

void foreign_warn(const struct foreign *foreign)
{
    if (foreign->unread) {
        command_warning("%s", foreign->unread);
    }
    for (size_t i = 0; i < foreign->notes.count; i++) {
        command_warning("%s", foreign->notes.items[i]);
    }
}

void foreign_free(struct foreign *foreign)
{
    foreign_list_free(&foreign->images);
    cbn_text_list_free(&foreign->exporters);
    cbn_text_list_free(&foreign->exports);
    cbn_text_list_free(&foreign->notes);
    cbn_nvjitlink_close(&foreign->nvjitlink);
    free(foreign->unread);
    *foreign = (struct foreign){0};
}
