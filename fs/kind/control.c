#include "fs/kind/control.h"

#include <errno.h>
#include <stdio.h>

#include "fs/file/handle.h"
#include "fs/file/line_input.h"
#include "fs/file/reader_text.h"
#include "fs/kind/control_figures.h"
#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/errors.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/op.h"
#include "fs/tree/listing.h"
#include "store/base/clock.h"
#include "store/base/watch.h"
#include "store/snapshot.h"

static const struct node_ops kind_control, kind_control_file;

#define CONTROL ".widefs"	/* the name of the directory */

/* --------------------------------------------------------------- contents */
static int print_version(struct op *op, struct buf *out)
{
	buf_add_format(out, "%s\n", op->fs->version);
	return 0;
}

static int print_help(struct op *op, struct buf *out)
{
	buf_add_str(out,
"This directory tree is a database: a keyspace is a directory, a table a\n"
"directory in it, a partition key a directory in that, then one for each\n"
"clustering column; the last is the row, and its files are the cells.\n"
"\n"
"  mkdir KEYSPACE             makes a keyspace\n"
"  mkdir KEYSPACE/TABLE       makes a table of plain files: key, column, bytes\n"
"  cat KEYSPACE/schema.cql    the definitions; write CREATE TABLE into it\n"
"  mkdir TABLE/KEY/...        inserts a row\n"
"  echo VALUE > ROW/COLUMN    writes a cell; cat reads it, rm deletes it\n"
"  cat ROW.json               the row as JSON; > replaces it, >> merges\n"
"  cat TABLE.ndjson           its rows, a JSON object a line; >> adds rows; also\n"
"                             TABLE.csv, and of a partition or prefix PART.ndjson\n"
"                             and PART.csv, whose rm deletes it; not listed\n"
"  .json/                     the same tree, each row one listed file ROW.json: to\n"
"                             copy, grep and edit rows as a whole; not listed.\n"
"                             Queries there have links to these: cp -rL, grep -R;\n"
"                             TABLE.ndjson and the like are as here\n"
"  touch ROW/SET/ELEMENT      adds to a set; rm removes. mkdir ROW/SET makes one\n"
"                             that has nothing yet; likewise maps and lists\n"
"  echo +1 > ROW/COUNTER      counts\n"
"  ls TABLE/KEY/@COLUMN=LOW..HIGH,@desc,@limit=N\n"
"                             links to the rows of a query (not listed). In a\n"
"                             partition or prefix on the columns that follow; in\n"
"                             a table on indexed columns, or @token=LOW..HIGH;\n"
"                             also @COLUMN=VALUE, @COLUMN~PATTERN (LIKE), @after=NAME,\n"
"                             and @scan for what no index serves\n"
"  cat TABLE/KEY/@limit=N.csv\n"
"                             the rows of a query as lines, also .ndjson; with\n"
"                             @cols=A,B at the end some of their columns\n"
"  mkdir .snapshots/NAME      keeps all as it is now, to read in there; rmdir\n"
"                             releases it. DROP, TRUNCATE and rm -r KEYSPACE\n"
"                             keep the tables there, for the last 64 changes.\n"
"                             To undo: cp from it, or\n"
"                             widefsctl snapshot restore STORE NAME [K[.T]]\n"
"                             (--force in a script, where nobody can be asked).\n"
"                             rm -r TABLE keeps none: let a timer mkdir them\n"
"  mv TABLE KEYSPACE/OTHER    renames a table; likewise a keyspace\n"
"  rsync -aX MNT/ BACKUP/     copies everything. To restore: mkdir KEYSPACE,\n"
"                             cp its schema.cql into it, then rsync -aX back\n"
"  umount MNT                 ends it. More: man widefs-layout, man widefsctl\n"
"  .cql                       takes CQL: write a statement, read its result;\n"
"                             also .cql.json, .cql.ndjson and .cql.csv, in the\n"
"                             root and in each keyspace\n"
"\n"
"Here:\n"
"  errors    why calls were refused, the newest last\n"
"  stats     what the store does          options   how it is mounted\n"
"  metrics   the same for Prometheus      version   of the program\n"
"  clients   processes by their requests: how many, pid, uid, command\n"
"  ctl       takes: sync, flush [K.T], compact [K.T], scrub [K.T],\n"
"            scrub-start [K.T], which does not wait for the end;\n"
"            snapshot restore NAME [K[.T]], with %20 for a space of NAME\n"
"  scrub     how far the last scrub that was started is, and what it found\n"
"\n"
"Limits of users other than root and the mounter, of each and of all together:\n"
"\n");
	accounts_print_bounds(&op->fs->accounts, out);
	return 0;
}

