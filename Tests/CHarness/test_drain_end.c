/* Delivery by drain(): many events, several threads, close, and events that are never drained. */
#include <stdlib.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

/** Counts how often each token came; releases the events. */
static void note_tokens(restway_event *events, size_t count, int *seen, size_t seen_max) {
    for (size_t index = 0; index < count; index++) {
        assert_true(events[index].token < seen_max);
        seen[events[index].token]++;
        restway_event_release(&events[index]);
    }
}

static void drain_until_all_came(restway_client *client, size_t expected) {
    enum { BATCH = 64 };
    restway_event events[BATCH];
    int *seen = calloc(expected, sizeof(*seen));
    size_t total = 0;
    assert_non_null(seen);
    while (total < expected) {
        size_t count = 0;
        wait_readable(client);
        assert_ok(restway_client_drain(client, events, BATCH, &count, &failure));
        note_tokens(events, count, seen, expected);
        total += count;
    }
    for (size_t token = 0; token < expected; token++) {
        assert_int_equal(seen[token], 1);
    }
    expect_no_event(client);
    free(seen);
}

static void drain__hundreds_of_answers_come_once_each(void **state) {
    (void)state;
    size_t count = (size_t)scaled(500);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (size_t token = 0; token < count; token++) {
        send_token(client, token % 2 == 0 ? "status" : "enterprises/3", token);
    }
    drain_until_all_came(client, count);
    restway_client_release(client);
}

static void client_close__gives_thousands_of_events(void **state) {
    (void)state;
    size_t count = (size_t)scaled(5000);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (size_t token = 0; token < count; token++) {
        send_token(client, "bad/slow?ms=5000", token);
    }
    restway_client_close(client);
    drain_until_all_came(client, count);
    restway_client_release(client);
}

static void client_close__ends_calls_with_closed_events(void **state) {
    (void)state;
    enum { IN_FLIGHT = 8 };
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (uint64_t token = 0; token < IN_FLIGHT; token++) {
        send_token(client, "bad/slow?ms=5000", token);
    }
    restway_client_close(client);
    for (int index = 0; index < IN_FLIGHT; index++) {
        restway_event event = drain_event(client, RESTWAY_E_CLOSED);
        assert_int_equal(restway_error_domain(event.payload.error), RESTWAY_DOMAIN_CANCELLED);
        restway_event_release(&event);
    }
    expect_no_event(client);
    restway_client_release(client);
}

static void client_release__drops_events_that_wait(void **state) {
    (void)state;
    enum { COUNT = 5 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        restway_call_release(
            send_and_complete(client, "enterprises/3", NULL, &probes[index], probe_destroy));
    }
    restway_client_release(client);
    for (int index = 0; index < COUNT; index++) {
        probe_expect_dropped(&probes[index]);
    }
}

static void client_release__drops_the_events_of_calls_in_flight(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = make_get("bad/slow?ms=5000");
    assert_ok(restway_client_send(client, request, NULL, &probe, probe_destroy, NULL, &failure));
    restway_request_release(request);
    restway_client_release(client);
    probe_expect_dropped(&probe);
}

enum { THREADS = 4 };

/** The events of one thread. */
struct part {
    restway_client *client;
    /** Guarded by `lock`: the number of events that are still to come. */
    int *left;
    pthread_mutex_t *lock;
    restway_status status;
};

static void *drain_part(void *context) {
    struct part *part = context;
    int is_over = 0;
    while (!is_over) {
        restway_event event;
        size_t count = 0;
        part->status = restway_client_drain(part->client, &event, 1, &count, NULL);
        if (part->status != RESTWAY_OK) {
            return NULL;
        }
        if (count == 1) {
            restway_event_release(&event);
        }
        pthread_mutex_lock(part->lock);
        *part->left -= (int)count;
        is_over = *part->left <= 0;
        pthread_mutex_unlock(part->lock);
    }
    return NULL;
}

static void drain__of_several_threads_gives_each_event_once(void **state) {
    (void)state;
    int left = scaled(1000);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (int index = 0; index < left; index++) {
        send_token(client, "bad/slow?ms=5000", 1);
    }
    restway_client_close(client);
    for (int index = 0; index < THREADS; index++) {
        parts[index] = (struct part){client, &left, &lock, RESTWAY_OK};
        assert_int_equal(pthread_create(&threads[index], NULL, drain_part, &parts[index]), 0);
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        assert_int_equal(parts[index].status, RESTWAY_OK);
    }
    assert_int_equal(left, 0);
    expect_no_event(client);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(drain__hundreds_of_answers_come_once_each),
    TEST(client_close__gives_thousands_of_events),
    TEST(client_close__ends_calls_with_closed_events),
    TEST(client_release__drops_events_that_wait),
    TEST(client_release__drops_the_events_of_calls_in_flight),
    TEST(drain__of_several_threads_gives_each_event_once),
};

const struct suite drain_end_suite = SUITE(tests);
