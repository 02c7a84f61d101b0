/* Check the values of options against their descriptions. */
#include "store/cql/schema/option.h"
#include "store/cql/schema/property.h"

#include <ctype.h>
#include <string.h>

/* Print as %f does in a locale that has a point. */
static const char *text_of_fixed(struct ddl *d, double x)
{
	double whole = x < 0 ? -x : x;
	unsigned long long micros;

	if (!(whole < 1e12))
		return property_text_of_double(d, x);
	micros = (unsigned long long)(whole * 1000000 + 0.5);
	return arena_format(d->x->arena, "%s%llu.%06llu", x < 0 ? "-" : "",
			    micros / 1000000, micros % 1000000);
}

static const char *text_of_whole(struct ddl *d, int64_t n)
{
	const char *text = arena_format(d->x->arena, "%lld", (long long)n);

	return text ? text : "";
}

static const char *text_in_upper_case(struct ddl *d, const char *value)
{
	char *text = arena_strdup(d->x->arena, value);

	for (char *c = text; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text ? text : "";
}

static bool is_listed(const char *words, const char *value, bool in_any_case)
{
	size_t length = strlen(value), n;

	for (; *words; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		if (n == length && !(in_any_case ?
				     strncasecmp(words, value, n) :
				     strncmp(words, value, n)))
			return true;
	}
	return false;
}

static bool is_outside(const struct option *option, double x)
{
	return option->outside &&
	       (x < option->low || (option->high != 0 && x > option->high));
}

/* Check the form. For a number out of bounds *shown is its text. */
static bool has_form(struct ddl *d, const struct option *option,
		     const char *value, const char **shown)
{
	bool in_any_case = option->form == OPTION_WORD_IN_ANY_CASE;
	int64_t whole;
	int32_t small;
	double x;

	switch (option->form) {
	case OPTION_INT:
		if (!property_read_int(&small, value))
			return false;
		if (is_outside(option, small))
			*shown = text_of_whole(d, small);
		return true;
	case OPTION_LONG:
		if (!property_read_long(&whole, value))
			return false;
		if (is_outside(option, (double)whole))
			*shown = text_of_whole(d, whole);
		return true;
	case OPTION_DOUBLE:
		if (!property_read_double(&x, value))
			return false;
		if (is_outside(option, x))
			*shown = text_of_fixed(d, x);
		return true;
	case OPTION_FLAG:
		return is_listed("true false", value, true);
	case OPTION_WORD:
	case OPTION_WORD_IN_ANY_CASE:
		return is_listed(option->words, value, in_any_case);
	default:
		return true;
	}
}

int option_check(struct ddl *d, const struct option *option,
		 const char *value)
{
	const char *shown = NULL;

	if (option->check)
		return option->check(d, option, value);
	if (has_form(d, option, value, &shown)) {
		if (!shown)
			return 0;
		return misconfigured(d, option->outside, option->as_written ?
				     value : shown);
	}
	if (option->wrong)
		return misconfigured(d, option->wrong, option->shouts ?
				     text_in_upper_case(d, value) : value);
	return misconfigured(d, "%s is not a parsable %s for %s", value,
			     option->form == OPTION_DOUBLE ? "float" :
							     "int (base10)",
			     option->name);
}
