/* Check columns and options of CUSTOM indexes, SASI and SAI:
 * store/cql/README.md. */
#include "store/cql/schema/index_options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "store/cql/expression/type_resolve.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"

#define ANALYZERS "org.apache.cassandra.index.sasi.analyzer."

static const char *option(const struct index *index, const char *name)
{
	return options_find(index->options, index->option_count, name);
}

static bool is_true(const char *text)
{
	return text && !strcasecmp(text, "true");
}

/* --------------------------------------------------------------------- SASI */
static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

/* Check options of the analyzer with this place in the list of known ones. */
static int check_folding(struct ddl *d, size_t analyzer,
			 const struct index *index)
{
	static const char *const names[2][2] = {
		{ "tokenization_normalize_lowercase",
		  "tokenization_normalize_uppercase" },
		{ "normalize_lowercase", "normalize_uppercase" },
	};
	const char *locale = option(index, "tokenization_locale");

	if (analyzer > 1)
		return 0;
	if (analyzer == 1 && option(index, "case_sensitive") &&
	    (option(index, names[1][0]) || option(index, names[1][1])))
		return misconfigured(d, "case_sensitive option cannot be "
					"specified together with either "
					"normalize_lowercase or "
					"normalize_uppercase");
	if (is_true(option(index, names[analyzer][0])) &&
	    is_true(option(index, names[analyzer][1])))
		return misconfigured(d, "Options to normalize terms cannot be "
					"both uppercase and lowercase at the "
					"same time");
	if (!analyzer && locale && count_characters(locale) < 2)
		return misconfigured(d, "tokenization_locale must be a "
					"language, was %s", locale);
	return 0;
}

static int check_analyzer(struct ddl *d, const char *class,
			  const struct index *index, const struct type *t)
{
	static const char *const known[] = {
		"StandardAnalyzer", "NonTokenizingAnalyzer",
		"DelimiterAnalyzer", "NoOpAnalyzer",
	};
	const char *name = class + sizeof(ANALYZERS) - 1;
	const char *delimiter = option(index, "delimiter");
	size_t i = ARRAY_SIZE(known);

	if (!strncmp(class, ANALYZERS, sizeof(ANALYZERS) - 1))
		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (!strcmp(known[i], name))
				break;
	if (i == ARRAY_SIZE(known))
		return misconfigured(d, "Invalid analyzer class option "
					"specified [%s]", class);
	if (i < 3 && !kind_is_text(t->kind))
		return misconfigured(d, "%s does not support type %s", name,
				     text_of_type(d->x, t));
	if (i == 2 && delimiter && count_characters(delimiter) != 1)
		return misconfigured(d, "Only single character delimiters "
					"supported, was %s", delimiter);
	return check_folding(d, i, index);
}

static int check_sasi(struct ddl *d, const struct table *t,
		      const struct index *index)
{
	const struct column *c = &t->columns[index->column];
	const char *class = option(index, "analyzer_class");
	const char *analyzed = option(index, "analyzed");
	const char *mode = option(index, "mode");
	const char *literal = option(index, "is_literal");
	const char *memory = option(index, "max_compaction_flush_memory_in_mb");
	int64_t n;
	int err;

	if (type_is_multicell(c->type))
		return misconfigured(d, "complex columns are not yet supported "
					"by SASI");
	if (c->kind == COLUMN_PARTITION_KEY)
		return misconfigured(d, "partition key columns are not yet "
					"supported by SASI");
	err = class ? check_analyzer(d, class, index, c->type) : 0;
	if (err)
		return err;
	if (mode && strcasecmp(mode, "PREFIX") && strcasecmp(mode, "CONTAINS") &&
	    strcasecmp(mode, "SPARSE"))
		return misconfigured(d, "Incorrect index mode: %s", mode);
	if (memory && !property_read_long(&n, memory))
		return misconfigured(d, "For input string: \"%s\"", memory);
	if (!mode || strcasecmp(mode, "SPARSE"))
		return 0;
	if (literal ? is_true(literal) : kind_is_text(c->type->kind))
		return misconfigured(d, "SPARSE mode is only supported on "
					"non-literal columns.");
	if (analyzed ? is_true(analyzed) : class != NULL)
		return misconfigured(d, "SPARSE mode doesn't support "
					"analyzers.");
	return 0;
}

