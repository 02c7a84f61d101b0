/*
 * Check the caller's rights on an object with owner and mode. The kernel checks
 * paths; statements and control files are checked here. The kernel does not
 * send the caller's groups and umask: they are read from /proc.
 */
#include "fs/op/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "fs/node/call.h"
#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/op.h"

void credentials_init(struct credentials *c, const struct fs_call *call)
{
	c->uid = call ? call->uid : 0;
	c->gid = call ? call->gid : 0;
	c->pid = call ? call->pid : 0;
	c->groups_read = false;
}

static void add_groups(struct buf *groups, const char *at)
{
	char *end;

	for (;; at = end) {
		gid_t group = (gid_t)strtoul(at, &end, 10);

		if (end == at)
			return;
		buf_add(groups, &group, sizeof(group));
	}
}

/* Read the groups of the caller; none without memory, or if its process is
 * not found. */
void credentials_read(struct credentials *c)
{
	static const char word[] = "Groups:";
	char path[48];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	if (c->groups_read)
		return;
	c->groups_read = true;
	buf_clear(&c->groups);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)c->pid);
	file = c->pid > 0 ? fopen(path, "re") : NULL;
	while (file && getline(&line, &size, file) >= 0) {
		if (strncmp(line, word, sizeof(word) - 1))
			continue;
		add_groups(&c->groups, line + sizeof(word) - 1);
		break;
	}
	free(line);
	if (file)
		fclose(file);
	if (c->groups.failed) {
		c->groups.failed = false;
		buf_clear(&c->groups);
	}
}

int credentials_copy(struct credentials *to, const struct credentials *from)
{
	struct buf groups = to->groups;

	*to = *from;
	to->groups = groups;
	buf_clear(&to->groups);
	buf_add_bytes(&to->groups, buf_bytes(&from->groups));
	return to->groups.failed ? -ENOMEM : 0;
}

static bool is_in_group(struct credentials *c, gid_t group)
{
	gid_t one;
	size_t i;

	if (c->gid == group)
		return true;
	credentials_read(c);
	for (i = 0; i + sizeof(one) <= c->groups.len; i += sizeof(one)) {
		memcpy(&one, c->groups.ptr + i, sizeof(one));
		if (one == group)
			return true;
	}
	return false;
}

/* Check as the kernel does: only the first class that the user is of counts. */
static bool may(struct credentials *c, uid_t uid, gid_t gid, mode_t mode,
		unsigned rights)
{
	if (!c->uid)
		return true;
	if (c->uid == uid)
		mode >>= 6;
	else if (is_in_group(c, gid))
		mode >>= 3;
	return (mode & rights) == rights;
}

void owner_show(const struct op *op, uid_t *uid, gid_t *gid, mode_t *mode)
{
	const struct fs_shown *shown = &op->fs->shown;

	if (shown->set & FS_SET_UID)
		*uid = shown->uid;
	if (shown->set & FS_SET_GID)
		*gid = shown->gid;
	if (shown->set & FS_SET_MODE)
		*mode = shown->mode;
}

bool caller_may(struct op *op, uid_t uid, gid_t gid, mode_t mode, unsigned rights)
{
	if (!op->call)
		return true;
	owner_show(op, &uid, &gid, &mode);
	return may(&op->who, uid, gid, mode, rights) &&
	       (!op->opener || may(op->opener, uid, gid, mode, rights));
}

bool caller_may_enter(struct op *op, const struct keyspace *k,
		      const struct table *t)
{
	return caller_may(op, k->uid, k->gid, k->mode, RIGHT_ENTER) &&
	       (!t || caller_may(op, t->uid, t->gid, t->mode, RIGHT_ENTER));
}

mode_t owner_mode_of_description(mode_t mode)
{
	return (mode & 0111) * 5;
}

/* Append the name in the schema that the node's file name, without the suffix
 * of a document, is for. */
static void described_name(const struct node *n, struct buf *out)
{
	struct bytes name = node_name(n);

	if (!n->ops->directory)
		name_suffix(name, &name);
	if (name_unescape(out, name))
		buf_clear(out);
}

