/* SPDX-License-Identifier: Apache-2.0 */
#include "show/inspect_json.h"

#include "archive/listing.h"
#include "base/json_output.h"
#include "image/resource_fields.h"
#include "image/symbol_list.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/trust.h"
#include "loader/core/support/error.h"
#include "show/launch_show.h"
#include "show/tuning_show.h"

#include <stdlib.h>

static json_t *field_json(const cubinet_kernel_resources *resources, const struct resource_field *field)
{
    if (field->count == 1) {
        return json_output_number(resource_value(resources, field, 0));
    }
    json_t *array = json_array();
    for (size_t i = 0; i < field->count; i++) {
        json_array_append_new(array, json_output_number(resource_value(resources, field, i)));
    }
    return array;
}

static json_t *params_json(const cubinet_kernel_resources *resources)
{
    if (resources->param_count == CUBINET_UNKNOWN) {
        return json_null();
    }
    json_t *array = json_array();
    for (uint32_t i = 0; i < resources->param_count; i++) {
        json_array_append_new(array,
                              json_pack("{s:I, s:I}", "offset", (json_int_t)resources->params[i].offset,
                                        "size", (json_int_t)resources->params[i].size));
    }
    return array;
}

static json_t *resources_json(const char *kernel, const cubinet_kernel_resources *resources)
{
    json_t *object = json_pack("{s:o}", "kernel", json_output_text(kernel));
    for (size_t i = 0; i < resource_field_count; i++) {
        json_object_set_new(object, resource_fields[i].name, field_json(resources, &resource_fields[i]));
    }
    json_object_set_new(object, "params", params_json(resources));
    return object;
}

static cubinet_status image_kernels(const struct shown_archive *shown, const struct listing_module *module,
                                    uint32_t image, json_t *out_array)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        cubinet_kernel_resources resources;
        bool held;
        cubinet_status status = listing_resources(shown->archive, module, image, i, &resources, &held);
        if (status) {
            return status;
        }
        cubinet_launch_record launch = {.size = sizeof(launch)};
        if (held) {
            json_t *kernel = resources_json(module->kernels[i].name, &resources);
            status = cubinet_archive_get_launch_record(shown->archive, module->number, image, i, &launch);
            json_object_set_new(kernel, "launch", launch_json(&launch));
            json_array_append_new(out_array, kernel);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static json_t *isa_json(uint32_t isa)
{
    return isa ? json_sprintf("%u.%u", isa / 10, isa % 10) : json_null();
}

static json_t *symbol_json(const struct symbol *symbol)
{
    return json_pack("{s:o, s:o, s:s, s:b, s:o}", "name", json_output_text(symbol->name), "expression",
                     json_output_text(symbol->expression ? symbol->expression : symbol->name), "kind",
                     symbol->is_variable ? "variable" : "function", "weak", symbol->is_weak, "type",
                     symbol->type ? json_output_text(symbol->type) : json_null());
}

/* What an image defines and needs; null if that is not recorded. */
static cubinet_status symbols_json(const struct shown_archive *shown, const struct listing_module *module,
                                   uint32_t image, json_t **out_json)
{
    struct symbol_list list = {0};
    cubinet_status status =
        symbol_list_read(shown->archive, module->number, image, &module->images[image], &list);
    if (status) {
        return status;
    }
    json_t *defined = json_array();
    json_t *needed = json_array();
    for (size_t i = 0; i < list.count; i++) {
        json_array_append_new(list.items[i].is_defined ? defined : needed, symbol_json(&list.items[i]));
    }
    json_t *object =
        json_pack("{s:b, s:o, s:o}", "complete", list.is_complete, "defined", defined, "needed", needed);
    if (!list.is_recorded) {
        json_decref(object);
        object = json_null();
    }
    symbol_list_free(&list);
    *out_json = object;
    return CUBINET_OK;
}

static json_t *base_json(const struct image_storage *storage)
{
    if (!storage->has_base) {
        return json_null();
    }
    json_t *base = json_pack("{s:o, s:o}", "module", json_output_text(storage->base_module), "target",
                             json_output_target(storage->base_target));
    if (storage->base_is_part) {
        json_object_set_new(base, "part", json_integer(storage->base_part));
    }
    return base;
}

static json_t *part_json(const cubinet_part_info *part, const struct image_storage *storage)
{
    return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:o}", "encoding", storage->encoding, "base",
                     base_json(storage), "offset", (json_int_t)part->offset, "stored_bytes",
                     (json_int_t)part->stored_size, "bytes", (json_int_t)part->raw_size, "decompressed_bytes",
                     (json_int_t)storage->decompressed_size, "digest",
                     json_output_digest(part->digest, sizeof(part->digest)));
}

