/* What a program of ours does before anything else, and whether another one is
 * about to end. */
#ifndef STORE_BASE_PROCESS_H
#define STORE_BASE_PROCESS_H
#include <stdbool.h>
#include <sys/types.h>

/*
 * Descriptors 0 to 2 that are closed are taken by what can neither be read nor
 * written, so that no file of a store gets their number and, with it, what is
 * printed; a file that is over the limit of its size is an error of the write,
 * not the end of the process. It may have as many files open as it is allowed
 * to ask for: what it runs inherits that. Large pieces of memory that are freed
 * are the system's again at once.
 */
void process_prepare(void);
/*
 * Has the process been killed, or does it write a core, though the kernel may
 * still hold what it had open? Also true if there is none.
 */
bool process_is_dying(pid_t pid);
#endif
