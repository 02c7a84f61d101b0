/*
 * The line a person types, by libedit: history, completion, Ctrl-C. Only for a
 * terminal: fed from a pipe libedit loses bytes, so scripts never come here.
 */
#include "tools/cql/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "store/base/alloc.h"
#include "store/cql/output/format.h"
#include "store/cql/output/format_width.h"
#include "tools/cql/complete.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/output.h"
#include "tools/cql/source.h"

#define HISTORY_LINES 1000
#define LISTED_MAX 400		/* of completions */

struct cql_editor {
	struct shell *shell;
	EditLine *line;
	History *history;
	char *history_path;		/* NULL: kept in memory alone */
	enum cql_split_inside inside;
	char prompt[96];
};

/* Read a character. 1, 0 at the end, -1 after Ctrl-C (libedit's own would try
 * again). */
static int read_character(EditLine *line, wchar_t *out)
{
	mbstate_t state;
	char byte;

	(void)line;
	memset(&state, 0, sizeof(state));
	for (;;) {
		size_t used;
		ssize_t n;

		if (cql_interrupt_wait(STDIN_FILENO))
			return -1;
		n = read(STDIN_FILENO, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -1 : 0;
		used = mbrtowc(out, &byte, 1, &state);
		if (used == (size_t)-2)
			continue;
		if (used == (size_t)-1) {	/* no character: begin again */
			memset(&state, 0, sizeof(state));
			continue;
		}
		return 1;
	}
}

/* ---------------------------------------------------------------- prompt */
static char *prompt(EditLine *line)
{
	struct cql_editor *e = NULL;
	const char *keyspace;
	int width;

	el_get(line, EL_CLIENTDATA, &e);
	keyspace = e->shell->backend->keyspace;
	width = snprintf(e->prompt, sizeof(e->prompt), "cql%s%s> ",
			 *keyspace ? ":" : "", keyspace);
	if (e->inside != CQL_SPLIT_NOTHING && width > 4) {
		memset(e->prompt, ' ', (size_t)width - 4);
		strcpy(e->prompt + width - 4,
		       e->inside == CQL_SPLIT_STRING ? " '> " :
		       e->inside == CQL_SPLIT_NAME ? " \"> " :
		       e->inside == CQL_SPLIT_COMMENT ? " *> " : "... ");
	}
	return e->prompt;
}

/* ------------------------------------------------------------ completion */
static bool is_inside(char c)	/* of a UTF-8 sequence */
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

/* Count the bytes, in whole characters, with which all the words begin. */
static size_t common(const struct buf *words)
{
	const char *first = (const char *)words->ptr, *word = first;
	const char *end = first + words->len;
	size_t length = strlen(first);

	for (; word < end; word += strlen(word) + 1) {
		size_t i = 0;

		while (i < length && word[i] == first[i])
			i++;
		length = i;
	}
	while (length && is_inside(first[length]))
		length--;
	return length;
}

static void list(const struct buf *words)
{
	const char *word = (const char *)words->ptr;
	const char *end = word + words->len;
	unsigned widest = 1, columns, n = 0;

	for (; word < end; word += strlen(word) + 1)
		if (cql_format_width(bytes_str(word)) > widest)
			widest = cql_format_width(bytes_str(word));
	columns = shell_width() / (widest + 2);
	putchar('\n');
	for (word = (const char *)words->ptr; word < end && n < LISTED_MAX;
	     word += strlen(word) + 1) {
		unsigned gap = widest + 2 - cql_format_width(bytes_str(word));

		n++;
		if (columns && n % columns)
			printf("%s%*s", word, (int)gap, "");
		else
			puts(word);
	}
	putchar('\n');
	fflush(stdout);
}

static unsigned char complete(EditLine *line, int key)
{
	struct cql_editor *e = NULL;
	const LineInfo *info = el_line(line);
	struct buf text = BUF_INIT, words = BUF_INIT, insert = BUF_INIT;
	struct cql_source *source;
	size_t word = 0, length, i;
	int characters = 0;
	bool single;

	(void)key;
	el_get(line, EL_CLIENTDATA, &e);
	source = e->shell->source;
	if (source && source->pending.len > source->from)
		buf_add(&text, source->pending.ptr + source->from,
			source->pending.len - source->from);
	buf_add(&text, info->buffer, (size_t)(info->cursor - info->buffer));
	/* A column may be typed before the table that follows it. */
	cql_complete(e->shell, buf_bytes(&text),
		     bytes_of(info->cursor,
			      (size_t)(info->lastchar - info->cursor)),
		     &words, &word);
	buf_release(&text);
	/* A name may have begun in a line before. */
	if (!words.len || words.failed ||
	    word > (size_t)(info->cursor - info->buffer)) {
		buf_release(&words);
		return CC_ERROR;
	}
	length = common(&words);
	single = strlen((const char *)words.ptr) + 1 == words.len;
	if (length > word || single) {
		buf_add(&insert, words.ptr, length);
		if (single && length && words.ptr[length - 1] != '.')
			buf_add_byte(&insert, ' ');
		for (i = 0; i < word; i++)	/* it counts characters */
			characters += !is_inside(info->cursor[i - word]);
		el_deletestr(line, characters);
		el_insertstr(line, buf_cstr(&insert));
		buf_release(&insert);
		buf_release(&words);
		return CC_REFRESH;
	}
	list(&words);
	buf_release(&words);
	return CC_REDISPLAY;
}

/* --------------------------------------------------------------- history */
/* Make all folders of path but its last part. */
static void make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

static char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT;
	char *out;
	int fd;

	if (state && state[0] == '/')
		buf_add_str(&path, state);
	else if (home && home[0] == '/')
		buf_add_format(&path, "%s/.local/state", home);
	else
		return NULL;
	buf_add_str(&path, "/widefs/history");
	out = buf_steal(&path, NULL);
	if (!out)
		return NULL;
	make_folders(out);
	fd = open(out, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || fchmod(fd, 0600)) {
		mem_free(out);
		out = NULL;
	}
	if (fd >= 0)
		close(fd);
	return out;
}

