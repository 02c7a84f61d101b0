/*
 * CREATE and ALTER KEYSPACE. Replication is checked, completed and stored as
 * Cassandra does, though one node has nothing to replicate to.
 */
#include "store/cql/schema/keyspace.h"

#include <errno.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/cql/schema/ddl.h"
#include "store/cql/schema/property.h"
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/text.h"
#include "store/schema/options.h"
#include "store/schema/schema.h"

#define PACKAGE "org.apache.cassandra.locator."
#define FACTOR "replication_factor"
#define DATA_CENTRE "datacenter1"

static const char *const names[] = { "replication", "durable_writes" };

static const char *replication_of(const struct keyspace *k, const char *name)
{
	return options_find(k->replication, k->replication_count, name);
}

static bool is_simple(const struct keyspace *k)
{
	const char *class = replication_of(k, "class");

	return class && !strcmp(class, PACKAGE "SimpleStrategy");
}

/* Check the attributes. An ALTER may leave the replication unchanged by an
 * empty map. */
static int check_attributes(struct ddl *d, const struct properties *p,
			    bool alters)
{
	const struct written_property *replication;
	int err = property_check_names(d, p, names, ARRAY_SIZE(names));

	replication = property_find(p, "replication");
	if (err || !replication)
		return err;
	err = property_map(d, replication);
	if (!err && !property_entry(d, replication, "class") &&
	    !(alters && !replication->entry_count))
		err = misconfigured(d, "Missing replication strategy class");
	return err;
}

static int set_class(struct ddl *d, struct keyspace *k, const char *name)
{
	static const char *const known[] = {
		PACKAGE "SimpleStrategy", PACKAGE "NetworkTopologyStrategy",
		PACKAGE "LocalStrategy",
	};
	const char *class = strchr(name, '.') ? name :
			    arena_format(d->x->arena, PACKAGE "%s", name);
	size_t i;

	for (i = 0; class && i < ARRAY_SIZE(known); i++)
		if (!strcmp(class, known[i]))
			break;
	if (!class)
		return -ENOMEM;
	if (!strcmp(class, PACKAGE "OldNetworkTopologyStrategy"))
		return misconfigured(d, "The support for the "
					"OldNetworkTopologyStrategy has been "
					"removed in C* version 4.0. The "
					"keyspace strategy should be switch to "
					"NetworkTopologyStrategy");
	if (i == ARRAY_SIZE(known))
		return misconfigured(d, "Unable to find replication strategy "
					"class '%s'", class);
	if (i == 2)
		return refuse(d->x, "Unable to use given strategy class: "
				    "LocalStrategy is reserved for internal "
				    "use.");
	return keyspace_set_replication(k, "class", class);
}

/* Complete the factor of a SimpleStrategy: as given, as it was, or 1. */
static int complete_simple(struct keyspace *k, const struct keyspace *was)
{
	const char *factor = was ? replication_of(was, FACTOR) : NULL;

	if (replication_of(k, FACTOR))
		return 0;
	return keyspace_set_replication(k, FACTOR, factor ? factor : "1");
}

static void remove_option(struct keyspace *k, uint32_t i)
{
	struct property *o = &k->replication[i];
	struct property gone = *o;

	k->replication_count--;
	memmove(o, o + 1, (k->replication_count - i) * sizeof(*o));
	mem_free(gone.name);
	mem_free(gone.value);
}

/*
 * Complete a NetworkTopologyStrategy, which names data centres. A factor
 * without one is for all that exist; centres named before stay as they were.
 */
static int complete_topology(struct ddl *d, struct keyspace *k,
			     const struct keyspace *was)
{
	const char *factor = replication_of(k, FACTOR);
	uint32_t i;
	int err = 0;

	if (factor)
		factor = text_of(d->x, bytes_str(factor));
	if (factor && was)
		for (i = 0; i < was->replication_count && !err; i++) {
			const struct property *o = &was->replication[i];

			if (strcmp(o->name, FACTOR) &&
			    !replication_of(k, o->name))
				err = keyspace_set_replication(k, o->name,
							       o->value);
		}
	if (!factor && k->replication_count == 1) {
		factor = was ? replication_of(was, FACTOR) : NULL;
		factor = factor ? factor : "1";
	}
	if (!err && factor && !replication_of(k, DATA_CENTRE))
		err = keyspace_set_replication(k, DATA_CENTRE, factor);
	for (i = k->replication_count; i-- > 1;)
		if (!strcmp(k->replication[i].name, FACTOR) ||
		    !strcmp(k->replication[i].value, "0"))
			remove_option(k, i);
	return err;
}

static int check_factor(struct ddl *d, const struct keyspace *k,
			const struct property *o)
{
	int32_t factor;

	if (strchr(o->value, '/'))
		return misconfigured(d, "Transient replication is not enabled "
					"on this node");
	if (!property_read_int(&factor, o->value))
		return misconfigured(d, "For input string: \"%s\"", o->value);
	if (factor < 0)
		return misconfigured(d, "Replication factor must be "
					"non-negative, found %d", factor);
	if (factor > 1 && is_simple(k))
		statement_warn(d->x,
			       "Your replication factor %d for keyspace %s is "
			       "higher than the number of nodes 1", factor,
			       k->name);
	else if (factor > 1)
		statement_warn(d->x, "Your replication factor %d for keyspace "
			       "%s is higher than the number of nodes 1 for "
			       "datacenter %s", factor, k->name, o->name);
	return 0;
}

