#include "fs/file/reader_text.h"

#include <errno.h>

#include "fs/node/account.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"

#define PIN_LEAST (64 << 10)	/* less is not worth freeing or sharing */

void text_free(struct fs *fs, struct buf *text)
{
	if (text->cap > PIN_LEAST)
		atomic_fetch_add(&fs->large_freed, text->cap);
	buf_release(text);
}

void text_fit(struct fs *fs, struct buf *text)
{
	size_t before = text->cap;
	void *less;

	if (before <= TEXT_SPARE || text->len > before / 4)
		return;
	if (!text->len) {
		text_free(fs, text);
		return;
	}
	less = mem_resize(text->ptr, text->len, 1);
	if (!less)
		return;
	text->ptr = less;
	text->cap = text->len;
	if (before > PIN_LEAST)
		atomic_fetch_add(&fs->large_freed, before - text->cap);
}

void text_slice(struct buf *out, struct bytes text, uint64_t offset,
		size_t size)
{
	if (offset >= text.len)
		return;
	if (size > text.len - offset)
		size = text.len - offset;
	buf_add(out, text.ptr + offset, size);
}

/* -------------------------------------------------------------------- pins */
static void give_pin(struct fs *fs, struct node *n, struct pin *pin)
{
	struct mutex *stripe = &op_stripe(fs, n)->lock;
	bool last;

	mutex_lock(stripe);
	last = !--pin->users;
	if (last && n->pin == pin)
		n->pin = NULL;
	mutex_unlock(stripe);
	if (last) {
		text_free(fs, &pin->text);
		mem_free(pin);
	}
}

void pin_give(struct fs *fs, struct handle *h)
{
	if (!h->pin)
		return;
	share_end(&fs->accounts, &h->pin->shares, h->uid);
	give_pin(fs, h->node, h->pin);
	h->pin = NULL;
}

/* Charge h's user for its pin; on an error h has none. */
static int pay_for_pin(struct fs *fs, struct handle *h)
{
	int err = share_add(&fs->accounts, &h->pin->shares, h->uid);

	if (!err)
		return 0;
	give_pin(fs, h->node, h->pin);
	h->pin = NULL;
	return err;
}

int pin_share(struct fs *fs, struct handle *h)
{
	struct mutex *stripe = &op_stripe(fs, h->node)->lock;
	struct pin *latest;

	if (h->text.len < PIN_LEAST)
		return charge_set(&fs->accounts, &h->charge, RESOURCE_READ,
				  h->uid, h->text.len);
	charge_end(&fs->accounts, &h->charge);
	mutex_lock(stripe);
	latest = h->node->pin;
	if (latest)
		latest->users++;
	mutex_unlock(stripe);
	if (latest && bytes_equal(buf_bytes(&latest->text),
				  buf_bytes(&h->text))) {
		text_free(fs, &h->text);
		h->pin = latest;
		return pay_for_pin(fs, h);
	}
	if (latest)
		give_pin(fs, h->node, latest);
	h->pin = mem_zalloc(1, sizeof(*h->pin));
	if (!h->pin)
		return -ENOMEM;
	h->pin->users = 1;
	h->pin->shares.what = RESOURCE_READ;
	h->pin->shares.amount = h->text.len;
	h->pin->text = h->text;
	h->text = BUF_INIT;
	mutex_lock(stripe);
	h->node->pin = h->pin;
	mutex_unlock(stripe);
	return pay_for_pin(fs, h);
}

void reader_text_drop(struct fs *fs, struct handle *h)
{
	buf_clear(&h->text);
	text_fit(fs, &h->text);
	charge_end(&fs->accounts, &h->charge);
}
