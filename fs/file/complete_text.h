/* Find out whether a value may continue after the text that was written so
 * far. */
#ifndef FS_FILE_COMPLETE_TEXT_H
#define FS_FILE_COMPLETE_TEXT_H
#include "store/base/bytes.h"

/*
 * True if it ends with a newline, and all of its brackets and quotes are
 * closed. No value except text and blob can continue after that.
 */
bool text_is_complete(struct bytes text);
#endif
