/* SPDX-License-Identifier: Apache-2.0 */
/* The archive format in numbers: docs/reference/format.md is its text. Shared by the reader and the writer.
 */
#ifndef CBN_FORMAT_H
#define CBN_FORMAT_H

#include "loader/core/support/sha256.h"

#include <stddef.h>
#include <stdint.h>

#define CBN_INDEX_ENTRY "cubinet.index"
#define CBN_MAGIC                                                                                            \
    "\x89"                                                                                                   \
    "CBNT\r\n\x1a"

/* What is hashed before the root when it is signed, its NUL included. */
#define CBN_SIGNED_PREFIX "cubinet index, format 1"

enum {
    CBN_MAGIC_SIZE = 8,
    CBN_FORMAT_MAJOR = 1,
    CBN_FORMAT_MINOR = 6,        /* that this version reads and writes */
    CBN_FORMAT_MINOR_LINKED = 4, /* of what was linked when it was loaded */
    CBN_FORMAT_DEPENDENCY = 6,   /* the first that records which kernels wait */
    CBN_DIGEST_SIZE = 16,
    CBN_SEAL_SIZE = 32, /* of a digest that a signature covers: BLAKE2b-256 */
    CBN_TABLE_ALIGNMENT = 8,
    CBN_MODULE_NAME_MAX = 4096,
    CBN_IMAGES_MAX = 512, /* of a module, many more than there are targets */

    /* What compressed blocks may inflate to: so many times their stored bytes, and these in any case. */
    CBN_INDEX_RATIO = 64,
    CBN_BLOCK_ALWAYS = 1 << 20,
    CBN_INDEX_ALWAYS = 4 << 20,

    /* What records may tell of the strings and parameters that they share: so many bytes for each byte of the
     * archive, and these in any case. */
    CBN_TOLD_RATIO = 16,
    CBN_TOLD_ALWAYS = 4 << 20,
    CBN_TOLD_TUNING = 4096, /* what the names of a tuning record may take beside that */

    /* The first zip entry's local header. */
    CBN_ZIP_METHOD = 8,     /* 16 bits; 0: stored */
    CBN_ZIP_NAME_SIZE = 26, /* offset of its name's size, 16 bits */
    CBN_ZIP_EXTRA_SIZE = 28,
    CBN_ZIP_NAME = 30,

    /* Header: offsets. */
    CBN_HEADER_FORMAT_MAJOR = 8,
    CBN_HEADER_FORMAT_MINOR = 10,
    CBN_HEADER_READER_MAJOR = 12,
    CBN_HEADER_READER_MINOR = 14,
    CBN_HEADER_ARCHIVE_SIZE = 16,
    CBN_HEADER_INDEX_SIZE = 24,
    CBN_HEADER_ROOT_SIZE = 28,
    CBN_HEADER_ROOT_DIGEST = 32,
    CBN_HEADER_SIZE = 48,

    /* Table directory. */
    CBN_DIRECTORY_SIZE = 4, /* of its own head, before the entries */
    CBN_DIRECTORY_ENTRY_SIZE = 12,
    CBN_DIRECTORY_MAX = 64, /* entries */
    CBN_ENTRY_ID = 0,
    CBN_ENTRY_STRIDE = 2,
    CBN_ENTRY_OFFSET = 4,
    CBN_ENTRY_COUNT = 8,
    CBN_TABLE_REQUIRED = 0x8000,

    CBN_TABLE_STRINGS = 0x8001,
    CBN_TABLE_ARCHIVE = 0x8010,
    CBN_TABLE_MODULES = 0x8011,
    CBN_TABLE_PAGES = 0x8012,
    CBN_TABLE_SEALS = 0x0018, /* of modules, or of pages */
    CBN_TABLE_SIGNATURES = 0x0019,
    CBN_TABLE_PROPERTIES = 0x001a,
    CBN_TABLE_IMAGES = 0x8020,
    CBN_TABLE_KERNELS = 0x8021,
    CBN_TABLE_RESOURCES = 0x8022,
    CBN_TABLE_PARAMS = 0x8023,
    CBN_TABLE_GLOBALS = 0x8024,
    CBN_TABLE_PIECES = 0x0025,
    CBN_TABLE_SYMBOLS = 0x0026,
    CBN_TABLE_LAUNCHES = 0x0027,
    CBN_TABLE_HIDDEN_PARAMS = 0x0028,
    CBN_TABLE_PARAM_NAMES = 0x0029,
    CBN_TABLE_PARTS = 0x802b,
    CBN_TABLE_PART_GLOBALS = 0x802c,
    CBN_TABLE_IMAGE_SEALS = 0x0030,
    CBN_TABLE_ORIGINS = 0x0031,
    CBN_TABLE_SOURCES = 0x0032,
    CBN_TABLE_TUNED_SETS = 0x0034,
    CBN_TABLE_INSTANCES = 0x0035,
    CBN_TABLE_GPUS = 0x0036,
    CBN_TABLE_TUNINGS = 0x0037,

