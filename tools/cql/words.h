/* The words that completion knows, by the statement that they can stand in. */
#ifndef TOOLS_CQL_WORDS_H
#define TOOLS_CQL_WORDS_H
#include "store/base/bytes.h"

/* Lists end with NULL. Words are given in any case. */
/* What a statement begins with. */
extern const char *const cql_words_first[];
/* What follows the first word, where nothing else can; or NULL. */
const char *const *cql_words_second(struct bytes first);
/* The keywords of statements that begin so; of all where it is none of them. */
const char *const *cql_words_of(struct bytes first);
/* Types that have names of CQL. */
extern const char *const cql_words_types[];
#endif
