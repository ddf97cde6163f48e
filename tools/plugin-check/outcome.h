/* The outcome of a check, which runs in a process of its own. The tool and that process share
 * it. */
#ifndef RESTWAY_CHECK_OUTCOME_H
#define RESTWAY_CHECK_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

typedef enum verdict { VERDICT_NONE, VERDICT_OK, VERDICT_FAILED, VERDICT_SKIPPED } verdict;

typedef struct outcome {
    verdict verdict;
    /* Empty if the check is ok. */
    char why[1024];
    /* The last step that was begun, for crashes and hangs. */
    char doing[256];
    /* The explanation of a bad memory access; empty if it is not known. */
    char fault[160];
} outcome;

/* In the process of a check: says which step begins. */
void doing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In the process of a check: end the check. Any thread may call these. */
_Noreturn void check_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void check_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails with `why`, and with the current step. */
#define require(condition, ...)            \
    do {                                   \
        if (!(condition)) {                \
            check_failed(__VA_ARGS__);     \
        }                                  \
    } while (0)

/* Makes memory that the tool and the process of a check share. */
void *shared_memory(size_t bytes);

/* Runs `body` in a process of its own, which is killed when it takes too long: the plugin may
 * crash, hang or exit. */
outcome outcome_of(void (*body)(const void *), const void *argument);

/* Inside a check: runs `body` in one more process, with a freshly loaded plugin. The check fails if
 * `body` does. */
void in_process_of_its_own(void (*body)(const void *), const void *argument);

#endif