/* Lowered names of the kernels that a part has. */
static json_t *part_kernels(const struct listing_module *module, const uint32_t *kernel_parts, uint32_t part)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (kernel_parts[i] == part) {
            json_array_append_new(array, json_output_text(module->kernels[i].name));
        }
    }
    return array;
}

/* Only of an image that consists of parts; the storage of the whole is then that of all. */
static cubinet_status parts_json(const struct shown_archive *shown, const struct listing_module *module,
                                 uint32_t image, json_t *out_image)
{
    json_t *array = json_array();
    uint32_t *kernel_parts = listing_kernel_parts(shown->archive, module, image);
    cubinet_status status = kernel_parts ? CUBINET_OK : cbn_error_memory();
    uint64_t decompressed = 0;
    for (uint32_t i = 0; !status && i < module->images[image].part_count; i++) {
        cubinet_part_info part = {.size = sizeof(part)};
        struct image_storage storage = {0};
        status = cubinet_archive_get_part(shown->archive, module->number, image, i, &part);
        status = status ? status : image_storage_read(shown->archive, module->number, image, i, &storage);
        if (!status) {
            json_t *object = part_json(&part, &storage);
            json_object_set_new(object, "kernels", part_kernels(module, kernel_parts, i));
            json_array_append_new(array, object);
            decompressed += storage.decompressed_size;
        }
    }
    free(kernel_parts);
    json_object_set_new(out_image, "parts", array);
    json_object_set_new(out_image, "decompressed_bytes", json_integer((json_int_t)decompressed));
    json_object_set_new(out_image, "base", json_null());
    return status;
}

/* Takes over `kernels` and `symbols`. */
static json_t *image_json(const cubinet_image_info *image, const struct image_storage *storage,
                          json_t *kernels, json_t *symbols)
{
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "target",
        json_output_target(image->target), "kind", listing_kind(image->target.kind), "toolkit",
        json_output_release(image->toolkit), "ptx_isa", isa_json(image->ptx_isa), "link_floor",
        json_output_release(image->link_floor), "encoding", storage->encoding, "base", base_json(storage),
        "offset", (json_int_t)image->offset, "stored_bytes", (json_int_t)image->stored_size, "bytes",
        (json_int_t)image->raw_size, "decompressed_bytes", (json_int_t)storage->decompressed_size, "digest",
        json_output_digest(image->digest, sizeof(image->digest)), "kernels", kernels, "symbols", symbols);
}

static json_t *kernels_json(const struct listing_module *module)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:o}", "name", json_output_text(module->kernels[i].name),
                                        "expression", json_output_text(module->kernels[i].expression),
                                        "readable", json_output_text(module->kernel_names[i])));
    }
    return array;
}

static json_t *globals_json(const struct listing_module *module)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:b, s:b}", "name", json_output_text(global->name),
                             "expression", json_output_text(global->expression), "readable",
                             json_output_text(module->global_names[i]), "bytes",
                             global->bytes ? json_integer((json_int_t)global->bytes) : json_null(),
                             "constant", (global->flags & CUBINET_GLOBAL_CONSTANT) != 0, "managed",
                             (global->flags & CUBINET_GLOBAL_MANAGED) != 0));
    }
    return array;
}

