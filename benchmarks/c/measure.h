/* What every program of the benchmarks needs: clocks, arguments, and one line of JSON as result. */
#ifndef RESTWAY_BENCHMARKS_MEASURE_H
#define RESTWAY_BENCHMARKS_MEASURE_H

#include <stddef.h>

/* How many different companies the server has: companies/1 to companies/32. */
#define COMPANIES 32

/* How many requests a program sends before it measures: every connection stands by then. */
#define WARM_UP 1000

/* Seconds of the monotonic clock. */
double wall_seconds(void);

/* User and system time of this process, in seconds. */
double cpu_seconds(void);

/* Ends the program with a message. */
void fail(const char *format, ...);

/* Argument `index` as a number from 1 to 10,000,000; ends the program when it is none. */
size_t count_argument(int argc, char **argv, int index, const char *name);

/* Argument `index`; ends the program when there is none. */
const char *text_argument(int argc, char **argv, int index, const char *name);

/* "<base>/companies/<number>", where `slot` 0 is company 1. The caller frees it. */
char *company_url(const char *base, size_t slot);

/* What a load has cost: begun with what the clocks say then. */
struct load {
    double wall;
    double cpu;
};

struct load load_begin(void);

/* Prints {"requests": ..., "seconds": ..., "cpu_seconds": ...}. */
void load_print(struct load begun, size_t requests);

/* Puts `count` numbers in order and gives the one in the middle. */
double median(double *numbers, size_t count);

#endif
