/* The words that completion knows, by the statement that they can occur in. */
#ifndef TOOLS_CQL_WORDS_H
#define TOOLS_CQL_WORDS_H
#include "store/base/bytes.h"

/* Lists end with NULL. Words may be passed in any case. */
/* Words that begin a statement. */
extern const char *const cql_words_first[];
/* Return the words that alone can follow the first word, or NULL. */
const char *const *cql_words_second(struct bytes first);
/* Return the keywords of statements that begin so; of all where it is none of
 * them. */
const char *const *cql_words_of(struct bytes first);
/* Types that have names of CQL. */
extern const char *const cql_words_types[];
#endif