void owner_guard_description(struct op *op, const struct node *n,
			     struct child *c)
{
	const struct node *table = n->table, *key = NULL, *clustering = NULL;
	struct buf name = BUF_INIT;
	const struct keyspace *k;
	const struct table *t = NULL;
	struct index *index;
	bool of_indexes;

	if (!table || n == table || table->number)	/* or not virtual */
		return;
	of_indexes = bytes_equal(node_value(table), bytes_str("IndexInfo"));
	if (!of_indexes && !bytes_equal(node_value(table->parent),
					bytes_str("system_schema")))
		return;
	for (; n != table; n = n->parent) {
		clustering = key;
		key = n;
	}
	described_name(key, &name);
	k = schema_keyspace(op->schema, buf_bytes(&name));
	buf_clear(&name);
	if (k && clustering) {
		described_name(clustering, &name);
		t = of_indexes ? keyspace_index(k, buf_bytes(&name), &index) :
				 keyspace_table(k, buf_bytes(&name));
	}
	buf_release(&name);
	if (!k)
		return;
	c->uid = t ? t->uid : k->uid;
	c->gid = t ? t->gid : k->gid;
	c->mode = t ? t->mode : k->mode;
	owner_show(op, &c->uid, &c->gid, &c->mode);
	c->mode = owner_mode_of_description(c->mode);
}

mode_t caller_umask(const struct fs_call *call)
{
	char path[48], line[256];
	unsigned mask = 022;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)call->pid);
	file = call->pid > 0 ? fopen(path, "re") : NULL;
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Umask: %o", &mask) == 1)
			break;
	if (file)
		fclose(file);
	return mask & 0777;
}

static enum making of_flags(unsigned long long flags)
{
	return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ?
		       MAKES_FILE : MAKES_NOTHING;
}

/* Read the call that the caller waits in; "running": he does not wait yet. */
static void read_call(const struct fs_call *call, char *line, int size)
{
	char path[48];
	FILE *file;

	line[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)call->pid);
	file = call->pid > 0 ? fopen(path, "re") : NULL;
	if (file && !fgets(line, size, file))
		line[0] = 0;
	if (file)
		fclose(file);
}

enum making caller_makes(const struct fs_call *call)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned long long number, args[3];
	char line[256];
	int tries = 20;

	read_call(call, line, sizeof(line));
	while (!strncmp(line, "running", 7) && tries--) {
		nanosleep(&pause, NULL);
		read_call(call, line, sizeof(line));
	}
	if (sscanf(line, "%llu %llx %llx %llx", &number, &args[0], &args[1],
		   &args[2]) != 4)
		return MAKES_UNKNOWN;
	switch (number) {
	case SYS_openat:
		return of_flags(args[2]);
	case SYS_mkdirat:
		return MAKES_DIRECTORY;
#ifdef SYS_open
	case SYS_open:
		return of_flags(args[1]);
	case SYS_mkdir:
		return MAKES_DIRECTORY;
#endif
	/* The arguments of these calls are in memory, which is not read. */
	case SYS_openat2:
	case SYS_io_uring_enter:
		return MAKES_UNKNOWN;
	default:
		return MAKES_NOTHING;
	}
}

int owner_differs(struct op *op, unsigned set, const struct stat *attr,
		  uid_t uid, gid_t gid, mode_t mode)
{
	uid_t new_uid = uid;
	gid_t new_gid = gid;
	mode_t new_mode = mode & 0777;

	if ((set & FS_SET_MODE) && (attr->st_mode & 07000))
		return op_refuse(op, -EPERM, "there are no sticky, set-user-id "
				 "and set-group-id bits");
	owner_change(set, attr, &new_uid, &new_gid, &new_mode);
	return new_uid != uid || new_gid != gid || new_mode != (mode & 0777);
}

void owner_change(unsigned set, const struct stat *attr, uid_t *uid, gid_t *gid,
		  mode_t *mode)
{
	if (set & FS_SET_UID)
		*uid = attr->st_uid;
	if (set & FS_SET_GID)
		*gid = attr->st_gid;
	if (set & FS_SET_MODE)
		*mode = attr->st_mode & 0777;
}
