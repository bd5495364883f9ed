/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Archives: opening them, and reading what is in them. Nothing here needs a GPU or a driver.
 *
 * An open archive never changes, so any number of threads may use one at the same time; only
 * cubinet_archive_close() must be the last call. Every string and array that these functions return belongs
 * to the archive and lives until it is closed.
 */
#ifndef CUBINET_ARCHIVE_H
#define CUBINET_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/export.h>
#include <cubinet/status.h>
#include <cubinet/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open archive.
 * @since 0.1 */
typedef struct cubinet_archive cubinet_archive;

/** A number that the archive does not record, such as registers of a PTX image, or that does not exist.
 * @since 0.1 */
#define CUBINET_UNKNOWN UINT32_MAX

/** How to open an archive. Zero-initialise, then set `size`.
 * @since 0.1 */
typedef struct cubinet_archive_options {
    size_t size; /**< sizeof(cubinet_archive_options) */
    /** Largest raw (decompressed) image that may be read, in bytes. 0: the larger of 1 GiB and 64 × its
     * stored size. A larger one is CUBINET_ERROR_LIMIT when it is read, before memory is taken for it. The
     * same holds for an image that another was made from. A compressed part of the index may have at most
     * that many bytes, too, and at most the larger of 1 MiB and 64 × its stored size; all of them together at
     * most the larger of 64 MiB and 64 × the size of the index. */
    uint64_t max_image_size;
    /** Public keys of those who may have made the archive: `public_key_count` texts, each what `cubinet
     * keygen` or minisign wrote to a .pub file, or the last line of that. An archive that none of them
     * signed, or that was altered afterwards, is CUBINET_ERROR_NOT_TRUSTED: at open, or when a module or
     * image is first used. Needs libsodium. NULL: accepts any archive. An empty list (not NULL, count 0)
     * accepts none.
     */
    const char *const *public_keys;
    size_t public_key_count;
    /** What the archive's version must be, such as ">= 1.4, < 2": terms with >=, >, <=, <, == or !=, all of
     * which must hold. Versions are numbers separated by dots; a suffix after '-' comes before the version
     * without it. CUBINET_ERROR_OTHER_VERSION if it is not. NULL: any */
    const char *require_version;
    /** The ABI tag that the archive must have been given (`cubinet pack --abi`), compared as text;
     * CUBINET_ERROR_OTHER_VERSION otherwise. NULL: any */
    const char *require_abi;
} cubinet_archive_options;

