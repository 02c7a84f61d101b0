/* What of a value is indexed: terms, and how text is cut and folded. */
#include "store/index_inner.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <wctype.h>

#include "store/schema/schema_edit.h"

/* -------------------------------------------------------------------- text */
static bool is_on(const struct index *index, const char *option)
{
	const char *value = options_find(index->options, index->option_count,
					 option);

	return value && !strcmp(value, "true");
}

static bool is_off(const struct index *index, const char *option)
{
	const char *value = options_find(index->options, index->option_count,
					 option);

	return value && !strcmp(value, "false");
}

void index_text_init(struct index_text *x, const struct table *t,
		     const struct index *index)
{
	const struct type *type = index_term_type(t, index);
	const char *class = options_find(index->options, index->option_count,
					 "analyzer_class");
	const char *delimiter;

	memset(x, 0, sizeof(*x));
	if (!type || index->kind == INDEX_COMPOSITES ||
	    (type->kind != TYPE_TEXT && type->kind != TYPE_ASCII))
		return;
	x->lower = is_off(index, "case_sensitive") ||
		   is_on(index, "normalize_lowercase") ||
		   is_on(index, "tokenization_normalize_lowercase");
	x->upper = !x->lower && (is_on(index, "normalize_uppercase") ||
			is_on(index, "tokenization_normalize_uppercase"));
	if (class && strstr(class, "DelimiterAnalyzer")) {
		delimiter = options_find(index->options, index->option_count,
					 "delimiter");
		x->split = TEXT_DELIMITED;
		x->delimiter = delimiter && *delimiter ? *delimiter : ',';
	} else if ((class && strstr(class, "StandardAnalyzer")) ||
		   (!class && is_on(index, "analyzed"))) {
		x->split = TEXT_WORDS;
	}
	x->applies = x->lower || x->upper || x->split != TEXT_WHOLE;
}

/* One character of UTF-8, which the type has checked; a byte if it is not. */
static wint_t read_character(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *s = *p;
	int more = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : *s >= 0xc0 ? 1 : 0;
	wint_t c;

	++*p;
	if (!more || end - s <= more)
		return *s;
	c = *s & (0x3f >> more);
	for (; more; more--)
		c = c << 6 | (*(*p)++ & 0x3f);
	return c;
}