    /* Rows: offsets, then sizes. */
    CBN_ARCHIVE_VERSION = 0,
    CBN_ARCHIVE_PRODUCER = 4,
    CBN_ARCHIVE_SIZE = 8,
    CBN_ARCHIVE_ABI = 8, /* since 1.2 */
    CBN_ARCHIVE_SIZE_WITH_ABI = 12,

    CBN_MODULE_NAME = 0,
    CBN_MODULE_BLOCK_OFFSET = 4, /* from the start of the root or page */
    CBN_MODULE_BLOCK_SIZE = 8,
    CBN_MODULE_BLOCK_RAW_SIZE = 12, /* since 1.2; 0: the block is not compressed */
    CBN_MODULE_DIGEST = 16,
    CBN_MODULE_SIZE = 32,

    CBN_PAGE_NAME = 0, /* since 1.3; of its first module */
    CBN_PAGE_OFFSET = 4,
    CBN_PAGE_BYTES = 8,
    CBN_PAGE_MODULES = 12,
    CBN_PAGE_DIGEST = 16,
    CBN_PAGE_SIZE = 32,

    CBN_SIGNATURE_KEY = 0, /* the key's number */
    CBN_SIGNATURE_VALUE = 8,
    CBN_KEY_ID_SIZE = 8,
    CBN_SIGNATURE_BYTES = 64,
    CBN_SIGNATURE_SIZE = 72,
    CBN_SIGNATURES_MAX = 16,

    CBN_PROPERTY_KEY = 0,
    CBN_PROPERTY_VALUE = 4,
    CBN_PROPERTY_SIZE = 8,

    CBN_IMAGE_KIND = 0,
    CBN_IMAGE_SUFFIX = 1,
    CBN_IMAGE_NUMBER = 2,
    CBN_IMAGE_ENCODING = 4,
    CBN_IMAGE_ZERO = 5,
    CBN_IMAGE_TOOLKIT = 8,
    CBN_IMAGE_ISA_OR_FLOOR = 12,
    CBN_IMAGE_OFFSET = 16,
    CBN_IMAGE_STORED_SIZE = 24,
    CBN_IMAGE_RAW_SIZE = 32,
    CBN_IMAGE_DIGEST = 40,
    CBN_IMAGE_SIZE = 56,
    CBN_IMAGE_BASE_MODULE = 56, /* since 1.2, of images with the encoding that has a base */
    CBN_IMAGE_BASE_IMAGE = 60,
    CBN_IMAGE_SIZE_WITH_BASE = 64,
    CBN_IMAGE_BASE_PART = 64, /* since 1.5 */
    CBN_IMAGE_SIZE_WITH_BASE_PART = 68,

    CBN_KERNEL_NAME = 0,
    CBN_KERNEL_EXPRESSION = 4,
    CBN_KERNEL_SIZE = 8,

    CBN_RESOURCE_IMAGE = 0,
    CBN_RESOURCE_KERNEL = 4,
    CBN_RESOURCE_REGISTERS = 8,
    CBN_RESOURCE_STATIC_SHARED = 12,
    CBN_RESOURCE_LOCAL = 16,
    CBN_RESOURCE_CONSTANT = 20,
    CBN_RESOURCE_MAX_THREADS = 24,
    CBN_RESOURCE_MAX_BLOCK = 28,
    CBN_RESOURCE_REQUIRED_BLOCK = 40,
    CBN_RESOURCE_MIN_BLOCKS = 52,
    CBN_RESOURCE_REQUIRED_CLUSTER = 56,
    CBN_RESOURCE_MAX_CLUSTER = 68,
    CBN_RESOURCE_FIRST_PARAM = 72,
    CBN_RESOURCE_PARAM_COUNT = 76,
    CBN_RESOURCE_PARAM_BYTES = 78,
    CBN_RESOURCE_SIZE_1_0 = 80,
    CBN_RESOURCE_SPILL_STORE = 80, /* since 1.1, as the rest */
    CBN_RESOURCE_SPILL_LOAD = 84,
    CBN_RESOURCE_BARRIERS = 88,
    CBN_RESOURCE_SIZE = 92,
    CBN_PARAM_COUNT_UNKNOWN = 0xffff,

