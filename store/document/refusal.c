#include "store/document/refusal.h"

#include <stdio.h>
#include <string.h>

/* Replace "a LinkedHashMap" and the like by plain words. */
static void name_class(char *text)
{
	static const char *const names[][2] = {
		{ "a LinkedHashMap", "an object" }, { "a ArrayList", "an array" },
		{ "a String", "a string" }, { "a Boolean", "a boolean" },
		{ "a Integer", "an integer" }, { "a Long", "an integer" },
		{ "a BigInteger", "an integer" }, { "a Double", "a number" },
		{ "a null", "null" },
	};
	static const char before[] = "but got ";
	char *at = strstr(text, before);
	size_t i, len, other;

	for (i = 0; at && i < ARRAY_SIZE(names); i++) {
		len = strlen(names[i][0]);
		other = strlen(names[i][1]);
		/* No name is longer than the class: it fits. */
		if (strncmp(at + strlen(before), names[i][0], len))
			continue;
		at += strlen(before);
		memmove(at + other, at + len, strlen(at + len) + 1);
		memcpy(at, names[i][1], other);
		return;
	}
}

/*
 * Replace the words of the library by which Cassandra refuses JSON, which
 * include a copy of the text, by the reason and the place: for writers of
 * documents.
 */
void refusal_say_plainly(struct type_error *error)
{
	static const char library[] = "com.fasterxml.";
	static const char source[] = "[Source: (String)", start[] = " (start marker";
	char *text = error->text, *reason = strstr(text, ": ");
	char *cut = strstr(text, source), *end = text + strlen(text);
	unsigned line = 0, column = 0;

	if (strncmp(text, library, strlen(library)) || !reason || !cut) {
		name_class(text);
		return;
	}
	while (end > cut && strncmp(end, "; line: ", 8))
		end--;
	if (sscanf(end, "; line: %u, column: %u]", &line, &column) != 2)
		line = 0;
	*cut = 0;
	cut = strstr(text, start);
	if (!cut)
		cut = strstr(text, "\n at ");
	if (cut)
		*cut = 0;
	reason += 2;
	memmove(text, reason, strlen(reason) + 1);
	end = text + strlen(text);
	if (line)
		snprintf(end, (size_t)(text + sizeof(error->text) - end),
			 " (line %u, column %u)", line, column);
}
