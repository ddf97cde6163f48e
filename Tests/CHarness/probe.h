/** @file probe.h
 *  A context for restway_client_send() that counts its callbacks.
 */
#ifndef RESTWAY_HARNESS_PROBE_H
#define RESTWAY_HARNESS_PROBE_H

#include <pthread.h>

#include "harness.h"

struct probe;

/** Further work inside the completion notice; its results go into the probe. */
typedef void (*probe_work_fn)(struct probe *probe, restway_call *call, restway_response *response);

/** The results of a call. Assertions run on the test's own thread: a callback only stores its
 *  results. */
struct probe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done_count;
    int destroyed_count;
    /** The value of done_count when the context was destroyed; it should be 1. */
    int done_count_when_destroyed;
    restway_status status;
    restway_status error_status;
    restway_domain domain;
    int32_t http_status;
    int had_response;
    int had_error;
    pthread_t thread;

    probe_work_fn work;
    /** For the work: its input and its results. */
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

/** Waits until the context was destroyed, then checks that the callback never ran. */
#define probe_expect_dropped(probe) probe_expect_dropped_at((probe), __FILE__, __LINE__)
void probe_expect_dropped_at(struct probe *probe, const char *file, int line);

/** Waits until the callback of @p probe ran; the context may not be destroyed yet. */
void probe_wait_done(struct probe *probe);

#endif
