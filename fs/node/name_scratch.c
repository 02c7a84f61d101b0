#include "fs/node/name_scratch.h"

#include <ctype.h>
#include <string.h>

static bool all_alnum(struct bytes b)
{
	size_t i;

	for (i = 0; i < b.len; i++)
		if (!isalnum(b.ptr[i]))
			return false;
	return b.len > 0;
}

/* True for letters, digits and '_', of which Python's tempfile makes names. */
static bool is_random(struct bytes b)
{
	size_t i;

	for (i = 0; i < b.len; i++)
		if (!isalnum(b.ptr[i]) && b.ptr[i] != '_')
			return false;
	return b.len > 0;
}

static bool ends_with(struct bytes name, const char *end)
{
	size_t len = strlen(end);

	return name.len > len && !memcmp(name.ptr + name.len - len, end, len);
}

/* .~lock.NAME# of LibreOffice, .NAME.kate-swp of Kate. */
static bool desktop_scratch(struct bytes name, struct bytes *base)
{
	static const char lock[] = ".~lock.", swap[] = ".kate-swp";
	size_t begin = sizeof(lock) - 1, end = sizeof(swap) - 1;

	if (name.len > begin + 1 && bytes_begin_with(name, bytes_str(lock)) &&
	    ends_with(name, "#")) {
		*base = bytes_of(name.ptr + begin, name.len - begin - 1);
		return true;
	}
	if (name.len < 2 + end || !ends_with(name, swap))
		return false;
	*base = bytes_of(name.ptr + 1, name.len - 1 - end);
	return true;
}

/* .NAME.XXXXXX of rsync, .NAME.XXXXXXXX of Python, .NAME.swp and the like of
 * vim, .#NAME of emacs, and those above. */
static bool hidden_scratch(struct bytes name, struct bytes *base)
{
	size_t dot;

	if (name.len < 3)
		return false;
	if (desktop_scratch(name, base))
		return true;
	if (name.ptr[1] == '#') {
		*base = bytes_of(name.ptr + 2, name.len - 2);
		return true;
	}
	for (dot = name.len - 1; dot > 0 && name.ptr[dot] != '.'; dot--)
		;
	if (dot < 2 || name.len - dot < 4 || name.len - dot > 12 ||
	    !is_random(bytes_of(name.ptr + dot + 1, name.len - dot - 1)))
		return false;
	*base = bytes_of(name.ptr + 1, dot - 1);
	return true;
}

static bool middle_scratch(struct bytes name, struct bytes *base)
{
	size_t i;

	for (i = name.len - 1; i > 0; i--)
		if (name.len - i >= 4 && !memcmp(name.ptr + i, ".tmp", 4)) {
			*base = bytes_of(name.ptr, i);
			return true;
		}
	return false;
}

/* NAME.orig, and NAME.oXXXXXX and NAME.rXXXXXX before it is renamed to that. */
static bool patch_scratch(struct bytes name, struct bytes *base)
{
	const uint8_t *end;

	if (name.len < 9)
		return false;
	end = name.ptr + name.len - 8;
	if (end[0] != '.' || (end[1] != 'o' && end[1] != 'r') ||
	    !all_alnum(bytes_of(end + 2, 6)))
		return false;
	*base = bytes_of(name.ptr, name.len - 8);
	return true;
}

/* NAME with one of these ends: backups, the emergency file of nano (also with a
 * number, NAME.save.1), the files of SQLite. */
static bool ended_scratch(struct bytes name, struct bytes *base)
{
	static const char *const ends[] = { ".bak", ".rej", ".orig", ".save",
					    "-journal", "-wal", "-shm" };
	size_t i, len = name.len;

	while (len && isdigit(name.ptr[len - 1]))
		len--;
	if (len > 6 && len < name.len && name.ptr[len - 1] == '.' &&
	    ends_with(bytes_of(name.ptr, len - 1), ".save"))
		name.len = len - 1;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_with(name, ends[i])) {
			*base = bytes_of(name.ptr, name.len - strlen(ends[i]));
			return true;
		}
	return false;
}

/* True for a name that Python's tempfile makes: tmp and eight of a-z, 0-9 and
 * '_'. */
static bool python_scratch(struct bytes name)
{
	size_t i;

	if (name.len != 11 || memcmp(name.ptr, "tmp", 3))
		return false;
	for (i = 3; i < name.len; i++)
		if (!islower(name.ptr[i]) && !isdigit(name.ptr[i]) &&
		    name.ptr[i] != '_')
			return false;
	return true;
}

bool name_is_memory(struct bytes name)
{
	return name.len > 4 && ends_with(name, "-shm");
}

bool name_is_scratch(struct bytes name, struct bytes *base)
{
	*base = BYTES_EMPTY;
	if (!name.len)
		return false;
	if (name.len == 9 && !memcmp(name.ptr, "sed", 3) &&
	    all_alnum(bytes_of(name.ptr + 3, 6)))
		return true;
	/* perl -i */
	if (name.len == 8 && !memcmp(name.ptr, "XX", 2) &&
	    all_alnum(bytes_of(name.ptr + 2, 6)))
		return true;
	if (name.len == 4 && !memcmp(name.ptr, "4913", 4))
		return true;
	if (python_scratch(name))
		return true;
	if (name.ptr[0] == '.')
		return hidden_scratch(name, base);
	if (name.len > 2 && name.ptr[0] == '#' &&
	    name.ptr[name.len - 1] == '#') {
		*base = bytes_of(name.ptr + 1, name.len - 2);
		return true;
	}
	if (ends_with(name, "~")) {
		*base = bytes_of(name.ptr, name.len - 1);
		/* cp --backup=numbered: NAME.~1~ */
		if (base->len > 2 && isdigit(base->ptr[base->len - 1])) {
			size_t at = base->len;

			while (at > 0 && isdigit(base->ptr[at - 1]))
				at--;
			if (at > 1 && base->ptr[at - 1] == '~' &&
			    base->ptr[at - 2] == '.')
				base->len = at - 2;
		}
		return true;
	}
	return patch_scratch(name, base) || ended_scratch(name, base) ||
	       middle_scratch(name, base);
}

bool name_is_of_rsync(struct bytes name)
{
	return name.len > 8 && name.ptr[0] == '.' &&
	       name.ptr[name.len - 7] == '.' &&
	       all_alnum(bytes_of(name.ptr + name.len - 6, 6));
}

bool name_is_scratch_directory(struct bytes name)
{
	return bytes_equal(name, bytes_str(".~tmp~")) ||
	       bytes_equal(name, bytes_str(".rsync-partial"));
}
