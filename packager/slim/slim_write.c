/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_write.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct writer {
    const struct slim_plan *plan;
    const struct slim_layout *layout;
    FILE *stream;
    uint64_t at; /* of the stream */
    bool failed;
};

static void write_at(struct writer *writer, uint64_t place, const void *bytes, uint64_t size)
{
    if (writer->at != place) {
        writer->failed = writer->failed || fseeko(writer->stream, (off_t)place, SEEK_SET) != 0;
    }
    writer->failed = writer->failed || fwrite(bytes, 1, size, writer->stream) != size;
    writer->at = place + size;
}

/* Bytes that belong at an offset of the old file, and reach over no cut. */
static void put(struct writer *writer, uint64_t offset, const void *bytes, uint64_t size)
{
    if (size > 0) {
        write_at(writer, slim_layout_place(writer->layout, offset), bytes, size);
    }
}

static void put_fatbin(struct writer *writer, const struct slim_fatbin *fatbin)
{
    const struct slim_file *file = &writer->plan->file;
    unsigned char header[CBN_FATBIN_HEADER];
    uint64_t at = fatbin->offset + CBN_FATBIN_HEADER;
    memcpy(header, file->elf.bytes + fatbin->offset, sizeof(header));
    cbn_put64(header + CBN_FATBIN_SIZE, fatbin->new_size - CBN_FATBIN_HEADER);
    put(writer, fatbin->offset, header, sizeof(header));
    for (size_t i = 0; i < fatbin->image_count; i++) {
        const struct slim_image *image = &file->images[fatbin->first_image + i];
        uint64_t size = image->packed ? image->packed_size : image->entry.size;
        if (image->stays) {
            put(writer, at, image->packed ? image->packed : image->entry.bytes, size);
            at += size;
        }
    }
}

/* Everything but the headers. */
static void put_contents(struct writer *writer)
{
    const struct slim_file *file = &writer->plan->file;
    uint64_t at = 0;
    for (size_t i = 0; i < file->fatbin_count; i++) {
        const struct slim_fatbin *fatbin = &file->fatbins[i];
        put(writer, at, file->elf.bytes + at, fatbin->offset - at);
        if (fatbin->new_size < fatbin->size) {
            put_fatbin(writer, fatbin);
        } else {
            put(writer, fatbin->offset, file->elf.bytes + fatbin->offset, fatbin->size);
        }
        at = fatbin->offset + fatbin->room;
    }
    put(writer, at, file->elf.bytes + at, writer->layout->data_end - at);
}

static void put_headers(struct writer *writer)
{
    const struct slim_layout *layout = writer->layout;
    Elf64_Ehdr header = writer->plan->file.elf.header;
    header.e_phoff = layout->table_offset;
    header.e_phnum = (Elf64_Half)layout->segment_count;
    header.e_shoff = layout->sections_offset;
    header.e_shnum = (Elf64_Half)layout->section_count;
    write_at(writer, layout->sections_offset, layout->sections,
             layout->section_count * sizeof(*layout->sections));
    write_at(writer, layout->table_offset, layout->segments,
             layout->segment_count * sizeof(*layout->segments));
    write_at(writer, 0, &header, sizeof(header));
}

cubinet_status slim_write(const struct slim_plan *plan, const struct slim_layout *layout, FILE *stream)
{
    struct writer writer = {.plan = plan, .layout = layout, .stream = stream};
    put_contents(&writer);
    if (!layout->why_kept) {
        put_headers(&writer);
    }
    if (writer.failed || fflush(stream) != 0 || ftruncate(fileno(stream), (off_t)layout->size) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot be written: %s", strerror(errno));
    }
    return CUBINET_OK;
}
