/*
 * Split text into pieces before it is indexed, by the options of the index: the
 * analyzers of SASI and SAI.
 *
 * NonTokenizingAnalyzer and SAI fold a text as a whole, DelimiterAnalyzer
 * splits it at a character, StandardAnalyzer (also `analyzed` without a class)
 * at the borders of words, and then may leave out stop words and take stems.
 */
#ifndef STORE_INDEX_ANALYZER_H
#define STORE_INDEX_ANALYZER_H
#include "store/schema/schema.h"

struct index_text {
	bool applies;		/* else terms are the values as they are */
	bool lower, upper;
	bool composes;		/* to Unicode's form C */
	bool ascii;		/* letters are replaced by ASCII's */
	enum { TEXT_WHOLE, TEXT_WORDS, TEXT_DELIMITED } split;
	struct bytes delimiter;
	const char *language;	/* NULL: not given */
	bool stems, skips_stop_words;
};
/* type: of the indexed values. Strings of the index's options are referred
 * to. */
void index_text_init(struct index_text *x, const struct index *index,
		     const struct type *type);
/* True if values are split, so that a whole one cannot be found by equality. */
bool index_text_is_cut(const struct index *index, const struct type *type);
/*
 * Split a text into the pieces as they are indexed: in the arena. 0, -ENOMEM.
 */
int index_text_split(struct bytes **pieces, size_t *count, struct arena *arena,
		     const struct index_text *x, struct bytes text);
/* True if the index has an order of its own: SAI treats an IPv4 address as the
 * IPv6 address that represents it. */
bool index_has_own_order(const struct index *index, const struct type *type);
int index_compare(const struct index *index, const struct type *type,
		  struct bytes a, struct bytes b);
#endif