/**
 * Opens an archive file, and reads and checks its list of modules, or, for an archive of many modules, the
 * list of its pages. Modules and images are read and checked on first use. Images of more than 128 KiB are
 * used from a mapping of the file, unless there are public keys: then only copies are used.
 *
 * A file of up to 8 KiB is read whole and closed. A larger one stays open until cubinet_archive_close(), with
 * a descriptor that child programs do not inherit. If your program closes all descriptors when it starts, as
 * daemons do, open archives after that. Without public keys, archives inside programs and those of a catalog
 * are mapped when they are opened, and keep no descriptor.
 *
 * A program or shared library (an ELF file) may contain an archive: in a section named ".cubinet", made by
 * `objcopy --add-section`; appended to the file; or built in, in a section named ".cubinet.NAME", made by
 * CMake's cubinet_embed(). The first of these three is opened. If several are built in, "program#NAME" opens
 * one.
 *
 * Do not change the file in place while it is open (replacing it by rename is fine: Cubinet itself does
 * that). Using a changed part gives CUBINET_ERROR_DAMAGED or CUBINET_ERROR_IO. If a mapped file is shortened,
 * the system ends a program that uses the missing part (SIGBUS).
 *
 * @param options NULL for the defaults
 * @param out_archive the archive, which the caller closes; untouched on failure
 * @return CUBINET_ERROR_IO, CUBINET_ERROR_NOT_ARCHIVE, CUBINET_ERROR_DAMAGED, CUBINET_ERROR_NEWER_FORMAT,
 *         CUBINET_ERROR_NOT_TRUSTED, CUBINET_ERROR_OTHER_VERSION,
 *         CUBINET_ERROR_OUT_OF_MEMORY, CUBINET_ERROR_INVALID_ARGUMENT
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_open(const char *path, const cubinet_archive_options *options,
                                                cubinet_archive **out_archive);

/**
 * Opens an archive file by its path relative to the program or shared library that uses it, so that users may
 * move the installation. With CMake, `cubinet_install(kernels … FOR app)` makes the list of paths.
 *
 * @param address a function or static variable of the program or shared library; NULL: the program
 * @param paths relative to the folder of its file, symbolic links resolved, or absolute. Separate several by
 * ':'; the first that exists is opened: "../share/app/kernels.cubinet:kernels.cubinet". An empty path, as in
 * "" and "kernels.cubinet:", is the archive inside the file itself
 * @param options NULL for the defaults
 * @param out_archive the archive, which the caller closes; untouched on failure
 * @return as cubinet_archive_open(); CUBINET_ERROR_IO if there is no file at any of the paths
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_open_near(const void *address, const char *paths,
                                                     const cubinet_archive_options *options,
                                                     cubinet_archive **out_archive);

/**
 * Opens an archive in memory, such as one embedded in the program. Keep the bytes unchanged until after
 * cubinet_archive_close(). No alignment is required. Errors as for cubinet_archive_open().
 *
 * @param size bytes of the archive: exactly those, nothing after them
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_open_memory(const void *data, size_t size,
                                                       const cubinet_archive_options *options,
                                                       cubinet_archive **out_archive);

/**
 * Closes an archive. Modules loaded from it stay usable: they keep what they need. For parts of modules that
 * were not loaded yet (cubinet_image_info::part_count), a file stays open until these modules are unloaded,
 * and these parts of an archive in memory are copied now. A module that has not handed out a kernel or global
 * first decides on its image, for which the driver may have to load a part. If memory for a copy is lacking,
 * asking for the part's kernels gives CUBINET_ERROR_OUT_OF_MEMORY. NULL is allowed.
 * @since 0.1
 */
CUBINET_API void cubinet_archive_close(cubinet_archive *archive);

/** Bits of cubinet_archive_info::flags.
 * @since 0.1 */
typedef enum cubinet_archive_flags {
    /** It was opened with public keys, and one of them signed it. Without this bit, signatures were not
       checked. */
    CUBINET_ARCHIVE_TRUSTED = 1 << 0,
} cubinet_archive_flags;

/** Properties of an archive.
 * @since 0.1 */
typedef struct cubinet_archive_info {
    size_t size;                 /**< sizeof(cubinet_archive_info) */
    const char *archive_version; /**< what `cubinet pack --archive-version` was given, or "" */
    const char *abi;             /**< what `cubinet pack --abi` was given, or "" */
    const char *producer;        /**< the Cubinet that wrote it, such as "cubinet 0.1.0" */
    uint64_t archive_size;       /**< bytes of the whole file */
    uint32_t index_size;         /**< bytes of the index */
    uint16_t format_major;       /**< version of the format it is written in */
    uint16_t format_minor;
    uint32_t signature_count; /**< 0: it is not signed */
    uint32_t property_count;
    uint32_t flags;    /**< cubinet_archive_flags */
    uint32_t reserved; /**< 0 */
} cubinet_archive_info;

/** Describes an archive.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_archive_get_info(const cubinet_archive *archive,
                                                    cubinet_archive_info *out_info);

/**
 * The number of a key that signed the archive. Anybody can claim a number: only opening with public keys
 * checks it.
 *
 * @param signature from 0 to signature_count - 1
 * @param out_key_id 8 bytes; minisign prints them as one little-endian number in 16 hexadecimal digits
 * @return CUBINET_ERROR_NOT_FOUND if the archive has fewer
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_signer(const cubinet_archive *archive, uint32_t signature,
                                                      uint8_t out_key_id[8]);

/**
 * A property of the archive (`cubinet pack --set KEY=VALUE`; `license` is its SPDX licence expression).
 * Properties are numbered from 0, in the byte order of their keys.
 *
 * @param property from 0 to property_count - 1
 * @param out_key, out_value UTF-8, the archive's; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND if the archive has fewer
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_property(const cubinet_archive *archive, uint32_t property,
                                                        const char **out_key, const char **out_value);

/**
 * Finds a property by its key, which is compared as text.
 *
 * @param out_value UTF-8, the archive's; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_find_property(const cubinet_archive *archive, const char *key,
                                                         const char **out_value);

/** How many modules there are; 0 for NULL. They are numbered from 0, in the byte order of their names.
 * @since 0.1 */
