/* Delivery by drain(): events in place of notices. */
#include <string.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

static void drain__gives_one_event_for_a_call(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_call *call = send_and_complete(client, "status", NULL, &probe, probe_destroy);
    assert_int_equal(probe.destroyed_count, 0);
    restway_event event = drain_event(client, RESTWAY_OK);
    assert_true(event.token == (uint64_t)(uintptr_t)&probe);
    assert_true(event.call_id == restway_call_id(call));
    assert_int_equal(restway_response_status(event.payload.response), 200);
    expect_no_event(client);
    restway_event_release(&event);
    restway_call_release(call);
    restway_client_release(client);
    probe_expect_dropped(&probe);
}

static void drain__ends_contexts_before_it_returns(void **state) {
    (void)state;
    int late_count = 0;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = make_get("status");
    for (int round = 0; round < scaled(200); round++) {
        struct probe probe;
        probe_begin(&probe);
        assert_ok(restway_client_send(
            client, request, NULL, &probe, probe_destroy, NULL, &failure));
        restway_event event = drain_event(client, RESTWAY_OK);
        pthread_mutex_lock(&probe.lock);
        late_count += probe.destroyed_count == 1 ? 0 : 1;
        pthread_mutex_unlock(&probe.lock);
        probe_expect_dropped(&probe);
        restway_event_release(&event);
    }
    restway_request_release(request);
    restway_client_release(client);
    assert_int_equal(late_count, 0);
}

static void drain__the_token_may_be_any_number(void **state) {
    (void)state;
    static const uint64_t tokens[] = {0, 1, UINTPTR_MAX};
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    for (size_t index = 0; index < sizeof(tokens) / sizeof(tokens[0]); index++) {
        send_token(client, "status", tokens[index]);
        restway_event event = drain_event(client, RESTWAY_OK);
        assert_true(event.token == tokens[index]);
        restway_event_release(&event);
    }
    restway_client_release(client);
}

static void drain__one_at_a_time_keeps_the_order(void **state) {
    (void)state;
    enum { COUNT = 5 };
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    assert_int_equal(is_readable(client, 0), 0);
    for (uintptr_t token = 1; token <= COUNT; token++) {
        restway_call_release(send_and_complete(client, "status", NULL, (void *)token, NULL));
    }
    for (uintptr_t token = 1; token <= COUNT; token++) {
        wait_readable(client);
        restway_event event = drain_event(client, RESTWAY_OK);
        assert_true(event.token == token);
        restway_event_release(&event);
    }
    expect_no_event(client);
    restway_client_release(client);
}

static void drain__writes_only_what_it_counts(void **state) {
    (void)state;
    restway_event events[4], untouched;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    size_t count = 0;
    memset(events, 0x5a, sizeof(events));
    untouched = events[0];
    restway_call_release(send_and_complete(client, "status", NULL, NULL, NULL));
    restway_call_release(send_and_complete(client, "status", NULL, NULL, NULL));
    assert_ok(restway_client_drain(client, events, 4, &count, &failure));
    /* The second notice may not have been due before. */
    assert_true(count == 1 || count == 2);
    for (size_t index = count; index < 4; index++) {
        assert_memory_equal(&events[index], &untouched, sizeof(untouched));
    }
    if (count == 1) {
        events[1] = drain_event(client, RESTWAY_OK);
    }
    restway_event_release(&events[0]);
    restway_event_release(&events[1]);
    restway_client_release(client);
}

static void drain__a_failure_comes_as_an_error(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    send_token(client, "enterprises/99999", 7);
    restway_event event = drain_event(client, RESTWAY_E_HTTP);
    const restway_error *error = event.payload.error;
    assert_int_equal(restway_error_status(error), RESTWAY_E_HTTP);
    assert_int_equal(restway_error_http_status(error), 404);
    assert_non_null(restway_error_response(error));
    restway_client_release(client);
    assert_int_equal(restway_error_http_status(error), 404);
    restway_event_release(&event);
}

static void drain__a_payload_outlives_its_client(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    send_token(client, "enterprises/3", 7);
    restway_event event = drain_event(client, RESTWAY_OK);
    restway_client_release(client);
    restway_object *object = restway_response_object(event.payload.response, 0);
    assert_string_equal(restway_object_string(object, "name"), "Nordlicht Books Inc.");
    restway_event_release(&event);
}

static void drain__a_cancelled_call_has_its_event(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = make_get("bad/slow?ms=5000");
    restway_call *call = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    restway_call_cancel(call);
    restway_call_cancel(call);
    restway_event event = drain_event(client, RESTWAY_E_CANCELLED);
    assert_true(event.call_id == restway_call_id(call));
    expect_no_event(client);
    restway_event_release(&event);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
}

static void drain__refuses_a_notice_function(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = make_get("status");
    restway_call *call = POISON;
    assert_fails(
        restway_client_send(client, request, probe_done, &probe, probe_destroy, &call, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "done");
    assert_null(call);
    expect_no_event(client);
    restway_request_release(request);
    restway_client_release(client);
    assert_int_equal(probe.done_count, 0);
    assert_int_equal(probe.destroyed_count, 0);
}

static void drain__a_refused_send_has_no_event(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = NULL;
    assert_ok(restway_request_create_route(NULL, "nowhere", &request, &failure));
    assert_fails(
        restway_client_send(client, request, NULL, &probe, probe_destroy, NULL, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "nowhere");
    expect_no_event(client);
    restway_request_release(request);
    restway_client_release(client);
    assert_int_equal(probe.destroyed_count, 0);
}

static void event_release__any_event_any_number_of_times(void **state) {
    (void)state;
    restway_event event;
    memset(&event, 0, sizeof(event));
    restway_event_release(NULL);
    restway_event_release(&event);
    event.kind = 4711;
    restway_event_release(&event);
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    send_token(client, "status", 1);
    event = drain_event(client, RESTWAY_OK);
    restway_event_release(&event);
    assert_null(event.payload.response);
    restway_event_release(&event);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(drain__gives_one_event_for_a_call),
    TEST(drain__ends_contexts_before_it_returns),
    TEST(drain__the_token_may_be_any_number),
    TEST(drain__one_at_a_time_keeps_the_order),
    TEST(drain__writes_only_what_it_counts),
    TEST(drain__a_failure_comes_as_an_error),
    TEST(drain__a_payload_outlives_its_client),
    TEST(drain__a_cancelled_call_has_its_event),
    TEST(drain__refuses_a_notice_function),
    TEST(drain__a_refused_send_has_no_event),
    TEST(event_release__any_event_any_number_of_times),
};

const struct suite drain_suite = SUITE(tests);
