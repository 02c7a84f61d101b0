/* What the classes of CUSTOM indexes take: SASI and SAI (semantics.md 5.6). */
#include <errno.h>
#include <string.h>

#include "store/cql/execute_schema.h"

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

/* Options of the analyzer with this place in the list of the known. */
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
	if (memory && !read_java_long(&n, memory))
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
static const struct { const char *name; bool analysis, vector; } sai_options[] = {
	{ "case_sensitive", true, false }, { "normalize", true, false },
	{ "ascii", true, false }, { "similarity_function", false, true },
	{ "maximum_node_connections", false, true },
	{ "construction_beam_width", false, true },
	{ "optimize_for", false, true },
};

static int check_sai_names(struct ddl *d, const struct index *index)
{
	struct buf list = BUF_INIT;

	for (uint32_t i = 0; i < index->option_count; i++) {
		size_t n = 0;

		while (n < ARRAY_SIZE(sai_options) &&
		       strcmp(sai_options[n].name, index->options[i].name))
			n++;
		if (n < ARRAY_SIZE(sai_options))
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

/* t has the index itself already. */
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
	       (t->kind < TYPE_NATIVE_COUNT && t->kind != TYPE_BLOB &&
		t->kind != TYPE_COUNTER && t->kind != TYPE_DURATION &&
		t->kind != TYPE_EMPTY);
}

/* The type of what is indexed; entries are checked as both their parts. */
static int check_sai_type(struct ddl *d, const struct index *index,
			  const struct type *t, const struct type **indexed)
{
	const struct type *value = t;

	if (type_is_multicell(t) && type_is_collection(t))
		value = t->parts[index->target == INDEX_KEYS ? 0 :
						t->part_count - 1];
	*indexed = value;
	if (index->target == INDEX_ENTRIES && !is_indexable(t->parts[0]))
		return refuse(d->x, "Unsupported composite type: %s",
			      text_of_type(d->x, t->parts[0]));
	if (!is_indexable(value))
		return refuse(d->x, index->target == INDEX_ENTRIES ?
					    "Unsupported composite type: %s" :
					    "Unsupported type: %s",
			      text_of_type(d->x, value));
	if (value->kind == TYPE_VECTOR && value->parts[0]->kind != TYPE_FLOAT)
		return refuse(d->x, "SAI ANN indexes are only allowed on "
				    "vector columns with float elements");
	return 0;
}

/* Those of analysis, by name, as the message has them. */
static const char *analysis_options(struct ddl *d, const struct index *index)
{
	static const char *const names[] = {
		"ascii", "case_sensitive", "normalize",
	};
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (option(index, names[i]))
			buf_add_format(&list, "%s'%s': '%s'",
				       list.len ? ", " : "", names[i],
				       option(index, names[i]));
	return text_of_buf(d->x, &list);
}

static int check_sai_option(struct ddl *d, const struct property *o,
			    const struct index *index, const struct type *t,
			    const struct column *c)
{
	size_t i = 0;

	while (strcmp(sai_options[i].name, o->name))
		i++;
	if (sai_options[i].analysis && c->kind != COLUMN_STATIC &&
	    c->kind != COLUMN_REGULAR)
		return refuse(d->x, "Analysis options are not supported on "
				    "primary key columns, but found {%s}",
			      analysis_options(d, index));
	if (sai_options[i].analysis &&
	    (!kind_is_text(t->kind) || index->target == INDEX_ENTRIES))
		return refuse(d->x, "CQL type %s cannot be analyzed.",
			      text_of_type(d->x, kind_is_text(t->kind) ?
						      c->type : t));
	if (sai_options[i].analysis && strcasecmp(o->value, "true") &&
	    strcasecmp(o->value, "false"))
		return refuse(d->x, "Illegal value for boolean option '%s': %s",
			      o->name, o->value);
	if (sai_options[i].vector && t->kind != TYPE_VECTOR)
		return refuse(d->x, "CQL type %s cannot have vector options",
			      text_of_type(d->x, t));
	if (!strcmp(o->name, "similarity_function") &&
	    strcasecmp(o->value, "cosine") &&
	    strcasecmp(o->value, "euclidean") &&
	    strcasecmp(o->value, "dot_product"))
		return refuse(d->x, "Similarity function %s was not recognized "
				    "for index %s. Valid values are: EUCLIDEAN, "
				    "DOT_PRODUCT, COSINE", o->value,
			      index->name);
	return 0;
}

static int check_sai(struct ddl *d, const struct table *t,
		     const struct index *index)
{
	const struct column *c = &t->columns[index->column];
	const struct type *type;
	int err = check_sai_names(d, index);

	if (!err)
		err = check_sai_alone(d, t, index);
	if (!err)
		err = check_sai_type(d, index, c->type, &type);
	for (uint32_t i = 0; i < index->option_count && !err; i++)
		err = check_sai_option(d, &index->options[i], index, type, c);
	return err;
}

int check_index_options(struct ddl *d, const struct table *t,
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
