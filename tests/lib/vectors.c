#include "tests/lib/vectors.h"

#include <stdlib.h>

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
	while (at < end && strchr(" \t\r\n", *at))
		at++;
	return at;
}

/* Return the end of the JSON value that begins here. */
static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end)
{
	int depth = 0;
	bool string = false;

	for (at = skip_blanks(at, end); at < end; at++) {
		if (string) {
			if (*at == '\\')
				at++;
			else if (*at == '"')
				string = false;
		} else if (*at == '"') {
			string = true;
		} else if (*at == '{' || *at == '[') {
			depth++;
		} else if (*at == '}' || *at == ']') {
			if (!depth--)
				return at;
		} else if (!depth && (*at == ',' || *at == ':')) {
			return at;
		}
	}
	return at < end ? at : end;
}

struct bytes vector_member(struct bytes object, const char *name)
{
	const uint8_t *at = object.ptr, *end = at + object.len, *key, *value;
	size_t length = strlen(name);

	if (!at)
		return BYTES_NULL;
	at = skip_blanks(at, end);
	if (at == end || *at != '{')
		return BYTES_NULL;
	while (++at < end) {
		key = skip_blanks(at, end);
		at = skip_value(key, end);
		if (at == end || *at != ':')
			break;
		value = skip_blanks(at + 1, end);
		at = skip_value(value, end);
		if ((size_t)(end - key) > length + 1 && key[length + 1] == '"' &&
		    !memcmp(key + 1, name, length)) {
			while (at > value && strchr(" \t\r\n", at[-1]))
				at--;
			return bytes_of(value, (size_t)(at - value));
		}
	}
	return BYTES_NULL;
}

static unsigned read_hex(const uint8_t *at)
{
	char digits[5] = { (char)at[0], (char)at[1], (char)at[2], (char)at[3] };

	return (unsigned)strtoul(digits, NULL, 16);
}

static uint8_t *put_utf8(uint8_t *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (uint8_t)c;
	} else if (c < 0x800) {
		*to++ = (uint8_t)(0xc0 | c >> 6);
		*to++ = (uint8_t)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (uint8_t)(0xe0 | c >> 12);
		*to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		*to++ = (uint8_t)(0x80 | (c & 0x3f));
	} else {
		*to++ = (uint8_t)(0xf0 | c >> 18);
		*to++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		*to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		*to++ = (uint8_t)(0x80 | (c & 0x3f));
	}
	return to;
}

struct bytes vector_string(struct arena *arena, struct bytes json)
{
	static const char from[] = "nrtbf", into[] = "\n\r\t\b\f";
	const uint8_t *at = json.ptr, *end = at + json.len;
	uint8_t *text, *to;
	unsigned c;

	if (!at || json.len < 2 || *at != '"')
		return BYTES_NULL;
	text = to = arena_alloc(arena, json.len + 1);
	for (at++; text && at < end - 1; at++) {
		const char *escape;

		if (*at != '\\') {
			*to++ = *at;
			continue;
		}
		escape = strchr(from, *++at);
		if (escape && *escape) {
			*to++ = (uint8_t)into[escape - from];
		} else if (*at != 'u') {
			*to++ = *at;
		} else {
			c = read_hex(at + 1);
			at += 4;
			if (c >= 0xd800 && c < 0xdc00 && at[1] == '\\') {
				c = 0x10000 + ((c - 0xd800) << 10) +
				    (read_hex(at + 3) - 0xdc00);
				at += 6;
			}
			to = put_utf8(to, c);
		}
	}
	if (!text)
		return BYTES_NULL;
	*to = 0;
	return bytes_of(text, (size_t)(to - text));
}

void vectors_open(struct vectors *v, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/vectors/%s.jsonl", name);
	memset(v, 0, sizeof(*v));
	v->arena = ARENA_INIT;
	v->file = fopen(path, "r");
	if (!v->file) {
		perror(path);
		abort();
	}
}

int vectors_next(struct vectors *v, struct vector *vector)
{
	ssize_t length = getline(&v->buffer, &v->size, v->file);
	struct bytes error;

	memset(vector, 0, sizeof(*vector));
	if (length <= 0)
		return 0;
	arena_clear(&v->arena);
	vector->line = ++v->line;
	vector->text = bytes_of(v->buffer, (size_t)length);
	vector->cql = vector_string(&v->arena,
				    vector_member(vector->text, "cql"));
	vector->answer = vector_member(vector->text, "answer");
	error = vector_member(vector->answer, "error");
	vector->code = vector_string(&v->arena, vector_member(error, "code"));
	vector->message = vector_string(&v->arena,
					vector_member(error, "message"));
	vector->differs = vector_string(&v->arena,
					vector_member(vector->text, "differs"));
	vector->event = vector_string(&v->arena,
				      vector_member(vector->text, "event"));
	vector->keyspace = vector_string(&v->arena,
					 vector_member(vector->text,
						       "keyspace"));
	return 1;
}

void vectors_close(struct vectors *v)
{
	fclose(v->file);
	free(v->buffer);
	arena_release(&v->arena);
}
