#include "store/type/json/token.h"

#include <errno.h>

#include "store/base/utf8.h"
#include "store/type/json/fault.h"
#include "store/type/json/scan.h"

bool scan_is_name_part(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_' || c == '$' || c >= 0x80;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read the four digits after \u: the unit, or -EINVAL. */
static int scan_unit(struct scan *s)
{
	int unit = 0, i;

	for (i = 0; i < 4; i++) {
		int digit;

		if (s->ptr == s->end)
			return scan_fail(s, JSON_END_OF_INPUT,
					 "Unexpected end-of-input "
					 "in character escape sequence");
		digit = hex_digit(*s->ptr);
		if (digit < 0)
			return scan_unexpected(s, "",
					       "expected a hex-digit for "
					       "character escape sequence");
		unit = unit << 4 | digit;
		s->ptr++;
	}
	return unit;
}

static void add_utf8(struct buf *out, unsigned code)
{
	if (code < 0x80) {
		buf_add_byte(out, (uint8_t)code);
		return;
	}
	if (code < 0x800) {
		buf_add_byte(out, (uint8_t)(0xc0 | code >> 6));
	} else if (code < 0x10000) {
		buf_add_byte(out, (uint8_t)(0xe0 | code >> 12));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
	} else {
		buf_add_byte(out, (uint8_t)(0xf0 | code >> 18));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
	}
	buf_add_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
}

static int scan_unicode(struct scan *s, struct buf *out)
{
	int unit = scan_unit(s), low = 0;
	unsigned code;

	if (unit < 0)
		return unit;
	code = (unsigned)unit;
	if (code >= 0xd800 && code < 0xdc00 && s->end - s->ptr >= 2 &&
	    s->ptr[0] == '\\' && s->ptr[1] == 'u') {
		s->ptr += 2;
		low = scan_unit(s);
		if (low < 0)
			return low;
		if (low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) +
			       ((unsigned)low - 0xdc00);
	}
	if (code >= 0xd800 && code < 0xe000) {
		scan_fail(s, JSON_PARSE,
			  "Half a surrogate pair in character escape "
			  "sequence");
		s->cut = code < 0xdc00 && s->end - s->ptr < 2 &&
			 (s->ptr == s->end || *s->ptr == '\\');
		return -EINVAL;
	}
	if (out)
		add_utf8(out, code);
	return 0;
}

static int scan_escape(struct scan *s, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (s->ptr == s->end)
		return scan_fail(s, JSON_END_OF_INPUT,
				 "Unexpected end-of-input in character escape "
				 "sequence");
	if (*s->ptr == 'u') {
		s->ptr++;
		return scan_unicode(s, out);
	}
	found = *s->ptr ? strchr(from, *s->ptr) : NULL;
	if (!found) {
		uint8_t c = *s->ptr++;

		return scan_fail(s, JSON_PARSE,
				 "Unrecognized character escape '%c' (code "
				 "%u)", c, c);
	}
	s->ptr++;
	if (out)
		buf_add_byte(out, (uint8_t)to[found - from]);
	return 0;
}

/* Scan a string after its quote. With out, append its contents. */
int scan_string(struct scan *s, struct buf *out)
{
	const uint8_t *plain = ++s->ptr;
	int err;

	for (;;) {
		size_t len;

		if (s->ptr == s->end)
			return scan_fail(s, JSON_END_OF_INPUT,
					 "Unexpected end-of-input: was "
					 "expecting closing quote for a string "
					 "value");
		if (*s->ptr == '"' || *s->ptr == '\\') {
			bool end = *s->ptr == '"';

			if (out)
				buf_add(out, plain, (size_t)(s->ptr - plain));
			s->ptr++;
			if (end)
				return 0;
			err = scan_escape(s, out);
			if (err)
				return err;
			plain = s->ptr;
			continue;
		}
		if (*s->ptr < 0x20) {
			unsigned code = *s->ptr++;

			s->in_string = true;
			return scan_fail(s, JSON_PARSE,
					 "Illegal unquoted character "
					 "((CTRL-CHAR, code %u)): has to be "
					 "escaped using backslash to be "
					 "included in string value", code);
		}
		len = *s->ptr < 0x80 ? 1 : scan_utf8_length(s->ptr, s->end);
		if (!len) {
			scan_fail(s, JSON_PARSE, "Invalid UTF-8");
			s->cut = utf8_is_valid(bytes_of(s->ptr, (size_t)
						(s->end - s->ptr)), true);
			return -EINVAL;
		}
		s->ptr += len;
	}
}

static void skip_digits(struct scan *s)
{
	while (scan_at_digit(s))
		s->ptr++;
}

/* The number ends too early: what it will be is not known. */
static int number_ends(struct scan *s, const char *why)
{
	return scan_fail(s, JSON_END_OF_INPUT, "Unexpected end-of-input%s",
			 why);
}

/* Before its point or e, and with a sign before it. */
static int scan_digits(struct scan *s, bool plus)
{
	if (s->ptr == s->end)
		return number_ends(s, plus ? " in a Number value" :
					     "No digit following minus sign");
	if (plus || !scan_at_digit(s))
		return scan_unexpected(s, " in numeric value",
				       "expected digit (0-9) to follow minus "
				       "sign, for valid numeric value");
	skip_digits(s);
	return 0;
}

/* Require a digit: its absence is reported at the place where the whole part
 * ended. */
static int not_a_digit(struct scan *s, const uint8_t *place, const char *why)
{
	const uint8_t *c = s->ptr;
	int err;

	s->place = place;
	err = scan_unexpected(s, " in numeric value", why);
	s->place = NULL;
	s->ptr = c;
	return err;
}

/* NaN, or an infinity, up to here. */
static int not_a_number(struct scan *s, const uint8_t *start)
{
	return scan_fail(s, JSON_PARSE, "Non-standard token '%.*s': enable "
			 "JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow",
			 (int)(s->ptr - start), start);
}

/* Scan the part of a number after its whole part. */
static int scan_fraction(struct scan *s)
{
	const char *point = "Decimal point not followed by a digit";
	/* A 0 is read by another way there. */
	const uint8_t *place = s->ptr[-1] == '0' && s->ptr - s->whole == 1 ?
				       NULL :
				       s->ptr + 1;

	if (s->ptr < s->end && *s->ptr == '.') {
		s->ptr++;
		if (s->ptr == s->end) {
			s->ptr--;
			not_a_digit(s, place, point);
			s->ptr++;
			s->cut = true;
			return -EINVAL;
		}
		if (!scan_at_digit(s))
			return not_a_digit(s, place, point);
		skip_digits(s);
	}
	if (s->ptr == s->end || (*s->ptr | 0x20) != 'e')
		return 0;
	s->ptr++;
	if (s->ptr < s->end && (*s->ptr == '+' || *s->ptr == '-'))
		s->ptr++;
	if (s->ptr == s->end)
		return number_ends(s, "expected a digit for number exponent");
	if (!scan_at_digit(s))
		return not_a_digit(s, place,
				   "Exponent indicator not followed "
				   "by a digit");
	skip_digits(s);
	return 0;
}

int scan_number(struct scan *s)
{
	static const struct bytes infinity = { (const uint8_t *)"-Infinity",
					       9 };
	bool plus;
	int err = 0;

	if (bytes_begin_with(bytes_of(s->ptr, (size_t)(s->end - s->ptr)),
			     infinity)) {
		s->ptr += infinity.len;
		return not_a_number(s, s->ptr - infinity.len);
	}
	plus = *s->ptr == '+';
	if (plus || *s->ptr == '-')
		s->ptr++;
	s->whole = s->ptr;
	if (!plus && scan_at_digit(s) && *s->ptr == '0') {
		s->ptr++;
		if (scan_at_digit(s))
			return scan_fail(s, JSON_PARSE,
					 "Invalid numeric value: Leading "
					 "zeroes not allowed");
	} else {
		err = scan_digits(s, plus);
	}
	return err ? err : scan_fraction(s);
}

int scan_word(struct scan *s)
{
	struct bytes word = { s->ptr, 0 };

	while (s->ptr < s->end && scan_is_name_part(*s->ptr))
		s->ptr++;
	word.len = (size_t)(s->ptr - word.ptr);
	if (bytes_equal(word, bytes_str("true")) ||
	    bytes_equal(word, bytes_str("false")) ||
	    bytes_equal(word, bytes_str("null")))
		return 0;
	if (bytes_equal(word, bytes_str("NaN")) ||
	    bytes_equal(word, bytes_str("Infinity")))
		return not_a_number(s, word.ptr);
	scan_fail(s, JSON_PARSE,
		  "Unrecognized token '%.*s': was expecting " JSON_VALUES,
		  (int)(word.len < 80 ? word.len : 80), word.ptr);
	s->cut = s->ptr == s->end;
	return -EINVAL;
}
