#include "gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_SECONDS_MAX = 60 };

void gate_begin(struct gate *gate, gate_work_fn work) {
    memset(gate, 0, sizeof(*gate));
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    gate->is_open = 1;
    gate->work = work;
}

void gate_set(struct gate *gate, restway_client *client, gate_work_fn work) {
    gate_begin(gate, work);
    gate->client = client;
    assert_ok(restway_client_add_modifier(
        client, gate_ask, NULL, 0, gate, gate_destroy, &gate->number, &failure));
}

void gate_remove(struct gate *gate) {
    assert_ok(restway_client_remove_stage(gate->client, gate->number, &failure));
}

static void set_open(struct gate *gate, int is_open) {
    pthread_mutex_lock(&gate->lock);
    gate->is_open = is_open;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_shut(struct gate *gate) {
    set_open(gate, 0);
}

void gate_open(struct gate *gate) {
    set_open(gate, 1);
}

restway_status gate_ask(void *context, restway_pipeline_context *pipeline) {
    struct gate *gate = context;
    restway_request *request = restway_pipeline_context_request(pipeline);
    pthread_mutex_lock(&gate->lock);
    gate->asked_count++;
    gate->thread = pthread_self();
    pthread_cond_broadcast(&gate->changed);
    while (!gate->is_open) {
        pthread_cond_wait(&gate->changed, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
    restway_status answer = gate->work != NULL ? gate->work(gate, request) : RESTWAY_OK;
    pthread_mutex_lock(&gate->lock);
    gate->answered_count++;
    pthread_mutex_unlock(&gate->lock);
    return answer;
}

void gate_destroy(void *context) {
    struct gate *gate = context;
    pthread_mutex_lock(&gate->lock);
    gate->destroyed_count++;
    gate->answered_count_when_destroyed = gate->answered_count;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/** Waits until a counter reaches @p count. If it does not, the run ends here, because the gate
 *  could be called after its test, when its memory is no longer valid. */
static void wait_for(struct gate *gate, const int *counter, int count, const char *what) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += WAIT_SECONDS_MAX;
    pthread_mutex_lock(&gate->lock);
    while (*counter < count) {
        if (pthread_cond_timedwait(&gate->changed, &gate->lock, &deadline) == ETIMEDOUT) {
            fprintf(stderr, "harness: %s after %d seconds\n", what, WAIT_SECONDS_MAX);
            abort();
        }
    }
    pthread_mutex_unlock(&gate->lock);
}

void gate_wait_asked(struct gate *gate, int count) {
    wait_for(gate, &gate->asked_count, count, "a modifier was not asked");
}

void gate_expect_destroyed(struct gate *gate, int asked_count) {
    wait_for(gate, &gate->destroyed_count, 1, "a modifier's context was not destroyed");
    pthread_mutex_lock(&gate->lock);
    struct gate seen = *gate;
    pthread_mutex_unlock(&gate->lock);
    assert_int_equal(seen.destroyed_count, 1);
    assert_int_equal(seen.answered_count_when_destroyed, seen.asked_count);
    if (asked_count >= 0) {
        assert_int_equal(seen.asked_count, asked_count);
    }
}

int gate_is_alive(struct gate *gate) {
    pthread_mutex_lock(&gate->lock);
    int is_alive = gate->destroyed_count == 0;
    pthread_mutex_unlock(&gate->lock);
    return is_alive;
}
