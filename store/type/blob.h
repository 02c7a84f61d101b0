/* blob, and the type of a compact table's hidden column. Any thread. */
#ifndef STORE_TYPE_BLOB_H
#define STORE_TYPE_BLOB_H
#include "store/type/native.h"

extern const struct native_type native_blob, native_empty;
#endif
