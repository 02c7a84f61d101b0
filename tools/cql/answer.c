#include "tools/cql/answer.h"

#include <errno.h>
#include <unistd.h>

#include "tools/cql/backend.h"
#include "tools/cql/interrupt.h"

#define READ_SIZE (128 * 1024)

void cql_answer_release(struct cql_answer *a)
{
	buf_release(&a->in);
	a->at = 0;
}

void cql_answer_clear(struct cql_answer *a)
{
	buf_clear(&a->in);
	a->at = 0;
}

/* Read more of it. 1, 0 at its end, -errno. */
static int fill(struct cql_answer *a, int fd)
{
	ssize_t n;

	if (a->at) {
		memmove(a->in.ptr, a->in.ptr + a->at, a->in.len - a->at);
		a->in.len -= a->at;
		a->at = 0;
	}
	if (!buf_reserve(&a->in, READ_SIZE))
		return -ENOMEM;
	if (cql_interrupted())	/* it ended the write, maybe */
		return -EINTR;
	do {
		n = read(fd, a->in.ptr + a->in.len, READ_SIZE);
	} while (n < 0 && errno == EINTR && !cql_interrupted());
	if (n <= 0)
		return n ? -errno : 0;
	a->in.len += (size_t)n;
	return 1;
}

static int need(struct cql_answer *a, int fd, size_t len)
{
	int more = 1;

	while (a->in.len - a->at < len && more > 0)
		more = fill(a, fd);
	return more > 0 ? 0 : more ? more : -EPROTO;
}

int cql_answer_take(struct cql_answer *a, int fd, const char *text)
{
	size_t len = strlen(text);
	int err = need(a, fd, len);

	if (!err && memcmp(a->in.ptr + a->at, text, len))
		err = -EPROTO;
	if (!err)
		a->at += len;
	return err;
}

int cql_answer_peek(struct cql_answer *a, int fd, uint8_t *byte)
{
	int err = need(a, fd, 1);

	*byte = err ? 0 : a->in.ptr[a->at];
	return err;
}

int cql_answer_value(struct cql_answer *a, int fd, struct bytes *value)
{
	size_t length = 0, depth = 0;
	bool string = false;
	int err;

	do {
		uint8_t c;

		err = need(a, fd, length + 1);
		if (err)
			return err;
		c = a->in.ptr[a->at + length++];
		if (string && c == '\\') {
			err = need(a, fd, ++length);
		} else if (c == '"') {
			string = !string;
		} else if (!string && (c == '[' || c == '{')) {
			depth++;
		} else if (!string && (c == ']' || c == '}') && depth) {
			depth--;
		}
	} while (!err && (depth || string));
	*value = bytes_of(a->in.ptr + a->at, length);
	a->at += length;
	return err;
}
