/* Steps of a test: the first one that fails ends the program, and says which it was. */
#ifndef CHECK_H
#define CHECK_H

#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static restway_error *error;

/* The step must succeed. */
#define DO(step)                                                                               \
    do {                                                                                       \
        if (step) fail(__FILE__, __LINE__, #step);                                             \
    } while (0)

/* The step must fail with a status, and its error stays in `error` until the next step. */
#define REFUSED(status, step)                                                                  \
    do {                                                                                       \
        restway_error_release(error);                                                          \
        error = NULL;                                                                          \
        if ((step) != (status)) fail(__FILE__, __LINE__, #step);                               \
    } while (0)

/* The condition must hold. */
#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) fail(__FILE__, __LINE__, #condition);                                \
    } while (0)

static void fail(const char *file, int line, const char *step) {
    fprintf(stderr, "%s:%d: %s\n%s\n", file, line, step, restway_error_message(error));
    exit(1);
}

static int equal(const char *text, const char *expected) {
    return text && strcmp(text, expected) == 0;
}

#endif
