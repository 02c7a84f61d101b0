#include "store/type/arithmetic.h"

#include <errno.h>
#include <math.h>

#include "store/type/date_step.h"
#include "store/type/decimal.h"
#include "store/type/decimal_math.h"
#include "store/type/duration.h"
#include "store/type/float.h"
#include "store/type/native.h"
#include "store/type/number.h"

static bool is_inexact(enum type_kind kind)
{
	return kind == TYPE_FLOAT || kind == TYPE_DOUBLE ||
	       kind == TYPE_DECIMAL;
}

/* Return the bytes of a number; more than any for varint and decimal. */
static int width_of(enum type_kind kind)
{
	int length = native_types[kind]->length;

	return length ? length : NATIVE_LENGTH_MAX;
}

static enum type_kind number_result(enum type_kind left, enum type_kind right)
{
	int a = width_of(left), b = width_of(right), width = a > b ? a : b;

	if (is_inexact(left) || is_inexact(right))
		return width <= 4 ? TYPE_FLOAT :
		       width == 8 ? TYPE_DOUBLE : TYPE_DECIMAL;
	switch (width) {
	case 1:
		return TYPE_TINYINT;
	case 2:
		return TYPE_SMALLINT;
	case 4:
		return TYPE_INT;
	case 8:
		return TYPE_BIGINT;
	default:
		return TYPE_VARINT;
	}
}

int arithmetic_result(enum type_kind left, char op, enum type_kind right)
{
	if (type_kind_is_number(left) && type_kind_is_number(right))
		return (int)number_result(left, right);
	if (kind_is_text(left) && kind_is_text(right) && op == '+')
		return left == TYPE_ASCII && right == TYPE_ASCII ? TYPE_ASCII :
								   TYPE_TEXT;
	if ((left == TYPE_DATE || left == TYPE_TIMESTAMP) &&
	    right == TYPE_DURATION && (op == '+' || op == '-'))
		return (int)left;
	return -1;
}

/* The operation that is computed, for its messages. */
struct operation {
	enum type_kind left, right;
	char op;
	struct type_error *error;
};

static int fail(const struct operation *o, const char *reason)
{
	return type_fail(o->error, "the operation '%s %c %s' failed: %s",
			 type_kind_name(o->left), o->op,
			 type_kind_name(o->right), reason);
}

/* Wraps as Java's long does; narrower results lose their upper bytes later. */
static int apply_int(const struct operation *o, int64_t *result, int64_t a,
		     int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	if ((o->op == '/' || o->op == '%') && !b)
		return fail(o, "/ by zero");
	switch (o->op) {
	case '+':
		*result = (int64_t)(ua + ub);
		break;
	case '-':
		*result = (int64_t)(ua - ub);
		break;
	case '*':
		*result = (int64_t)(ua * ub);
		break;
	case '/':
		*result = b == -1 ? (int64_t)-ua : a / b;
		break;
	default:
		*result = b == -1 ? 0 : a % b;
	}
	return 0;
}

static double as_double(enum type_kind kind, struct bytes value)
{
	if (kind == TYPE_FLOAT || kind == TYPE_DOUBLE)
		return float_get(kind, value);
	return (double)number_get_int(value);
}

static float as_float(enum type_kind kind, struct bytes value)
{
	if (kind == TYPE_FLOAT)
		return (float)float_get(kind, value);
	return (float)number_get_int(value);
}

static double apply_double(char op, double a, double b)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	default:
		return fmod(a, b);
	}
}

static float apply_float(char op, float a, float b)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	default:
		return fmodf(a, b);
	}
}

static void big_from(mpz_t n, enum type_kind kind, struct bytes value)
{
	if (kind == TYPE_VARINT)
		big_get(n, value);
	else
		mpz_set_si(n, number_get_int(value));
}

static int apply_varint(struct buf *out, const struct operation *o,
			struct bytes a, struct bytes b)
{
	const char *reason = "";
	mpz_t x, y, result;
	int err;

	if (big_room(a.len + b.len))
		return -ENOMEM;
	mpz_inits(x, y, result, NULL);
	big_from(x, o->left, a);
	big_from(y, o->right, b);
	err = decimal_apply_big(result, x, o->op, y, &reason);
	if (!err)
		big_add(out, result);
	mpz_clears(x, y, result, NULL);
	return err == -EINVAL ? fail(o, reason) : err;
}

/*
 * As Cassandra sees a number that meets a decimal: a varint as it is, all others
 * through the text of their double (1 is 1.0, 5000000000 is 5.0E9).
 */
static int decimal_from(struct decimal *d, enum type_kind kind,
			struct bytes value, const char **reason)
{
	char text[FLOAT_TEXT_MAX];
	double x;

	if (kind == TYPE_DECIMAL) {
		decimal_get(d, value);
	} else if (kind == TYPE_VARINT) {
		big_get(d->unscaled, value);
	} else {
		x = as_double(kind, value);
		if (!isfinite(x)) {
			*reason = isnan(x) ?
				"A NaN cannot be converted into a decimal" :
				"An infinite number cannot be converted into a "
				"decimal";
			return -EINVAL;
		}
		return decimal_parse(d, bytes_of(text,
					float_print(text, TYPE_DOUBLE, x)));
	}
	return 0;
}