CUBINET_API uint32_t cubinet_archive_get_module_count(const cubinet_archive *archive);

/** One module of an archive.
 * @since 0.1 */
typedef struct cubinet_module_info {
    size_t size;      /**< sizeof(cubinet_module_info) */
    const char *name; /**< UTF-8 */
    uint32_t image_count;
    uint32_t kernel_count;
    uint32_t global_count;
    uint32_t reserved; /**< 0 */
} cubinet_module_info;

/**
 * Describes a module. The first use of a module checks its part of the index.
 *
 * @return CUBINET_ERROR_NOT_FOUND for an index out of range, CUBINET_ERROR_DAMAGED, CUBINET_ERROR_IO
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_module(const cubinet_archive *archive, uint32_t module,
                                                      cubinet_module_info *out_info);

/**
 * Finds a module by its name. An archive of many modules lists them in pages, and the first use of a page
 * checks it.
 *
 * @return CUBINET_ERROR_NOT_FOUND, whose message names the nearest module; CUBINET_ERROR_DAMAGED,
 *         CUBINET_ERROR_NOT_TRUSTED and CUBINET_ERROR_IO if the page is where the module would be listed
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_find_module(const cubinet_archive *archive, const char *name,
                                                       uint32_t *out_module);

/** How the bytes of an image are stored. The numbers are those of the archive format.
 * @since 0.1 */
typedef enum cubinet_encoding {
    CUBINET_ENCODING_RAW = 0,  /**< unchanged */
    CUBINET_ENCODING_ZSTD = 1, /**< one zstd frame */
    /** One zstd frame that was made with another image, its base, as prefix: `zstd --patch-from`. The base
     * needs no base itself, so reading the image reads at most one other. */
    CUBINET_ENCODING_ZSTD_BASE = 2,
} cubinet_encoding;

/** Bits of cubinet_image_info::flags.
 * @since 0.1 */
typedef enum cubinet_image_flags {
    /** The archive records the symbols that the image defines for other images and needs from them. */
    CUBINET_IMAGE_IS_PIECE = 1 << 0,
    /** The record of symbols is complete. Without this bit there may be more (LTO-IR that was not compiled as
       a fragment, or an image that is not a piece). */
    CUBINET_IMAGE_SYMBOLS_COMPLETE = 1 << 1,
} cubinet_image_flags;

/** One image of a module.
 * @since 0.1 */
typedef struct cubinet_image_info {
    size_t size; /**< sizeof(cubinet_image_info) */
    cubinet_target target;
    uint32_t toolkit; /**< CUDA release that made it, 1000 × major + 10 × minor, as CUDA_VERSION: 13000; 0
                         unknown */
    uint32_t ptx_isa; /**< of a PTX image, 10 × major + minor: 90 for 9.0; otherwise 0 */
    uint32_t link_floor; /**< of LTO-IR, the oldest nvJitLink that links it, as `toolkit`; otherwise 0 */
    cubinet_encoding encoding;
    uint32_t flags;         /**< cubinet_image_flags */
    uint64_t offset;        /**< of its stored bytes from the start of the archive */
    uint64_t stored_size;   /**< bytes in the archive */
    uint64_t raw_size;      /**< bytes of the image itself */
    uint8_t digest[16];     /**< XXH3-128 of the stored bytes, in canonical (big-endian) form */
    uint32_t defined_count; /**< symbols that it defines: the first that cubinet_archive_get_symbol() gives */
    uint32_t needed_count; /**< symbols that it needs, which come after them. If above 0, the image loads only
                              after it is linked with images that define them */
    uint32_t base_module;  /**< of CUBINET_ENCODING_ZSTD_BASE, the module and image that it was made from; */
    uint32_t base_image;   /**< otherwise CUBINET_UNKNOWN */
    uint32_t base_part;    /**< of that image, as cubinet_archive_get_part() numbers parts; as above */
    /** 1, or more if the image consists of parts, each with some of its kernels. Then the sizes are the sums
     * of theirs, `digest` is XXH3-128 of their digests one after the other, `offset` and `encoding` are those
     * of the first part, and no base is named: see cubinet_archive_get_part(). */
    uint32_t part_count;
} cubinet_image_info;