    CBN_PARAM_OFFSET = 0,
    CBN_PARAM_BYTES = 4,
    CBN_PARAM_SIZE = 8,

    CBN_GLOBAL_NAME = 0,
    CBN_GLOBAL_EXPRESSION = 4,
    CBN_GLOBAL_BYTES = 8,
    CBN_GLOBAL_FLAGS = 16,
    CBN_GLOBAL_ZERO = 20,
    CBN_GLOBAL_SIZE = 24,
    CBN_GLOBAL_CONSTANT = 1 << 0,
    CBN_GLOBAL_MANAGED = 1 << 1,

    CBN_ORIGIN_IMAGE = 0,
    CBN_ORIGIN_SOURCE = 4,
    CBN_ORIGIN_SIZE = 8,

    CBN_SOURCE_NAME = 0,
    CBN_SOURCE_OPTIONS = 4,
    CBN_SOURCE_COMPILER = 8,
    CBN_SOURCE_SIZE = 12,
    CBN_SOURCE_DIGEST = 12, /* SHA-256 */
    CBN_SOURCE_INPUTS_DIGEST = 44,
    CBN_SOURCE_SIZE_WITH_DIGESTS = 76,

    CBN_PIECE_IMAGE = 0,
    CBN_PIECE_FIRST_SYMBOL = 4,
    CBN_PIECE_DEFINED = 8,
    CBN_PIECE_NEEDED = 12,
    CBN_PIECE_FLAGS = 16,
    CBN_PIECE_SIZE = 20,
    CBN_PIECE_COMPLETE = 1 << 0,

    CBN_SYMBOL_NAME = 0,
    CBN_SYMBOL_EXPRESSION = 4,
    CBN_SYMBOL_TYPE = 8,
    CBN_SYMBOL_FLAGS = 12,
    CBN_SYMBOL_SIZE = 16,
    CBN_SYMBOL_WEAK = 1 << 0,
    CBN_SYMBOL_VARIABLE = 1 << 1,

    CBN_LAUNCH_RESOURCE = 0, /* since 1.4, as the rest */
    CBN_LAUNCH_FLAGS = 4,
    CBN_LAUNCH_DYNAMIC_SHARED = 8,
    CBN_LAUNCH_BLOCK = 12,
    CBN_LAUNCH_GRID_FACTOR = 24,
    CBN_LAUNCH_CLUSTER = 36,
    CBN_LAUNCH_FIRST_HIDDEN = 48,
    CBN_LAUNCH_HIDDEN_COUNT = 52, /* 16 bits, as the next */
    CBN_LAUNCH_NAME_COUNT = 54,
    CBN_LAUNCH_FIRST_NAME = 56,
    CBN_LAUNCH_ZERO = 60,
    CBN_LAUNCH_SIZE = 64,
    CBN_LAUNCH_TAKES_SHARED = 1 << 0,
    CBN_LAUNCH_COOPERATIVE = 1 << 1,
    CBN_LAUNCH_WAITS = 1 << 2, /* since 1.6, as the next */
    CBN_LAUNCH_TRIGGERS = 1 << 3,

    CBN_HIDDEN_PARAM = 0,
    CBN_HIDDEN_KIND = 4,
    CBN_HIDDEN_BLOCK_BYTES = 8,
    CBN_HIDDEN_ALIGNMENT = 16,
    CBN_HIDDEN_DIMENSIONS = 20,
    CBN_HIDDEN_SIZE = 24,

    CBN_PARAM_NAME_NAME = 0,
    CBN_PARAM_NAME_TYPE = 4,
    CBN_PARAM_NAME_SIZE = 8,

    CBN_PARTS_FIRST = 0, /* since 1.5, as the rest */
    CBN_PARTS_COUNT = 4,
    CBN_PARTS_SIZE = 8,

    CBN_PART_GLOBAL_GLOBAL = 0,
    CBN_PART_GLOBAL_IMAGE = 4,
    CBN_PART_GLOBAL_SIZE = 8,

    CBN_TUNED_SET_WHAT = 0, /* since 1.6, as the rest */
    CBN_TUNED_SET_FIRST = 4,
    CBN_TUNED_SET_COUNT = 8,
    CBN_TUNED_SET_DEFAULT = 12,
    CBN_TUNED_SET_SIZE = 16,

    CBN_INSTANCE_NAME = 0,
    CBN_INSTANCE_SIZE = 4,

    CBN_GPU_NAME = 0,
    CBN_GPU_COMPUTE = 4,
    CBN_GPU_MULTIPROCESSORS = 8,
    CBN_GPU_ZERO = 12,
    CBN_GPU_SIZE = 16,
    CBN_GPU_NAME_MAX = 255,

