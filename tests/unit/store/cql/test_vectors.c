/*
 * The recorded answers of a real Cassandra, all files of tests/vectors, played to
 * the executor: each in a store of its own, all lines in order; as they are, and
 * with a flush after every write, a compaction or a reopening of the store now
 * and then, which may change no answer. Each line has to match.
 *
 *	VECTORS=reads build/check-unit vectors		one file, each mismatch told
 *	VECTORS=reads:187 …				one line only is told
 *	VECTORS=all …					all files
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "tests/lib/same.h"
#include "tests/lib/store.h"
#include "tests/lib/vectors.h"
#include "tests/unit/suite.h"

#define FOLDER "tests/vectors/"
static glob_t files;

enum mode { PLAIN, FLUSHING, COMPACTING, REOPENING, MODE_COUNT };

struct replay {
	const char *name;
	enum mode mode;
	unsigned writes;
	struct test_store store;
	struct cql_session *session;
	struct arena arena;
	char *keyspace;
	int only;		/* the line to tell about; 0: all; -1: none */
	unsigned mismatches, compared;
};

/* ----------------------------------------------------------------- answers */
static struct bytes kept(struct replay *r, struct buf *buf)
{
	struct bytes b = arena_copy(&r->arena, buf_bytes(buf));

	buf_release(buf);
	return b;
}

static struct bytes error_text(struct replay *r)
{
	const struct cql_error *e = cql_session_error(r->session);
	struct buf text = BUF_INIT;

	buf_add_format(&text, "%s %s", cql_code_name(e->code), e->message);
	if (e->code == CQL_SYNTAX)
		buf_add_format(&text, " (at line %d:%d)", e->line, e->column);
	return kept(r, &text);
}