/** Describes an image. Images of a module are numbered from 0 in cubinet_target_compare()'s order.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_archive_get_image(const cubinet_archive *archive, uint32_t module,
                                                     uint32_t image, cubinet_image_info *out_info);

/** One part of an image: a cubin or PTX with some of its kernels, which the driver loads separately. Every
 * kernel of the image is in exactly one of its parts.
 * @since 0.1 */
typedef struct cubinet_part_info {
    size_t size; /**< sizeof(cubinet_part_info) */
    cubinet_encoding encoding;
    uint32_t kernel_count;
    uint64_t offset;      /**< of its stored bytes from the start of the archive */
    uint64_t stored_size; /**< bytes in the archive */
    uint64_t raw_size;    /**< bytes of the part itself */
    uint8_t digest[16];   /**< XXH3-128 of the stored bytes, in canonical (big-endian) form */
    uint32_t base_module; /**< of CUBINET_ENCODING_ZSTD_BASE, the module, image and part that it was made */
    uint32_t base_image;  /**< from; otherwise CUBINET_UNKNOWN */
    uint32_t base_part;
    uint32_t reserved; /**< 0 */
} cubinet_part_info;

/**
 * Describes a part of an image. Parts are numbered from 0, in the order of their first kernels. An image
 * that does not consist of parts is its own part 0.
 *
 * @param part from 0 to cubinet_image_info::part_count - 1
 * @return CUBINET_ERROR_NOT_FOUND if the image has fewer
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_part(const cubinet_archive *archive, uint32_t module,
                                                    uint32_t image, uint32_t part,
                                                    cubinet_part_info *out_info);

/**
 * Finds the part of an image that has a kernel.
 *
 * @param kernel from 0 to cubinet_module_info::kernel_count - 1
 * @param out_part 0 for an image that does not consist of parts; untouched on failure
 * @return CUBINET_ERROR_NOT_FOUND if the image does not have the kernel
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_find_part(const cubinet_archive *archive, uint32_t module,
                                                     uint32_t image, uint32_t kernel, uint32_t *out_part);

/** Bits of cubinet_origin::flags.
 * @since 0.1 */
typedef enum cubinet_origin_flags {
    /** The digests are recorded (`cubinet compile --provenance sources`); without, they are zeros. */
    CUBINET_ORIGIN_HAS_DIGESTS = 1 << 0,
} cubinet_origin_flags;

/** Where an image comes from, as `cubinet compile` records it.
 * @since 0.1 */
typedef struct cubinet_origin {
    size_t size;               /**< sizeof(cubinet_origin) */
    const char *source;        /**< name of the source's file, without its folder */
    const char *options;       /**< those that affect the code, one on a line; "" if there was none */
    const char *compiler;      /**< such as "NVRTC 13.0.88" */
    uint8_t source_sha256[32]; /**< of the source */
    /** Of the SHA-256 of each file that the compile read, the source and the headers that are not the
     * toolkit's: each once, in ascending order, 32 bytes after the other. */
    uint8_t inputs_sha256[32];
    uint32_t flags;    /**< cubinet_origin_flags */
    uint32_t reserved; /**< 0 */
} cubinet_origin;

/**
 * Reads where an image comes from.
 *
 * @return CUBINET_ERROR_NOT_FOUND if it is not recorded (images of other tools, `--provenance none`)
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_origin(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t image, cubinet_origin *out_origin);

/**
 * Reads an image into the caller's memory: digest checked, decompressed.
 *
 * @param buffer at least `capacity` bytes; its contents are undefined after a failure
 * @param capacity at least the image's raw_size
 * @return CUBINET_ERROR_DAMAGED, CUBINET_ERROR_IO, CUBINET_ERROR_LIMIT, CUBINET_ERROR_INVALID_ARGUMENT if
 *         `capacity` is short or the image consists of parts: cubinet_archive_read_part() reads those
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_read_image(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t image, void *buffer, size_t capacity);

/**
 * Reads a part of an image as cubinet_archive_read_image() does an image. Part 0 of an image that does not
 * consist of parts is the image.
 *
 * @param capacity at least the part's raw_size
 * @return CUBINET_ERROR_NOT_FOUND if there is no such part; otherwise as cubinet_archive_read_image()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_read_part(const cubinet_archive *archive, uint32_t module,
                                                     uint32_t image, uint32_t part, void *buffer,
                                                     size_t capacity);

/** A kernel's parameter. An element of an array: its size never changes.
 * @since 0.1 */
