/* What came of a check, which runs in a process of its own; the tool and that one share it. */
#ifndef RESTWAY_CHECK_OUTCOME_H
#define RESTWAY_CHECK_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum verdict { VERDICT_NONE, VERDICT_OK, VERDICT_FAILED, VERDICT_SKIPPED } verdict;

typedef struct outcome {
    verdict verdict;
    /* Empty when it is ok. */
    char why[1024];
    /* What was under way last: for crashes and hangs. */
    char doing[256];
    /* What a bad access met; empty when not known. */
    char fault[160];
} outcome;

/* In the process of a check: what it is about to do. */
void doing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In the process of a check: end it. Any thread may. */
_Noreturn void check_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void check_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails with `why`, and with what is being done. */
#define require(condition, ...)            \
    do {                                   \
        if (!(condition)) {                \
            check_failed(__VA_ARGS__);     \
        }                                  \
    } while (0)

/* Makes memory that the tool and the process of a check share. */
void *shared_memory(size_t bytes);

/* Runs `body` in a process of its own, which is ended when it takes too long: the plugin may crash,
 * hang or end it. */
outcome outcome_of(void (*body)(const void *), const void *argument);

/* Inside a check: runs `body` in one more process, so that it meets the plugin as new. The check
 * fails when `body` does. */
void in_process_of_its_own(void (*body)(const void *), const void *argument);

#endif
