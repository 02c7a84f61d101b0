/* Colours of what a command prints for people on stdout. */
#ifndef TOOLS_LIB_COLOR_H
#define TOOLS_LIB_COLOR_H
#include <stdbool.h>

enum color { COLOR_GOOD, COLOR_BAD };

/* Set when there are some: "auto", the default, on a terminal that is not dumb, unless
 * NO_COLOR is set; "always" or "never". False: when is none of these. */
bool color_set(const char *when);
/* Return what begins a colour; "" where there are none. */
const char *color_begin(enum color color);
/* Return what ends it. */
const char *color_end(void);
#endif
