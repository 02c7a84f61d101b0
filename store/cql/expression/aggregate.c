#include "store/cql/expression/aggregate.h"

#include <errno.h>
#include <math.h>

#include "store/cql/statement/execution.h"
#include "store/cql/statement/refuse.h"
#include "store/type/arithmetic.h"
#include "store/type/compare.h"

void accumulator_init(struct accumulator *a, enum aggregate_kind kind,
		      const struct type *type)
{
	*a = (struct accumulator){ .kind = kind, .type = type,
				   .value = BUF_INIT };
}

void accumulator_release(struct accumulator *a)
{
	buf_release(&a->value);
}

static int64_t whole_of(struct bytes value)
{
	int64_t n = value.ptr[0] & 0x80 ? -1 : 0;

	for (size_t i = 0; i < value.len; i++)
		n = (int64_t)((uint64_t)n << 8 | value.ptr[i]);
	return n;
}

static double floating_of(struct bytes value)
{
	double d;
	float f;

	if (value.len == 8) {
		uint64_t bits = get_be64(value.ptr);

		memcpy(&d, &bits, 8);
		return d;
	} else {
		uint32_t bits = get_be32(value.ptr);

		memcpy(&f, &bits, 4);
		return (double)f;
	}
}

static void add_floating(struct accumulator *a, double d)
{
	double part = d - a->compensation, rounded = a->sum + part;

	a->plain += d;
	a->wide += (long double)d;
	a->compensation = (rounded - a->sum) - part;
	a->sum = rounded;
}

/* Compute value = value op x, for varints and decimals. */
static int combine(struct execution *x, struct accumulator *a, char op,
		   struct bytes value)
{
	struct type_error error;
	struct buf out = BUF_INIT;
	bool is_null = false;
	int err;

	if (!a->value.len) {
		buf_add(&a->value, "\0\0\0\0",
			a->type->kind == TYPE_DECIMAL ? 4 : 0);
		buf_add_byte(&a->value, 0);
	}
	err = arithmetic_apply(&out, &is_null, a->type->kind,
			       buf_bytes(&a->value), op, a->type->kind, value,
			       &error);
	if (!err && (out.failed || a->value.failed))
		err = -ENOMEM;
	if (err) {
		buf_release(&out);
		return err == -EINVAL ? refuse_as(x, CQL_FUNCTION_FAILURE, "%s",
						  error.text) : err;
	}
	buf_release(&a->value);
	a->value = out;
	return 0;
}

/* Add to an avg of decimals: a += (x - a) / n, at the scale of x - a. */
static int add_decimal_average(struct execution *x, struct accumulator *a,
			       struct bytes value)
{
	struct type_error error;
	struct buf minus = BUF_INIT, part = BUF_INIT, count = BUF_INIT;
	bool is_null = false;
	int err;

	if (!a->value.len)
		buf_add(&a->value, "\0\0\0\0\0", 5);
	err = arithmetic_apply(&minus, &is_null, TYPE_DECIMAL, value, '-',
			       TYPE_DECIMAL, buf_bytes(&a->value), &error);
	buf_add_be32(&count, 0);
	buf_add_be64(&count, (uint64_t)a->count);
	if (!err && minus.len >= 4)
		err = arithmetic_divide_half_even(&part, buf_bytes(&minus),
						  buf_bytes(&count),
						  (int32_t)get_be32(minus.ptr));
	if (!err && (minus.failed || part.failed || count.failed))
		err = -ENOMEM;
	if (!err)
		err = combine(x, a, '+', buf_bytes(&part));
	buf_release(&minus);
	buf_release(&part);
	buf_release(&count);
	return err;
}

static int add_number(struct execution *x, struct accumulator *a,
		      struct bytes value)
{
	switch (a->type->kind) {
	case TYPE_FLOAT:
	case TYPE_DOUBLE:
		add_floating(a, floating_of(value));
		return 0;
	case TYPE_DECIMAL:
		if (a->kind == AGGREGATE_AVG)
			return add_decimal_average(x, a, value);
		return combine(x, a, '+', value);
	case TYPE_VARINT:
		return combine(x, a, '+', value);
	default:
		a->whole += whole_of(value);
		return 0;
	}
}

