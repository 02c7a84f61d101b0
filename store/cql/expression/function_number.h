/* Functions of numbers: their tables, and the arithmetic that others share. */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_NUMBER_H
#define STORE_CQL_EXPRESSION_FUNCTION_NUMBER_H
#include "store/cql/expression/function.h"

extern const struct native_function function_numbers[];
extern const size_t function_number_count;
#endif