static int print_options(struct op *op, struct buf *out)
{
	if (op->fs->options_text)
		buf_add_str(out, op->fs->options_text);
	return 0;
}

/* True for root and the mounter, who see what all users do; others see their
 * own. */
static bool sees_all(const struct op *op)
{
	return !op->who.uid || op->who.uid == op->fs->uid;
}

static int print_stats(struct op *op, struct buf *out)
{
	int err = control_figures_print(op, out);

	accounts_print(&op->fs->accounts, out, op->who.uid, sees_all(op));
	return err;
}

static int print_scrub(struct op *op, struct buf *out)
{
	scrub_print(&op->fs->scrub, out, sees_all(op));
	return 0;
}

static int print_clients(struct op *op, struct buf *out)
{
	requests_print_clients(&op->fs->requests, out, op->who.uid,
			       sees_all(op));
	return 0;
}

static int print_errors(struct op *op, struct buf *out)
{
	uint64_t from = 0;

	errors_print(&op->fs->errors, out, op->who.uid, sees_all(op), &from);
	return 0;
}

static const struct {
	const char *name;
	int (*print)(struct op *op, struct buf *out);
} files[] = {
	{ "version", print_version }, { "help", print_help },
	{ "options", print_options }, { "stats", print_stats },
	{ "metrics", control_figures_metrics }, { "clients", print_clients },
	{ "errors", print_errors }, { "scrub", print_scrub },
	{ "ctl", NULL },
};

/* -------------------------------------------------------------- directory */
int control_child(struct op *op, struct child *out)
{
	child_init(out, &kind_control);
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mode = 0555;
	out->mtime_ns = op->fs->opened_ns;
	return keyspace_times_get(op, bytes_str(CONTROL), ABOVE_DIRECTORY, 0,
				  &out->mtime_ns);
}

static int set_control_mtime(struct op *op, struct node *n, int64_t mtime_ns)
{
	(void)n;
	return keyspace_times_set(op, bytes_str(CONTROL), ABOVE_DIRECTORY, 0,
				  mtime_ns);
}

static int stat_control(struct op *op, struct node *n, struct child *out)
{
	(void)n;
	return control_child(op, out);
}

static int file_child(struct op *op, uint32_t i, struct child *out)
{
	struct buf text = BUF_INIT;

	child_init(out, &kind_control_file);
	out->number = i;
	out->uid = op->fs->uid;
	out->gid = op->fs->gid;
	out->mtime_ns = clock_now_us() * MICROSECOND;
	out->volatile_attributes = true;
	if (files[i].print) {
		files[i].print(op, &text);
		out->read_only = true;
		out->size = text.len;
	}
	buf_release(&text);
	return 0;
}

static int lookup(struct op *op, struct node *dir, struct bytes name,
		  struct child *out)
{
	uint32_t i;

	(void)dir;
	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (bytes_equal(name, bytes_str(files[i].name)))
			return file_child(op, i, out);
	return -ENOENT;
}

static int stat_file(struct op *op, struct node *n, struct child *out)
{
	return file_child(op, n->number, out);
}

static int next(struct op *op, struct listing *l, struct buf *name,
		struct child *out)
{
	if (l->index >= ARRAY_SIZE(files))
		return 0;
	buf_add_str(name, files[l->index].name);
	file_child(op, (uint32_t)l->index++, out);
	return 1;
}

static const struct node_ops kind_control = {
	.kind = "control",
	.directory = true,
	.lookup = lookup,
	.stat = stat_control,
	.next = next,
	.set_mtime = set_control_mtime,
};

/* --------------------------------------------------------------- commands */
static void report(void *context, const char *text)
{
	op_refuse(context, -EUCLEAN, "%s", text);
}

