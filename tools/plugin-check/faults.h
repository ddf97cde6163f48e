/* Explains a bad memory access, for the report of a crash. */
#ifndef RESTWAY_CHECK_FAULTS_H
#define RESTWAY_CHECK_FAULTS_H

#include <stddef.h>

/* From now on, a SIGSEGV or SIGBUS writes its explanation into `room` before the process ends. */
void faults_tell(char *room, size_t bytes);

/* Registers that an access to [start, start + bytes) means `what`. The oldest entries are
 * dropped. */
void faults_know(const void *start, size_t bytes, const char *what);

#endif
