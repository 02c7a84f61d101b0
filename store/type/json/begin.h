/*
 * Decide whether a text may begin the JSON of a value: whole elements are read
 * by their types, the one that the text ends in is asked in turn. Names of
 * fields and keys are checked when they are whole.
 */
#ifndef STORE_TYPE_JSON_BEGIN_H
#define STORE_TYPE_JSON_BEGIN_H
#include "store/type/json/json.h"

/* True if text is JSON of a value of the type, or more bytes may make it
 * that. */
bool json_may_begin(const struct type *t, struct bytes text);
#endif