/* Line ends to blanks, where that changes no meaning: not in strings, and not
 * where a comment may end there. */
static void fold(struct buf *out, struct bytes statement)
{
	bool comments = memmem(statement.ptr, statement.len, "--", 2) ||
			memmem(statement.ptr, statement.len, "//", 2);
	uint8_t quote = 0;
	size_t i;

	for (i = 0; i < statement.len; i++) {
		uint8_t c = statement.ptr[i];

		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? 0 : c;
		if (c == '\n' && !quote && !comments)
			c = ' ';
		buf_add_byte(out, c);
	}
}

void cql_editor_remember(struct cql_editor *e, struct bytes statement)
{
	struct buf line = BUF_INIT;
	HistEvent event;
	const char *text;

	fold(&line, statement);
	text = buf_cstr(&line);
	if (*text && strcmp(text, ";")) {
		history(e->history, &event, H_ENTER, text);
		/* Save it at once, so that a killed shell leaves it. */
		if (e->history_path)
			history(e->history, &event, H_SAVE, e->history_path);
	}
	buf_release(&line);
}

void cql_editor_history(struct cql_editor *e, unsigned count)
{
	HistEvent event;
	int more = history(e->history, &event, H_FIRST);	/* the newest */

	while (more >= 0 && count > 1 &&
	       history(e->history, &event, H_NEXT) >= 0)
		count--;
	if (more >= 0)	/* the step that failed left its reason there */
		more = history(e->history, &event, H_CURR);
	for (; more >= 0; more = history(e->history, &event, H_PREV))
		puts(event.str);
}

/* ---------------------------------------------------------------- editor */
static bool set_up(struct cql_editor *e)
{
	HistEvent event;

	e->history = history_init();
	e->line = el_init("widefsctl", stdin, stdout, stderr);
	if (!e->history || !e->line)
		return false;
	history(e->history, &event, H_SETSIZE, HISTORY_LINES);
	history(e->history, &event, H_SETUNIQUE, 1);
	e->history_path = history_path();
	if (e->history_path)
		history(e->history, &event, H_LOAD, e->history_path);
	el_set(e->line, EL_CLIENTDATA, e);
	el_set(e->line, EL_PROMPT, prompt);
	el_set(e->line, EL_EDITOR, "emacs");
	el_set(e->line, EL_HIST, history, e->history);
	el_set(e->line, EL_GETCFN, read_character);
	/* Wide: the narrow call leaks the copies that it makes. */
	el_wset(e->line, EL_ADDFN, L"cql-complete", L"complete a word of CQL",
		complete);
	el_set(e->line, EL_BIND, "^I", "cql-complete", NULL);
	el_set(e->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(e->line, NULL);
	return true;
}

struct cql_editor *cql_editor_new(struct shell *shell)
{
	struct cql_editor *e = mem_zalloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->shell = shell;
	if (!set_up(e)) {
		cql_editor_free(e);
		return NULL;
	}
	return e;
}

void cql_editor_free(struct cql_editor *e)
{
	if (!e)
		return;
	if (e->line)
		el_end(e->line);
	if (e->history)
		history_end(e->history);
	mem_free(e->history_path);
	mem_free(e);
}

int cql_editor_line(struct cql_editor *e, struct buf *out,
		    enum cql_split_inside inside)
{
	const char *text;
	int count = 0;

	e->inside = inside;
	fflush(stdout);
	cql_interrupt_clear();
	el_resize(e->line);
	/* Take the terminal before the prompt is seen, for what is typed then. */
	el_set(e->line, EL_PREP_TERM, 1);
	text = el_gets(e->line, &count);
	if (cql_interrupted()) {
		cql_interrupt_clear();
		fputs("^C\n", stdout);
		return -EINTR;
	}
	if (!text || count <= 0) {
		putchar('\n');
		return 0;
	}
	buf_add(out, text, (size_t)count);
	return out->failed ? -ENOMEM : 1;
}
