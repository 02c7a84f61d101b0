#include "store/index/analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>
#include <uniwbrk.h>

#include "store/index/stop_words.h"
#include "store/schema/options.h"
#include "store/type/compare.h"

/* The longest word that is indexed, in units of UTF-16. */
#define WORD_MAX 255

/* ----------------------------------------------------------------- options */
static const char *option(const struct index *index, const char *name)
{
	return options_find(index->options, index->option_count, name);
}

static bool is_true(const struct index *index, const char *name)
{
	const char *value = option(index, name);

	return value && !strcasecmp(value, "true");
}

static bool is_false(const struct index *index, const char *name)
{
	return option(index, name) && !is_true(index, name);
}

static bool is_analyzed(const struct index *index)
{
	return option(index, "analyzer_class") ? !is_false(index, "analyzed") :
						 is_true(index, "analyzed");
}

static void init_sasi(struct index_text *x, const struct index *index)
{
	const char *class = option(index, "analyzer_class");
	const char *delimiter = option(index, "delimiter");

	if (!is_analyzed(index))
		return;
	if (class && strstr(class, "DelimiterAnalyzer")) {
		x->split = TEXT_DELIMITED;
		x->delimiter = bytes_str(delimiter && *delimiter ? delimiter :
								   ",");
	} else if (class && strstr(class, "NonTokenizingAnalyzer")) {
		x->composes = true;
		x->lower = is_false(index, "case_sensitive") ||
			   is_true(index, "normalize_lowercase");
		x->upper = !x->lower && is_true(index, "normalize_uppercase");
	} else if (!class || strstr(class, "StandardAnalyzer")) {
		x->split = TEXT_WORDS;
		x->composes = true;
		x->lower = is_true(index, "tokenization_normalize_lowercase");
		x->upper = is_true(index, "tokenization_normalize_uppercase");
		x->language = option(index, "tokenization_locale");
		x->stems = x->language &&
			   is_true(index, "tokenization_enable_stemming");
		x->skips_stop_words = x->language &&
			is_true(index, "tokenization_skip_stop_words");
	}
}

void index_text_init(struct index_text *x, const struct index *index,
		     const struct type *type)
{
	memset(x, 0, sizeof(*x));
	if (!type || (type->kind != TYPE_TEXT && type->kind != TYPE_ASCII))
		return;
	if (index->kind == INDEX_SASI) {
		init_sasi(x, index);
	} else if (index->kind == INDEX_SAI) {
		x->lower = is_false(index, "case_sensitive");
		x->composes = is_true(index, "normalize");
		x->ascii = is_true(index, "ascii");
	}
	x->applies = x->lower || x->upper || x->composes || x->ascii ||
		     x->split != TEXT_WHOLE;
}

bool index_text_is_cut(const struct index *index, const struct type *type)
{
	struct index_text x;

	index_text_init(&x, index, type);
	return x.split != TEXT_WHOLE;
}

/* ----------------------------------------------------------------- folding */
/* Take over a result of libunistring, which it does not own any more. */
static int take(struct bytes *out, struct arena *arena, uint8_t *made,
		size_t len)
{
	if (!made)
		return -ENOMEM;
	*out = arena_copy(arena, bytes_of(made, len));
	free(made);
	return arena->failed ? -ENOMEM : 0;
}

/* Append the ASCII letters that a character consists of, without its marks; or
 * the character as it is. */
