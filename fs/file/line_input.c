/* Files that take lines: each is executed when it is complete. */
#include "fs/file/line_input.h"

#include <errno.h>

#include "fs/file/handle.h"
#include "fs/op/op.h"

int64_t line_input_write(struct op *op, struct handle *h,
			 const struct line_kind *kind, struct bytes data)
{
	size_t at = 0, good = 0;
	int err = 0;

	mutex_lock(&h->lock);
	while (!err && at < data.len) {
		uint8_t c = data.ptr[at++];

		if (c != '\n') {
			buf_add_byte(&h->text, c);
			if (h->text.len > kind->max_len)
				err = op_refuse(op, -EINVAL,
						"a line may have %zu bytes",
						kind->max_len);
			else if (h->text.failed)
				err = -ENOMEM;
			continue;
		}
		err = kind->run(op, h->node, buf_bytes(&h->text));
		buf_clear(&h->text);
		if (!err)
			good = at;
	}
	if (err)
		buf_clear(&h->text);
	handle_note_begun(h, buf_bytes(&h->text));
	mutex_unlock(&h->lock);
	return err && !good ? err : err ? (int64_t)good : (int64_t)data.len;
}

int line_input_flush(struct op *op, struct handle *h,
		     const struct line_kind *kind)
{
	struct buf line;
	int err;

	mutex_lock(&h->lock);
	line = h->text;
	h->text = BUF_INIT;
	mutex_unlock(&h->lock);
	err = line.len ? kind->run(op, h->node, buf_bytes(&line)) : 0;
	buf_release(&line);
	return err;
}