/* ---------------------------------------------------------------------- SAI */
/* Options of analysis, and of vectors: each in the order in which they are
 * checked. */
static const char *const analysis_options[] = {
	"normalize", "case_sensitive", "ascii",
};
static const struct {
	const char *name;
	const char *refusal;		/* of any value */
	const char *values;		/* the others, which are all */
	const char *wrong;
} vector_options[] = {
	{ "maximum_node_connections", "Maximum node connections", NULL, NULL },
	{ "construction_beam_width", "Construction beam width", NULL, NULL },
	{ "similarity_function", NULL, "EUCLIDEAN, DOT_PRODUCT, COSINE",
	  "Similarity function %s was not recognized for index null. "
	  "Valid values are: %s" },
	{ "optimize_for", NULL, "LATENCY, RECALL", "optimize_for '%s' was not "
	  "recognized for index null. Valid values are: %s" },
};

static bool is_sai_option(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(analysis_options); i++)
		if (!strcmp(analysis_options[i], name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(vector_options); i++)
		if (!strcmp(vector_options[i].name, name))
			return true;
	return false;
}

static int check_sai_names(struct ddl *d, const struct index *index)
{
	struct buf list = BUF_INIT;

	for (uint32_t i = 0; i < index->option_count; i++) {
		if (is_sai_option(index->options[i].name))
			continue;
		buf_add_str(&list, list.len ? ", " : "");
		buf_add_str(&list, index->options[i].name);
	}
	if (!list.len && !list.failed)
		return 0;
	return misconfigured(d, "Properties specified [%s] are not understood "
				"by StorageAttachedIndex",
			     text_of_buf(d->x, &list));
}

/* Check an SAI index on a column. t has the index itself already. */
static int check_sai_alone(struct ddl *d, const struct table *t,
			   const struct index *index)
{
	for (uint32_t i = 0; i < t->index_count; i++) {
		const struct index *other = &t->indexes[i];

		if (other != index && other->kind == INDEX_SAI &&
		    other->column == index->column &&
		    other->target == index->target)
			return refuse(d->x, "Cannot create more than one "
					    "storage-attached index on the "
					    "same column: %s",
				      t->columns[index->column].name);
	}
	return 0;
}

static bool is_indexable(const struct type *t)
{
	return t->kind == TYPE_VECTOR || t->kind == TYPE_TUPLE || t->frozen ||
	       (kind_is_native(t->kind) && t->kind != TYPE_BLOB &&
		t->kind != TYPE_COUNTER && t->kind != TYPE_DURATION &&
		t->kind != TYPE_EMPTY);
}

/* An index on a column of a table, and the type of its values. */
struct sai {
	struct ddl *d;
	const struct index *index;
	const struct column *column;
	const struct type *type;	/* of entries the value's */
};

static const char *text_of_indexed(const struct sai *s)
{
	return s->index->target == INDEX_ENTRIES ?
		       type_text_of_entries(s->d->x, s->column->type) :
		       text_of_type(s->d->x, s->type);
}

/* Return the analysis by name, as the message has it. */
static const char *text_of_analysis(const struct sai *s)
{
	static const char *const names[] = {
		"ascii", "case_sensitive", "normalize",
	};
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (option(s->index, names[i]))
			buf_add_format(&list, "%s'%s': '%s'",
				       list.len ? ", " : "", names[i],
				       option(s->index, names[i]));
	return text_of_buf(s->d->x, &list);
}

