#include "fs/kind/memory_directory.h"

#include <errno.h>

int memory_directory_lookup(struct op *op, struct node *dir, struct bytes name,
			    struct child *out)
{
	(void)op;
	(void)dir;
	(void)name;
	(void)out;
	return -ENOENT;
}

int memory_directory_stat(struct op *op, struct node *n, struct child *out)
{
	(void)op;
	(void)n;
	(void)out;
	return -ENOENT;
}

int memory_directory_next(struct op *op, struct listing *l, struct buf *name,
			  struct child *out)
{
	(void)op;
	(void)l;
	(void)name;
	(void)out;
	return 0;
}

int memory_directory_rmdir(struct op *op, struct node *n)
{
	(void)op;
	(void)n;
	return 0;
}
