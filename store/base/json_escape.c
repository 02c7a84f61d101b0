#include "store/base/json_escape.h"

#include <stdio.h>

size_t json_escape(char out[JSON_ESCAPE_MAX], uint8_t c)
{
	static const char escapes[0x20] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r',
	};

	out[0] = '\\';
	out[1] = c >= 0x20 ? (char)c : escapes[c];
	return out[1] ? 2 : (size_t)snprintf(out, JSON_ESCAPE_MAX, "\\u%04X", c);
}
