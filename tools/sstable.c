/* widefsctl sstable: what is in one file of the engine. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/log.h"
#include "store/base/utf8.h"
#include "store/row/key.h"
#include "store/row/row_codec.h"
#include "store/sstable/iterate.h"
#include "store/sstable/verify.h"
#include "store/type/json/print.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_sstable = {
	.name = "sstable",
	.summary = "what is in one file of the engine",
	.usage = "usage: widefsctl sstable [OPTIONS] FILE...\n"
		 "Print what is in sstables (STORE/engine/*.sst), as the engine has "
		 "it: it knows columns\nby number and values as bytes. Files of a "
		 "mounted store can be read, too.\n\n"
		 "  -m, --meta    statistics, a line each (the default)\n"
		 "  -k, --keys    the partitions: their tokens and keys\n"
		 "  -d, --dump    all rows and deletions, an object of JSON a line\n"
		 "  -v, --verify  read each block and say what is damaged\n"
		 "  -h, --help    this text\n",
	.run = run,
};

/* Append bytes: text as it is, others as 0x and digits. */
static void add_bytes(struct buf *out, struct bytes b)
{
	struct buf text = BUF_INIT;
	bool plain = utf8_is_valid(b, false);
	size_t i;

	for (i = 0; i < b.len && plain; i++)
		plain = b.ptr[i] >= ' ' && b.ptr[i] != 127;
	if (plain && !bytes_begin_with(b, bytes_str("0x"))) {
		buf_add_bytes(&text, b);
	} else {
		buf_add_str(&text, "0x");
		for (i = 0; i < b.len; i++)
			buf_add_format(&text, "%02x", b.ptr[i]);
	}
	json_print_string(out, buf_bytes(&text));
	out->failed |= text.failed;
	buf_release(&text);
}

/* ------------------------------------------------------------------- meta */
static void print_time(const char *what, int64_t n, int64_t none)
{
	if (n == none)
		printf("%-24s -\n", what);
	else
		printf("%-24s %lld\n", what, (long long)n);
}

/* All blocks have the table's compressor but those that it does not make smaller. */
static int print_compressors(struct sstable *t)
{
	static const char *const names[BLOCK_HOWS] = { "none", "LZ4", "Zstd",
						       "Deflate" };
	uint64_t counts[BLOCK_HOWS];
	int err = sstable_count_blocks(t, counts);
	const char *before = "";
	int how;

	if (err)
		return err;
	printf("%-24s ", "blocks by compressor");
	for (how = BLOCK_HOWS; how--;)
		if (counts[how]) {
			printf("%s%s %llu", before, names[how],
			       (unsigned long long)counts[how]);
			before = ", ";
		}
	putchar('\n');
	return 0;
}

static int print_meta(struct sstable *t, const char *path)
{
	const struct sstable_info *i = sstable_info(t);
	int err;

	printf("%-24s %s\n", "file", path);
	if (sstable_table(t))
		printf("%-24s %u\n", "table number", sstable_table(t));
	else
		printf("%-24s -\n", "table number");
	printf("%-24s %llu\n", "bytes", (unsigned long long)i->size);
	printf("%-24s %llu\n", "bytes before compression",
	       (unsigned long long)i->raw_size);
	err = print_compressors(t);
	if (err)
		return err;
	printf("%-24s %llu\n", "partitions",
	       (unsigned long long)i->partition_count);
	printf("%-24s %llu\n", "rows", (unsigned long long)i->row_count);
	printf("%-24s %llu\n", "cells", (unsigned long long)i->cell_count);
	printf("%-24s %llu\n", "tombstones",
	       (unsigned long long)i->tombstone_count);
	printf("%-24s %u\n", "largest partition (rows)",
	       i->largest_partition_rows);
	printf("%-24s %s\n", "range deletions", i->has_bounds ? "yes" : "no");
	printf("%-24s %s\n", "all of it expires",
	       i->has_permanent ? "no" : "yes");
	print_time("oldest timestamp", i->min_timestamp, NO_TIMESTAMP);
	print_time("newest timestamp", i->max_timestamp, NO_TIMESTAMP);
	print_time("first local time", i->min_local_time, NO_TIME);
	print_time("last local time", i->max_local_time, NO_TIME);
	print_time("first token", i->first_token, INT64_MIN);
	print_time("last token", i->last_token, INT64_MIN);
	printf("%-24s %lld\n", "written (seconds)", (long long)i->created);
	printf("%-24s %016llx\n", "checksum", (unsigned long long)i->checksum);
	return 0;
}

