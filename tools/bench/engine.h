/* The workloads of the engine. */
#ifndef TOOLS_BENCH_ENGINE_H
#define TOOLS_BENCH_ENGINE_H
#include "tools/bench/bench.h"

#define BENCH_ENGINE_GROUPS 5
extern const struct bench_group bench_engine_groups[BENCH_ENGINE_GROUPS];
#endif