static int check_replication(struct ddl *d, const struct keyspace *k)
{
	bool simple = is_simple(k);
	int err = 0;

	for (uint32_t i = 1; i < k->replication_count && !err; i++)
		if (!simple || !strcmp(k->replication[i].name, FACTOR))
			err = check_factor(d, k, &k->replication[i]);
	if (!err && !simple && k->replication_count == 1)
		return misconfigured(d, "Configuration for at least one "
					"datacenter must be present");
	for (uint32_t i = 1; i < k->replication_count && !err && simple; i++)
		if (strcmp(k->replication[i].name, FACTOR))
			err = misconfigured(d, "Unrecognized strategy option "
					       "{%s} passed to SimpleStrategy "
					       "for keyspace %s",
					    k->replication[i].name, k->name);
	return err;
}

/* Set the replication as written, in place of k's; `was` is the one before. */
static int set_replication(struct ddl *d, struct keyspace *k,
			   const struct keyspace *was,
			   const struct written_property *p)
{
	int err;

	options_release(k->replication, k->replication_count);
	k->replication = NULL;
	k->replication_count = 0;
	err = set_class(d, k, property_entry(d, p, "class"));
	for (uint32_t i = 0; i < p->entry_count && !err; i++)
		if (!bytes_equal(p->entries[i].key, bytes_str("class")))
			err = keyspace_set_replication(k,
					text_of(d->x, p->entries[i].key),
					text_of(d->x, p->entries[i].value));
	if (!err)
		err = is_simple(k) ? complete_simple(k, was) :
				     complete_topology(d, k, was);
	return err ? err : check_replication(d, k);
}

/* Set k's attributes; what is not given stays as it is. */
static int read_attributes(struct ddl *d, struct keyspace *k,
			   const struct keyspace *was,
			   const struct properties *p)
{
	const struct written_property *durable, *replication;
	int err = 0;

	durable = property_find(p, "durable_writes");
	replication = property_find(p, "replication");
	if (durable)
		err = property_bool(d, &k->durable_writes, durable);
	if (!err && replication && (!was || replication->entry_count))
		err = set_replication(d, k, was, replication);
	return err;
}

/* Put k into the next version of the schema, if there is no error yet. Takes it
 * over. */
static int set_keyspace(struct ddl *d, struct keyspace *k, int err)
{
	if (!err)
		err = ddl_begin(d);
	if (!err)
		return schema_set_keyspace(d->next, k);
	keyspace_put(k);
	return err;
}

static bool has_same_attributes(const struct keyspace *a,
				const struct keyspace *b)
{
	if (a->durable_writes != b->durable_writes ||
	    a->replication_count != b->replication_count)
		return false;
	for (uint32_t i = 0; i < a->replication_count; i++) {
		const char *other = replication_of(b, a->replication[i].name);

		if (!other || strcmp(a->replication[i].value, other))
			return false;
	}
	return true;
}

static int refuse_existing(struct ddl *d)
{
	return refuse_at(d->x, d->statement->keyspace->name.span,
			 refuse_as(d->x, CQL_ALREADY_EXISTS,
				   "Cannot add existing keyspace \"%s\"",
				   text_of(d->x, d->keyspace)));
}

/* Define a keyspace that exists: its options change as long as it has no
 * tables and is the session's own. */
static int define_again(struct ddl *d, const struct keyspace *was)
{
	const struct keyspace_statement *s = d->statement->keyspace;
	bool changes = ddl_is_own_definition(d) && !was->table_count;
	struct keyspace *k;
	int err;

	if (s->if_not_exists && !changes)
		return 0;
	k = keyspace_copy(was);
	if (!k)
		return -ENOMEM;
	err = read_attributes(d, k, NULL, &s->properties);
	if (!err && !changes && !has_same_attributes(k, was))
		err = refuse_existing(d);
	if (!err && !has_same_attributes(k, was))
		return set_keyspace(d, k, 0);
	keyspace_put(k);
	return err;
}

int keyspace_create(struct ddl *d)
{
	const struct keyspace_statement *s = d->statement->keyspace;
	const struct keyspace *was = schema_keyspace(d->now, d->keyspace);
	struct keyspace *k;
	int err = check_attributes(d, &s->properties, false);

	if (err)
		return err;
	if (!property_find(&s->properties, "replication"))
		return refuse(d->x, "Missing mandatory option 'replication'");
	if (was && ddl_is_definition(d))
		return define_again(d, was);
	if (was)
		return s->if_not_exists ? 0 : refuse_existing(d);
	k = keyspace_new(text_of(d->x, d->keyspace));
	if (!k)
		return -ENOMEM;
	k->durable_writes = true;
	k->uid = d->x->session->uid;
	k->gid = d->x->session->gid;
	k->mode = d->x->session->mode;
	k->created_us = clock_now_us();
	return set_keyspace(d, k,
			    read_attributes(d, k, NULL, &s->properties));
}

/* Sum up the replicas of all data centres. */
static int64_t replicas(const struct keyspace *k)
{
	int64_t sum = 0;
	int32_t n;

	for (uint32_t i = 1; i < k->replication_count; i++)
		if (property_read_int(&n, k->replication[i].value))
			sum += n;
	return sum;
}

int keyspace_alter(struct ddl *d)
{
	const struct keyspace_statement *s = d->statement->keyspace;
	const struct keyspace *was = schema_keyspace(d->now, d->keyspace);
	struct keyspace *k;
	int err = check_attributes(d, &s->properties, true);

	if (err)
		return err;
	if (!was)
		return s->if_exists ? 0 : ddl_keyspace(d, &was);
	k = keyspace_copy(was);
	if (!k)
		return -ENOMEM;
	err = set_keyspace(d, k, read_attributes(d, k, was, &s->properties));
	if (!err && replicas(k) > replicas(was))
		statement_warn(d->x, "When increasing replication factor you "
			       "need to run a full (-full) repair to "
			       "distribute the data.");
	return err;
}
