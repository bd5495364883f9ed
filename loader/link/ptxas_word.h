/* SPDX-License-Identifier: Apache-2.0 */
/* Which words of ptxas's command line name files that it reads. Nobody can watch what ptxas opens in a
 * process of its own, or inside nvJitLink in a program's; so of an option that is not known to read none, it
 * is assumed that it may. */
#ifndef CBN_PTXAS_WORD_H
#define CBN_PTXAS_WORD_H

#include "loader/core/support/text_list.h"

enum cbn_ptxas_word {
    CBN_PTXAS_PLAIN,   /* reads nothing */
    CBN_PTXAS_FILES,   /* reads files */
    CBN_PTXAS_OPTIONS, /* reads files that have more words in them */
    CBN_PTXAS_UNKNOWN, /* may read anything */
};

/* What the option before a word waits for, from word to word. Zero-initialise. */
struct cbn_ptxas_words {
    bool waits;
    enum cbn_ptxas_word for_what;
};

/* What the next word is. `*out_files`: the files that it names, separated by commas, or what may be such for
 * a word that is not known; NULL: none. */
enum cbn_ptxas_word cbn_ptxas_word(struct cbn_ptxas_words *words, const char *word, const char **out_files);

/* Whether an option is one of nvJitLink's own, for which it reads no file. */
bool cbn_nvjitlink_reads_nothing(const char *option);

/* Whether nvJitLink may read files when it is given these options. */
bool cbn_nvjitlink_may_read(const struct cbn_text_list *options);

#endif
