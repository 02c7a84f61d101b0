/* libFuzzer's entry; FUZZ_TARGET names what to run. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/fuzz.h"
#include "tests/lib/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fuzz_target *target;

	if (!target) {
		const char *name = getenv("FUZZ_TARGET");

		target = fuzz_target_named(name ? name : "");
		if (!target) {
			fprintf(stderr, "FUZZ_TARGET: no such target\n");
			exit(2);
		}
		quiet(true);
	}
	target->run(bytes_of(data ? data : (const uint8_t *)"", size));
	return 0;
}
