#include "fs/node/errors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/process.h"

void errors_init(struct errors *e)
{
	memset(e, 0, sizeof(*e));
	mutex_init(&e->lock);
}

void errors_release(struct errors *e)
{
	size_t i;

	for (i = 0; e->lines && i < ERRORS_MAX; i++)
		mem_free(e->lines[i].text);
	mem_free(e->lines);
	mem_free(e->more.text);
	mutex_release(&e->lock);
}

/* Return "EINVAL" and the like; "OK" of 0. */
static const char *errors_name(int number)
{
	const char *name = number ? strerrorname_np(number) : "OK";

	return name ? name : "?";
}

/* Append text from users, which may contain bytes that move a terminal's
 * cursor: control bytes are escaped. */
static void add_clean(struct buf *out, struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c < 0x20 || c == 0x7f)
			buf_add_format(out, "\\x%02x", c);
		else
			buf_add_byte(out, c);
	}
}

bool errors_print_command(struct buf *out, pid_t pid)
{
	char path[32], name[64] = "";
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = pid > 0 ? fopen(path, "re") : NULL;
	if (file) {
		len = fread(name, 1, sizeof(name), file);
		fclose(file);
	}
	if (len && name[len - 1] == '\n')
		len--;
	add_clean(out, len ? bytes_of(name, len) : bytes_str("?"));
	return len;
}

static const char *path_of(const struct error_line *line)
{
	return line->text + strlen(line->text) + 1;
}

static const char *sentence_of(const struct error_line *line)
{
	const char *path = path_of(line);

	return path + strlen(path) + 1;
}

static const struct error_line *last_line(const struct errors *e)
	REQUIRES(&e->lock)
{
	return e->count ? &e->lines[(e->count - 1) % ERRORS_MAX] : NULL;
}

/* True if a look that found nothing has told so before, last of all: programs
 * look several times. */
static bool is_told(const struct errors *e, const struct error_line *line)
	REQUIRES(&e->lock)
{
	const struct error_line *last = last_line(e);

	return last && !e->more_count && line->number == ENOENT && last->number == ENOENT &&
	       last->ino == line->ino && last->pid == line->pid &&
	       last->len == line->len &&
	       !memcmp(last->text, line->text, line->len);
}

/* True if the line goes with the last one: see errors_add. */
static bool is_more(const struct errors *e, const struct error_line *line)
	REQUIRES(&e->lock)
{
	const struct error_line *last = last_line(e);

	return last && line->number == EXDEV && last->number == EXDEV &&
	       last->pid == line->pid && last->uid == line->uid &&
	       !strcmp(sentence_of(last), sentence_of(line));
}

/* Keep a line, and its text. */
static void put_line(struct errors *e, const struct error_line *line)
	REQUIRES(&e->lock)
{
	struct error_line *to = &e->lines[e->count++ % ERRORS_MAX];

	mem_free(to->text);
	*to = *line;
}

/* Put the line of those that go with the last one; without memory for their
 * number it has none. */
static void put_more(struct errors *e) REQUIRES(&e->lock)
{
	struct buf text = BUF_INIT;

	if (!e->more_count)
		return;
	if (e->more_count > 1) {
		buf_add(&text, e->more.text, e->more.len - 1);
		buf_add_format(&text, " (%" PRIu64 " times since the line before)",
			       e->more_count);
		buf_add_byte(&text, 0);
	}
	if (text.len && !text.failed) {
		mem_free(e->more.text);
		e->more.text = buf_steal(&text, &e->more.len);
	}
	buf_release(&text);
	put_line(e, &e->more);
	memset(&e->more, 0, sizeof(e->more));
	e->more_count = 0;
}

void errors_add(struct errors *e, uint64_t ino, pid_t pid, uid_t uid,
		int number, struct bytes path, const char *sentence)
{
	pid_t process = process_of_thread(pid);
	struct error_line made = { clock_now_us(), ino, process, uid, number,
				   NULL, 0 };
	struct buf text = BUF_INIT;

	errors_print_command(&text, process);
	buf_add_byte(&text, 0);
	add_clean(&text, path);
	buf_add_byte(&text, 0);
	add_clean(&text, bytes_str(sentence));
	buf_add_byte(&text, 0);
	made.text = buf_steal(&text, &made.len);
	if (!made.text)
		return;
	mutex_lock(&e->lock);
	if (!e->lines)
		e->lines = mem_zalloc(ERRORS_MAX, sizeof(*e->lines));
	if (!e->lines || is_told(e, &made)) {
		mem_free(made.text);
	} else if (is_more(e, &made)) {
		mem_free(e->more.text);
		e->more = made;
		e->more_count++;
	} else {
		put_more(e);
		put_line(e, &made);
	}
	mutex_unlock(&e->lock);
}

static void print_line(struct buf *out, const struct error_line *line)
{
	char date[CLOCK_TEXT];

	clock_print(date, line->time_us, true);
	buf_add_format(out, "%s %d %u %s %s %s %s\n", date, (int)line->pid,
		       (unsigned)line->uid, line->text, path_of(line),
		       errors_name(line->number), sentence_of(line));
}

void errors_print(struct errors *e, struct buf *out, uid_t uid,
		  bool everything, uint64_t *next)
{
	uint64_t i;

	mutex_lock(&e->lock);
	put_more(e);
	i = e->count > ERRORS_MAX ? e->count - ERRORS_MAX : 0;
	if (i < *next)
		i = *next;
	for (; e->lines && i < e->count; i++) {
		const struct error_line *line = &e->lines[i % ERRORS_MAX];

		if (everything || line->uid == uid)
			print_line(out, line);
	}
	*next = e->count;
	mutex_unlock(&e->lock);
}

bool errors_last(struct errors *e, struct buf *out, uint64_t ino, uid_t uid,
		 bool everything)
{
	bool found = false;
	uint64_t i, first;

	mutex_lock(&e->lock);
	put_more(e);
	first = e->count > ERRORS_MAX ? e->count - ERRORS_MAX : 0;
	for (i = e->lines ? e->count : first; i > first && !found; i--) {
		const struct error_line *line =
			&e->lines[(i - 1) % ERRORS_MAX];

		if (line->ino != ino || (!everything && line->uid != uid))
			continue;
		buf_add_str(out, sentence_of(line));
		found = true;
	}
	mutex_unlock(&e->lock);
	return found;
}

uint64_t errors_count(struct errors *e)
{
	uint64_t count;

	mutex_lock(&e->lock);
	count = e->count;
	mutex_unlock(&e->lock);
	return count;
}