/* ------------------------------------------------------------------- dump */
static void add_deletion(struct buf *out, const char *name, struct deletion d)
{
	if (deletion_is_none(d))
		buf_add_format(out, ", \"%s\": null", name);
	else
		buf_add_format(out, ", \"%s\": {\"timestamp\": %lld, "
			       "\"local_time\": %lld}", name,
			       (long long)d.timestamp, (long long)d.local_time);
}

static void add_cell(struct buf *out, const struct cell *c)
{
	buf_add_format(out, "{\"column\": %u", c->column);
	if (!bytes_is_null(c->path)) {
		buf_add_str(out, ", \"path\": ");
		add_bytes(out, c->path);
	}
	buf_add_format(out, ", \"timestamp\": %lld", (long long)c->timestamp);
	if (c->ttl)
		buf_add_format(out, ", \"ttl\": %d", c->ttl);
	if (c->local_time != NO_TIME)
		buf_add_format(out, ", \"local_time\": %lld",
			       (long long)c->local_time);
	if (c->flags & CELL_COLUMN_DELETION)
		buf_add_str(out, ", \"deletes\": \"column\"");
	else if (c->flags & CELL_TOMBSTONE)
		buf_add_str(out, ", \"deletes\": \"cell\"");
	if (!bytes_is_null(c->value)) {
		buf_add_str(out, ", \"value\": ");
		add_bytes(out, c->value);
	}
	buf_add_byte(out, '}');
}

static int add_row(struct buf *out, struct arena *arena, struct bytes encoded)
{
	struct row row;
	uint32_t i;
	int err;

	arena_clear(arena);
	err = row_decode(&row, arena, encoded);
	if (err)
		return err;
	if (row.marker.timestamp != NO_TIMESTAMP) {
		buf_add_format(out, ", \"marker\": {\"timestamp\": %lld",
			       (long long)row.marker.timestamp);
		if (row.marker.ttl)
			buf_add_format(out, ", \"ttl\": %d, \"expires\": %lld",
				       row.marker.ttl,
				       (long long)row.marker.expires);
		buf_add_byte(out, '}');
	}
	if (!deletion_is_none(row.deletion))
		add_deletion(out, "deletion", row.deletion);
	buf_add_str(out, ", \"cells\": [");
	for (i = 0; i < row.cell_count; i++) {
		buf_add_str(out, i ? ", " : "");
		add_cell(out, &row.cells[i]);
	}
	buf_add_byte(out, ']');
	return 0;
}

static const char *kind_name(enum key_kind kind)
{
	switch (kind) {
	case KEY_BEGIN:
		return "begin";
	case KEY_ATTRIBUTES:
		return "attributes";
	case KEY_STATIC:
		return "static";
	case KEY_END:
		return "end";
	default:
		return "row";
	}
}

static int add_key(struct buf *out, struct bytes key, struct key_parts *parts)
{
	struct buf partition = BUF_INIT;
	int err = key_split(parts, key);

	if (!err)
		err = key_partition_key(&partition, key);
	if (!err) {
		buf_add_format(out, "{\"token\": %lld, \"partition\": ",
			       (long long)parts->token);
		add_bytes(out, buf_bytes(&partition));
	}
	buf_release(&partition);
	return err;
}

static int dump_entry(struct buf *out, struct arena *arena,
		      const struct entry *e)
{
	struct key_parts parts;
	int err = add_key(out, e->key, &parts);

	if (err)
		return err;
	buf_add_format(out, ", \"kind\": \"%s\"", kind_name(parts.kind));
	if (parts.clustering.len) {
		buf_add_str(out, ", \"clustering\": ");
		add_bytes(out, parts.clustering);
	}
	if (e->kind == ENTRY_ROW) {
		err = add_row(out, arena, e->row);
	} else {
		add_deletion(out, "before", e->before);
		add_deletion(out, "after", e->after);
	}
	buf_add_str(out, "}\n");
	return err;
}

