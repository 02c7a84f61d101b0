/* The workloads of tables. */
#ifndef TOOLS_BENCH_TABLE_H
#define TOOLS_BENCH_TABLE_H
#include "tools/bench/bench.h"

#define BENCH_TABLE_GROUPS 2
extern const struct bench_group bench_table_groups[BENCH_TABLE_GROUPS];
#endif