static void add_character(struct buf *out, wint_t c)
{
	if (c < 0x80) {
		buf_add_byte(out, (uint8_t)c);
		return;
	}
	if (c >= 0x10000) {
		buf_add_byte(out, (uint8_t)(0xf0 | c >> 18));
		buf_add_byte(out, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		buf_add_byte(out, (uint8_t)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		buf_add_byte(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
	else
		buf_add_byte(out, (uint8_t)(0xc0 | c >> 6));
	buf_add_byte(out, (uint8_t)(0x80 | (c & 0x3f)));
}

static struct bytes fold(struct arena *arena, const struct index_text *x,
			 struct bytes text)
{
	const uint8_t *p = text.ptr, *end = p + text.len;
	struct buf out = BUF_INIT;
	struct bytes folded;
	locale_t locale;

	if (!x->lower && !x->upper)
		return text;
	locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	while (p < end) {
		wint_t c = read_character(&p, end);

		if (locale)
			c = x->lower ? towlower_l(c, locale)
				     : towupper_l(c, locale);
		else if (c < 0x80)
			c = (wint_t)(x->lower ? tolower((int)c)
					      : toupper((int)c));
		add_character(&out, c);
	}
	if (locale)
		freelocale(locale);
	folded = arena_copy(arena, buf_bytes(&out));
	if (out.failed)
		arena->failed = true;
	buf_release(&out);
	return folded;
}

static bool in_word(uint8_t c)
{
	return c >= 0x80 || isalnum(c);
}

/* Does the byte at p part two pieces? An apostrophe inside a word does not. */
static bool parts(const struct index_text *x, struct bytes text, size_t i)
{
	uint8_t c = text.ptr[i];

	if (x->split == TEXT_DELIMITED)
		return c == (uint8_t)x->delimiter;
	if (in_word(c) || c == '_')
		return false;
	return c != '\'' || !i || i + 1 == text.len ||
	       !in_word(text.ptr[i - 1]) || !in_word(text.ptr[i + 1]);
}

int index_text_split(struct bytes **pieces, size_t *count, struct arena *arena,
		     const struct index_text *x, struct bytes text)
{
	size_t i, start = 0, n = 0;

	*count = 0;
	text = fold(arena, x, text);
	*pieces = arena_alloc(arena, (x->split == TEXT_WHOLE ? 1 :
				      text.len / 2 + 1) * sizeof(**pieces));
	if (arena->failed)
		return -ENOMEM;
	if (x->split == TEXT_WHOLE) {
		(*pieces)[0] = text;
		*count = 1;
		return 0;
	}
	for (i = 0; i <= text.len; i++) {
		if (i < text.len && !parts(x, text, i))
			continue;
		if (i > start)
			(*pieces)[n++] = bytes_of(text.ptr + start, i - start);
		start = i + 1;
	}
	*count = n;
	return 0;
}

/* ------------------------------------------------------------------- terms */
static const struct type *column_type(const struct table *t,
				      const struct index *index)
{
	return t->columns[index->column].type;
}

const struct type *index_term_type(const struct table *t,
				   const struct index *index)
{
	const struct type *type = column_type(t, index);

	switch (index->target) {
	case INDEX_KEYS:
		type = type->kind == TYPE_MAP ? type->parts[0] : NULL;
		break;
	case INDEX_ENTRIES:
		type = type->kind == TYPE_MAP ? type->parts[1] : NULL;
		break;
	case INDEX_VALUES:
		if (type_is_multicell(type))
			type = type->kind == TYPE_UDT ? NULL :
			       type->parts[type->part_count - 1];
		break;
	case INDEX_FULL:
	case INDEX_SIMPLE:
		if (type_is_multicell(type))
			type = NULL;
		break;
	}
	/* These have no order; a vector is searched, not indexed. */
	if (type && (type_contains_kind(type, TYPE_DURATION) ||
		     type->kind == TYPE_VECTOR))
		return NULL;
	return type;
}

static struct bytes new_term(struct arena *arena, const struct table *t,
			     const struct index *index, struct bytes key,
			     const struct type *type, struct bytes value)
{
	struct buf out = BUF_INIT;
	struct bytes term;

	if (index->target == INDEX_ENTRIES)
		type_ordered_append(&out, column_type(t, index)->parts[0], key,
				    false);
	type_ordered_append(&out, type, value, false);
	term = arena_copy(arena, buf_bytes(&out));
	if (out.failed)
		arena->failed = true;
	buf_release(&out);
	return term;
}

int index_terms(struct term_list *list, struct arena *arena,
		const struct table *t, const struct index *index,
		struct bytes key, struct bytes value)
{
	const struct type *type = index_term_type(t, index);
	struct bytes one = value, *pieces = &one, *terms;
	struct index_text text;
	size_t i, count = 1;
	int err;

	if (!type || bytes_is_null(value))
		return 0;
	index_text_init(&text, t, index);
	if (text.applies) {
		err = index_text_split(&pieces, &count, arena, &text, value);
		if (err)
			return err;
	}
	terms = arena_alloc(arena, (list->count + count + 1) * sizeof(*terms));
	if (!terms)
		return -ENOMEM;
	if (list->count)
		memcpy(terms, list->terms, list->count * sizeof(*terms));
	list->terms = terms;
	for (i = 0; i < count; i++)
		terms[list->count++] = new_term(arena, t, index, key, type,
						pieces[i]);
	return arena->failed ? -ENOMEM : 0;
}

/* The path of a cell in its binary form. */
static int cell_path(struct bytes *path, struct arena *arena,
		     const struct type *type, const struct cell *cell)
{
	struct reader r = reader_of(cell->path);
	struct buf out = BUF_INIT;
	bool is_null;
	int err = type_ordered_decode(&out, &is_null, type, &r, false);

	*path = arena_copy(arena, buf_bytes(&out));
	if (!err && (out.failed || arena->failed))
		err = -ENOMEM;
	buf_release(&out);
	return err;
}

int index_cell_terms(struct term_list *list, struct arena *arena,
		     const struct table *t, const struct index *index,
		     const struct cell *cell)
{
	const struct column *c = &t->columns[index->column];
	struct bytes value = cell->value, path = BYTES_NULL;
	struct reader r;
	int err;

	if (cell->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION))
		return 0;
	if (type_is_multicell(c->type) && cell_keeps_path(c)) {
		r = reader_of(value);
		read_sized(&r);
		value = read_bytes(&r, reader_left(&r));
		if (r.failed)
			return -EUCLEAN;
	}
	if (type_is_multicell(c->type) &&
	    (c->type->kind == TYPE_SET || c->type->kind == TYPE_MAP)) {
		err = cell_path(&path, arena, c->type->parts[0], cell);
		if (err)
			return err;
		if (index->target == INDEX_KEYS || c->type->kind == TYPE_SET)
			value = path;
	}
	return index_terms(list, arena, t, index, path, value);
}

int index_skip_term(struct reader *r, const struct table *t,
		    const struct index *index)
{
	const struct type *type = index_term_type(t, index);
	int err = type ? 0 : -EUCLEAN;

	if (!err && index->target == INDEX_ENTRIES)
		err = type_ordered_skip(r, column_type(t, index)->parts[0],
					false);
	return err ? err : type_ordered_skip(r, type, false);
}

void index_add_prefix(struct buf *out)
{
	key_add_partition(out, 0, BYTES_EMPTY);
	buf_add_byte(out, KEY_ROW);
}
