/* Common code of the programs that measure the outbox. */
#ifndef RESTWAY_BENCHMARKS_OURS_OUTBOX_H
#define RESTWAY_BENCHMARKS_OURS_OUTBOX_H

#include <pthread.h>
#include <restway/restway.h>
#include <stddef.h>

struct outbox_run {
    restway_client *client;
    size_t items;
    pthread_mutex_t mutex;
    pthread_cond_t has_changed;
    /* The number of completions or flushes that have ended. */
    size_t done;
    /* The number that a thread waits for: the thread is woken only then. */
    size_t awaited;
};

/* Ends the program if `status` is not the expected one. */
void outbox_expect(restway_status status, restway_status expected, restway_error **error);

/* Makes a client that takes its server for unreachable. */
void outbox_run_begin(
    struct outbox_run *run, const char *document, const char *base, size_t items);

void outbox_run_end(struct outbox_run *run);

/* Stores item `number`, and waits until it is stored. */
void outbox_run_perform(struct outbox_run *run, size_t number);

/* Stores item `number`; counts it in `done`. */
void outbox_run_send(struct outbox_run *run, size_t number);

void outbox_run_wait(struct outbox_run *run, size_t done);

#endif
