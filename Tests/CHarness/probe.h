/** @file probe.h
 *  A context for restway_client_send() that counts how often it was called back.
 */
#ifndef RESTWAY_HARNESS_PROBE_H
#define RESTWAY_HARNESS_PROBE_H

#include <pthread.h>

#include "harness.h"

struct probe;

/** More to do inside the completion notice; findings go into the probe. */
typedef void (*probe_work_fn)(struct probe *probe, restway_call *call, restway_response *response);

/** What came back. Assertions belong on the test's own thread: a callback only takes notes. */
struct probe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done_count;
    int destroyed_count;
    /** done_count when the context was destroyed: 1, unless something is very wrong. */
    int done_count_when_destroyed;
    restway_status status;
    restway_status error_status;
    restway_domain domain;
    int32_t http_status;
    int had_response;
    int had_error;
    pthread_t thread;

    probe_work_fn work;
    /** For the work: what it works on, and what it found. */
    restway_client *client;
    restway_request *request;
    restway_call *call;
    restway_status found[4];
    int order;
};

void probe_begin(struct probe *probe);

/** A restway_done_fn and a restway_destroy_fn; the context is a struct probe. */
void probe_done(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error);
void probe_destroy(void *context);

/** Sends a GET of @p path with @p probe as its context. @p out_call may be NULL. */
void probe_send(
    struct probe *probe, restway_client *client, const char *path, restway_call **out_call);

/** Waits until the context was destroyed, then checks that each function ran once, in order, and
 *  that the call completed with @p status. */
#define probe_expect(probe, status) probe_expect_at((probe), (status), __FILE__, __LINE__)
void probe_expect_at(struct probe *probe, restway_status status, const char *file, int line);

/** Waits until the context was destroyed, then checks that it was never called back. */
#define probe_expect_dropped(probe) probe_expect_dropped_at((probe), __FILE__, __LINE__)
void probe_expect_dropped_at(struct probe *probe, const char *file, int line);

/** Waits until @p probe was called back, which does not yet mean that it was destroyed. */
void probe_wait_done(struct probe *probe);

#endif