/* --keys: the first entry of each partition. */
static int print_partition(struct buf *out, struct buf *last,
			   const struct entry *e)
{
	struct key_parts parts;
	size_t len = key_partition_len(e->key);
	int err;

	if (len && bytes_equal(bytes_of(e->key.ptr, len), buf_bytes(last)))
		return 0;
	buf_clear(last);
	buf_add(last, e->key.ptr, len);
	err = add_key(out, e->key, &parts);
	buf_add_str(out, "}\n");
	return err;
}

static int print_entries(struct sstable *t, bool keys)
{
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT, last = BUF_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry e;
	int err = sstable_iterate(&it, t, false, true), more = 0;

	if (!err)
		err = iterator_seek(it, BYTES_EMPTY, &in_force);
	while (!err && (more = iterator_next(it, &e)) > 0) {
		buf_clear(&out);
		err = keys ? print_partition(&out, &last, &e) :
			     dump_entry(&out, &arena, &e);
		if (!err && (out.failed || last.failed))
			err = -ENOMEM;
		if (!err && !tool_write(stdout, buf_bytes(&out)))
			err = -errno;
	}
	iterator_close(it);
	arena_release(&arena);
	buf_release(&out);
	buf_release(&last);
	return err ? err : more;
}

/* ------------------------------------------------------------------ command */
static void silent(void *context, enum log_level level, const char *line)
{
	(void)context;
	(void)level;
	(void)line;
}

static int open_file(struct sstable **out, const char *path)
{
	char *above = strdup(path), *end = strdup(path);
	uint64_t number;
	int dir = -1, err = above && end ? 0 : -ENOMEM;

	*out = NULL;
	if (!err && access(path, F_OK))
		err = -errno;
	if (!err)
		err = sstable_name_parse(&number, basename(end));
	if (!err) {
		dir = open(dirname(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = dir < 0 ? -errno :
		      sstable_open(out, &file_system, dir, number, NULL);
	}
	if (dir >= 0)
		close(dir);
	free(above);
	free(end);
	return err;
}

static int report(const char *path, int err)
{
	switch (err) {
	case 0:
		return TOOL_DONE;
	case -EUCLEAN:
		tool_complain(path, "%s", log_corrupt_last());
		return TOOL_DAMAGED;
	case -EPROTONOSUPPORT:
		tool_complain(path, "its format is newer than this widefsctl "
			      "(use a newer one)");
		return TOOL_TOO_NEW;
	case -ENOENT:
		tool_complain(path, "no such file");
		return TOOL_NONE;
	case -EINVAL:
		tool_complain(path, "not the name of an sstable (twelve digits "
			      "and .sst)");
		return TOOL_FAILED;
	default:
		tool_failed(path, err);
		return TOOL_FAILED;
	}
}

static int show(const char *path, int what)
{
	struct sstable *t;
	int err = open_file(&t, path);

	if (!err && what == 'v')
		err = sstable_verify(t);
	else if (!err)
		err = what == 'm' ? print_meta(t, path) :
				    print_entries(t, what == 'k');
	if (t)
		sstable_put(t);
	if (!err && what == 'v')
		printf("%s: sound\n", path);
	return report(path, err);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "meta", no_argument, NULL, 'm' },
		{ "keys", no_argument, NULL, 'k' },
		{ "dump", no_argument, NULL, 'd' },
		{ "verify", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, what = 'm', i, worst = TOOL_DONE;

	while ((option = getopt_long(argc, argv, "mkdvh", options, NULL)) >= 0) {
		if (option == 'h' || option == '?')
			return tool_usage(&command_sstable, option == 'h');
		what = option;
	}
	if (optind == argc)
		return tool_misused(&command_sstable, "sstable",
				    "a FILE is expected");
	log_set_sink(silent, NULL);	/* damage is told once */
	for (i = optind; i < argc; i++) {
		int status = show(argv[i], what);

		if (what == 'm' && !status && i + 1 < argc)
			putchar('\n');
		if (status > worst)
			worst = status;
	}
	return worst;
}
