/* ascii and text. Any thread. */
#ifndef STORE_TYPE_STRING_H
#define STORE_TYPE_STRING_H
#include "store/type/native.h"

extern const struct native_type native_ascii, native_text;
#endif