static int apply_decimal(struct buf *out, const struct operation *o,
			 struct bytes a, struct bytes b)
{
	struct decimal x, y, result;
	const char *reason = "";
	int err;

	if (big_room(a.len + b.len))
		return -ENOMEM;
	decimal_init(&x);
	decimal_init(&y);
	decimal_init(&result);
	err = decimal_from(&x, o->left, a, &reason);
	if (!err)
		err = decimal_from(&y, o->right, b, &reason);
	if (!err)
		err = decimal_apply(&result, &x, o->op, &y, &reason);
	if (!err)
		decimal_add(out, &result);
	decimal_release(&x);
	decimal_release(&y);
	decimal_release(&result);
	return err == -EINVAL ? fail(o, reason) : err;
}

static int apply_number(struct buf *out, const struct operation *o,
			struct bytes a, struct bytes b)
{
	enum type_kind kind = number_result(o->left, o->right);
	int64_t n = 0;
	int err;

	switch (kind) {
	case TYPE_FLOAT:
		float_add(out, kind, (double)apply_float(o->op,
				as_float(o->left, a), as_float(o->right, b)));
		return 0;
	case TYPE_DOUBLE:
		float_add(out, kind, apply_double(o->op, as_double(o->left, a),
						  as_double(o->right, b)));
		return 0;
	case TYPE_DECIMAL:
		return apply_decimal(out, o, a, b);
	case TYPE_VARINT:
		return apply_varint(out, o, a, b);
	default:
		err = apply_int(o, &n, number_get_int(a), number_get_int(b));
		if (!err)
			number_add_int(out, kind, n);
		return err;
	}
}

/* A date or timestamp and a duration. */
static int apply_shift(struct buf *out, const struct operation *o,
		       struct bytes a, struct bytes b)
{
	struct buf text = BUF_INIT;
	struct duration d;
	bool date = o->left == TYPE_DATE;
	int err = 0;

	if (duration_get(&d, b))
		return fail(o, "damaged duration");
	if (date ? d.ns != 0 : d.ns % 1000000 != 0) {
		buf_add_format(&text, "The duration must have a %s precision. "
			       "Was: ", date ? "day" : "millisecond");
		duration_print(&text, &d);
		err = text.failed ? -ENOMEM : fail(o, buf_cstr(&text));
		buf_release(&text);
	} else if (date) {
		buf_add_be32(out, date_step_date(get_be32(a.ptr), &d,
						 o->op == '-'));
	} else {
		buf_add_be64(out, (uint64_t)date_step_timestamp(
				(int64_t)get_be64(a.ptr), &d, o->op == '-'));
	}
	return err;
}

static bool is_no_value(enum type_kind kind, struct bytes value)
{
	return bytes_is_null(value) || (!value.len && !kind_is_text(kind));
}

int arithmetic_apply(struct buf *out, bool *is_null, enum type_kind left,
		     struct bytes a, char op, enum type_kind right,
		     struct bytes b, struct type_error *error)
{
	struct operation o = { left, right, op, error };
	int err = 0;

	*is_null = is_no_value(left, a) || is_no_value(right, b);
	if (*is_null)
		return 0;
	if (kind_is_text(left)) {
		buf_add_bytes(out, a);
		buf_add_bytes(out, b);
	} else if (right == TYPE_DURATION) {
		err = apply_shift(out, &o, a, b);
	} else {
		err = apply_number(out, &o, a, b);
	}
	if (err == -ENOMEM) {
		out->failed = true;
		err = 0;
	}
	return err;
}

bool arithmetic_can_negate(enum type_kind kind)
{
	return type_kind_is_number(kind);
}

static void negate_big(struct buf *out, enum type_kind kind,
		       struct bytes value)
{
	struct decimal d;

	if (big_room(value.len)) {
		out->failed = true;
		return;
	}
	decimal_init(&d);
	if (kind == TYPE_DECIMAL)
		decimal_get(&d, value);
	else
		big_get(d.unscaled, value);
	mpz_neg(d.unscaled, d.unscaled);
	if (kind == TYPE_DECIMAL)
		decimal_add(out, &d);
	else
		big_add(out, d.unscaled);
	decimal_release(&d);
}

void arithmetic_negate(struct buf *out, bool *is_null, enum type_kind kind,
		       struct bytes value)
{
	*is_null = is_no_value(kind, value);
	if (*is_null)
		return;
	if (kind == TYPE_FLOAT || kind == TYPE_DOUBLE)
		float_add(out, kind, -float_get(kind, value));
	else if (kind == TYPE_DECIMAL || kind == TYPE_VARINT)
		negate_big(out, kind, value);
	else
		number_add_int(out, kind,
			       (int64_t)-(uint64_t)number_get_int(value));
}

int arithmetic_divide_half_even(struct buf *out, struct bytes a,
				struct bytes b, int32_t scale)
{
	struct decimal x, y, result;
	const char *reason;
	int err;

	if (big_room(a.len + b.len))
		return -ENOMEM;
	decimal_init(&x);
	decimal_init(&y);
	decimal_init(&result);
	decimal_get(&x, a);
	decimal_get(&y, b);
	err = decimal_divide_half_even(&result, &x, &y, scale, &reason);
	if (!err)
		decimal_add(out, &result);
	decimal_release(&x);
	decimal_release(&y);
	decimal_release(&result);
	return err;
}
