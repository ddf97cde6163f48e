/* Says what a bad access met, for the report of a crash. */
#ifndef RESTWAY_CHECK_FAULTS_H
#define RESTWAY_CHECK_FAULTS_H

#include <stddef.h>

/* From now on a SIGSEGV or SIGBUS writes what it met into `room` before the process ends. */
void faults_tell(char *room, size_t bytes);

/* An access to [start, start + bytes) is "`what`". The oldest ones are forgotten. */
void faults_know(const void *start, size_t bytes, const char *what);

#endif
