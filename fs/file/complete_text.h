/* Whether a value may go on behind the text that was written so far. */
#ifndef FS_FILE_COMPLETE_TEXT_H
#define FS_FILE_COMPLETE_TEXT_H
#include "store/base/bytes.h"

/*
 * Does it end with a newline, and all of its brackets and quotes have their
 * ends? Of a type but text and blob no value can go on behind that.
 */
bool text_is_complete(struct bytes text);
#endif