typedef struct cubinet_param {
    uint32_t offset;      /**< bytes from the start of the parameter buffer */
    uint32_t size;        /**< bytes */
    uint32_t reserved[2]; /**< 0 */
} cubinet_param;

/** One kernel of a module.
 * @since 0.1 */
typedef struct cubinet_kernel_info {
    size_t size;      /**< sizeof(cubinet_kernel_info) */
    const char *name; /**< lowered (mangled) name, as in the image */
    const char
        *expression; /**< the name expression it was compiled from, as written; the name if there is none */
} cubinet_kernel_info;

/** Describes a kernel. Kernels of a module are numbered from 0 in the byte order of their lowered names.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_archive_get_kernel(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t kernel, cubinet_kernel_info *out_info);

/**
 * Finds a kernel by its name expression or its lowered name. White space in expressions does not count
 * (beyond keeping words apart): "segsum<float, int, 256, 4>" finds "segsum<float,int,256,4>".
 *
 * If no kernel has that name, this looks for its plain, qualified or demangled name:
 * "ns::scale<float, 256>(float*, int)" as c++filt prints it, "ns::scale<float, 256>", "ns::scale", and the
 * same without "ns::". Exactly one kernel of the module has to match; if several do, the message names them.
 *
 * @return CUBINET_ERROR_NOT_FOUND, whose message names the nearest kernel, or those that fit
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_find_kernel(const cubinet_archive *archive, uint32_t module,
                                                       const char *expression_or_name, uint32_t *out_kernel);

/**
 * What a kernel needs, as one image of it was compiled. Names follow CUfunction_attribute, and where a member
 * has an attribute it is equal to what cuFuncGetAttribute() reports.
 * @since 0.1
 */
typedef struct cubinet_kernel_resources {
    size_t size;                  /**< sizeof(cubinet_kernel_resources) */
    uint32_t registers;           /**< for each thread (NUM_REGS); CUBINET_UNKNOWN for PTX and LTO-IR */
    uint32_t static_shared_bytes; /**< for each block (SHARED_SIZE_BYTES) */
    uint32_t local_bytes;         /**< for each thread (LOCAL_SIZE_BYTES) */
    uint32_t constant_bytes;      /**< user-allocated constant memory (CONST_SIZE_BYTES) */
    uint32_t
        max_threads_per_block;  /**< by launch bounds, registers and architecture (MAX_THREADS_PER_BLOCK) */
    uint32_t max_block[3];      /**< __launch_bounds__ (PTX .maxntid): x, y, z; 0 if not given */
    uint32_t required_block[3]; /**< PTX .reqntid: x, y, z; 0 if not given */
    uint32_t min_blocks;        /**< blocks for each multiprocessor, of __launch_bounds__; 0 if not given */
    uint32_t
        required_cluster[3]; /**< __cluster_dims__ (REQUIRED_CLUSTER_WIDTH, HEIGHT, DEPTH); 0 if not given */
    uint32_t max_cluster_blocks; /**< third argument of __launch_bounds__; 0 if not given */
    uint32_t param_bytes;        /**< size of the parameter buffer */
    uint32_t param_count;        /**< CUBINET_UNKNOWN for LTO-IR */
    const cubinet_param *params; /**< param_count of them, in order; NULL if there are none */
    uint32_t spill_store_bytes;  /**< for each thread: bytes that are written to local memory because there
                                    are too few registers, every instruction counted once, as ptxas does */
    uint32_t spill_load_bytes;   /**< of the same, bytes that are read back */
    uint32_t barriers; /**< named barriers of each block, 0 to 16; __syncthreads() is one. CUBINET_UNKNOWN for
                          PTX and LTO-IR, and like the spills in archives of format 1.0 */
    uint32_t reserved; /**< 0 */
} cubinet_kernel_resources;

