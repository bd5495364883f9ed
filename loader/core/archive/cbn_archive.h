/* SPDX-License-Identifier: Apache-2.0 */
/* Open archives, as the other parts of the library see them beyond <cubinet/archive.h>.
 * (Not named archive.h: that is libarchive's.) */
#ifndef CBN_ARCHIVE_H
#define CBN_ARCHIVE_H

#include "loader/core/support/sha256.h"

#include <cubinet/archive.h>
#include <cubinet/launch_record.h>

#include <stdbool.h>

/* Keeps an archive beyond cubinet_archive_close(), and returns it. Until the matching release everything that
 * is known of a module that was used before stays readable; images may not be read after the close, unless by
 * a holder, because the memory of an archive that lies in memory is the caller's again. */
cubinet_archive *cbn_archive_retain(const cubinet_archive *archive);

/* Lets go of an archive; the last one to do so frees it. NULL is allowed. */
void cbn_archive_release(cubinet_archive *archive);

/* Somebody who reads images of an archive also after the program has closed it. */
struct cbn_archive_holder {
    /* The memory that the archive lies in is the program's again after this call, which the closing thread
     * makes: what is still needed of it is copied now. A file is not closed, so there is no call. */
    void (*before_close)(struct cbn_archive_holder *holder);
    struct cbn_archive_holder *next;
};

/* A holder is somebody who retains the archive, too, from before the one call until after the other. Neither
 * may be made while holding what `before_close` waits for. */
void cbn_archive_hold(cubinet_archive *archive, struct cbn_archive_holder *holder);
void cbn_archive_unhold(cubinet_archive *archive, struct cbn_archive_holder *holder);

/* Opens an archive in memory whose bytes were made just now, or read together with a digest of them all:
 * those inside it are not compared again. `let_go(owner)` is called when the archive is freed, and here on
 * failure; so unlike others such an archive may be read as long as it is retained. */
cubinet_status cbn_archive_open_sound(const void *data, size_t size, void *owner, void (*let_go)(void *owner),
                                      cubinet_archive **out_archive);

/* Opens an archive file that is mapped at once and not kept open, because a process has only so many
 * descriptors; but with keys that are trusted as cubinet_archive_open(). */
cubinet_status cbn_archive_open_mapped(const char *path, const cubinet_archive_options *options,
                                       cubinet_archive **out_archive);

/* Opens an archive file with the limit and the trusted keys that another was opened with. */
cubinet_status cbn_archive_open_like(const cubinet_archive *other, const char *path,
                                     cubinet_archive **out_archive);

/* How messages call the archive: its path in quotes, or "the archive in memory". Lives as long as it does. */
const char *cbn_archive_name(const cubinet_archive *archive);

/* Its path as the program gave it, "" for an archive in memory; the caller frees it. NULL if memory is out.
 */
char *cbn_archive_path(const cubinet_archive *archive);

/* The digest of its root, and so of all that is in it, in hexadecimal digits. */
enum { CBN_IDENTITY_TEXT_SIZE = 33 };
const char *cbn_archive_identity_text(const cubinet_archive *archive, char text[CBN_IDENTITY_TEXT_SIZE]);

/* Whether it was opened with keys, one of which signed it. */
bool cbn_archive_is_trusted(const cubinet_archive *archive);

/* Whether it has a module of that name, and its number. Unlike cubinet_archive_find_module() it says no
 * without an error; one is the page's where the module would be listed. */
cubinet_status cbn_archive_seek_module(const cubinet_archive *archive, const char *name, bool *out_found,
                                       uint32_t *out_module);

/* Offers the names of all modules, those on damaged pages excepted. */
struct cbn_nearest;
void cbn_archive_offer_modules(const cubinet_archive *archive, struct cbn_nearest *nearest);

/* Whether the index has a module's block compressed; the module exists and its block has been read. */
bool cbn_archive_block_is_packed(const cubinet_archive *archive, uint32_t module);

/* What the archive says of every image of a module, as many as the module has. */
cubinet_status cbn_archive_get_images(const cubinet_archive *archive, uint32_t module,
                                      cubinet_image_info *images);

/* Whether an image of the module holds the kernel; all three exist. Unlike cubinet_archive_get_resources() it
 * says no without an error. */
bool cbn_archive_image_has_kernel(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t kernel);

/* What an archive records of a kernel in an image, as its public functions tell it. */
struct cbn_kernel_record {
    cubinet_kernel_resources resources;
    cubinet_launch_record launch;
    uint32_t part;
};

/* Whether an image of the module holds the kernel, as cbn_archive_image_has_kernel() says, and its record. */
bool cbn_archive_get_record(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t kernel,
                            struct cbn_kernel_record *out_record);

/* Whether several kernels of the module are what a name may mean that is none of theirs: looking for it is an
 * error that lists them. */
bool cbn_archive_is_ambiguous(const cubinet_archive *archive, uint32_t module, const char *name);

/* Whether the module, which has been used before, has a global of that lowered name. Says no without an
 * error. */
bool cbn_archive_has_global(const cubinet_archive *archive, uint32_t module, const char *name);

/* Whether an image of parts has a global, and in which of them; all three exist. False for an image that does
 * not consist of parts, since nothing is recorded of it. */
bool cbn_archive_find_global_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t global, uint32_t *out_part);

/* An image's raw bytes, size and digest checked: straight in the archive, where they stay until it is closed,
 * or in memory of their own. */
struct cbn_image_bytes {
    const void *data;
    size_t size;
    void *owned; /* which the caller frees; NULL: they are in the archive */
};

/* `as_copy`: in memory of their own in any case, with a NUL after them. CUBINET_ERROR_LIMIT before memory is
 * taken for what is larger than the archive's limit. An image of parts is CUBINET_ERROR_INVALID_ARGUMENT. */
cubinet_status cbn_archive_take_image(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                      bool as_copy, struct cbn_image_bytes *out_bytes);

/* The same for one part of an image; part 0 of an image that does not consist of parts is the image. */
cubinet_status cbn_archive_take_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                     uint32_t part, bool as_copy, struct cbn_image_bytes *out_bytes);

/* The bytes of a part that is stored as it is in a file, straight in its mapping or in the copy that was
 * kept of a small file, size and digest checked: they stay readable after cubinet_archive_close() as long as
 * the archive is retained. NULL for any other part. */
cubinet_status cbn_archive_lend_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                     uint32_t part, const void **out_bytes);

/* What tells an image from all others that anyone could make: two have the same only if their raw bytes are
 * the same. It is made of the bytes, which are read once for it, or in an archive whose signature is trusted
 * of what is signed. `image` exists, and does not consist of parts. */
cubinet_status cbn_archive_image_identity(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                          struct cbn_sha256 *out_identity);

/* The public keys that the program trusts with the archive, in an order of their own; NULL if it gave none.
 */
const void *cbn_archive_trusted_keys(const cubinet_archive *archive, size_t *out_size);

/* The stored bytes of an image or a part, straight in the archive, size and digest checked. They live until
 * the archive is closed. */
cubinet_status cbn_archive_image_bytes(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                       const void **out_bytes);
cubinet_status cbn_archive_part_bytes(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                      uint32_t part, const void **out_bytes);

#endif
