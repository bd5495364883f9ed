/* SPDX-License-Identifier: Apache-2.0 */
#include "show/inspect_json.h"

#include "archive/listing.h"
#include "archive/part_lists.h"
#include "base/json_output.h"
#include "base/json_stream.h"
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

static cubinet_status put_kernel(const struct shown_archive *shown, const struct listing_module *module,
                                 uint32_t image, uint32_t number, struct json_stream *out)
{
    cubinet_kernel_resources resources;
    bool held;
    cubinet_launch_record launch = {.size = sizeof(launch)};
    cubinet_status status = listing_resources(shown->archive, module, image, number, &resources, &held);
    if (status || !held) {
        return status;
    }
    status = cubinet_archive_get_launch_record(shown->archive, module->number, image, number, &launch);
    if (status) {
        return status;
    }
    json_t *kernel = resources_json(module->kernels[number].name, &resources);
    json_object_set_new(kernel, "launch", launch_json(&launch));
    return json_stream_put(out, NULL, kernel);
}

static cubinet_status put_kernels(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, struct json_stream *out)
{
    cubinet_status status = CUBINET_OK;
    json_stream_open(out, "kernels", '[');
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status = put_kernel(shown, module, image, i, out);
    }
    json_stream_close(out, ']');
    return status;
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

static cubinet_status put_symbol_list(const struct symbol_list *list, bool is_defined,
                                      struct json_stream *out)
{
    cubinet_status status = CUBINET_OK;
    json_stream_open(out, is_defined ? "defined" : "needed", '[');
    for (size_t i = 0; !status && i < list->count; i++) {
        if (list->items[i].is_defined == is_defined) {
            status = json_stream_put(out, NULL, symbol_json(&list->items[i]));
        }
    }
    json_stream_close(out, ']');
    return status;
}

/* What an image defines and needs; null if that is not recorded. */
static cubinet_status put_symbols(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, struct json_stream *out)
{
    struct symbol_list list = {0};
    cubinet_status status =
        symbol_list_read(shown->archive, module->number, image, &module->images[image], &list);
    if (status || !list.is_recorded) {
        return status ? status : json_stream_put(out, "symbols", json_null());
    }
    json_stream_open(out, "symbols", '{');
    status = json_stream_put(out, "complete", json_boolean(list.is_complete));
    status = status ? status : put_symbol_list(&list, true, out);
    status = status ? status : put_symbol_list(&list, false, out);
    json_stream_close(out, '}');
    symbol_list_free(&list);
    return status;
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
static json_t *part_kernels_json(const struct listing_module *module, const struct part_lists *kernels,
                                 uint32_t part)
{
    json_t *array = json_array();
    for (uint32_t i = kernels->starts[part]; i < kernels->starts[part + 1]; i++) {
        json_array_append_new(array, json_output_text(module->kernels[kernels->items[i]].name));
    }
    return array;
}

static cubinet_status put_part(const struct shown_archive *shown, const struct listing_module *module,
                               uint32_t image, uint32_t number, const struct part_lists *kernels,
                               struct json_stream *out)
{
    cubinet_part_info part = {.size = sizeof(part)};
    struct image_storage storage = {0};
    cubinet_status status = cubinet_archive_get_part(shown->archive, module->number, image, number, &part);
    status = status ? status : image_storage_read(shown->archive, module->number, image, number, &storage);
    if (status) {
        return status;
    }
    json_t *object = part_json(&part, &storage);
    json_object_set_new(object, "kernels", part_kernels_json(module, kernels, number));
    return json_stream_put(out, NULL, object);
}

/* Only of an image that consists of parts. */
static cubinet_status put_parts(const struct shown_archive *shown, const struct listing_module *module,
                                uint32_t image, struct json_stream *out)
{
    struct part_lists kernels = {0};
    if (module->images[image].part_count == 1) {
        return CUBINET_OK;
    }
    cubinet_status status = part_lists_kernels(shown->archive, module, image, &kernels);
    if (status) {
        return status;
    }
    json_stream_open(out, "parts", '[');
    for (uint32_t i = 0; !status && i < module->images[image].part_count; i++) {
        status = put_part(shown, module, image, i, &kernels, out);
    }
    json_stream_close(out, ']');
    part_lists_free(&kernels);
    return status;
}

/* How an image is stored; of one of parts, which have bases of their own, all of them together. */
static cubinet_status read_storage(const struct shown_archive *shown, const struct listing_module *module,
                                   uint32_t image, struct image_storage *out_storage)
{
    struct image_storage storage = {0};
    cubinet_status status = image_storage_read(shown->archive, module->number, image, 0, &storage);
    for (uint32_t i = 1; !status && i < module->images[image].part_count; i++) {
        struct image_storage part = {0};
        status = image_storage_read(shown->archive, module->number, image, i, &part);
        storage.decompressed_size += part.decompressed_size;
        storage.has_base = false;
    }
    *out_storage = storage;
    return status;
}

/* What an image is, without what is in it. */
static json_t *image_json(const cubinet_image_info *image, const struct image_storage *storage)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I, s:o}", "target",
                     json_output_target(image->target), "kind", listing_kind(image->target.kind), "toolkit",
                     json_output_release(image->toolkit), "ptx_isa", isa_json(image->ptx_isa), "link_floor",
                     json_output_release(image->link_floor), "encoding", storage->encoding, "base",
                     base_json(storage), "offset", (json_int_t)image->offset, "stored_bytes",
                     (json_int_t)image->stored_size, "bytes", (json_int_t)image->raw_size,
                     "decompressed_bytes", (json_int_t)storage->decompressed_size, "digest",
                     json_output_digest(image->digest, sizeof(image->digest)));
}

