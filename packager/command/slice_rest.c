/* SPDX-License-Identifier: Apache-2.0 */
#include "command/slice_rest.h"

#include "base/buffer.h"
#include "base/text_table.h"
#include "command/slice_parts.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDENTITY_BYTES = 16, IDENTITY_SIZE = 2 * IDENTITY_BYTES + 1 };

/* Names of modules that a root would have to be read for every time that the archive is opened; of archives
 * with more, that a module was left out is not told from that it never was there. */
enum { NAMES_MAX = 64 << 10 };

static cubinet_status list_kernels(const struct listing_module *module, struct draft *draft)
{
    struct draft_module *to = draft_module(draft, module->name);
    cubinet_status status = to ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status = draft_add_kernel(to, module->kernels[i].name, module->kernels[i].expression);
    }
    return status;
}

static bool is_divided(const struct slice_marks *marks, const struct listing_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (!marks->kept[number][i] || module->images[i].part_count > 1) {
            return true;
        }
    }
    return false;
}

/* Modules that are in both archives list the same kernels in both, so that a name means the same in both. */
static cubinet_status list_all_kernels(const struct shown_archive *shown, const struct slice_marks *marks,
                                       struct draft *draft, struct draft *rest)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < marks->module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        if (slice_marks_any(marks, module, i) && is_divided(marks, module, i)) {
            status = list_kernels(module, draft);
            status = status || !(rest && draft_find_module(rest, module->name)) ? status
                                                                                : list_kernels(module, rest);
        }
    }
    return status;
}

static void append_name(struct buffer *text, const char *name)
{
    buffer_puts(text, text->size > 1 ? ", \"" : "\"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') {
            buffer_puts(text, "\\");
        }
        buffer_append(text, name, 1);
    }
    buffer_puts(text, "\"");
}

/* The modules of which nothing stays; "" if there is none, or are too many. */
static void list_modules(const struct shown_archive *shown, const struct slice_marks *marks,
                         struct buffer *out)
{
    buffer_puts(out, "[");
    for (uint32_t i = 0; i < marks->module_count; i++) {
        if (!slice_marks_any(marks, &shown->listing.modules[i], i)) {
            append_name(out, shown->listing.modules[i].name);
        }
    }
    if (out->size == 1 || out->size > NAMES_MAX) {
        buffer_free(out);
        buffer_puts(out, "");
        return;
    }
    buffer_puts(out, "]");
}

static cubinet_status set(struct draft *draft, const char *key, const char *value)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s=%s", key, value);
    cubinet_status status =
        text.failed ? cbn_error_memory() : property_list_set(&draft->properties, text.data);
    buffer_free(&text);
    return status;
}

static void add_name(struct cbn_sha256_state *state, const char *name)
{
    cbn_sha256_add(state, name ? name : "", name ? strlen(name) + 1 : 1);
}

/* Two slices have the same only if they kept the same of the same archive. */
static void identify(const struct shown_archive *shown, const struct slice_marks *marks,
                     const struct slice_used *used, char out[IDENTITY_SIZE])
{
    struct cbn_sha256_state state;
    char identity[CBN_IDENTITY_TEXT_SIZE];
    cbn_sha256_start(&state);
    cbn_sha256_add(&state, cbn_archive_identity_text(shown->archive, identity), sizeof(identity));
    for (uint32_t i = 0; i < marks->module_count; i++) {
        cbn_sha256_add(&state, marks->kept[i], shown->listing.modules[i].image_count * sizeof(bool));
    }
    for (size_t i = 0; i < used->count; i++) {
        add_name(&state, used->entries[i]->module);
        add_name(&state, used->entries[i]->kernel);
        add_name(&state, used->entries[i]->global);
    }
    struct cbn_sha256 digest = cbn_sha256_finish(&state);
    for (size_t i = 0; i < IDENTITY_BYTES; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest.bytes[i]);
    }
}

