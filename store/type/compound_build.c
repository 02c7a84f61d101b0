#include "store/type/compound_build.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/compound_codec.h"

void collect_begin(struct collect *c)
{
	struct collect_span span = { c->bytes.len, 0, false };

	buf_add(&c->spans, &span, sizeof(span));
}

static struct collect_span *span_at(struct collect *c, size_t index)
{
	return (struct collect_span *)(void *)c->spans.ptr + index;
}

void collect_end(struct collect *c, bool null)
{
	size_t count = collect_count(c);
	struct collect_span *span;

	if (c->spans.failed || !count)
		return;
	span = span_at(c, count - 1);
	span->len = c->bytes.len - span->start;
	span->null = null;
}

void collect_nulls(struct collect *c, uint32_t count)
{
	struct collect_span span = { 0, 0, true };

	while (count--)
		buf_add(&c->spans, &span, sizeof(span));
}

void collect_set(struct collect *c, uint32_t index, size_t start, bool null)
{
	if (c->spans.failed)
		return;
	*span_at(c, index) = (struct collect_span){
		start, c->bytes.len - start, null
	};
}

size_t collect_count(const struct collect *c)
{
	return c->spans.len / sizeof(struct collect_span);
}

void collect_release(struct collect *c)
{
	buf_release(&c->bytes);
	buf_release(&c->spans);
}

int collect_build(struct buf *out, struct collect *c, const struct type *t)
{
	size_t count = collect_count(c), i;
	struct bytes *parts = NULL;
	int err = -ENOMEM;

	if (!c->bytes.failed && !c->spans.failed)
		parts = mem_zalloc(count, sizeof(*parts));
	if (parts) {
		struct bytes all = buf_bytes(&c->bytes);

		err = 0;
		for (i = 0; i < count; i++) {
			struct collect_span *span = span_at(c, i);

			if (!span->null)
				parts[i] = bytes_of(all.ptr + span->start,
						    span->len);
		}
		if (t->kind == TYPE_SET || t->kind == TYPE_MAP)
			err = type_build_sorted(out, t, parts, count);
		else
			type_build(out, t, parts, count);
	}
	mem_free(parts);
	collect_release(c);
	return err;
}
