/* Keys by their bytes: each has one place, and it takes little to find it. */
#include "store/base/hash.h"

#include <string.h>

#include "tests/lib/random.h"
#include "tests/unit/suite.h"

#define MOST 20000

START_TEST(each_key_has_a_place)	/* _i: how many keys there are */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct arena arena = ARENA_INIT;
	struct hash all = { .count = 0 };
	uint32_t *made = arena_zalloc(&arena, MOST, sizeof(*made)), different = 0;
	uint8_t key[104];

	ck_assert_ptr_nonnull(made);
	memset(key, 0, sizeof(key));
	for (uint32_t i = 0; i < MOST; i++) {
		uint32_t n = random_below(&rng, _i ? MOST : 10);
		struct hash_place *place;

		/* 0 is the key of no bytes; others have several lengths. */
		put_be32(key, n);
		place = hash_place(&all, &arena,
				   bytes_of(key, n ? 4 + n % 100 : 0));
		ck_assert_ptr_nonnull(place);
		if (!place->value) {
			place->value = &made[n];
			different += !made[n]++;
		}
		ck_assert_ptr_eq(place->value, &made[n]);
		ck_assert_uint_eq(made[n], 1);
	}
	ck_assert_uint_eq(all.count, different);
	ck_assert_uint_le(all.probes, 4 * MOST);
	arena_release(&arena);
}
END_TEST

SUITE(hash)
{
	TCase *tc = tcase_create("hash");

	tcase_add_loop_test(tc, each_key_has_a_place, 0, 2);
	suite_add_tcase(suite, tc);
}