static int find_table(struct op *op, struct bytes name, struct table **t)
{
	const uint8_t *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;
	size_t first = dot ? (size_t)(dot - name.ptr) : 0;

	*t = NULL;
	if (!name.len)
		return 0;
	if (dot)
		*t = schema_table(op->schema, bytes_of(name.ptr, first),
				  bytes_of(dot + 1, name.len - first - 1));
	return *t ? 0 : op_refuse(op, -EINVAL, "there is no table '%.*s'",
				  (int)name.len, name.ptr);
}

/* True if the caller has been interrupted. */
static bool is_given_up(void *context)
{
	const struct fs_call *call = ((struct op *)context)->call;

	return call && call->interrupted && call->interrupted(call->context);
}

static int run_on(struct op *op, struct bytes name,
		  int (*run)(struct store *s, struct table *t))
{
	struct table *t;
	int err = find_table(op, name, &t);

	return err ? err : run(op->store, t);
}

/* Verify, and wait for the end. */
static int scrub_here(struct op *op, struct bytes name)
{
	const struct lsm_verify_told told = { report, NULL, op };
	struct table *t;
	int err = find_table(op, name, &t);

	return err ? err : store_verify_table(op->store, t, &told);
}

static int start_scrub(struct op *op, struct bytes name)
{
	struct fs *fs = op->fs;
	struct table *t;
	int err = find_table(op, name, &t);

	if (!err)
		err = scrub_start(&fs->scrub, fs->store, t, &fs->errors,
				  op->who.uid, op->who.pid);
	return err == -EBUSY ? op_refuse(op, err, "a scrub is running") : err;
}

/* Return the next word of *rest, as text, and leave what follows; NULL: none. */
static char *next_word(struct op *op, struct bytes *rest)
{
	size_t len = 0;
	char *word;

	while (len < rest->len && rest->ptr[len] != ' ')
		len++;
	word = len ? arena_alloc(&op->arena, len + 1) : NULL;
	if (!word)
		return NULL;
	memcpy(word, rest->ptr, len);
	word[len] = 0;
	*rest = bytes_of(rest->ptr + len, rest->len - len);
	if (rest->len)
		*rest = bytes_of(rest->ptr + 1, rest->len - 1);
	return word;
}

/* Read %20 in the name of a snapshot as a space: no name has a %20. */
static void read_spaces(char *word)
{
	char *to = word;

	for (; *word; word++) {
		bool space = !strncmp(word, "%20", 3);

		*to++ = space ? ' ' : *word;
		word += space ? 2 : 0;
	}
	*to = 0;
}

/* restore NAME [K[.T]] */
static int restore(struct op *op, struct bytes rest)
{
	const char *word = next_word(op, &rest);
	char *name = next_word(op, &rest);
	struct snapshot_part part = { .name = name };
	char *what = next_word(op, &rest), *dot;
	struct buf why = BUF_INIT;
	int err;

	if (!word || strcmp(word, "restore") || !name || rest.len)
		return op_refuse(op, -EINVAL,
				 "ctl takes: snapshot restore NAME [K[.T]], "
				 "with %%20 for a space of NAME");
	read_spaces(name);
	dot = what ? strchr(what, '.') : NULL;
	if (dot)
		*dot = 0;
	part.keyspace = what;
	part.table = dot ? dot + 1 : NULL;
	op->broadcast = true;	/* the kernel learns of no change by itself */
	op->brings_times = !part.table;
	err = snapshot_restore(op->store, &part, op_uid(op), &why);
	if (err && why.len && !why.failed)
		err = op_refuse(op, err == -ENOENT ? -EINVAL : err, "%s",
				buf_cstr(&why));
	buf_release(&why);
	return err;
}

static int carry_out(struct op *op, struct bytes line)
{
	struct store *s = op->store;
	struct bytes word = line, rest = BYTES_EMPTY;
	const uint8_t *space;

	space = line.len ? memchr(line.ptr, ' ', line.len) : NULL;
	if (space) {
		word.len = (size_t)(space - line.ptr);
		rest = bytes_of(space + 1, line.len - word.len - 1);
	}
	if (!line.len)
		return 0;
	if (bytes_equal(word, bytes_str("sync")) && !rest.len)
		return store_sync(s);
	if (bytes_equal(word, bytes_str("scrub")))
		return scrub_here(op, rest);
	if (bytes_equal(word, bytes_str("scrub-start")))
		return start_scrub(op, rest);
	if (bytes_equal(word, bytes_str("flush")))
		return run_on(op, rest, store_flush);
	if (bytes_equal(word, bytes_str("compact")))
		return run_on(op, rest, store_compact);
	if (bytes_equal(word, bytes_str("snapshot")))
		return restore(op, rest);
	return op_refuse(op, -EINVAL,
			 "ctl takes: sync, flush [K.T], compact [K.T], "
			 "scrub [K.T], scrub-start [K.T], snapshot restore "
			 "NAME [K[.T]]");
}

