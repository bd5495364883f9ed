/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_kernel.h"

#include "show/header_bounds.h"
#include "show/header_record.h"

#include <stdio.h>
#include <string.h>

enum { SUFFIX_SIZE = 32 };

static void define_params(struct header_writer *writer, struct header_subject *subject,
                          const struct header_bounds *bounds)
{
    if (bounds->param_count == CUBINET_UNKNOWN) {
        buffer_puts(&writer->text, "/* No image tells its parameters. */\n");
        return;
    }
    if (bounds->params_differ) {
        buffer_puts(&writer->text, "/* Its parameters are not the same in all images. */\n");
        return;
    }
    header_define_number(writer, subject, "_PARAM_COUNT", bounds->param_count);
    header_define_number(writer, subject, "_PARAM_BYTES", bounds->param_bytes);
    for (uint32_t i = 0; i < bounds->param_count; i++) {
        char suffix[SUFFIX_SIZE];
        snprintf(suffix, sizeof(suffix), "_PARAM_%u_BYTES", i);
        header_define_number(writer, subject, suffix, bounds->params[i].size);
    }
}

static void define_shape(struct header_writer *writer, struct header_subject *subject, const char *what,
                         const struct header_shape *shape)
{
    if (shape->differs) {
        buffer_printf(&writer->text, "/* Its %s is not the same in all images. */\n", what);
        return;
    }
    for (size_t i = 0; shape->size[0] && i < 3; i++) {
        char suffix[SUFFIX_SIZE];
        snprintf(suffix, sizeof(suffix), "_%s_%c", what, "XYZ"[i]);
        header_define_number(writer, subject, suffix, shape->size[i]);
    }
}

static void write_targets(struct header_writer *writer, const cubinet_archive *archive,
                          const struct listing_module *module, uint32_t kernel)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        cubinet_kernel_resources resources;
        bool held = false;
        header_note(writer, listing_resources(archive, module, i, kernel, &resources, &held));
        if (held) {
            char name[CUBINET_TARGET_NAME_SIZE];
            buffer_printf(&writer->text, " %s", cubinet_target_name(module->images[i].target, name));
        }
    }
}

/* What a launch takes from the record where its caller leaves it out. */
static void define_record(struct header_writer *writer, const cubinet_archive *archive,
                          const struct listing_module *module, uint32_t kernel,
                          struct header_subject *subject)
{
    struct header_record record;
    cubinet_status status = header_record_read(archive, module, kernel, &record);
    if (status) {
        header_note(writer, status);
        return;
    }
    const cubinet_launch_record *known = &record.record;
    if (record.hidden_differ) {
        buffer_puts(&writer->text, "/* Its hidden parameters are not the same in all images. */\n");
    }
    if (record.bytes_differ) {
        buffer_puts(&writer->text, "/* Its dynamic shared memory is not the same in all images. */\n");
    } else if (known->dynamic_shared_bytes != CUBINET_UNKNOWN) {
        header_define_number(writer, subject, "_DYNAMIC_SHARED_BYTES", known->dynamic_shared_bytes);
    } else if (known->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED) {
        buffer_puts(&writer->text,
                    "/* It takes dynamic shared memory; how many bytes, its launches have to say. */\n");
    }
    struct header_shape block = {.differs = record.block_differs};
    memcpy(block.size, known->block, sizeof(block.size));
    define_shape(writer, subject, "BLOCK", &block);
}

void header_kernel(struct header_writer *writer, const cubinet_archive *archive,
                   const struct listing_module *module, uint32_t kernel, struct header_subject *subject)
{
    struct header_bounds bounds;
    cubinet_status status = header_bounds_read(archive, module, kernel, &bounds);
    if (status) {
        header_note(writer, status);
        return;
    }
    header_comment(writer, "\n/* ", subject->name);
    if (bounds.held < module->image_count) {
        buffer_puts(&writer->text, bounds.held ? ", only in" : ", in no image");
        write_targets(writer, archive, module, kernel);
    }
    buffer_puts(&writer->text, " */\n");
    header_define_string(writer, subject, "", subject->lowered);
    define_params(writer, subject, &bounds);
    if (bounds.max_threads != CUBINET_UNKNOWN) {
        header_define_number(writer, subject, "_MAX_THREADS", bounds.max_threads);
    }
    if (bounds.static_shared_bytes != CUBINET_UNKNOWN) {
        header_define_number(writer, subject, "_STATIC_SHARED_BYTES", bounds.static_shared_bytes);
    }
    define_shape(writer, subject, "REQUIRED_BLOCK", &bounds.required_block);
    define_shape(writer, subject, "REQUIRED_CLUSTER", &bounds.required_cluster);
    define_record(writer, archive, module, kernel, subject);
}
