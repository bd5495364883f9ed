/* SPDX-License-Identifier: Apache-2.0 */
/* A software bill of materials as CycloneDX 1.5. */
#include "show/sbom.h"

#include "base/json_output.h"

#include <string.h>

#define ARCHIVE_REF "archive"

static json_t *ref_json(const char *kind, long number)
{
    return json_sprintf("%s-%ld", kind, number);
}

/* Takes over `ref`. digest: NULL if it is not known */
static json_t *component_json(const char *type, json_t *ref, const char *name,
                              const struct cbn_sha256 *digest)
{
    json_t *component =
        json_pack("{s:s, s:o, s:o}", "type", type, "bom-ref", ref, "name", json_output_text(name));
    if (digest) {
        json_object_set_new(component, "hashes",
                            json_pack("[{s:s, s:o}]", "alg", "SHA-256", "content",
                                      json_output_digest(digest->bytes, sizeof(digest->bytes))));
    }
    return component;
}

/* Takes over both. */
static void append_property(json_t *properties, json_t *name, json_t *value)
{
    json_array_append_new(properties, json_pack("{s:o, s:o}", "name", name, "value", value));
}

static void append_own_property(json_t *properties, const struct sbom_property *property)
{
    json_t *name = json_output_text(property->key);
    append_property(properties, json_sprintf("cubinet:property:%s", json_string_value(name)),
                    json_output_text(property->value));
    json_decref(name);
}

static json_t *archive_json(const struct sbom *sbom)
{
    const cubinet_archive_info *info = &sbom->shown->listing.archive;
    json_t *component = component_json("file", json_string(ARCHIVE_REF), sbom->name, &sbom->digest);
    json_t *properties = json_array();
    if (info->archive_version[0]) {
        json_object_set_new(component, "version", json_output_text(info->archive_version));
    }
    if (sbom->license) {
        json_object_set_new(component, "licenses",
                            json_pack("[{s:o}]", "expression", json_output_text(sbom->license)));
    }
    for (size_t i = 0; i < sbom->property_count; i++) {
        append_own_property(properties, &sbom->properties[i]);
    }
    json_object_set_new(component, "properties", properties);
    return component;
}

static json_t *image_json(const struct sbom_image *image, long number)
{
    json_t *component = component_json("file", ref_json("image", number), image->name, &image->digest);
    if (image->source == SBOM_NONE) {
        return component;
    }
    json_t *properties = json_array();
    json_t *options = json_output_lines(image->origin.options);
    size_t i;
    json_t *option;
    json_array_foreach(options, i, option)
    {
        append_property(properties, json_string("cubinet:option"), json_incref(option));
    }
    json_decref(options);
    if (image->origin.flags & CUBINET_ORIGIN_HAS_DIGESTS) {
        append_property(properties, json_string("cubinet:inputs-sha256"),
                        json_output_digest(image->origin.inputs_sha256, sizeof(image->origin.inputs_sha256)));
    }
    json_object_set_new(component, "properties", properties);
    return component;
}

/* Tools are not delivered with the archive, nor are the sources. */
static json_t *excluded(json_t *component)
{
    json_object_set_new(component, "scope", json_string("excluded"));
    return component;
}

static json_t *components_json(const struct sbom *sbom)
{
    json_t *components = json_array();
    for (size_t i = 0; i < sbom->image_count; i++) {
        json_array_append_new(components, image_json(&sbom->images[i], (long)i));
    }
    for (size_t i = 0; i < sbom->source_count; i++) {
        const struct sbom_source *source = &sbom->sources[i];
        json_array_append_new(components,
                              excluded(component_json("file", ref_json("source", (long)i), source->name,
                                                      source->has_digest ? &source->digest : NULL)));
    }
    for (size_t i = 0; i < sbom->tool_count; i++) {
        const struct sbom_tool *tool = &sbom->tools[i];
        json_t *component =
            excluded(component_json("application", ref_json("tool", (long)i), tool->name, NULL));
        json_object_set_new(component, "version", json_output_text(tool->version));
        json_object_set_new(component, "supplier", json_pack("{s:s}", "name", "NVIDIA Corporation"));
        json_array_append_new(components, component);
    }
    return components;
}

/* What an image was made of and by. */
static json_t *image_dependencies_json(const struct sbom_image *image)
{
    json_t *refs = json_array();
    if (image->source != SBOM_NONE) {
        json_array_append_new(refs, ref_json("source", image->source));
    }
    if (image->compiler != SBOM_NONE) {
        json_array_append_new(refs, ref_json("tool", image->compiler));
    }
    if (image->toolkit != SBOM_NONE) {
        json_array_append_new(refs, ref_json("tool", image->toolkit));
    }
    return refs;
}

static json_t *dependencies_json(const struct sbom *sbom)
{
    json_t *images = json_array();
    json_t *dependencies = json_array();
    json_array_append_new(dependencies, json_pack("{s:s, s:O}", "ref", ARCHIVE_REF, "dependsOn", images));
    for (size_t i = 0; i < sbom->image_count; i++) {
        json_array_append_new(images, ref_json("image", (long)i));
        json_array_append_new(dependencies,
                              json_pack("{s:o, s:o}", "ref", ref_json("image", (long)i), "dependsOn",
                                        image_dependencies_json(&sbom->images[i])));
    }
    json_decref(images);
    return dependencies;
}

/* The Cubinet that wrote the archive: "cubinet 0.1.0". */
static json_t *producer_json(const struct sbom *sbom)
{
    const char *producer = sbom->shown->listing.archive.producer;
    const char *space = strrchr(producer, ' ');
    json_t *component = json_pack("{s:s, s:o}", "type", "application", "name",
                                  json_sprintf("%.*s", (int)strcspn(producer, " "), producer));
    if (space) {
        json_object_set_new(component, "version", json_output_text(space + 1));
    }
    return component;
}

json_t *sbom_cyclonedx(const struct sbom *sbom)
{
    return json_pack("{s:s, s:s, s:o, s:i, s:{s:s, s:{s:[o]}, s:o}, s:o, s:o}", "bomFormat", "CycloneDX",
                     "specVersion", "1.5", "serialNumber", json_sprintf("urn:uuid:%s", sbom->uuid), "version",
                     1, "metadata", "timestamp", sbom->time, "tools", "components", producer_json(sbom),
                     "component", archive_json(sbom), "components", components_json(sbom), "dependencies",
                     dependencies_json(sbom));
}
