#include "store/base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_bool has_failed;
static atomic_long countdown;	/* 0: off; 1: the next allocation fails */
static atomic_int fail_for_good;
static atomic_long failures;
static _Atomic(void (*)(void)) on_failure;

bool mem_has_failed(void)
{
	return atomic_load_explicit(&has_failed, memory_order_relaxed);
}

void mem_forget_failure(void)
{
	atomic_store(&has_failed, false);
}

/* What was allocated; NULL is noted. */
static inline void *noted(void *ptr)
{
	if (!ptr)
		atomic_store(&has_failed, true);
	return ptr;
}

void mem_fail_at(long nth, int for_good)
{
	atomic_store(&fail_for_good, for_good);
	atomic_store(&failures, 0);
	atomic_store(&countdown, nth);
}

long mem_failures(void)
{
	return atomic_load(&failures);
}

void mem_on_failure(void (*call)(void))
{
	atomic_store(&on_failure, call);
}

static void count_failure(void)
{
	void (*call)(void) = atomic_load(&on_failure);

	atomic_fetch_add(&failures, 1);
	if (call)
		call();
}

static int count_down(void)
{
	long left = atomic_fetch_sub(&countdown, 1);

	if (left == 1 && atomic_load(&fail_for_good))
		atomic_store(&countdown, 1);
	if (left == 1)
		count_failure();
	return left == 1;
}

/* True if a test wants this allocation to fail. */
#define MUST_FAIL()                                                           \
	(atomic_load_explicit(&countdown, memory_order_relaxed) && count_down())

void *mem_alloc(size_t size)
{
	return noted(MUST_FAIL() ? NULL : malloc(size ? size : 1));
}

#define HUGE_PAGE ((size_t)2 << 20)

void *mem_alloc_huge(size_t size)
{
	void *ptr = NULL;

	if (MUST_FAIL() || posix_memalign(&ptr, HUGE_PAGE, size))
		return noted(NULL);
	/* Without them it is memory all the same. */
	madvise(ptr, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
	return ptr;
}

void *mem_zalloc(size_t count, size_t size)
{
	if (!count || !size)
		count = size = 1;
	return noted(MUST_FAIL() ? NULL : calloc(count, size));
}

void *mem_resize(void *ptr, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || MUST_FAIL())
		return noted(NULL);
	return noted(realloc(ptr, bytes ? bytes : 1));
}

void mem_free(void *ptr)
{
	free(ptr);
}

char *mem_copy(const void *ptr, size_t len)
{
	char *copy = len < SIZE_MAX ? mem_alloc(len + 1) : NULL;

	if (copy) {
		if (len)
			memcpy(copy, ptr, len);
		copy[len] = 0;
	}
	return copy;
}
