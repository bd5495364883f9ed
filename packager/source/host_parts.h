/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a source's declarations are for the host alone. */
#ifndef HOST_PARTS_H
#define HOST_PARTS_H

#include "source/declarations.h"
#include "source/skeleton.h"

enum host_fate {
    HOST_KEPT,
    HOST_DROPPED,
    HOST_HEAD,     /* it was refused: what is left is an error where it is used (host_heads.h) */
    HOST_BODILESS, /* the body is dropped */
    HOST_TRAP,     /* the body stops the kernel: of a virtual function, which tables of the device's point to,
                    * and of others that have to be defined */
    HOST_VALUELESS, /* the initializer is dropped: of a data member in a class of the host's */
    HOST_SKELETON,  /* of the body the uses of kernels stay */
    HOST_DECLARED,  /* a variable, as if it were defined elsewhere; device code that uses it is an error */
};

struct host_part {
    enum host_fate fate;
    enum host_fate instead; /* of a skeleton that is refused */
    bool has_initializers;  /* a constructor's skeleton: those of bases and members stay */
    bool is_hosts;          /* a function that no declaration annotates */
    bool is_inside;         /* in something that is dropped */
    bool is_wanted;         /* it was dropped, and a function for both sides calls it */
    bool is_refused;        /* it was a skeleton, and was dropped */
    char *cause;            /* what the compiler said of what would have stayed; NULL: nothing */
    struct skeleton skeleton;
};

struct host_parts {
    struct host_part *items; /* one for each declaration */
    size_t count;
    struct skeleton_names names;
    bool has_declarations; /* functions of the host's whose bodies are dropped stay as such */
    bool is_mixed;         /* there is host code, or a function that is not annotated */
    const char *message;   /* what the compiler says, while it is learned from */
    size_t message_size;
};

/* Decides about each declaration. Functions of the host's stay as declarations where skeletons are, whose
 * types these need, or if `keep` wants it. */
cubinet_status host_parts_decide(const struct cxx_tokens *tokens, const struct declarations *declarations,
                                 bool keep, struct host_parts *out_parts);

/* Drops more, since the compiler found an error at this token: the declaration that it is in if that is not
 * the device's, or what of a skeleton is on its line, and if `named` has the token's name. False if there is
 * nothing to drop. */
bool host_parts_drop(struct host_parts *parts, const struct cxx_tokens *tokens,
                     const struct declarations *declarations, size_t token, bool named);

/* Whether the compiler sees the name at a token: it is in nothing that is dropped. */
bool host_parts_shows(const struct host_parts *parts, const struct cxx_tokens *tokens,
                      const struct declarations *declarations, size_t token);

/* Leaves nothing of what may use kernels by an operator, or as a base or member: the compiler found an error,
 * and it is not known of what. In headers first, where most are wrong guesses. False if there was nothing. */
bool host_parts_stop_guessing(struct host_parts *parts, const struct cxx_tokens *tokens,
                              const struct declarations *declarations);

/* Gives the function at a token, of which the body was dropped, another, since the compiler wants one. Where
 * it is declared alone, those of its name get one. */
bool host_parts_define(struct host_parts *parts, const struct cxx_tokens *tokens,
                       const struct declarations *declarations, size_t token);

/* Takes a variable back as a declaration, since the skeleton at a token names it, as in `k<<<1, 1>>>(x)`. */
bool host_parts_declare(struct host_parts *parts, const struct cxx_tokens *tokens,
                        const struct declarations *declarations, size_t token, const char *name, size_t size);

/* Takes functions of a name back, since the function at a token, which is for both sides, calls them: on the
 * device they stop the kernel. */
bool host_parts_want(struct host_parts *parts, const struct cxx_tokens *tokens,
                     const struct declarations *declarations, size_t token, const char *name, size_t size);

void host_parts_free(struct host_parts *parts);

#endif
