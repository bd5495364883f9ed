/* SPDX-License-Identifier: Apache-2.0 */
/* A software bill of materials as SPDX 2.3. Everything in it is a package: SPDX wants the SHA-1 of files,
 * which nobody recorded of the sources. */
#include "show/sbom.h"

#include "base/buffer.h"
#include "base/json_output.h"

#include <stdlib.h>
#include <string.h>

#define ARCHIVE_ID     "SPDXRef-Archive"
#define LICENSE_OF_OWN "LicenseRef-"

static json_t *id_json(const char *kind, long number)
{
    return json_sprintf("SPDXRef-%s-%ld", kind, number);
}

/* purpose: of those that SPDX has. digest: NULL if it is not known */
static json_t *package_json(json_t *id, const char *name, const char *purpose,
                            const struct cbn_sha256 *digest)
{
    json_t *package =
        json_pack("{s:o, s:o, s:s, s:b, s:s}", "SPDXID", id, "name", json_output_text(name),
                  "downloadLocation", "NOASSERTION", "filesAnalyzed", 0, "primaryPackagePurpose", purpose);
    if (digest) {
        json_object_set_new(package, "checksums",
                            json_pack("[{s:s, s:o}]", "algorithm", "SHA256", "checksumValue",
                                      json_output_digest(digest->bytes, sizeof(digest->bytes))));
    }
    return package;
}

static json_t *archive_json(const struct sbom *sbom)
{
    const cubinet_archive_info *info = &sbom->shown->listing.archive;
    json_t *package = package_json(json_string(ARCHIVE_ID), sbom->name, "ARCHIVE", &sbom->digest);
    json_object_set_new(package, "packageFileName", json_output_text(sbom->name));
    if (info->archive_version[0]) {
        json_object_set_new(package, "versionInfo", json_output_text(info->archive_version));
    }
    json_object_set_new(package, "licenseDeclared",
                        json_output_text(sbom->license ? sbom->license : "NOASSERTION"));
    struct buffer text = {0};
    for (size_t i = 0; i < sbom->property_count; i++) {
        const struct sbom_property *property = &sbom->properties[i];
        buffer_printf(&text, "%s%s = %s", text.size ? "\n" : "", property->key, property->value);
    }
    if (text.size) {
        json_object_set_new(package, "comment", json_output_text(text.data));
    }
    buffer_free(&text);
    return package;
}

static json_t *packages_json(const struct sbom *sbom)
{
    json_t *packages = json_array();
    json_array_append_new(packages, archive_json(sbom));
    for (size_t i = 0; i < sbom->image_count; i++) {
        const struct sbom_image *image = &sbom->images[i];
        json_array_append_new(packages,
                              package_json(id_json("Image", (long)i), image->name, "FILE", &image->digest));
    }
    for (size_t i = 0; i < sbom->source_count; i++) {
        const struct sbom_source *source = &sbom->sources[i];
        json_array_append_new(packages, package_json(id_json("Source", (long)i), source->name, "SOURCE",
                                                     source->has_digest ? &source->digest : NULL));
    }
    for (size_t i = 0; i < sbom->tool_count; i++) {
        const struct sbom_tool *tool = &sbom->tools[i];
        json_t *package = package_json(id_json("Tool", (long)i), tool->name, "APPLICATION", NULL);
        json_object_set_new(package, "versionInfo", json_output_text(tool->version));
        json_object_set_new(package, "supplier", json_string("Organization: NVIDIA Corporation"));
        json_array_append_new(packages, package);
    }
    return packages;
}

/* Takes over both ids. */
static json_t *relate(json_t *from, const char *type, json_t *to)
{
    return json_pack("{s:o, s:s, s:o}", "spdxElementId", from, "relationshipType", type, "relatedSpdxElement",
                     to);
}

static void append_digest(struct buffer *text, const uint8_t digest[CBN_SHA256_SIZE])
{
    buffer_printf(text, "%sSHA-256 of all inputs: ", text->size ? "\n" : "");
    for (size_t i = 0; i < CBN_SHA256_SIZE; i++) {
        buffer_printf(text, "%02x", digest[i]);
    }
}

