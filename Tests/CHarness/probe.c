#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_SECONDS_MAX = 60 };

void probe_begin(struct probe *probe) {
    memset(probe, 0, sizeof(*probe));
    pthread_mutex_init(&probe->lock, NULL);
    pthread_cond_init(&probe->changed, NULL);
    probe->status = RESTWAY_STATUS_PIN_;
}

void probe_done(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct probe *probe = context;
    if (probe->work != NULL) {
        probe->work(probe, call, response);
    }
    pthread_mutex_lock(&probe->lock);
    probe->done_count++;
    probe->status = status;
    probe->error_status = restway_error_status(error);
    probe->domain = restway_error_domain(error);
    probe->http_status = restway_error_http_status(error);
    probe->had_response = response != NULL;
    probe->had_error = error != NULL;
    probe->thread = pthread_self();
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

void probe_destroy(void *context) {
    struct probe *probe = context;
    pthread_mutex_lock(&probe->lock);
    probe->destroyed_count++;
    probe->done_count_when_destroyed = probe->done_count;
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

void probe_send(
    struct probe *probe, restway_client *client, const char *path, restway_call **out_call) {
    restway_request *request = make_get(path);
    assert_ok(restway_client_send(
        client, request, probe_done, probe, probe_destroy, out_call, &failure));
    restway_request_release(request);
}

/** Waits until a counter is no longer 0. If that never happens, the run ends here, because the
 *  probe could be written to after its test. */
static void wait_for(struct probe *probe, const int *counter, const char *what) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += WAIT_SECONDS_MAX;
    pthread_mutex_lock(&probe->lock);
    while (*counter == 0) {
        if (pthread_cond_timedwait(&probe->changed, &probe->lock, &deadline) == ETIMEDOUT) {
            fprintf(stderr, "harness: %s after %d seconds\n", what, WAIT_SECONDS_MAX);
            abort();
        }
    }
    pthread_mutex_unlock(&probe->lock);
}

void probe_wait_done(struct probe *probe) {
    wait_for(probe, &probe->done_count, "a call has not completed");
}

void probe_expect_at(struct probe *probe, restway_status status, const char *file, int line) {
    wait_for(probe, &probe->destroyed_count, "a context was not destroyed");
    pthread_mutex_lock(&probe->lock);
    struct probe seen = *probe;
    pthread_mutex_unlock(&probe->lock);
    int in_order = seen.done_count == 1 && seen.destroyed_count == 1;
    int consistent = (status == RESTWAY_OK) == (seen.had_response && !seen.had_error);
    if (seen.status == status && seen.error_status == status && in_order && consistent
        && seen.done_count_when_destroyed == 1) {
        return;
    }
    print_error(
        "completed %d times with %s (error: %s), destroyed %d times after %d; expected %s\n",
        seen.done_count, restway_status_name(seen.status),
        restway_status_name(seen.error_status), seen.destroyed_count,
        seen.done_count_when_destroyed, restway_status_name(status));
    _fail(file, line);
}

void probe_expect_dropped_at(struct probe *probe, const char *file, int line) {
    wait_for(probe, &probe->destroyed_count, "a context was not destroyed");
    pthread_mutex_lock(&probe->lock);
    int done_count = probe->done_count, destroyed_count = probe->destroyed_count;
    pthread_mutex_unlock(&probe->lock);
    if (done_count != 0 || destroyed_count != 1) {
        print_error(
            "completed %d times, destroyed %d times; expected 0 and 1\n", done_count,
            destroyed_count);
        _fail(file, line);
    }
}
