/* Common code of all benchmark programs: clocks, arguments, and the result as one line of JSON. */
#ifndef RESTWAY_BENCHMARKS_MEASURE_H
#define RESTWAY_BENCHMARKS_MEASURE_H

#include <stddef.h>

/* How many different companies the server has: companies/1 to companies/32. */
#define COMPANIES 32

/* How many requests a program sends before it measures, so that every connection is open. */
#define WARM_UP 1000

/* Returns the seconds of the monotonic clock. */
double wall_seconds(void);

/* Returns the user and system time of this process, in seconds. */
double cpu_seconds(void);

/* Returns the bytes of the heap that are allocated and not freed, including large blocks with
 * mappings of their own. */
size_t heap_bytes(void);

/* Ends the program with a message. */
void fail(const char *format, ...);

/* Returns argument `index` as a number from 1 to 10,000,000; ends the program if it is not one. */
size_t count_argument(int argc, char **argv, int index, const char *name);

/* Returns argument `index`; ends the program if it is missing. */
const char *text_argument(int argc, char **argv, int index, const char *name);

/* Returns "<base>/companies/<number>", where `slot` 0 is company 1. The caller frees it. */
char *company_url(const char *base, size_t slot);

/* Prints {"requests": ..., "seconds": ...} for a load that has begun at `begun`. */
void load_print(double begun, size_t requests);

/* Sorts `count` numbers and returns the median. */
double median(double *numbers, size_t count);

#endif