    CBN_TUNING_SET = 0,
    CBN_TUNING_GPU = 4,
    CBN_TUNING_IMAGE = 8,
    CBN_TUNING_KIND = 12,
    CBN_TUNING_SUFFIX = 13,
    CBN_TUNING_NUMBER = 14, /* 16 bits */
    CBN_TUNING_EXTENT = 16, /* 64 bits each */
    CBN_TUNING_DIGEST = 40,
    CBN_TUNING_INSTANCE = 56,
    CBN_TUNING_FLAGS = 60,
    CBN_TUNING_BLOCK = 64,
    CBN_TUNING_CLUSTER = 76,
    CBN_TUNING_GRID_RULE = 88,
    CBN_TUNING_GRID_VALUE = 92,
    CBN_TUNING_GRID_LIMIT = 104,
    CBN_TUNING_DYNAMIC_SHARED = 116,
    CBN_TUNING_TIME = 120, /* 64 bits, as the next */
    CBN_TUNING_NOISE = 128,
    CBN_TUNING_UNTUNED_TIME = 136,
    CBN_TUNING_UNTUNED_NOISE = 144,
    CBN_TUNING_DATE = 152,
    CBN_TUNING_CANDIDATES = 160,
    CBN_TUNING_MEASUREMENTS = 164,
    CBN_TUNING_DRIVER = 168,
    CBN_TUNING_TOOLKIT = 172,
    CBN_TUNING_SM_CLOCK = 176,
    CBN_TUNING_MEMORY_CLOCK = 180,
    CBN_TUNING_SIZE = 184,
    CBN_TUNING_DEFAULT_STAYS = 1 << 0,
    CBN_TUNING_COLD = 1 << 1,
    CBN_TUNING_CHECKED = 1 << 2,
    CBN_TUNING_COOPERATIVE = 1 << 3,
    CBN_TUNING_FLAGS_KNOWN = (1 << 4) - 1,
};

#define CBN_TUNING_NO_IMAGE UINT32_MAX /* the record is void */

/* Where something starts that comes after what ends at `offset`: tables, blocks and pages are aligned. */
static inline uint64_t cbn_align(uint64_t offset)
{
    return (offset + CBN_TABLE_ALIGNMENT - 1) / CBN_TABLE_ALIGNMENT * CBN_TABLE_ALIGNMENT;
}

/* The largest raw size of a compressed block. */
static inline uint64_t cbn_block_limit(uint32_t stored_size)
{
    uint64_t by_ratio = (uint64_t)stored_size * CBN_INDEX_RATIO;
    return by_ratio > CBN_BLOCK_ALWAYS ? by_ratio : CBN_BLOCK_ALWAYS;
}

/* The largest raw size of all compressed blocks of an index. */
static inline uint64_t cbn_index_limit(uint64_t index_size)
{
    uint64_t by_ratio = index_size * CBN_INDEX_RATIO;
    return by_ratio > CBN_INDEX_ALWAYS ? by_ratio : CBN_INDEX_ALWAYS;
}

/* How much the records of all modules may tell. */
static inline uint64_t cbn_told_limit(uint64_t archive_size)
{
    uint64_t by_ratio = archive_size * CBN_TOLD_RATIO;
    return by_ratio > CBN_TOLD_ALWAYS ? by_ratio : CBN_TOLD_ALWAYS;
}

static inline uint16_t cbn_get16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t cbn_get32(const unsigned char *bytes)
{
    return (uint32_t)cbn_get16(bytes) | (uint32_t)cbn_get16(bytes + 2) << 16;
}

/* x, y and z. */
static inline void cbn_get_dimensions(const unsigned char *field, uint32_t dimensions[3])
{
    for (int i = 0; i < 3; i++) {
        dimensions[i] = cbn_get32(field + 4 * i);
    }
}

static inline uint64_t cbn_get64(const unsigned char *bytes)
{
    return (uint64_t)cbn_get32(bytes) | (uint64_t)cbn_get32(bytes + 4) << 32;
}

static inline void cbn_put16(unsigned char *bytes, uint16_t value)
{
    bytes[0] = (unsigned char)value;
    bytes[1] = (unsigned char)(value >> 8);
}

static inline void cbn_put32(unsigned char *bytes, uint32_t value)
{
    cbn_put16(bytes, (uint16_t)value);
    cbn_put16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void cbn_put64(unsigned char *bytes, uint64_t value)
{
    cbn_put32(bytes, (uint32_t)value);
    cbn_put32(bytes + 4, (uint32_t)(value >> 32));
}

#endif