/**
 * What a kernel needs in one image.
 *
 * @return CUBINET_ERROR_NOT_FOUND if the image does not contain the kernel (one that is compiled only for
 *         some architectures)
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_resources(const cubinet_archive *archive, uint32_t module,
                                                         uint32_t image, uint32_t kernel,
                                                         cubinet_kernel_resources *out_resources);

/** Bits of cubinet_symbol_info::flags.
 * @since 0.1 */
typedef enum cubinet_symbol_flags {
    CUBINET_SYMBOL_DEFINED = 1 << 0, /**< the image defines it; without, it needs it */
    CUBINET_SYMBOL_WEAK = 1 << 1, /**< other images may define it, too, and one of the definitions is taken */
    CUBINET_SYMBOL_VARIABLE = 1 << 2, /**< a variable; without, a function */
} cubinet_symbol_flags;

/** A function or variable by which images are linked with each other. Kernels are not among them.
 * @since 0.1 */
typedef struct cubinet_symbol_info {
    size_t size;            /**< sizeof(cubinet_symbol_info) */
    const char *name;       /**< lowered (mangled) name, by which the linker knows it */
    const char *expression; /**< what EXPORTS or IMPORTS called it; the name if they did not */
    /** What the linker sees of its type, "" if that is not recorded. Of a function result and parameters in
     * PTX's words, "b32(b64,b32)", with "b8[16]" for 16 bytes of a struct and "()" for no result and no
     * parameter; of a variable its bytes, "b8[16]". Two images that agree about a symbol have equal types or
     * one of them has none. */
    const char *type;
    uint32_t flags;    /**< cubinet_symbol_flags */
    uint32_t reserved; /**< 0 */
} cubinet_symbol_info;

/**
 * Describes a symbol of an image: first those that it defines, then those that it needs, both in the byte
 * order of their names. cubinet_image_info says how many there are.
 *
 * @return CUBINET_ERROR_NOT_FOUND if there are no more
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_archive_get_symbol(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t image, uint32_t symbol,
                                                      cubinet_symbol_info *out_info);

/** Bits of cubinet_global_info::flags. CUDA wants a variable to be declared alike for all targets; if it is
 * not, the flags of every image are set.
 * @since 0.1 */
typedef enum cubinet_global_flags {
    CUBINET_GLOBAL_CONSTANT = 1 << 0, /**< __constant__ */
    CUBINET_GLOBAL_MANAGED = 1 << 1,  /**< __managed__: one address for the host and every device */
} cubinet_global_flags;

/** A variable that the host can name: __device__ or __constant__, with external linkage or requested.
 * @since 0.1 */
typedef struct cubinet_global_info {
    size_t size;            /**< sizeof(cubinet_global_info) */
    const char *name;       /**< lowered (mangled) name */
    const char *expression; /**< the name expression that requested it; the name if there is none */
    uint64_t bytes;         /**< its size; 0 if not known */
    uint32_t flags;         /**< cubinet_global_flags */
    uint32_t reserved;      /**< 0 */
} cubinet_global_info;

/** Describes a global. Globals of a module are numbered from 0 in the byte order of their lowered names.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_archive_get_global(const cubinet_archive *archive, uint32_t module,
                                                      uint32_t global, cubinet_global_info *out_info);

/** Finds a global by its name expression, with or without a leading '&', or its lowered name.
 * @since 0.1 */
CUBINET_API cubinet_status cubinet_archive_find_global(const cubinet_archive *archive, uint32_t module,
                                                       const char *expression_or_name, uint32_t *out_global);

/**
 * Writes a lowered (mangled) name as c++filt prints it, without the result: "ns::scale<float>(float*, int)".
 *
 * @param text at least `capacity` bytes; cut, but always NUL-terminated, if it is short and `capacity` is not
 * 0. May be NULL if `capacity` is 0
 * @return bytes that the whole text has, without the NUL, as snprintf(); 0 for a name that is not mangled or
 *         that can't be read, and if there is no memory
 * @since 0.1
 */
CUBINET_API size_t cubinet_name_readable(const char *name, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
