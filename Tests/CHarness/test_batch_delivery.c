/* Notices and events of batch sessions. */
#include <string.h>

#include "answering.h"
#include "batching.h"
#include "delivery.h"

static void batch__its_events_come_behind_those_of_its_requests(void **state) {
    (void)state;
    restway_event events[3];
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_batch *batch = make_batch(client);
    restway_request *request = make_get("enterprises/3");
    for (uintptr_t token = 1; token <= 2; token++) {
        assert_ok(
            restway_batch_add(batch, request, NULL, (void *)token, NULL, NULL, &failure));
    }
    assert_refused(restway_batch_send(batch, batch_end_done, NULL, NULL, &failure));
    assert_ok(restway_batch_send(batch, NULL, (void *)(uintptr_t)9, NULL, &failure));
    drain_events(client, events, 3);
    for (size_t index = 0; index < 2; index++) {
        assert_int_equal(events[index].kind, RESTWAY_EVENT_COMPLETED);
        assert_int_equal(events[index].token, index + 1);
        assert_int_equal(restway_response_status(events[index].payload.response), 200);
        restway_event_release(&events[index]);
    }
    assert_int_equal(events[2].kind, RESTWAY_EVENT_BATCH);
    assert_int_equal(events[2].token, 9);
    assert_int_equal(events[2].status, RESTWAY_OK);
    assert_null(events[2].payload.error);
    restway_event_release(&events[2]);
    expect_no_event(client);
    restway_batch_release(batch);
    batch = make_batch(client);
    assert_ok(restway_batch_add(batch, request, NULL, NULL, NULL, NULL, &failure));
    restway_batch_cancel(batch);
    restway_event event = drain_event(client, RESTWAY_E_CANCELLED);
    restway_event_release(&event);
    assert_fails(
        restway_batch_send(batch, NULL, NULL, NULL, &failure), RESTWAY_E_CANCELLED, "");
    expect_no_event(client);
    restway_batch_release(batch);
    restway_request_release(request);
    restway_client_release(client);
}

static void batch__a_failed_session_has_an_event_with_an_error(void **state) {
    (void)state;
    restway_event events[2];
    struct answering_server server;
    answering_begin(&server);
    answering_set(&server, 200, "{}");
    restway_api *api = make_api();
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    options.base_url = server.url;
    options.delivery = RESTWAY_DELIVERY_DRAIN;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_batch *batch = make_batch(client);
    batch_add_get(batch, "status", NULL);
    assert_ok(restway_batch_send(batch, NULL, (void *)(uintptr_t)5, NULL, &failure));
    drain_events(client, events, 2);
    assert_int_equal(events[0].status, RESTWAY_E_BATCH);
    assert_int_equal(events[1].kind, RESTWAY_EVENT_BATCH);
    assert_int_equal(events[1].status, RESTWAY_E_BATCH);
    assert_holds(restway_error_message(events[1].payload.error), "not an array");
    restway_event_release(&events[0]);
    restway_event_release(&events[1]);
    restway_batch_release(batch);
    restway_client_release(client);
    restway_api_release(api);
    answering_end(&server);
}

static void batch__its_notices_are_processed_in_order(void **state) {
    (void)state;
    struct probe probe;
    struct batch_end end;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_batch *batch = make_batch(client);
    memset(&end, 0, sizeof(end));
    probe_begin(&end.probe);
    end.request = &probe;
    batch_add_get(batch, "status", &probe);
    assert_ok(restway_batch_send(batch, batch_end_done, &end, probe_destroy, &failure));
    assert_ok(restway_batch_wait(batch, 0, &failure));
    assert_int_equal(probe.done_count + end.count, 0);
    process_notices(client, 2);
    assert_int_equal(end.count, 1);
    assert_int_equal(end.told_before, 1);
    probe_expect(&probe, RESTWAY_OK);
    probe_expect_dropped(&end.probe);
    restway_batch_release(batch);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(batch__its_events_come_behind_those_of_its_requests),
    TEST(batch__a_failed_session_has_an_event_with_an_error),
    TEST(batch__its_notices_are_processed_in_order),
};

const struct suite batch_delivery_suite = SUITE(tests);
