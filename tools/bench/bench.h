/*
 * The workloads of widefsctl bench share this. Each group of workloads runs in
 * a process of its own, on an empty directory of its own, so that its memory is
 * its own and nothing is left after its end. It prints its results as it goes.
 */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench {
	long records;
	size_t value_len;
	const char *path;	/* the empty directory */
	int out;		/* where results go */
	uint64_t random;	/* state; the same in every run */
};

struct bench_group {
	const char *workloads;	/* names, each followed by a blank */
	/* 0 or -errno. */
	int (*run)(struct bench *b);
};

/* Write a result of a workload to b->out. */
void bench_tell(struct bench *b, const char *workload, double value,
		const char *unit);
/* Return the next number of the seeded generator. */
uint64_t bench_random(struct bench *b);
/* Make a value of value_len bytes that compresses to about half. */
void bench_value(struct bench *b, uint8_t *to);
double bench_now_s(void);
/* Tell so many operations since begin_s as a rate. */
void bench_tell_rate(struct bench *b, const char *workload, long count,
		     double begin_s);
#endif
