#include "tools/cql/source.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/cql/commands.h"
#include "tools/cql/editor.h"

static int line_of_text(struct cql_source *s, struct buf *out,
			enum cql_split_inside inside)
{
	const uint8_t *end = memchr(s->text.ptr, '\n', s->text.len);
	size_t length = end ? (size_t)(end - s->text.ptr) + 1 : s->text.len;

	(void)inside;
	if (!s->text.len)
		return 0;
	buf_add(out, s->text.ptr, length);
	s->text.ptr += length;
	s->text.len -= length;
	return out->failed ? -ENOMEM : 1;
}

static int line_of_file(struct cql_source *s, struct buf *out,
			enum cql_split_inside inside)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	(void)inside;
	errno = 0;
	n = getline(&line, &room, s->file);
	if (n > 0)
		buf_add(out, line, (size_t)n);
	free(line);
	if (n < 0)
		return ferror(s->file) ? -(errno ? errno : EIO) : 0;
	return out->failed ? -ENOMEM : 1;
}

static int line_of_editor(struct cql_source *s, struct buf *out,
			  enum cql_split_inside inside)
{
	return cql_editor_line(s->shell->editor, out, inside);
}

static void init(struct cql_source *s, const char *name)
{
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->line_number = 1;
	cql_split_init(&s->split);
}

void cql_source_of_text(struct cql_source *s, struct bytes text)
{
	init(s, NULL);
	s->line = line_of_text;
	s->text = text;
}

void cql_source_of_file(struct cql_source *s, FILE *file, const char *name)
{
	init(s, name);
	s->line = line_of_file;
	s->file = file;
}

void cql_source_of_editor(struct cql_source *s, struct shell *shell)
{
	init(s, NULL);
	s->line = line_of_editor;
	s->line_is_typed = true;
	s->shell = shell;
}

void cql_source_release(struct cql_source *s)
{
	buf_release(&s->pending);
}

/*
 * Return where the first token is, or the length of text while it holds none.
 * Blanks are not looked at again when the text has grown.
 */
static size_t skip_blanks(struct cql_source *s, struct bytes text)
{
	const uint8_t *end;

	while (s->blank < text.len) {
		const uint8_t *at = text.ptr + s->blank;
		size_t left = text.len - s->blank;

		if (s->in_comment) {
			end = memmem(at, left, "*/", 2);
			if (!end) {	/* its star may be the last */
				s->blank = text.len - 1;
				return text.len;
			}
			s->in_comment = false;
			s->blank += (size_t)(end - at) + 2;
		} else if (*at <= ' ') {
			s->blank++;
		} else if (left > 1 && (*at == '-' || *at == '/') &&
			   at[1] == *at) {
			end = memchr(at, '\n', left);
			if (!end)
				return text.len;
			s->blank += (size_t)(end - at) + 1;
		} else if (left > 1 && *at == '/' && at[1] == '*') {
			s->in_comment = true;
			s->blank += 2;
		} else {
			break;
		}
	}
	return s->blank;
}

static bool is_word(uint8_t c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static struct bytes word_at(struct bytes text, size_t at)
{
	size_t end = at;

	while (end < text.len && is_word(text.ptr[end]))
		end++;
	if (end == at && end < text.len && text.ptr[end] == '?')
		end++;
	return bytes_of(text.ptr + at, end - at);
}

/* A command ends at a newline or semicolon that no quotes hide. */
static int cut_line(struct bytes text, size_t at, bool last,
		    struct bytes *statement, size_t *used)
{
	size_t end;
	uint8_t quote = 0;

	for (end = at; end < text.len; end++) {
		uint8_t c = text.ptr[end];

		if (c == '\n' || (c == ';' && !quote))
			break;
		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? 0 : c;
	}
	if (end == text.len && !last)
		return 0;
	*statement = bytes_of(text.ptr + at, end - at);
	*used = end < text.len ? end + 1 : end;
	return 1;
}

static int cut(struct cql_source *s, struct bytes text,
	       struct bytes *statement, size_t *used)
{
	size_t at = skip_blanks(s, text);
	bool line;

	if (at < text.len && shell_is_command(word_at(text, at), &line) && line)
		return cut_line(text, at, s->last, statement, used);
	return cql_split_next(&s->split, text, s->last, statement, used);
}

static unsigned long lines_in(const uint8_t *from, const uint8_t *to)
{
	unsigned long n = 0;

	while ((from = memchr(from, '\n', (size_t)(to - from)))) {
		n++;
		from++;
	}
	return n;
}

/* A statement begins at pending.ptr + from. */
static void begin_statement(struct cql_source *s, size_t from)
{
	s->from = from;
	s->blank = 0;
	s->in_comment = false;
	cql_split_init(&s->split);
}

void cql_source_drop(struct cql_source *s)
{
	buf_clear(&s->pending);
	begin_statement(s, 0);
}

int cql_source_next(struct cql_source *s, struct bytes *statement,
		    unsigned long *line)
{
	enum cql_split_inside inside;
	struct bytes text;
	size_t used;
	int err;

	for (;;) {
		text = bytes_of(buf_bytes(&s->pending).ptr + s->from,
				s->pending.len - s->from);
		if (cut(s, text, statement, &used)) {
			*line = s->line_number +
				lines_in(text.ptr, statement->len ?
					 statement->ptr : text.ptr);
			s->line_number += lines_in(text.ptr, text.ptr + used);
			begin_statement(s, s->from + used);
			return 1;
		}
		if (s->last)
			return 0;
		if (s->from) {	/* the rest is the beginning of one */
			memmove(s->pending.ptr, s->pending.ptr + s->from,
				s->pending.len - s->from);
			s->pending.len -= s->from;
			s->from = 0;
		}
		inside = skip_blanks(s, text) == text.len &&
			 cql_split_inside(&s->split) != CQL_SPLIT_COMMENT
				 ? CQL_SPLIT_NOTHING
				 : cql_split_inside(&s->split);
		err = s->line(s, &s->pending, inside);
		if (err == -EINTR)
			cql_source_drop(s);
		else if (err < 0)
			return err;
		else if (!err)
			s->last = true;
	}
}

int cql_source_line(struct cql_source *s, struct buf *out)
{
	int err;

	/*
	 * Lines are read one by one, so that what is pending is the rest of the
	 * line that the statement ended in: no data.
	 */
	s->line_number += lines_in(buf_bytes(&s->pending).ptr + s->from,
				   buf_bytes(&s->pending).ptr + s->pending.len);
	cql_source_drop(s);
	err = s->last ? 0 : s->line(s, out, CQL_SPLIT_STRING);
	s->line_number += err > 0;
	return err;
}
