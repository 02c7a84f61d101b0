/*
 * Stems and stop words by language, for StandardAnalyzer. A language is the
 * value of the option "tokenization_locale", of which only the first two
 * letters count. Any thread.
 */
#ifndef STORE_INDEX_STOP_WORDS_H
#define STORE_INDEX_STOP_WORDS_H
#include <stdbool.h>

#include "store/base/bytes.h"

/* True if it is among the language's most frequent words (as they are written
 * there, in lower case). */
bool stop_words_has(const char *language, struct bytes word);

/*
 * Make the stemmer of a language, NULL where there is none. Used by one thread.
 * 0 or -ENOMEM.
 */
struct sb_stemmer;
int stemmer_new(struct sb_stemmer **out, const char *language);
/* NULL is accepted. */
void stemmer_free(struct sb_stemmer *stemmer);
/* Return the stem of a word in lower case: the word itself where stemmer is
 * NULL; null without memory. Valid until the next call. */
struct bytes stemmer_stem(struct sb_stemmer *stemmer, struct bytes word);
#endif
