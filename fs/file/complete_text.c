#include "fs/file/complete_text.h"

/* Return where a string that begins at i ends: after its last quote, or the
 * end. */
static size_t skip_string(struct bytes text, size_t i)
{
	uint8_t quote = text.ptr[i++];

	for (; i < text.len && text.ptr[i] != quote; i++)
		if (quote == '"' && text.ptr[i] == '\\')
			i++;
	return i < text.len ? i + 1 : text.len + 1;
}

bool text_is_complete(struct bytes text)
{
	size_t i = 0, depth = 0;

	if (!text.len || text.ptr[text.len - 1] != '\n')
		return false;
	while (i < text.len) {
		switch (text.ptr[i]) {
		case '"':
		case '\'':
			i = skip_string(text, i);
			continue;
		case '[':
		case '{':
		case '(':
			depth++;
			break;
		case ']':
		case '}':
		case ')':
			depth -= depth > 0;
			break;
		}
		i++;
	}
	return i == text.len && !depth;
}