static int by_byte(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Signatures of functions come in any order. */
static bool same_signatures(struct replay *r, struct bytes a, struct bytes b)
{
	struct bytes x = arena_copy(&r->arena, a), y = arena_copy(&r->arena, b);

	if (!memmem(a.ptr, a.len, "signatures", 10) || a.len != b.len)
		return false;
	qsort((void *)x.ptr, x.len, 1, by_byte);
	qsort((void *)y.ptr, y.len, 1, by_byte);
	return bytes_equal(x, y);
}

static bool same_error(struct replay *r, const struct vector *v)
{
	const struct cql_error *e = cql_session_error(r->session);
	char place[64];

	if (!bytes_equal(bytes_str(cql_code_name(e->code)), v->code))
		return false;
	if (e->code == CQL_SYNTAX &&
	    bytes_begin_with(v->message, bytes_str("line "))) {
		snprintf(place, sizeof(place), "line %d:%d ", e->line,
			 e->column);
		return bytes_begin_with(v->message, bytes_str(place));
	}
	return bytes_equal(bytes_str(e->message), v->message) ||
	       same_signatures(r, bytes_str(e->message), v->message);
}

static void tell(struct replay *r, const struct vector *v, struct bytes got)
{
	struct bytes cql = v->cql, answer = v->answer;

	r->mismatches++;
	if (r->only < 0 || (r->only && r->only != v->line))
		return;
	printf("%s:%d: %.*s\n  expected %.*s\n  got      %.*s\n", r->name,
	       v->line, (int)cql.len, (const char *)cql.ptr,
	       (int)(answer.len < 1500 ? answer.len : 1500),
	       (const char *)answer.ptr,
	       (int)(got.len < 1500 ? got.len : 1500), (const char *)got.ptr);
}

static void compare(struct replay *r, const struct vector *v, int err,
		    struct cql_result *result)
{
	struct buf columns = BUF_INIT, rows = BUF_INIT;
	struct bytes got;
	bool decimal = result && has_decimal(result), same;

	if (!err)
		err = print_result(result, &columns, &rows);
	if (!bytes_is_null(v->differs)) {
		buf_release(&columns);
		buf_release(&rows);
		return;
	}
	r->compared++;
	if (err < 0) {
		same = !bytes_is_null(v->code) && same_error(r, v);
		got = error_text(r);
		buf_release(&columns);
		buf_release(&rows);
	} else {
		same = bytes_is_null(v->code) &&
		       same_json(&r->arena, buf_bytes(&columns),
				 vector_member(v->answer, "columns"), false) &&
		       same_json(&r->arena, buf_bytes(&rows),
				 vector_member(v->answer, "rows"), decimal);
		buf_add_bytes(&columns, buf_bytes(&rows));
		buf_release(&rows);
		got = kept(r, &columns);
	}
	if (!same)
		tell(r, v, got);
}

/* ------------------------------------------------------------------ replay */
static void begin_session(struct replay *r)
{
	ck_assert_int_eq(cql_session_new(&r->session, r->store.store), 0);
	if (r->keyspace)
		cql_session_use(r->session, bytes_str(r->keyspace));
}

static void event(struct replay *r, const struct vector *v)
{
	if (bytes_equal(v->event, bytes_str("use"))) {
		mem_free(r->keyspace);
		r->keyspace = mem_copy(v->keyspace.ptr, v->keyspace.len);
		cql_session_use(r->session, v->keyspace);
	} else if (bytes_equal(v->event, bytes_str("flush"))) {
		ck_assert_int_eq(store_flush(r->store.store, NULL), 0);
	} else if (bytes_equal(v->event, bytes_str("compact"))) {
		ck_assert_int_eq(store_compact(r->store.store, NULL), 0);
	} else {
		cql_session_free(r->session);
		test_store_reopen(&r->store);
		begin_session(r);
	}
}

/* Do what the mode asks of the store after a statement that may have
 * written. */
static void disturb(struct replay *r, struct bytes cql)
{
	if (r->mode == PLAIN || bytes_begin_with(cql, bytes_str("SELECT")))
		return;
	if (bytes_begin_with(cql, bytes_str("USE "))) {
		mem_free(r->keyspace);
		r->keyspace = mem_copy(cql_session_keyspace(r->session),
				       strlen(cql_session_keyspace(r->session)));
	}
	r->writes++;
	if (r->mode == FLUSHING) {
		ck_assert_int_eq(store_flush(r->store.store, NULL), 0);
		if (r->writes % 64 == 0)
			ck_assert_int_eq(store_compact(r->store.store, NULL),
					 0);
	} else if (r->mode == COMPACTING && r->writes % 8 == 0) {
		ck_assert_int_eq(store_flush(r->store.store, NULL), 0);
		if (r->writes % 24 == 0)
			ck_assert_int_eq(store_compact(r->store.store, NULL),
					 0);
	} else if (r->mode == REOPENING && r->writes % 24 == 0) {
		cql_session_free(r->session);
		test_store_reopen(&r->store);
		begin_session(r);
	}
}

static int no_sync(void *context, int fd)
{
	(void)context, (void)fd;
	return 0;
}

static int no_map_sync(void *context, int fd, void *address, size_t len)
{
	(void)context, (void)fd, (void)address, (void)len;
	return 0;
}

static void replay(struct replay *r)
{
	struct file_ops files_without_sync = file_system;
	struct store_options options;
	struct vectors file;
	struct vector v;
	struct cql_result *result;
	int err;

	files_without_sync.datasync = no_sync;
	files_without_sync.sync = no_sync;
	files_without_sync.map_sync = no_map_sync;
	store_options_init(&options);
	options.no_threads = true;
	options.commit_s = 1000;
	options.files = &files_without_sync;
	test_store_open_with(&r->store, &options);
	begin_session(r);
	vectors_open(&file, r->name);
	while (vectors_next(&file, &v)) {
		arena_clear(&r->arena);
		if (bytes_is_null(v.cql)) {
			event(r, &v);
			continue;
		}
		err = cql_execute(r->session, v.cql, &result);
		compare(r, &v, err, result);
		cql_result_free(result);
		disturb(r, v.cql);
	}
	vectors_close(&file);
	cql_session_free(r->session);
	test_store_close(&r->store);
	mem_free(r->keyspace);
	arena_release(&r->arena);
}

/* VECTORS: does it name this file, and which line of it? */
static bool is_chosen(const char *name, int *line)
{
	const char *chosen = getenv("VECTORS");
	size_t len = strlen(name);

	*line = -1;
	if (!chosen)
		return true;
	*line = 0;
	if (!strcmp(chosen, "all"))
		return true;
	if (strncmp(chosen, name, len) || (chosen[len] && chosen[len] != ':'))
		return false;
	if (chosen[len])
		*line = atoi(chosen + len + 1);
	return true;
}

START_TEST(a_file_of_answers)	/* _i: the mode, the file */
{
	const char *path = files.gl_pathv[(size_t)_i % files.gl_pathc];
	struct replay r = { .arena = ARENA_INIT,
			    .mode = (unsigned)((size_t)_i / files.gl_pathc) };
	char name[64];

	ck_assert_int_eq(sscanf(path, FOLDER "%63[^.]", name), 1);
	r.name = name;
	if (!is_chosen(r.name, &r.only))
		return;
	replay(&r);
	if (r.only >= 0)
		printf("%s: %u of %u do not match\n", r.name, r.mismatches,
		       r.compared);
	fflush(stdout);
	ck_assert_msg(r.compared, "%s: nothing was compared", name);
	ck_assert_msg(!r.mismatches, "%s: %u lines do not match (VECTORS=%s "
		      "tells them)", name, r.mismatches, name);
}
END_TEST

SUITE(vectors)
{
	TCase *tc = tcase_create("answers");

	if (glob(FOLDER "*.jsonl", 0, NULL, &files) ||
	    glob(FOLDER "random/*.jsonl", GLOB_APPEND, NULL, &files)) {
		perror(FOLDER);
		exit(EXIT_FAILURE);
	}
	tcase_set_timeout(tc, 120);
	/* Smaller runs play the files as they are, and a few flushing. */
	tcase_add_loop_test(tc, a_file_of_answers, 0,
			    test_scale(100) == 100 ?
				    MODE_COUNT * (int)files.gl_pathc :
				    4 * (int)files.gl_pathc / 3);
	suite_add_tcase(suite, tc);
}