static int fold_ascii_character(struct buf *out, ucs4_t c)
{
	static const struct { ucs4_t from; const char *to; } odd[] = {
		{ 0xc6, "AE" }, { 0xe6, "ae" }, { 0xd8, "O" }, { 0xf8, "o" },
		{ 0xd0, "D" }, { 0xf0, "d" }, { 0xde, "TH" }, { 0xfe, "th" },
		{ 0xdf, "ss" }, { 0x1e9e, "SS" }, { 0x152, "OE" },
		{ 0x153, "oe" }, { 0x110, "D" }, { 0x111, "d" },
		{ 0x126, "H" }, { 0x127, "h" }, { 0x131, "i" },
		{ 0x138, "q" }, { 0x141, "L" }, { 0x142, "l" },
		{ 0x14a, "N" }, { 0x14b, "n" }, { 0x166, "T" },
		{ 0x167, "t" }, { 0x2013, "-" }, { 0x2014, "-" },
		{ 0x2018, "'" }, { 0x2019, "'" }, { 0x201c, "\"" },
		{ 0x201d, "\"" },
	};
	uint8_t single[8], *parts;
	size_t begin = out->len, len;
	int n = u8_uctomb(single, c, sizeof(single));

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		if (odd[i].from == c) {
			buf_add_str(out, odd[i].to);
			return 0;
		}
	}
	parts = n > 0 ? u8_normalize(UNINORM_NFKD, single, (size_t)n, NULL,
				     &len) : NULL;
	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < len;) {
		ucs4_t part;
		int step = u8_mbtoucr(&part, parts + i, len - i);

		if (step <= 0 || (part >= 0x80 &&
				  !uc_is_general_category(part,
							  UC_NON_SPACING_MARK))) {
			out->len = begin;	/* no letter of ASCII */
			break;
		}
		if (part < 0x80)
			buf_add_byte(out, (uint8_t)part);
		i += (size_t)step;
	}
	free(parts);
	if (out->len == begin)
		buf_add(out, single, (size_t)n);
	return 0;
}

static int fold_ascii(struct bytes *text, struct arena *arena)
{
	struct buf out = BUF_INIT;
	struct bytes from = *text;
	int err = 0;

	while (from.len && !err) {
		ucs4_t c;
		int n = u8_mbtoucr(&c, from.ptr, from.len);

		if (n <= 0) {
			n = 1;
			buf_add_byte(&out, *from.ptr);
		} else if (c < 0x80) {
			buf_add_byte(&out, (uint8_t)c);
		} else {
			err = fold_ascii_character(&out, c);
		}
		from.ptr += n;
		from.len -= (size_t)n;
	}
	*text = arena_copy(arena, buf_bytes(&out));
	if (!err && (out.failed || arena->failed))
		err = -ENOMEM;
	buf_release(&out);
	return err;
}

static int change_case(struct bytes *text, struct arena *arena,
		       const struct index_text *x)
{
	size_t len;
	uint8_t *made;

	if (!text->len || (!x->lower && !x->upper))
		return 0;
	made = x->lower ? u8_tolower(text->ptr, text->len, "", NULL, NULL, &len) :
			  u8_toupper(text->ptr, text->len, "", NULL, NULL, &len);
	return take(text, arena, made, len);
}

static int compose(struct bytes *text, struct arena *arena)
{
	size_t len;
	uint8_t *made;

	for (len = 0; len < text->len && text->ptr[len] < 0x80;)
		len++;
	if (len == text->len)
		return 0;
	made = u8_normalize(UNINORM_NFC, text->ptr, text->len, NULL, &len);
	return take(text, arena, made, len);
}

/* ----------------------------------------------------------------- cutting */
/* True for scripts without spaces between words: adjacent characters stay
 * together. */
static bool is_joined(ucs4_t c)
{
	static const char *const scripts[] = {
		"Thai", "Lao", "Myanmar", "Khmer", "Tai_Le", "New_Tai_Lue",
		"Tai_Tham", "Tai_Viet", "Ahom",
	};
	const uc_script_t *script = uc_script(c);

	for (size_t i = 0; script && i < ARRAY_SIZE(scripts); i++)
		if (!strcmp(script->name, scripts[i]))
			return uc_is_general_category(c, UC_LETTER) ||
			       uc_is_general_category(c, UC_MARK);
	return false;
}

/* True if the character makes the text between two borders a word. */
static bool makes_word(ucs4_t c)
{
	const uc_script_t *script;

	switch (uc_wordbreak_property(c)) {
	case WBP_ALETTER:
	case WBP_HL:
	case WBP_NUMERIC:
	case WBP_KATAKANA:
		return true;
	default:
		break;
	}
	script = uc_script(c);
	return is_joined(c) || (script && (!strcmp(script->name, "Han") ||
					   !strcmp(script->name, "Hiragana")));
}

static ucs4_t character_at(struct bytes text, size_t i)
{
	ucs4_t c;

	return u8_mbtoucr(&c, text.ptr + i, text.len - i) > 0 ? c : 0xfffd;
}