static int add_extreme(struct accumulator *a, struct bytes value)
{
	int order = a->has_value ? type_compare(a->type, value,
						buf_bytes(&a->value)) : 0;

	if (a->has_value && (a->kind == AGGREGATE_MIN ? order >= 0 :
							order <= 0))
		return 0;
	buf_clear(&a->value);
	buf_add_bytes(&a->value, value);
	a->has_value = true;
	return a->value.failed ? -ENOMEM : 0;
}

int accumulator_add(struct execution *x, struct accumulator *a,
		    struct bytes value)
{
	if (a->kind == AGGREGATE_COUNT_ROWS) {
		a->count++;
		return 0;
	}
	if (bytes_is_null(value))
		return 0;
	switch (a->kind) {
	case AGGREGATE_MIN:
	case AGGREGATE_MAX:
		return add_extreme(a, value);
	case AGGREGATE_SUM:
	case AGGREGATE_AVG:
		if (!value.len)	/* the empty value is no number */
			return 0;
		a->count++;
		return add_number(x, a, value);
	default:
		a->count++;
		return 0;
	}
}

static void put_whole(struct buf *out, const struct type *t, uint64_t n)
{
	for (int i = (int)type_fixed_length(t) - 1; i >= 0; i--)
		buf_add_byte(out, (uint8_t)(n >> (8 * i)));
}

static double floating_result(const struct accumulator *a)
{
	double sum = a->sum - a->compensation;

	if (isnan(sum) && isinf(a->plain))
		sum = a->plain;
	if (a->kind == AGGREGATE_SUM || !a->count)
		return sum;
	if (!isfinite(sum) && isfinite(a->wide))
		return (double)(a->wide / (long double)a->count);
	return sum / (double)a->count;
}

static void put_floating(struct buf *out, const struct type *t, double d)
{
	uint64_t wide;
	uint32_t narrow;
	float f = (float)d;

	memcpy(&wide, &d, 8);
	memcpy(&narrow, &f, 4);
	if (t->kind == TYPE_DOUBLE)
		buf_add_be64(out, isnan(d) ? 0x7ff8000000000000 : wide);
	else
		buf_add_be32(out, isnan(d) ? 0x7fc00000 : narrow);
}

static int big_result(struct execution *x, struct accumulator *a)
{
	struct bytes zero = a->type->kind == TYPE_DECIMAL ?
				    bytes_of("\0\0\0\0\0", 5) :
				    bytes_of("\0", 1);
	struct type_error error;
	uint8_t count[9] = { 0 };
	bool is_null = false;

	if (!a->value.len || !a->count) {
		buf_add_bytes(&x->scratch, zero);
		return 0;
	}
	if (a->kind == AGGREGATE_SUM || a->type->kind == TYPE_DECIMAL) {
		buf_add_bytes(&x->scratch, buf_bytes(&a->value));
		return 0;
	}
	put_be64(count + 1, (uint64_t)a->count);
	return arithmetic_apply(&x->scratch, &is_null, TYPE_VARINT,
				buf_bytes(&a->value), '/', TYPE_VARINT,
				bytes_of(count, sizeof(count)), &error);
}

int accumulator_result(struct execution *x, struct accumulator *a,
		       struct bytes *value)
{
	int err = 0;

	*value = BYTES_NULL;
	buf_clear(&x->scratch);
	switch (a->kind) {
	case AGGREGATE_MIN:
	case AGGREGATE_MAX:
		if (!a->has_value)
			return 0;
		buf_add_bytes(&x->scratch, buf_bytes(&a->value));
		break;
	case AGGREGATE_COUNT_ROWS:
	case AGGREGATE_COUNT:
		buf_add_be64(&x->scratch, (uint64_t)a->count);
		break;
	default:
		switch (a->type->kind) {
		case TYPE_FLOAT:
		case TYPE_DOUBLE:
			put_floating(&x->scratch, a->type, floating_result(a));
			break;
		case TYPE_VARINT:
		case TYPE_DECIMAL:
			err = big_result(x, a);
			break;
		default:
			if (a->kind == AGGREGATE_AVG && a->count)
				a->whole /= a->count;
			put_whole(&x->scratch, a->type, (uint64_t)a->whole);
		}
	}
	return err ? err : execution_keep_scratch(x, value);
}
