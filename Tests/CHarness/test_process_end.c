/* Delivery by process(): several threads, close, and notices that are never processed. */
#include <stdlib.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

enum { THREADS = 4, NOTICES = 200 };

/** The common state of the notices of one test. */
struct crowd {
    restway_client *client;
    pthread_mutex_t alone;
    /** Guarded by `alone`, which must be free in every notice. */
    int overlap_count;
    int finished_count;
    int expected_count;
    pthread_mutex_t lock;
};

static void count_alone(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct crowd *crowd = context;
    (void)call;
    (void)status;
    (void)response;
    (void)error;
    int is_alone = pthread_mutex_trylock(&crowd->alone) == 0;
    pthread_mutex_lock(&crowd->lock);
    crowd->finished_count++;
    crowd->overlap_count += is_alone ? 0 : 1;
    int is_last = crowd->finished_count == crowd->expected_count;
    pthread_mutex_unlock(&crowd->lock);
    if (is_alone) {
        pthread_mutex_unlock(&crowd->alone);
    }
    if (is_last) {
        restway_client_close(crowd->client);
    }
}

/** Processes until the client is closed and no notice is left. */
static void *process_until_closed(void *context) {
    struct crowd *crowd = context;
    size_t count = 1;
    while (count > 0) {
        if (restway_client_process(crowd->client, -1, &count, NULL) != RESTWAY_OK) {
            return context;
        }
    }
    return NULL;
}

static void process__of_several_threads_never_overlaps(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    struct crowd crowd = {
        make_client_delivering(RESTWAY_DELIVERY_PROCESS), PTHREAD_MUTEX_INITIALIZER, 0, 0,
        scaled(NOTICES), PTHREAD_MUTEX_INITIALIZER};
    restway_request *request = make_get("status");
    for (int index = 0; index < THREADS; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, process_until_closed, &crowd), 0);
    }
    for (int index = 0; index < crowd.expected_count; index++) {
        assert_ok(restway_client_send(
            crowd.client, request, count_alone, &crowd, NULL, NULL, &failure));
    }
    for (int index = 0; index < THREADS; index++) {
        void *wrong = NULL;
        pthread_join(threads[index], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(crowd.finished_count, crowd.expected_count);
    assert_int_equal(crowd.overlap_count, 0);
    restway_request_release(request);
    restway_client_release(crowd.client);
}

static void process__does_not_wait_when_closed(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    size_t count = 99;
    restway_client_close(client);
    assert_ok(restway_client_process(client, -1, &count, &failure));
    assert_int_equal(count, 0);
    restway_client_release(client);
}

static void process__tells_of_calls_that_the_close_ended(void **state) {
    (void)state;
    enum { IN_FLIGHT = 16 };
    struct probe probes[IN_FLIGHT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    size_t count = 99;
    for (int index = 0; index < IN_FLIGHT; index++) {
        probe_begin(&probes[index]);
        probe_send(&probes[index], client, "bad/slow?ms=5000", NULL);
    }
    restway_client_close(client);
    process_notices(client, IN_FLIGHT);
    for (int index = 0; index < IN_FLIGHT; index++) {
        probe_expect(&probes[index], RESTWAY_E_CLOSED);
    }
    assert_ok(restway_client_process(client, -1, &count, &failure));
    assert_int_equal(count, 0);
    restway_client_release(client);
}

static void process__is_woken_by_close(void **state) {
    (void)state;
    pthread_t thread;
    void *wrong = NULL;
    struct crowd crowd = {
        make_client_delivering(RESTWAY_DELIVERY_PROCESS), PTHREAD_MUTEX_INITIALIZER, 0, 0, 0,
        PTHREAD_MUTEX_INITIALIZER};
    assert_int_equal(pthread_create(&thread, NULL, process_until_closed, &crowd), 0);
    restway_client_close(crowd.client);
    pthread_join(thread, &wrong);
    assert_null(wrong);
    restway_client_release(crowd.client);
}

/** process() may report that no notice is left only if no further notice can come: a close while a
 *  call is completing must not lose the notice of the call. */
static void process__leaves_no_notice_behind_a_close(void **state) {
    (void)state;
    enum { CALLS = 8 };
    for (int round = 0; round < scaled(100); round++) {
        struct probe probes[CALLS];
        restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
        size_t total = 0, count = 1;
        for (int index = 0; index < CALLS; index++) {
            probe_begin(&probes[index]);
            probe_send(&probes[index], client, "status", NULL);
        }
        wait_readable(client);
        restway_client_close(client);
        while (count > 0) {
            assert_ok(restway_client_process(client, -1, &count, &failure));
            total += count;
        }
        assert_int_equal(total, CALLS);
        restway_client_release(client);
    }
}

static void client_release__drops_notices_that_wait(void **state) {
    (void)state;
    enum { COUNT = 5 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        restway_call_release(
            send_and_complete(client, "status", probe_done, &probes[index], probe_destroy));
    }
    restway_client_release(client);
    for (int index = 0; index < COUNT; index++) {
        probe_expect_dropped(&probes[index]);
    }
}

static void client_release__drops_the_notices_of_calls_in_flight(void **state) {
    (void)state;
    enum { COUNT = 5 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        probe_send(&probes[index], client, "bad/slow?ms=5000", NULL);
    }
    restway_client_release(client);
    for (int index = 0; index < COUNT; index++) {
        probe_expect_dropped(&probes[index]);
    }
}

/** The last release, inside a notice. */
static void let_go(struct probe *probe, restway_call *call, restway_response *response) {
    (void)call;
    (void)response;
    restway_client_release(probe->client);
}

static void client_release__inside_a_notice_drops_the_rest(void **state) {
    (void)state;
    enum { COUNT = 4 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    size_t count = 0;
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        restway_call_release(
            send_and_complete(client, "status", probe_done, &probes[index], probe_destroy));
    }
    probes[0].client = client;
    probes[0].work = let_go;
    assert_ok(restway_client_process(client, 0, &count, &failure));
    assert_int_equal(count, 1);
    probe_expect(&probes[0], RESTWAY_OK);
    for (int index = 1; index < COUNT; index++) {
        probe_expect_dropped(&probes[index]);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(process__of_several_threads_never_overlaps),
    TEST(process__does_not_wait_when_closed),
    TEST(process__tells_of_calls_that_the_close_ended),
    TEST(process__is_woken_by_close),
    TEST(process__leaves_no_notice_behind_a_close),
    TEST(client_release__drops_notices_that_wait),
    TEST(client_release__drops_the_notices_of_calls_in_flight),
    TEST(client_release__inside_a_notice_drops_the_rest),
};

const struct suite process_end_suite = SUITE(tests);
