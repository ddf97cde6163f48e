/* The resources of the process: memory, descriptors, threads. */
#ifndef RESTWAY_CHECK_RESOURCES_H
#define RESTWAY_CHECK_RESOURCES_H

#include <stddef.h>

/* Returns the number of bytes that malloc() has given and not got back. */
size_t memory_in_use(void);

size_t descriptors_open(void);
size_t threads_running(void);

/* Waits, for at most a second, until at most `count` threads run; returns how many there are
 * then. */
size_t threads_after_wait(size_t count);

/* The number of rounds between two measurements. */
#define LEAK_ROUNDS 64

/* Calls `round` repeatedly. Fails the check if the memory in use grows with each round, by
 * `bytes_max` or more. */
void expect_no_leak(void (*round)(const void *), const void *argument, size_t bytes_max);

/* Call `round` repeatedly. They fail the check if the number of open descriptors, or of threads,
 * grows by half of LEAK_ROUNDS or more. */
void expect_no_more_descriptors(void (*round)(const void *), const void *argument);
void expect_no_more_threads(void (*round)(const void *), const void *argument);

#endif
