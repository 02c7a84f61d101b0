/*
 * Linked into a program that is built with -finstrument-functions: writes each
 * function that is entered into the file $CALLS, which tests/bench/calls reads.
 *
 * The file: the number of entries so far, the address of the program's
 * beginning, then a ring of RING entries; one is the function's address in
 * 48 bits, the thread's number in 8 and its depth in 8.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING (1u << 20)

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

extern const char __executable_start;
static struct {
	_Atomic uint64_t count;
	uint64_t start;
	uint64_t entries[RING];
} *calls;
static atomic_uint threads;
static _Thread_local unsigned thread, depth;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CALLS");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	void *at;

	if (fd < 0 || ftruncate(fd, sizeof(*calls)))
		return;
	at = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return;
	calls = at;
	calls->start = (uint64_t)(uintptr_t)&__executable_start;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	uint64_t at;

	(void)caller;
	if (!calls)
		return;
	if (!thread)
		thread = atomic_fetch_add(&threads, 1) + 1;
	at = atomic_fetch_add(&calls->count, 1);
	calls->entries[at % RING] = ((uint64_t)(uintptr_t)function & 0xffffffffffff) |
				    (uint64_t)(thread & 255) << 48 |
				    (uint64_t)(depth & 255) << 56;
	depth++;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function, (void)caller;
	if (calls)
		depth--;
}
