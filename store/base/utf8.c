/* Text as UTF-8. */
#include "store/base/utf8.h"

bool utf8_is_ascii(struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.ptr[i] & 0x80)
			return false;
	return true;
}

/* Return the length of the character at p, which is not ASCII: 0 where it is
 * wrong, -1 where it is right as far as it goes but cut off by end. */
static int character_length(const uint8_t *p, const uint8_t *end)
{
	uint8_t low = 0x80, high = 0xbf;
	int len, i;

	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	len = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (*p == 0xe0)
		low = 0xa0;	/* shorter forms, */
	else if (*p == 0xed)
		high = 0x9f;	/* surrogates, */
	else if (*p == 0xf0)
		low = 0x90;
	else if (*p == 0xf4)
		high = 0x8f;	/* and beyond U+10FFFF: not RFC 3629 */
	for (i = 1; i < len; i++) {
		if (p + i == end)
			return -1;
		if (p[i] < low || p[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return len;
}

bool utf8_is_valid(struct bytes text, bool may_be_cut)
{
	const uint8_t *p = text.ptr, *end = p + text.len;
	uint64_t word;
	int len;

	while (p < end) {
		while (end - p >= 8) {	/* most text is ASCII */
			memcpy(&word, p, 8);
			if (word & 0x8080808080808080u)
				break;
			p += 8;
		}
		while (p < end && *p < 0x80)
			p++;
		if (p == end)
			break;
		len = character_length(p, end);
		if (len <= 0)
			return len < 0 && may_be_cut;
		p += len;
	}
	return true;
}
