/*
 * Functions with fixed signatures: times and UUIDs, bytes, token, operations
 * and casts.
 */
#include "store/cql/expression/function_native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/murmur3.h"
#include "store/cql/expression/function.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/type/arithmetic.h"
#include "store/type/convert.h"
#include "store/type/uuid.h"
#include "store/type/value.h"

static function_apply apply_now, apply_uuid, apply_convert, apply_min_uuid,
	apply_max_uuid, apply_floor;

const struct native_function function_times[] = {
	{ "now", NULL, 0, { 0 }, TYPE_TIMEUUID, apply_now, false },
	{ "current_timeuuid", "currenttimeuuid", 0, { 0 }, TYPE_TIMEUUID,
	  apply_now, false },
	{ "current_timestamp", "currenttimestamp", 0, { 0 }, TYPE_TIMESTAMP,
	  apply_now, false },
	{ "current_date", "currentdate", 0, { 0 }, TYPE_DATE, apply_now, false },
	{ "current_time", "currenttime", 0, { 0 }, TYPE_TIME, apply_now, false },
	{ "uuid", NULL, 0, { 0 }, TYPE_UUID, apply_uuid, false },
	{ "to_date", "todate", 1, { TYPE_TIMEUUID }, TYPE_DATE, apply_convert,
	  true },
	{ "to_date", "todate", 1, { TYPE_TIMESTAMP }, TYPE_DATE, apply_convert,
	  true },
	{ "to_timestamp", "totimestamp", 1, { TYPE_TIMEUUID }, TYPE_TIMESTAMP,
	  apply_convert, true },
	{ "to_timestamp", "totimestamp", 1, { TYPE_DATE }, TYPE_TIMESTAMP,
	  apply_convert, true },
	{ "to_unix_timestamp", "tounixtimestamp", 1, { TYPE_TIMEUUID },
	  TYPE_BIGINT, apply_convert, true },
	{ "to_unix_timestamp", "tounixtimestamp", 1, { TYPE_TIMESTAMP },
	  TYPE_BIGINT, apply_convert, true },
	{ "to_unix_timestamp", "tounixtimestamp", 1, { TYPE_DATE },
	  TYPE_BIGINT, apply_convert, true },
	{ "dateof", NULL, 1, { TYPE_TIMEUUID }, TYPE_TIMESTAMP, apply_convert,
	  true },
	{ "unixtimestampof", NULL, 1, { TYPE_TIMEUUID }, TYPE_BIGINT,
	  apply_convert, true },
	{ "min_timeuuid", "mintimeuuid", 1, { TYPE_TIMESTAMP }, TYPE_TIMEUUID,
	  apply_min_uuid, false },
	{ "max_timeuuid", "maxtimeuuid", 1, { TYPE_TIMESTAMP }, TYPE_TIMEUUID,
	  apply_max_uuid, false },
	{ "floor", NULL, 2, { TYPE_TIMESTAMP, TYPE_DURATION }, TYPE_TIMESTAMP,
	  apply_floor, true },
	{ "floor", NULL, 3, { TYPE_TIMESTAMP, TYPE_DURATION, TYPE_TIMESTAMP },
	  TYPE_TIMESTAMP, apply_floor, true },
	{ "floor", NULL, 2, { TYPE_TIMEUUID, TYPE_DURATION }, TYPE_TIMESTAMP,
	  apply_floor, true },
	{ "floor", NULL, 3, { TYPE_TIMEUUID, TYPE_DURATION, TYPE_TIMESTAMP },
	  TYPE_TIMESTAMP, apply_floor, true },
	{ "floor", NULL, 2, { TYPE_DATE, TYPE_DURATION }, TYPE_DATE,
	  apply_floor, true },
	{ "floor", NULL, 3, { TYPE_DATE, TYPE_DURATION, TYPE_DATE }, TYPE_DATE,
	  apply_floor, true },
	{ "floor", NULL, 2, { TYPE_TIME, TYPE_DURATION }, TYPE_TIME,
	  apply_floor, true },
};
const size_t function_time_count = ARRAY_SIZE(function_times);

