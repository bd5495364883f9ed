/* SPDX-License-Identifier: Apache-2.0 */
/* One piece of a link: an image of an archive, or bytes that the program brought. */
#ifndef CBN_LINK_PIECE_H
#define CBN_LINK_PIECE_H

#include "loader/core/support/sha256.h"
#include "loader/core/support/text_list.h"
#include "loader/link/nvjitlink.h"

#include <cubinet/archive.h>
#include <cubinet/link.h>

/* A function or variable that a piece defines or needs. The strings live as long as the piece. */
struct cbn_piece_symbol {
    const char *name;       /* lowered */
    const char *expression; /* what an archive records that it is called; NULL: nothing */
    const char *type;       /* as in cubinet_symbol_info */
    bool is_defined;
    bool is_weak;
};

/* What a piece's module calls something: a kernel or a global. */
struct cbn_piece_name {
    const char *name;       /* lowered */
    const char *expression; /* the name if there is none */
    bool is_kernel;
    bool is_in_image; /* of a kernel: the piece has it */
};

struct cbn_piece {
    char *name; /* for messages */
    nvJitLinkInputType type;
    cubinet_archive *archive; /* a reference; NULL for a piece in memory */
    uint32_t module;
    uint32_t image;
    cubinet_image_info info;    /* of a piece in memory only the target, as far as it is known */
    unsigned char *data;        /* of a piece in memory, its bytes */
    size_t size;                /* of them */
    struct cbn_sha256 identity; /* of its bytes, or of an archive's image */
    struct cbn_piece_symbol *symbols;
    size_t symbol_count;
    struct cbn_text_list symbol_names; /* copies, where the piece's bytes do not have them as strings */
    bool symbols_complete;             /* it defines and needs nothing else */
    struct cbn_piece_name *names;      /* the module's kernels, then its globals */
    size_t name_count;
};

cubinet_status cbn_piece_from_archive(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                      struct cbn_piece *out_piece);

/* number: the piece's, for a name if `name` is NULL */
cubinet_status cbn_piece_from_memory(cubinet_piece_kind kind, const void *data, size_t size, const char *name,
                                     size_t number, struct cbn_piece *out_piece);

void cbn_piece_free(struct cbn_piece *piece);

/* The piece's bytes. `*out_owned` is freed by the caller: the bytes if they had to be read, or NULL. */
cubinet_status cbn_piece_read(const struct cbn_piece *piece, const unsigned char **out_data, size_t *out_size,
                              unsigned char **out_owned);

/* The lowered name of the kernel, or of the global, that is called so by expression or name; NULL if the
 * record has none. */
const char *cbn_piece_find_name(const struct cbn_piece *piece, const char *expression_or_name,
                                bool is_kernel);

/* The other way round: the expression of what has that lowered name; NULL if the record has none. */
const char *cbn_piece_find_expression(const struct cbn_piece *piece, const char *name, bool is_kernel);

#endif
