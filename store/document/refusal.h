/* Refusals of values and of JSON, in the words for writers of files. Any
 * thread. */
#ifndef STORE_DOCUMENT_REFUSAL_H
#define STORE_DOCUMENT_REFUSAL_H
#include "store/type/type.h"

/* Replace the words of Cassandra's library in a refusal of JSON by plain ones. */
void refusal_say_plainly(struct type_error *error);
#endif
