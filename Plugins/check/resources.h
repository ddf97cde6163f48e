/* What the process holds: memory, descriptors, threads. */
#ifndef RESTWAY_CHECK_RESOURCES_H
#define RESTWAY_CHECK_RESOURCES_H

#include <stddef.h>

/* Bytes that malloc() has given and not got back. */
size_t memory_in_use(void);

size_t descriptors_open(void);
size_t threads_running(void);

/* Waits, for a second at most, until no more than `count` threads run; how many there are then. */
size_t threads_after_wait(size_t count);

/* How many rounds are compared with how many. */
#define LEAK_ROUNDS 64

/* Calls `round` again and again. Fails the check when the memory in use grows with each round, by
 * `bytes_max` or more. */
void expect_no_leak(void (*round)(const void *), const void *argument, size_t bytes_max);

/* The same for descriptors, and for threads. */
void expect_no_more_descriptors(void (*round)(const void *), const void *argument);
void expect_no_more_threads(void (*round)(const void *), const void *argument);

#endif