static cubinet_status name_rest(const struct shown_archive *shown, const struct slice_marks *marks,
                                const struct slice_used *used, const char *path, struct draft *draft,
                                struct draft *rest)
{
    char identity[IDENTITY_SIZE];
    struct buffer value = {0};
    const char *slash = strrchr(path, '/');
    identify(shown, marks, used, identity);
    buffer_printf(&value, "%s %s", identity, slash ? slash + 1 : path);
    cubinet_status status = value.failed ? cbn_error_memory() : set(draft, CBN_PROPERTY_REST, value.data);
    buffer_free(&value);
    return status ? status : set(rest, CBN_PROPERTY_REST_OF, identity);
}

cubinet_status slice_rest_describe(const struct shown_archive *shown, const struct slice_marks *marks,
                                   const struct slice_used *used, const char *rest_path, struct draft *draft,
                                   struct draft *rest)
{
    struct buffer names = {0};
    list_modules(shown, marks, &names);
    cubinet_status status = list_all_kernels(shown, marks, draft, rest);
    if (!status) {
        status = set(draft, CBN_PROPERTY_USED, used->date[0] ? used->date : "an unknown date");
    }
    if (!status) {
        status = names.failed ? cbn_error_memory() : set(draft, CBN_PROPERTY_LEFT_OUT, names.data);
    }
    if (!status && rest) {
        status = name_rest(shown, marks, used, rest_path, draft, rest);
    }
    buffer_free(&names);
    return status;
}

static uint32_t count_used(const struct slice_used *used, const struct listing_module *module)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        count += slice_used_kernel(used, module->name, module->kernels[i].name);
    }
    return count;
}

/* bytes: kept, left out */
static cubinet_status count_image(const struct shown_archive *shown, const struct slice_used *used,
                                  const struct listing_module *module, uint32_t image, uint64_t bytes[2])
{
    bool *kept = slice_parts_kept(shown, used, module, image);
    cubinet_status status = kept ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < module->images[image].part_count; i++) {
        cubinet_part_info info = {.size = sizeof(info)};
        status = cubinet_archive_get_part(shown->archive, module->number, image, i, &info);
        bytes[!kept[i]] += info.stored_size;
    }
    free(kept);
    return status;
}

static cubinet_status count_bytes(const struct shown_archive *shown, const struct slice_marks *marks,
                                  const struct slice_used *used, uint32_t number, uint64_t bytes[2])
{
    const struct listing_module *module = &shown->listing.modules[number];
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        if (marks->kept[number][i]) {
            status = count_image(shown, used, module, i, bytes);
        } else {
            bytes[1] += module->images[i].stored_size;
        }
    }
    return status;
}

static void add_row(struct text_table *table, const char *name, const uint32_t kernels[2],
                    const uint64_t bytes[2])
{
    char text[SIZE_TEXT_SIZE];
    text_table_add(table, "%s", name);
    text_table_add(table, "%u", kernels[0]);
    text_table_add(table, "%u", kernels[1]);
    text_table_add(table, "%s", size_text(bytes[0], text));
    text_table_add(table, "%s", size_text(bytes[1], text));
}

cubinet_status slice_rest_print(const struct shown_archive *shown, const struct slice_marks *marks,
                                const struct slice_used *used)
{
    struct text_table table = {.alignment = "lrrrr"};
    uint32_t all_kernels[2] = {0};
    uint64_t all_bytes[2] = {0};
    static const char *const heads[] = {"MODULE", "USED KERNELS", "OF", "KEPT", "LEFT OUT"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        text_table_add(&table, "%s", heads[i]);
    }
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < marks->module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        const uint32_t kernels[2] = {count_used(used, module), module->kernel_count};
        uint64_t bytes[2] = {0};
        status = count_bytes(shown, marks, used, i, bytes);
        for (size_t j = 0; j < 2; j++) {
            all_kernels[j] += kernels[j];
            all_bytes[j] += bytes[j];
        }
        add_row(&table, module->name, kernels, bytes);
    }
    add_row(&table, "all", all_kernels, all_bytes);
    if (status) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 0, stdout);
}