static int check_analysis(const struct sai *s)
{
	const struct column *c = s->column;
	struct execution *x = s->d->x;

	for (size_t i = 0; i < ARRAY_SIZE(analysis_options); i++) {
		const char *name = analysis_options[i];
		const char *value = option(s->index, name);

		if (!value)
			continue;
		if (c->kind != COLUMN_STATIC && c->kind != COLUMN_REGULAR)
			return refuse(x, "Analysis options are not supported "
					 "on primary key columns, but found "
					 "{%s}", text_of_analysis(s));
		if (s->index->target == INDEX_ENTRIES ||
		    !kind_is_text(s->type->kind))
			return refuse(x, "CQL type %s cannot be analyzed.",
				      text_of_indexed(s));
		if (!value[0])
			return refuse(x, "Empty value for boolean option '%s'",
				      name);
		if (strcasecmp(value, "true") && strcasecmp(value, "false"))
			return refuse(x, "Illegal value for boolean option "
					 "'%s': %s", name, value);
	}
	return 0;
}

/* True if value, in capitals, is one of the words of the list. */
static bool is_listed(const char *list, const char *value)
{
	size_t len = strlen(value);
	const char *at;

	for (at = list; len && (at = strstr(at, value)) != NULL; at++)
		if ((at == list || at[-1] == ' ') &&
		    (!at[len] || at[len] == ','))
			return true;
	return false;
}

static const char *upper_case(struct execution *x, const char *text)
{
	struct buf out = BUF_INIT;

	for (; *text; text++)
		buf_add_byte(&out, (uint8_t)toupper((uint8_t)*text));
	return text_of_buf(x, &out);
}

static int check_vector_options(const struct sai *s)
{
	struct execution *x = s->d->x;

	for (size_t i = 0; i < ARRAY_SIZE(vector_options); i++) {
		const char *value = option(s->index, vector_options[i].name);

		if (!value)
			continue;
		if (s->index->target == INDEX_ENTRIES ||
		    s->type->kind != TYPE_VECTOR)
			return refuse(x, "CQL type %s cannot have vector "
					 "options", text_of_indexed(s));
		if (vector_options[i].refusal)
			return refuse(x, "%s cannot be set without enabling "
					 "SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS",
				      vector_options[i].refusal);
		value = upper_case(x, value);
		if (!is_listed(vector_options[i].values, value))
			return refuse(x, vector_options[i].wrong, value,
				      vector_options[i].values);
	}
	return 0;
}

/* Check the type. Entries are checked as both their parts. */
static int check_sai_type(const struct sai *s)
{
	const struct type *t = s->column->type, *value = s->type;
	const char *similarity = option(s->index, "similarity_function");
	struct execution *x = s->d->x;
	bool entries = s->index->target == INDEX_ENTRIES;

	if (entries && !is_indexable(t->parts[0]))
		return refuse(x, "Unsupported composite type: %s",
			      text_of_type(x, t->parts[0]));
	if (!is_indexable(value))
		return refuse(x, entries ? "Unsupported composite type: %s" :
					   "Unsupported type: %s",
			      text_of_type(x, value));
	if (entries || value->kind != TYPE_VECTOR)
		return 0;
	if (value->parts[0]->kind != TYPE_FLOAT)
		return refuse(x, "SAI ANN indexes are only allowed on vector "
				 "columns with float elements");
	if (value->dimension == 1 &&
	    (!similarity || !strcasecmp(similarity, "cosine")))
		return refuse(x, "Cosine similarity is not supported for "
				 "single-dimension vectors");
	return 0;
}

static int check_sai(struct ddl *d, const struct table *t,
		     const struct index *index)
{
	const struct column *c = &t->columns[index->column];
	struct sai s = { d, index, c, c->type };
	int err = check_sai_names(d, index);

	if (type_is_multicell(s.type) && type_is_collection(s.type))
		s.type = s.type->parts[index->target == INDEX_KEYS ?
					       0 : s.type->part_count - 1];
	if (!err)
		err = check_sai_alone(d, t, index);
	if (!err)
		err = check_analysis(&s);
	if (!err)
		err = check_vector_options(&s);
	return err ? err : check_sai_type(&s);
}

int index_options_check(struct ddl *d, const struct table *t,
			const struct index *index)
{
	switch (index->kind) {
	case INDEX_SASI:
		return check_sasi(d, t, index);
	case INDEX_SAI:
		return check_sai(d, t, index);
	default:
		return 0;
	}
}
