/* Open and close a tree. */
#include <errno.h>
#include <xxhash.h>

#include "fs/file/handle.h"
#include "fs/file/keep.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/file/view_look.h"
#include "fs/file/write_buffer.h"
#include "fs/fs.h"
#include "fs/kind/root.h"
#include "fs/kind/scratch.h"
#include "fs/kind/waiting_load.h"
#include "fs/kind/waiting_move.h"
#include "fs/node/account.h"
#include "fs/node/errors.h"
#include "fs/node/node.h"
#include "fs/node/notice.h"
#include "fs/node/timer.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/store_observer.h"
#include "fs/tree/listing.h"
#include "fs/tree/listing_shortened.h"
#include "fs/tree/short_names.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/base/memory.h"
#include "store/table/present.h"

void fs_options_init(struct fs_options *o)
{
	memset(o, 0, sizeof(*o));
}

static char *copy_or_null(const char *s, bool *failed)
{
	char *copy = s ? mem_copy(s, strlen(s)) : NULL;

	*failed |= s && !copy;
	return copy;
}

static void drop_node(void *context, struct node *n)
{
	scratch_free(context, n->scratch);
	unkeyed_free(context, n->held);
	short_names_free(context, atomic_load(&n->short_names));
	buffer_give(context, n, n->orphan);
	view_version_free(context, n->version);
	keep_ended(context, n);
}

static void unkeep_node(void *context, struct node *n)
{
	keep_ended(context, n);
}

/* A document may be as long as all values that may be open for writing. */
#define DOCUMENT_VALUES 4

int fs_open(struct fs **out, struct store *s, const struct fs_options *o)
{
	struct fs *fs = mem_zalloc(1, sizeof(*fs));
	bool failed = false;
	int i, err;

	if (!fs)
		return -ENOMEM;
	fs->store = s;
	fs->uid = o->uid;
	fs->gid = o->gid;
	fs->shown = o->shown;
	fs->max_value = o->max_value ? o->max_value : 256 << 20;
	fs->max_document = DOCUMENT_VALUES * fs->max_value;
	if (fs->max_document > INT32_MAX)	/* as all texts in memory */
		fs->max_document = INT32_MAX;
	store_set_max_value(s, fs->max_value);
	fs->scratch_max = o->scratch_max ? o->scratch_max : 64 << 20;
	accounts_init(&fs->accounts, fs->uid, fs->max_value, fs->scratch_max,
		      o->memtable_bytes ? o->memtable_bytes :
					  memory_default_memtables());
	fs->read_only = o->read_only || store_is_read_only(s);
	fs->keyspace = copy_or_null(o->keyspace, &failed);
	fs->store_path = copy_or_null(o->store_path, &failed);
	fs->version = copy_or_null(o->version ? o->version : "unknown",
				   &failed);
	fs->options_text = copy_or_null(o->options_text, &failed);
	fs->opened_ns = clock_now_us() * MICROSECOND;
	errors_init(&fs->errors);
	scrub_init(&fs->scrub);
	notices_init(&fs->notices);
	locks_init(&fs->locks, &fs->nodes, &fs->accounts, o->lock_done);
	fs->changed = view_changed;
	fs->lookup_shortened = listing_lookup_shortened;
	mutex_init(&fs->leaving_lock);
	pthread_cond_init(&fs->left, NULL);
	timers_init(&fs->timers);
	for (i = 0; i < FS_HANDLES; i++)
		mutex_init(&fs->handles[i].lock);
	mutex_init(&fs->made_lock);
	mutex_init(&fs->copied_lock);
	mutex_init(&fs->listings_lock);
	mutex_init(&fs->consoles_lock);
	mutex_init(&fs->rows_lock);
	mutex_init(&fs->held_lock);
	pthread_cond_init(&fs->held_stored, NULL);
	mutex_init(&fs->retry_lock);
	known_init(fs);
	for (i = 0; i < NODE_SHARDS; i++)
		mutex_init(&fs->stripes[i].lock);
	err = failed ? -ENOMEM :
		       node_table_init(&fs->nodes, &kind_root,
				       XXH3_64bits(store_id(s), 16));
	fs->nodes.max = o->max_nodes ? o->max_nodes : memory_default_nodes();
	fs->nodes.drop = drop_node;
	fs->nodes.unkept = unkeep_node;
	fs->nodes.context = fs;
	if (err) {
		fs_close(fs);
		return err;
	}
	store_observer_start(fs);
	waiting_load(fs);
	*out = fs;
	return 0;
}

int fs_close(struct fs *fs)
{
	int err = 0;

	if (!fs)
		return 0;
	scrub_release(&fs->scrub);
	if (fs->nodes.root) {
		err = fs_flush_all(fs);
		store_observer_stop(fs);
	}
	handles_release(fs);
	view_expire(fs, 0, true);
	locks_release(&fs->locks);
	if (fs->nodes.root)
		waiting_tell_lost(fs);
	node_table_release(&fs->nodes);
	op_pool_release(fs);
	view_release(fs);
	known_release(fs);
	mem_free(fs->copied);
	timers_release(&fs->timers);
	notices_release(&fs->notices);
	errors_release(&fs->errors);
	pthread_cond_destroy(&fs->left);
	pthread_cond_destroy(&fs->held_stored);
	accounts_release(&fs->accounts);
	mem_free(fs->keyspace);
	mem_free(fs->store_path);
	mem_free(fs->version);
	mem_free(fs->options_text);
	mem_free(fs);
	return err;
}
