#include "measure.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define COUNT_MAX 10000000UL

double wall_seconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

double cpu_seconds(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

size_t heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();

    return heap.uordblks + heap.hblkhd;
}

void fail(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

const char *text_argument(int argc, char **argv, int index, const char *name) {
    if (index >= argc) fail("%s: the argument %s is missing", argv[0], name);
    return argv[index];
}

size_t count_argument(int argc, char **argv, int index, const char *name) {
    const char *text = text_argument(argc, argv, index, name);
    char *end = NULL;
    unsigned long count = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || count == 0 || count > COUNT_MAX)
        fail("%s: %s is not a number from 1 to %lu: %s", argv[0], name, COUNT_MAX, text);
    return count;
}

char *company_url(const char *base, size_t slot) {
    size_t bytes = strlen(base) + 64;
    char *url = malloc(bytes);

    if (url == NULL) fail("no memory");
    snprintf(url, bytes, "%s/companies/%zu", base, slot % COMPANIES + 1);
    return url;
}

void load_print(double begun, size_t requests) {
    printf("{\"requests\": %zu, \"seconds\": %.9f}\n", requests, wall_seconds() - begun);
    /* The result is printed even if the end of the program fails. */
    fflush(stdout);
}

static int in_order(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

double median(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, in_order);
    return numbers[count / 2];
}
