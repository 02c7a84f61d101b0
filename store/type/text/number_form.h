/* The form of CQL's numbers. */
#ifndef STORE_TYPE_TEXT_NUMBER_FORM_H
#define STORE_TYPE_TEXT_NUMBER_FORM_H
#include "store/type/type.h"

/*
 * Return why the text, a value's or the begin of one, is no literal of CQL
 * although native_read_text() takes it, as Java does: +1, .5, 1f, 0x1p3, 1e400.
 * NULL: no such reason; types that are no numbers have none. Any thread.
 */
const char *number_form_fault(enum type_kind kind, struct bytes text);
#endif
