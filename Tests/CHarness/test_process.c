/* Delivery by process(): notices run on the thread that calls it. */
#include <stdlib.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

static void process__runs_notices_on_the_calling_thread(void **state) {
    (void)state;
    enum { COUNT = 3 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        probe_send(&probes[index], client, "status", NULL);
    }
    process_notices(client, COUNT);
    for (int index = 0; index < COUNT; index++) {
        assert_int_equal(probes[index].destroyed_count, 1);
        assert_true(pthread_equal(probes[index].thread, pthread_self()));
        probe_expect(&probes[index], RESTWAY_OK);
    }
    restway_client_release(client);
}

static void process__runs_nothing_by_itself(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_call *call =
        send_and_complete(client, "status", probe_done, &probe, probe_destroy);
    assert_int_equal(restway_call_is_complete(call), 1);
    assert_int_equal(probe.done_count, 0);
    process_notices(client, 1);
    probe_expect(&probe, RESTWAY_OK);
    restway_call_release(call);
    restway_client_release(client);
}

/** Numbers the notices in the order in which they run. */
static void number(struct probe *probe, restway_call *call, restway_response *response) {
    static int last;
    (void)call;
    (void)response;
    probe->order = ++last;
}

static void process__keeps_the_order_of_completion(void **state) {
    (void)state;
    enum { COUNT = 8 };
    struct probe probes[COUNT];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    for (int index = 0; index < COUNT; index++) {
        probe_begin(&probes[index]);
        probes[index].work = number;
        restway_call_release(
            send_and_complete(client, "status", probe_done, &probes[index], probe_destroy));
    }
    process_notices(client, COUNT);
    for (int index = 1; index < COUNT; index++) {
        assert_int_equal(probes[index].order, probes[0].order + index);
    }
    restway_client_release(client);
}

static void process__without_a_wait_only_looks(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_call *call = NULL;
    size_t count = 99;
    assert_ok(restway_client_process(client, 0, &count, &failure));
    assert_int_equal(count, 0);
    probe_send(&probe, client, "bad/slow?ms=5000", &call);
    assert_ok(restway_client_process(client, 0, &count, &failure));
    assert_int_equal(count, 0);
    assert_ok(restway_client_process(client, 20, &count, &failure));
    assert_int_equal(count, 0);
    restway_call_cancel(call);
    process_notices(client, 1);
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    restway_call_release(call);
    restway_client_release(client);
}

static void process__waits_for_the_first_notice(void **state) {
    (void)state;
    static const int64_t waits[] = {-1, 60000, INT64_MAX};
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    for (size_t index = 0; index < sizeof(waits) / sizeof(waits[0]); index++) {
        struct probe probe;
        size_t count = 0;
        probe_begin(&probe);
        probe_send(&probe, client, "bad/slow?ms=50", NULL);
        assert_ok(restway_client_process(client, waits[index], &count, &failure));
        assert_int_equal(count, 1);
        probe_expect(&probe, RESTWAY_OK);
    }
    restway_client_release(client);
}

static void process__may_forget_the_count(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    probe_send(&probe, client, "status", NULL);
    assert_ok(restway_client_process(client, -1, NULL, &failure));
    assert_int_equal(probe.done_count, 1);
    probe_expect(&probe, RESTWAY_OK);
    restway_client_release(client);
}

static void process__readable_means_that_notices_wait(void **state) {
    (void)state;
    struct probe probes[2];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    assert_int_equal(is_readable(client, 0), 0);
    for (int index = 0; index < 2; index++) {
        probe_begin(&probes[index]);
        restway_call_release(
            send_and_complete(client, "status", probe_done, &probes[index], probe_destroy));
    }
    assert_int_equal(is_readable(client, 0), 1);
    process_notices(client, 2);
    assert_int_equal(is_readable(client, 0), 0);
    restway_client_release(client);
}

/** Functions that must not be called inside a notice, because they might wait for that notice. */
static void process_inside(struct probe *probe, restway_call *call, restway_response *response) {
    restway_error *error = NULL;
    size_t count = 99;
    (void)call;
    (void)response;
    probe->found[0] = restway_client_process(probe->client, 0, &count, &error);
    probe->found[1] = restway_error_status(error);
    probe->found[2] = count == 0 ? RESTWAY_OK : RESTWAY_E_INTERNAL;
    probe->found[3] = restway_client_perform(probe->client, probe->request, 0, NULL, NULL);
    restway_error_release(error);
}

static void process__inside_a_notice_would_block(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    probe.client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    probe.request = make_get("status");
    probe.work = process_inside;
    probe_send(&probe, probe.client, "status", NULL);
    process_notices(probe.client, 1);
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(probe.found[0], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(probe.found[1], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(probe.found[2], RESTWAY_OK);
    assert_int_equal(probe.found[3], RESTWAY_E_WOULD_BLOCK);
    restway_request_release(probe.request);
    restway_client_release(probe.client);
}

/** Sends the same request again, until all probes were used. */
static void send_next(struct probe *probe, restway_call *call, restway_response *response) {
    struct probe *next = probe + 1;
    (void)call;
    (void)response;
    if (next->request != NULL) {
        probe->found[0] = restway_client_send(
            probe->client, next->request, probe_done, next, probe_destroy, NULL, NULL);
    }
}

static void process__a_notice_may_send(void **state) {
    (void)state;
    enum { LENGTH = 4 };
    struct probe chain[LENGTH + 1];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_request *request = make_get("status");
    for (int index = 0; index <= LENGTH; index++) {
        probe_begin(&chain[index]);
        chain[index].client = client;
        chain[index].request = index < LENGTH ? request : NULL;
        chain[index].work = send_next;
    }
    assert_ok(restway_client_send(
        client, request, probe_done, &chain[0], probe_destroy, NULL, &failure));
    process_notices(client, LENGTH);
    for (int index = 0; index < LENGTH; index++) {
        probe_expect(&chain[index], RESTWAY_OK);
        assert_int_equal(chain[index].found[0], RESTWAY_OK);
    }
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(process__runs_notices_on_the_calling_thread),
    TEST(process__runs_nothing_by_itself),
    TEST(process__keeps_the_order_of_completion),
    TEST(process__without_a_wait_only_looks),
    TEST(process__waits_for_the_first_notice),
    TEST(process__may_forget_the_count),
    TEST(process__readable_means_that_notices_wait),
    TEST(process__inside_a_notice_would_block),
    TEST(process__a_notice_may_send),
};

const struct suite process_suite = SUITE(tests);