static bool is_word(struct bytes piece)
{
	size_t units = 0;
	bool word = false;

	for (size_t i = 0; i < piece.len; i++) {
		if ((piece.ptr[i] & 0xc0) == 0x80)
			continue;
		units += piece.ptr[i] >= 0xf0 ? 2 : 1;
		word = word || makes_word(character_at(piece, i));
	}
	return word && units <= WORD_MAX;
}

/* Finish a piece as it is indexed; *left_out when it is not indexed. */
static int finish_word(struct bytes *word, bool *left_out, struct arena *arena,
		       const struct index_text *x, struct sb_stemmer *stemmer)
{
	int err = change_case(word, arena, x);

	*left_out = !err && x->skips_stop_words &&
		    stop_words_has(x->language, *word);
	if (err || *left_out)
		return err;
	*word = arena_copy(arena, stemmer_stem(stemmer, *word));
	return bytes_is_null(*word) ? -ENOMEM : compose(word, arena);
}

static int split_words(struct bytes *pieces, size_t *count, struct arena *arena,
		       const struct index_text *x, struct bytes text)
{
	char *borders = arena_zalloc(arena, text.len + 1, 1);
	struct sb_stemmer *stemmer = NULL;
	size_t start = 0;
	bool left_out;
	int err = borders ? 0 : -ENOMEM;

	if (!err && x->stems)
		err = stemmer_new(&stemmer, x->language);
	if (!err)
		u8_wordbreaks(text.ptr, text.len, borders);
	for (size_t i = 1; i <= text.len && !err; i++) {
		struct bytes word = bytes_of(text.ptr + start, i - start);

		if (i < text.len &&
		    (!borders[i] || (is_joined(character_at(text, start)) &&
				     is_joined(character_at(text, i)))))
			continue;
		start = i;
		if (!is_word(word))
			continue;
		err = finish_word(&word, &left_out, arena, x, stemmer);
		if (!err && !left_out)
			pieces[(*count)++] = word;
	}
	stemmer_free(stemmer);
	return err;
}

static void split_at(struct bytes *pieces, size_t *count,
		     struct bytes delimiter, struct bytes text)
{
	const uint8_t *end = text.ptr + text.len, *next;

	for (const uint8_t *p = text.ptr; p < end; p = next + delimiter.len) {
		next = memmem(p, (size_t)(end - p), delimiter.ptr,
			      delimiter.len);
		if (!next)
			next = end;
		if (next > p)
			pieces[(*count)++] = bytes_of(p, (size_t)(next - p));
	}
}

int index_text_split(struct bytes **pieces, size_t *count, struct arena *arena,
		     const struct index_text *x, struct bytes text)
{
	int err = 0;

	*count = 0;
	*pieces = arena_alloc(arena, (x->split == TEXT_WHOLE ? 1 :
				      text.len + 1) * sizeof(**pieces));
	if (!*pieces)
		return -ENOMEM;
	switch (x->split) {
	case TEXT_WORDS:
		return split_words(*pieces, count, arena, x, text);
	case TEXT_DELIMITED:
		split_at(*pieces, count, x->delimiter, text);
		return 0;
	case TEXT_WHOLE:
		err = change_case(&text, arena, x);
		if (!err && x->composes)
			err = compose(&text, arena);
		if (!err && x->ascii)
			err = fold_ascii(&text, arena);
		(*pieces)[(*count)++] = text;
	}
	return err;
}

/* ---------------------------------------------------------------- addresses */
bool index_has_own_order(const struct index *index, const struct type *type)
{
	return index->kind == INDEX_SAI && type->kind == TYPE_INET;
}

static void map_address(uint8_t mapped[16], struct bytes address)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };
	bool short_one = address.len == 4;

	memset(mapped, 0, 16);
	if (short_one)
		memcpy(mapped, prefix, sizeof(prefix));
	if (short_one || address.len == 16)
		memcpy(mapped + (short_one ? 12 : 0), address.ptr, address.len);
}

int index_compare(const struct index *index, const struct type *type,
		  struct bytes a, struct bytes b)
{
	uint8_t left[16], right[16];

	if (!index_has_own_order(index, type))
		return type_compare(type, a, b);
	map_address(left, a);
	map_address(right, b);
	return memcmp(left, right, sizeof(left));
}
