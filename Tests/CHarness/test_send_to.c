/* Calls that are delivered in another way than their client's. */
#include "delivery.h"
#include "harness.h"
#include "probe.h"

static const restway_delivery modes[] = {
    RESTWAY_DELIVERY_THREAD, RESTWAY_DELIVERY_PROCESS, RESTWAY_DELIVERY_DRAIN};

enum { MODE_COUNT = sizeof(modes) / sizeof(modes[0]) };

static void send_to__delivers_where_the_call_chose(void **state) {
    (void)state;
    restway_request *request = make_get("status");
    for (size_t index = 0; index < MODE_COUNT; index++) {
        struct probe thread, process, drain;
        restway_call *call = NULL;
        restway_client *client = make_client_delivering(modes[index]);
        probe_begin(&thread);
        probe_begin(&process);
        probe_begin(&drain);
        assert_ok(restway_client_send_to(client, request, RESTWAY_DELIVERY_THREAD, probe_done,
            &thread, probe_destroy, NULL, &failure));
        assert_ok(restway_client_send_to(client, request, RESTWAY_DELIVERY_PROCESS, probe_done,
            &process, probe_destroy, NULL, &failure));
        assert_ok(restway_client_send_to(client, request, RESTWAY_DELIVERY_DRAIN, NULL,
            &drain, probe_destroy, &call, &failure));
        assert_true(restway_client_descriptor(client) >= 0);
        process_notices(client, 1);
        assert_true(pthread_equal(process.thread, pthread_self()));
        probe_expect(&process, RESTWAY_OK);
        restway_event event = drain_event(client, RESTWAY_OK);
        assert_true(event.token == (uint64_t)(uintptr_t)&drain);
        assert_true(event.call_id == restway_call_id(call));
        restway_event_release(&event);
        probe_expect_dropped(&drain);
        probe_wait_done(&thread);
        assert_false(pthread_equal(thread.thread, pthread_self()));
        probe_expect(&thread, RESTWAY_OK);
        restway_call_release(call);
        restway_client_release(client);
    }
    restway_request_release(request);
}

static void send_to__opens_the_other_way_only_when_it_is_chosen(void **state) {
    (void)state;
    size_t count = 7;
    restway_event event;
    restway_request *request = make_get("status");
    restway_client *client = make_client();
    assert_int_equal(restway_client_descriptor(client), -1);
    assert_refused(restway_client_process(client, 0, &count, &failure));
    assert_ok(restway_client_send_to(
        client, request, RESTWAY_DELIVERY_PROCESS, NULL, NULL, NULL, NULL, &failure));
    process_notices(client, 1);
    assert_refused(restway_client_drain(client, &event, 1, &count, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static void send_to__refuses_wrong_arguments(void **state) {
    (void)state;
    restway_request *request = make_get("status");
    restway_client *client = make_client();
    restway_call *call = POISON;
    struct probe probe;
    probe_begin(&probe);
    assert_refused(restway_client_send_to(
        NULL, request, RESTWAY_DELIVERY_THREAD, NULL, NULL, NULL, &call, &failure));
    assert_null(call);
    assert_refused(restway_client_send_to(
        client, NULL, RESTWAY_DELIVERY_THREAD, NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_send_to(
        client, request, (restway_delivery)3, NULL, NULL, NULL, NULL, &failure));
    assert_fails(restway_client_send_to(client, request, RESTWAY_DELIVERY_DRAIN, probe_done,
        &probe, probe_destroy, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT, "done");
    assert_int_equal(probe.destroyed_count, 0);
    restway_client_close(client);
    assert_fails(restway_client_send_to(client, request, RESTWAY_DELIVERY_PROCESS, NULL, NULL,
        NULL, NULL, &failure), RESTWAY_E_CLOSED, "");
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(send_to__delivers_where_the_call_chose),
    TEST(send_to__opens_the_other_way_only_when_it_is_chosen),
    TEST(send_to__refuses_wrong_arguments),
};

const struct suite send_to_suite = SUITE(tests);