/* Run a command. Long work, and waiting for it, ends when its caller is
 * interrupted. */
static int run_command(struct op *op, struct node *n, struct bytes line)
{
	struct watch watch = { .stop = is_given_up, .context = op };
	struct watch *before = watch_set(&watch);
	int err = carry_out(op, line);

	(void)n;
	watch_set(before);
	return err;
}

static int refuse_change(struct op *op)
{
	return op_refuse(op, -EPERM, "this file is read-only");
}

/* ctl is truncated by each `>`; nothing happens. */
static int truncate_file(struct op *op, struct node *n, struct handle *h,
			 uint64_t size)
{
	(void)h;
	(void)size;
	return files[n->number].print ? refuse_change(op) : 0;
}

/*
 * Open a file: a descriptor reads the text of one moment, made at the first
 * read. A reader that continues at the end of `errors` gets the later lines, as
 * a follower does: they replace the lines that it has read.
 */
static int open_file(struct op *op, struct handle *h)
{
	if (h->writer && files[h->node->number].print)
		return refuse_change(op);
	if (h->writer && fs_is_read_only(op->fs))
		return -EROFS;
	return 0;
}

static bool is_followed(const struct handle *h)
{
	return files[h->node->number].print == print_errors;
}

/* Make the text that begins at the offset: 0, or of what is followed where it
 * ends. REQUIRES the handle's lock. */
static int make_text(struct op *op, struct handle *h, uint64_t offset)
{
	int err = 0;

	reader_text_drop(op->fs, h);
	h->text_base = offset;
	if (!offset)
		h->next_line = 0;
	if (is_followed(h))
		errors_print(&op->fs->errors, &h->text, op->who.uid,
			     sees_all(op), &h->next_line);
	else
		err = files[h->node->number].print(op, &h->text);
	if (!err && h->text.failed)
		err = -ENOMEM;
	if (!err)
		err = op_charge(op, &h->charge, RESOURCE_READ, h->text.len);
	if (err)
		reader_text_drop(op->fs, h);
	h->pinned = !err;
	return err;
}

/* Return the bytes of the text from the offset on. */
static struct bytes text_from(const struct handle *h, uint64_t offset)
{
	uint64_t at = offset - h->text_base;

	return offset >= h->text_base && at < h->text.len ?
		       bytes_of(h->text.ptr + at, h->text.len - at) :
		       BYTES_EMPTY;
}

static int read_file(struct op *op, struct handle *h, uint64_t offset,
		     size_t size, struct buf *out)
{
	struct bytes text;
	int err = 0;

	if (!files[h->node->number].print)
		return 0;
	mutex_lock(&h->lock);
	if (!offset || !h->pinned || offset < h->text_base)
		err = make_text(op, h, 0);
	if (!err && offset && is_followed(h) &&
	    offset == h->text_base + h->text.len)
		err = make_text(op, h, offset);
	if (!err) {
		text = text_from(h, offset);
		buf_add(out, text.ptr, size < text.len ? size : text.len);
	}
	mutex_unlock(&h->lock);
	return err;
}

static const struct line_kind commands = { 1000, run_command };

static int64_t write_file(struct op *op, struct handle *h, uint64_t offset,
			  struct bytes data)
{
	(void)offset;
	return line_input_write(op, h, &commands, data);
}

static int flush_file(struct op *op, struct handle *h)
{
	if (files[h->node->number].print)
		return 0;
	return line_input_flush(op, h, &commands);
}

static const struct file_kind control_file = {
	.streamed = true,
	.alone = true,
	.open = open_file,
	.read = read_file,
	.write = write_file,
	.flush = flush_file,
	.truncate = truncate_file,
};

static const struct node_ops kind_control_file = {
	.kind = "control file",
	.file = &control_file,
	.stat = stat_file,
};