/* How an image was made of its source. */
static json_t *generation_json(const struct sbom_image *image, long number)
{
    struct buffer text = {0};
    json_t *relation = relate(id_json("Image", number), "GENERATED_FROM", id_json("Source", image->source));
    buffer_puts(&text, image->origin.options);
    if (image->origin.flags & CUBINET_ORIGIN_HAS_DIGESTS) {
        append_digest(&text, image->origin.inputs_sha256);
    }
    if (text.size > 0 || text.failed) {
        json_object_set_new(relation, "comment", json_output_buffer(&text));
    }
    buffer_free(&text);
    return relation;
}

static void add_image_relations(const struct sbom_image *image, long number, json_t *relations)
{
    json_array_append_new(relations, relate(json_string(ARCHIVE_ID), "CONTAINS", id_json("Image", number)));
    if (image->source != SBOM_NONE) {
        json_array_append_new(relations, generation_json(image, number));
    }
    if (image->compiler != SBOM_NONE) {
        json_array_append_new(
            relations, relate(id_json("Tool", image->compiler), "BUILD_TOOL_OF", id_json("Image", number)));
    }
    if (image->toolkit != SBOM_NONE) {
        json_array_append_new(
            relations, relate(id_json("Tool", image->toolkit), "BUILD_TOOL_OF", id_json("Image", number)));
    }
}

static json_t *relations_json(const struct sbom *sbom)
{
    json_t *relations = json_array();
    json_array_append_new(relations,
                          relate(json_string("SPDXRef-DOCUMENT"), "DESCRIBES", json_string(ARCHIVE_ID)));
    for (size_t i = 0; i < sbom->image_count; i++) {
        add_image_relations(&sbom->images[i], (long)i, relations);
    }
    return relations;
}

static bool has_license(const json_t *licenses, const char *name)
{
    size_t i;
    const json_t *license;
    json_array_foreach(licenses, i, license)
    {
        if (strcmp(json_string_value(json_object_get(license, "licenseId")), name) == 0) {
            return true;
        }
    }
    return false;
}

/* The licences of the project's own in the expression: SPDX wants each of them told. */
static json_t *own_licenses_json(const char *expression)
{
    json_t *licenses = json_array();
    for (const char *at = expression; (at = strstr(at, LICENSE_OF_OWN));) {
        size_t size = strcspn(at, " ()+");
        char *name = strndup(at, size);
        if (!name) {
            json_output_lost();
        } else if (!has_license(licenses, name)) {
            json_array_append_new(licenses,
                                  json_pack("{s:o, s:s}", "licenseId", json_output_text(name),
                                            "extractedText", "The archive does not carry the text."));
        }
        free(name);
        at += size;
    }
    return licenses;
}

/* "cubinet 0.1.0" as SPDX has it. */
static json_t *creator_json(const struct sbom *sbom)
{
    const char *producer = sbom->shown->listing.archive.producer;
    const char *space = strrchr(producer, ' ');
    return space ? json_sprintf("Tool: %.*s-%s", (int)(space - producer), producer, space + 1)
                 : json_sprintf("Tool: %s", producer);
}

json_t *sbom_spdx(const struct sbom *sbom)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:{s:s, s:[o]}, s:o, s:o}", "spdxVersion", "SPDX-2.3", "dataLicense",
        "CC0-1.0", "SPDXID", "SPDXRef-DOCUMENT", "name", json_output_text(sbom->name), "documentNamespace",
        json_sprintf("urn:uuid:%s", sbom->uuid), "creationInfo", "created", sbom->time, "creators",
        creator_json(sbom), "packages", packages_json(sbom), "relationships", relations_json(sbom));
    if (sbom->license && strstr(sbom->license, LICENSE_OF_OWN)) {
        json_object_set_new(document, "hasExtractedLicensingInfos", own_licenses_json(sbom->license));
    }
    return document;
}
