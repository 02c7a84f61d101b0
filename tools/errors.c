/* widefsctl errors: the last refusals of a mount and their reasons. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_errors = {
	.name = "errors",
	.summary = "the last refusals of a mount and their reasons",
	.usage = "usage: widefsctl errors [-n N] [-f] [DIR]\n"
		 "Print the lines of MOUNT/.widefs/errors: time, process, user, "
		 "command, path,\nerrno, reason. DIR is any place in a mount "
		 "(default: the working directory).\n\n"
		 "  -n, --lines=N  the last N lines only\n"
		 "  -f, --follow   go on and print new ones as they come\n"
		 "  -h, --help     this text\n",
	.run = run,
};

static int read_errors(struct buf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	buf_clear(out);
	while (buf_reserve(out, 65536) &&
	       (n = read(fd, out->ptr + out->len, 65536)) > 0)
		out->len += (size_t)n;
	n = n < 0 ? -errno : 0;
	close(fd);
	return out->failed ? -ENOMEM : (int)n;
}

/* Find where the last `lines` lines begin. */
static size_t last_lines(const struct buf *b, unsigned long lines)
{
	size_t at = b->len;

	if (!lines)
		return at;
	if (at && b->ptr[at - 1] == '\n')
		at--;
	while (at > 0) {
		if (b->ptr[at - 1] == '\n' && !--lines)
			break;
		at--;
	}
	return at;
}

/* Find where now continues from before: the ring drops old lines at its
 * beginning. */
static size_t where_new_begins(const struct buf *before, const struct buf *now)
{
	size_t tail = before->len < 200 ? before->len : 200;
	const uint8_t *found = NULL, *at = now->ptr, *next;

	if (!tail || !now->len)
		return 0;
	while ((next = memmem(at, (size_t)(now->ptr + now->len - at),
			      before->ptr + before->len - tail, tail))) {
		found = next;
		at = next + 1;
	}
	return found ? (size_t)(found - now->ptr) + tail : 0;
}

static int follow(const char *path, struct buf *before)
{
	struct buf now = BUF_INIT;
	int err = 0;

	while (!err) {
		size_t at;

		sleep(1);
		err = read_errors(&now, path);
		if (err)
			break;
		at = where_new_begins(before, &now);
		fwrite(now.ptr + at, 1, now.len - at, stdout);
		if (fflush(stdout))
			err = -errno;
		buf_clear(before);
		buf_add_bytes(before, buf_bytes(&now));
	}
	buf_release(&now);
	return err;
}

static int print_errors(const char *path, bool limited, unsigned long count,
			bool following)
{
	struct buf lines = BUF_INIT;
	int err = read_errors(&lines, path);

	if (!err) {
		size_t at = limited ? last_lines(&lines, count) : 0;

		fwrite(lines.ptr + at, 1, lines.len - at, stdout);
		if (fflush(stdout))
			err = -errno;
	}
	if (!err && following)
		err = follow(path, &lines);
	if (err)
		tool_failed(ferror(stdout) ? "standard output" : path, err);
	buf_release(&lines);
	return err ? TOOL_FAILED : TOOL_DONE;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "lines", required_argument, NULL, 'n' },
		{ "follow", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned long count = 0;
	bool following = false, limited = false;
	char *mount, *store, *path = NULL, *end;
	const char *place;
	int option, status;

	while ((option = getopt_long(argc, argv, "n:fh", options, NULL)) >= 0) {
		switch (option) {
		case 'n':
			count = strtoul(optarg, &end, 10);
			limited = true;
			if (*end || *optarg < '0' || *optarg > '9')
				return tool_misused(&command_errors, optarg,
						    "not a number of lines");
			break;
		case 'f':
			following = true;
			break;
		default:
			return tool_usage(&command_errors, option == 'h');
		}
	}
	if (argc - optind > 1)
		return tool_misused(&command_errors, argv[optind + 1],
				    "one DIR is enough");
	place = optind < argc ? argv[optind] : ".";
	mount = tool_mount_of(place, &store);
	if (!mount) {
		if (access(place, F_OK) && errno != ENOENT)
			tool_failed(place, -errno);
		else
			tool_complain(place, "not in a widefs mount (name a "
				      "place in one)");
		status = TOOL_NONE;
	} else if (asprintf(&path, "%s/.widefs/errors", mount) < 0) {
		status = TOOL_FAILED;
	} else {
		status = print_errors(path, limited, count, following);
		free(path);
	}
	free(mount);
	free(store);
	return status;
}