static cubinet_status put_names(const struct listing_module *module, struct json_stream *out)
{
    cubinet_status status = CUBINET_OK;
    json_stream_open(out, "kernels", '[');
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status =
            json_stream_put(out, NULL,
                            json_pack("{s:o, s:o, s:o}", "name", json_output_text(module->kernels[i].name),
                                      "expression", json_output_text(module->kernels[i].expression),
                                      "readable", json_output_text(module->kernel_names[i])));
    }
    json_stream_close(out, ']');
    return status;
}

static cubinet_status put_globals(const struct listing_module *module, struct json_stream *out)
{
    cubinet_status status = CUBINET_OK;
    json_stream_open(out, "globals", '[');
    for (uint32_t i = 0; !status && i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        status = json_stream_put(
            out, NULL,
            json_pack("{s:o, s:o, s:o, s:o, s:b, s:b}", "name", json_output_text(global->name), "expression",
                      json_output_text(global->expression), "readable",
                      json_output_text(module->global_names[i]), "bytes",
                      global->bytes ? json_integer((json_int_t)global->bytes) : json_null(), "constant",
                      (global->flags & CUBINET_GLOBAL_CONSTANT) != 0, "managed",
                      (global->flags & CUBINET_GLOBAL_MANAGED) != 0));
    }
    json_stream_close(out, ']');
    return status;
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

static cubinet_status put_image(const struct shown_archive *shown, const struct listing_module *module,
                                uint32_t image, struct json_stream *out)
{
    json_t *origin = NULL;
    struct image_storage storage = {0};
    cubinet_status status = read_storage(shown, module, image, &storage);
    if (status) {
        return status;
    }
    json_stream_open(out, NULL, '{');
    status = json_stream_put_members(out, image_json(&module->images[image], &storage));
    status = status ? status : put_kernels(shown, module, image, out);
    status = status ? status : put_symbols(shown, module, image, out);
    status = status ? status : origin_json(shown, module, image, &origin);
    status = status ? status : json_stream_put(out, "origin", origin);
    status = status ? status : put_parts(shown, module, image, out);
    json_stream_close(out, '}');
    return status;
}

static cubinet_status put_images(const struct shown_archive *shown, const struct listing_module *module,
                                 struct json_stream *out)
{
    cubinet_status status = CUBINET_OK;
    json_stream_open(out, "images", '[');
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        status = put_image(shown, module, i, out);
    }
    json_stream_close(out, ']');
    return status;
}

static cubinet_status put_module(const struct shown_archive *shown, const struct listing_module *module,
                                 struct json_stream *out)
{
    json_stream_open(out, NULL, '{');
    cubinet_status status = json_stream_put(out, "module", json_output_text(module->name));
    status = status ? status : put_names(module, out);
    status = status ? status : put_globals(module, out);
    status = status ? status : put_images(shown, module, out);
    status = status ? status : tuning_stream(shown, module, out);
    json_stream_close(out, '}');
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
    json_t *document = json_output_archive(&shown->listing.archive);
    json_object_set_new(document, "abi", json_output_text(shown->listing.archive.abi));
    json_object_set_new(document, "properties", properties_json(shown));
    json_object_set_new(document, "signers", inspect_signers_json(shown));
    json_object_set_new(document, "trusted",
                        json_boolean(shown->listing.archive.flags & CUBINET_ARCHIVE_TRUSTED));
    struct json_stream out = {0};
    json_stream_open(&out, NULL, '{');
    cubinet_status status = json_stream_put_members(&out, document);
    json_stream_open(&out, "modules", '[');
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = put_module(shown, &shown->listing.modules[i], &out);
    }
    json_stream_close(&out, ']');
    json_stream_close(&out, '}');
    return status;
}