static int apply_now(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	(void)args;
	*is_null = false;
	convert_now(&x->scratch, f->result->kind);
	return 0;
}

static int apply_uuid(struct execution *x, const struct function *f,
		      const struct bytes *args, bool *is_null)
{
	uint8_t uuid[16];

	(void)f;
	(void)args;
	*is_null = false;
	uuid_new_random(uuid);
	buf_add(&x->scratch, uuid, sizeof(uuid));
	return 0;
}

static int apply_convert(struct execution *x, const struct function *f,
			 const struct bytes *args, bool *is_null)
{
	convert_time(&x->scratch, is_null, f->args[0]->kind, args[0],
		     f->result->kind);
	return 0;
}

static int apply_min_uuid(struct execution *x, const struct function *f,
			  const struct bytes *args, bool *is_null)
{
	uint8_t uuid[16];

	(void)f;
	*is_null = false;
	uuid_min_at(uuid, (int64_t)get_be64(args[0].ptr));
	buf_add(&x->scratch, uuid, sizeof(uuid));
	return 0;
}

static int apply_max_uuid(struct execution *x, const struct function *f,
			  const struct bytes *args, bool *is_null)
{
	uint8_t uuid[16];

	(void)f;
	*is_null = false;
	uuid_max_at(uuid, (int64_t)get_be64(args[0].ptr));
	buf_add(&x->scratch, uuid, sizeof(uuid));
	return 0;
}

static int apply_floor(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	struct type_error error;
	int err = convert_floor(&x->scratch, is_null, f->args[0]->kind,
				args[0], args[1],
				f->arg_count > 2 ? args[2] : BYTES_NULL,
				&error);

	return refuse_type_error(x, err, &error);
}

/* ------------------------------------------------------------------ bytes */
int function_as_blob(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	(void)f;
	*is_null = bytes_is_null(args[0]);
	buf_add_bytes(&x->scratch, args[0]);
	return 0;
}

int function_from_blob(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	struct type_error error;
	struct buf hex = BUF_INIT;
	int err = type_validate(f->result, args[0], &error);

	*is_null = false;
	buf_add_bytes(&x->scratch, args[0]);
	if (err != -EINVAL)
		return err;
	buf_add_str(&hex, "0x");
	for (size_t i = 0; i < args[0].len; i++)
		buf_add_format(&hex, "%02x", args[0].ptr[i]);
	/* Print the type by the name that the function has: varchar too. */
	return refuse(x, "In call to function system.%s, value %s is not a "
			 "valid binary representation for type %s", f->name,
		      text_of_buf(x, &hex), f->name + (f->name[4] == '_' ?
			strlen("blob_as_") : strlen("blobas")));
}

int function_token(struct execution *x, const struct function *f,
		   const struct bytes *args, bool *is_null)
{
	struct buf key = BUF_INIT;
	int err;

	*is_null = false;
	if (f->arg_count == 1 && !args[0].len) {
		buf_add_be64(&x->scratch, (uint64_t)INT64_MIN);
		return 0;
	}
	table_partition_key(&key, f->table, args);
	err = key.failed ? -ENOMEM : 0;
	buf_add_be64(&x->scratch, (uint64_t)murmur3_token(buf_bytes(&key)));
	buf_release(&key);
	return err;
}

/* ---------------------------------------------------- operations and casts */
int function_operate(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	struct type_error error;
	int err;

	if (f->op == '~') {
		arithmetic_negate(&x->scratch, is_null, f->args[0]->kind,
				  args[0]);
		return 0;
	}
	err = arithmetic_apply(&x->scratch, is_null, f->args[0]->kind, args[0],
			       f->op, f->args[1]->kind, args[1], &error);
	return err == -EINVAL ? refuse_as(x, CQL_FUNCTION_FAILURE, "%s",
					  error.text) : err;
}

int function_cast(struct execution *x, const struct function *f,
		  const struct bytes *args, bool *is_null)
{
	struct type_error error;
	int err = convert_value(&x->scratch, is_null, f->args[0]->kind, args[0],
				f->result->kind, &error);

	return err == -EINVAL ? refuse_as(x, CQL_SERVER_ERROR, "%s",
					  error.text) : err;
}
