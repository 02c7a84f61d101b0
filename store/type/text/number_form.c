#include "store/type/text/number_form.h"

#include <math.h>
#include <string.h>

#include "store/type/float.h"

/* True if the text, a FLOAT of CQL, is more than a double holds. CQL refuses it
 * for a float, too. */
static bool is_beyond_double(struct bytes text)
{
	struct type_error unused;
	struct buf value = BUF_INIT;
	bool beyond;

	if (!memchr(text.ptr, '.', text.len) &&
	    !memchr(text.ptr, 'e', text.len) &&
	    !memchr(text.ptr, 'E', text.len))
		return false;
	beyond = !float_read(&value, TYPE_DOUBLE, text, &unused) &&
		 isinf(float_get(TYPE_DOUBLE, buf_bytes(&value)));
	buf_release(&value);
	return beyond;
}

const char *number_form_fault(enum type_kind kind, struct bytes text)
{
	size_t i = text.len && text.ptr[0] == '-';

	if (!type_kind_is_number(kind) || i == text.len)
		return NULL;
	if (text.ptr[i] == '+')
		return "a number has no leading '+'";
	if (text.ptr[i] == '.')
		return "a number has a digit before its point";
	if ((kind != TYPE_FLOAT && kind != TYPE_DOUBLE) ||
	    text.ptr[i] < '0' || text.ptr[i] > '9')
		return NULL;	/* or NaN, Infinity */
	for (; i < text.len; i++)
		if (!memchr("0123456789.eE+-", text.ptr[i], 15))
			return "a number is written in decimal digits";
	return is_beyond_double(text) ?
			"the number is beyond the range of a double" : NULL;
}
