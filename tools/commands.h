/* The commands of widefsctl. Each is one file or folder with its man page beside it. */
#ifndef TOOLS_COMMANDS_H
#define TOOLS_COMMANDS_H
#include "tools/lib/tool.h"

extern const struct command
	command_bench, command_check, command_compact, command_cql,
	command_dump, command_errors, command_export, command_flush,
	command_import, command_load, command_repair, command_schema, command_scrub,
	command_snapshot, command_sstable, command_stats, command_status,
	command_top, command_umount;
#endif
