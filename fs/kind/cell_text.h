/* The text of a cell's file: from the value and back. */
#ifndef FS_KIND_CELL_TEXT_H
#define FS_KIND_CELL_TEXT_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct node;
struct op;
struct store_how;
struct type;

/* Read the value of a file's text. -EINVAL with the reason. */
int cell_read_text(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value);
/* The same of a text copied from another file: a lone newline may be the empty
 * value of a type that has no literal for it. */
int cell_read_copy(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value);
/* Check that cell_read_text would accept a complete text of a type. Text and
 * blob are checked byte by byte: more bytes may follow any newline. */
int cell_check_text(struct op *op, const struct type *type, struct bytes text);
/* Append the text of a value as its file has it, with the last newline. */
void cell_print_value(struct buf *out, const struct type *type,
		      struct bytes value);
/* Return the size of a file with that value. */
uint64_t cell_value_size(const struct type *type, struct bytes value);

/* The calls of struct file_kind that ask about texts alone. */
bool cell_may_begin(struct op *op, struct node *n, struct bytes text,
		    size_t from);
int cell_check(struct op *op, struct node *n, struct bytes text,
	       const struct store_how *how);
bool cell_takes_empty(struct op *op, struct node *n);
bool cell_keeps_newline(struct op *op, struct node *n);
/* As is_value of struct file_kind; the same of a cell's type (NULL: a set). */
bool cell_is_value(struct op *op, struct node *n);
bool cell_type_is_value(const struct type *type);
#endif
