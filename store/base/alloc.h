/*
 * Memory. All of store/ and fs/ take it here, so that tests can make the nth
 * allocation fail (tests/README.md, P13); what is allocated elsewhere
 * (tests/floors) are lines of /proc, options and the commands' own strings. A
 * failed allocation returns NULL and never ends the process. Any thread.
 */
#ifndef STORE_BASE_ALLOC_H
#define STORE_BASE_ALLOC_H
#include <stdbool.h>
#include <stddef.h>

/* size bytes, not cleared; also for size 0 the pointer is valid. */
void *mem_alloc(size_t size);
/* As mem_alloc, for large memory that is going to be used all over: in huge
 * pages where the system has them. */
void *mem_alloc_huge(size_t size);
/* count * size bytes of zeros; NULL also when the product overflows. */
void *mem_zalloc(size_t count, size_t size);
/* As realloc: on failure ptr is untouched. NULL also on overflow. */
void *mem_resize(void *ptr, size_t count, size_t size);
/* NULL is accepted. */
void mem_free(void *ptr);
/* Return a copy of len bytes with a 0 byte added after them. */
char *mem_copy(const void *ptr, size_t len);

/* True once an allocation has failed: a program that lives for one command can then
 * rely on nothing that it has made since. Any thread. */
bool mem_has_failed(void);
void mem_forget_failure(void);

/*
 * For tests: the nth allocation from now fails (1 is the next), and with
 * for_good every later one too. 0 switches it off.
 */
void mem_fail_at(long nth, int for_good);
/* For tests: return the number of allocations that it made fail since the last
 * call. */
long mem_failures(void);
/* Call this in each of them. NULL: nothing. */
void mem_on_failure(void (*call)(void));
#endif
