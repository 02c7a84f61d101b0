/* The tables of functions with fixed signatures, and of operations. */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_NATIVE_H
#define STORE_CQL_EXPRESSION_FUNCTION_NATIVE_H
#include "store/cql/expression/function.h"

extern const struct native_function function_times[];
extern const size_t function_time_count;
#endif
