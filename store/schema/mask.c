#include "store/schema/mask.h"

#include <errno.h>

#include "store/base/alloc.h"

struct column_mask *mask_new(const char *function, uint32_t argument_count)
{
	struct column_mask *m = mem_zalloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->references = 1;
	m->function = mem_copy(function, strlen(function));
	m->arguments = mem_zalloc(argument_count, sizeof(*m->arguments));
	if (!m->function || !m->arguments) {
		mask_put(m);
		return NULL;
	}
	m->argument_count = argument_count;
	return m;
}

int mask_set_value(struct mask_argument *a, struct bytes value)
{
	if (bytes_is_null(value))
		return 0;
	a->value = (uint8_t *)mem_copy(value.ptr, value.len);
	a->value_len = value.len;
	return a->value ? 0 : -ENOMEM;
}

struct column_mask *mask_get(struct column_mask *m)
{
	if (m)
		__atomic_fetch_add(&m->references, 1, __ATOMIC_RELAXED);
	return m;
}

bool mask_equal(const struct column_mask *a, const struct column_mask *b)
{
	if (!a || !b)
		return a == b;
	if (strcmp(a->function, b->function) ||
	    a->argument_count != b->argument_count)
		return false;
	for (uint32_t i = 0; i < a->argument_count; i++) {
		const struct mask_argument *x = &a->arguments[i];
		const struct mask_argument *y = &b->arguments[i];

		if (x->of_column != y->of_column ||
		    (!x->of_column && x->kind != y->kind) ||
		    !x->value != !y->value ||
		    !bytes_equal(mask_argument_value(x),
				 mask_argument_value(y)))
			return false;
	}
	return true;
}

void mask_put(struct column_mask *m)
{
	if (!m || __atomic_sub_fetch(&m->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (uint32_t i = 0; i < m->argument_count; i++)
		mem_free(m->arguments[i].value);
	mem_free(m->arguments);
	mem_free(m->function);
	mem_free(m);
}