static json_t *sha256_json(const cubinet_origin *origin, const uint8_t digest[32])
{
    return origin->flags & CUBINET_ORIGIN_HAS_DIGESTS ? json_output_digest(digest, 32) : json_null();
}

/* What the image was compiled from; null if that is not recorded. */
static cubinet_status origin_json(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, json_t **out_json)
{
    cubinet_origin origin = {.size = sizeof(origin)};
    cubinet_status status = cubinet_archive_get_origin(shown->archive, module->number, image, &origin);
    if (!status) {
        *out_json =
            json_pack("{s:o, s:o, s:o, s:o, s:o}", "source", json_output_text(origin.source), "options",
                      json_output_lines(origin.options), "compiler", json_output_text(origin.compiler),
                      "source_sha256", sha256_json(&origin, origin.source_sha256), "inputs_sha256",
                      sha256_json(&origin, origin.inputs_sha256));
    } else if (status == CUBINET_ERROR_NOT_FOUND) {
        *out_json = json_null();
        status = CUBINET_OK;
    }
    return status;
}

static cubinet_status module_json(const struct shown_archive *shown, const struct listing_module *module,
                                  json_t *out_modules)
{
    json_t *images = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        json_t *kernels = json_array();
        json_t *symbols = NULL;
        struct image_storage storage = {0};
        status = image_storage_read(shown->archive, module->number, i, 0, &storage);
        if (!status) {
            status = image_kernels(shown, module, i, kernels);
        }
        if (!status) {
            status = symbols_json(shown, module, i, &symbols);
        }
        json_t *origin = NULL;
        if (!status) {
            status = origin_json(shown, module, i, &origin);
        }
        json_t *image = image_json(&module->images[i], &storage, kernels, symbols);
        json_object_set_new(image, "origin", origin);
        if (!status && module->images[i].part_count > 1) {
            status = parts_json(shown, module, i, image);
        }
        json_array_append_new(images, image);
    }
    json_t *tunings = NULL;
    if (!status) {
        status = tuning_json(shown, module, &tunings);
    }
    json_t *object = json_pack("{s:o, s:o, s:o, s:o}", "module", json_output_text(module->name), "kernels",
                               kernels_json(module), "globals", globals_json(module), "images", images);
    if (json_array_size(tunings) > 0) {
        json_object_set(object, "tunings", tunings);
    }
    json_decref(tunings);
    json_array_append_new(out_modules, object);
    return status;
}

static json_t *properties_json(const struct shown_archive *shown)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < shown->listing.archive.property_count; i++) {
        const char *key = "";
        const char *value = "";
        cubinet_archive_get_property(shown->archive, i, &key, &value); /* there are so many */
        json_object_set_new_nocheck(object, key, json_output_text(value));
    }
    return object;
}

json_t *inspect_signers_json(const struct shown_archive *shown)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < shown->listing.archive.signature_count; i++) {
        unsigned char id[CBN_KEY_ID_SIZE];
        char text[CBN_KEY_ID_TEXT_SIZE];
        cubinet_archive_get_signer(shown->archive, i, id); /* there are so many */
        json_array_append_new(array, json_string(cbn_key_id_text(id, text)));
    }
    return array;
}

cubinet_status inspect_print_json(const struct shown_archive *shown)
{
    json_t *modules = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = module_json(shown, &shown->listing.modules[i], modules);
    }
    json_t *document = json_output_archive(&shown->listing.archive);
    json_object_set_new(document, "abi", json_output_text(shown->listing.archive.abi));
    json_object_set_new(document, "properties", properties_json(shown));
    json_object_set_new(document, "signers", inspect_signers_json(shown));
    json_object_set_new(document, "trusted",
                        json_boolean(shown->listing.archive.flags & CUBINET_ARCHIVE_TRUSTED));
    json_object_set_new(document, "modules", modules);
    if (status) {
        json_decref(document);
        return status;
    }
    return json_output_print(document);
}
