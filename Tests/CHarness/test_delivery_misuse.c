/* Wrong use of delivery: NULL, the wrong mode, invalid sizes and waits. */
#include "delivery.h"
#include "harness.h"

static const restway_delivery modes[] = {
    RESTWAY_DELIVERY_THREAD, RESTWAY_DELIVERY_PROCESS, RESTWAY_DELIVERY_DRAIN};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static void delivery_functions__refuse_null(void **state) {
    (void)state;
    restway_event event;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    size_t count = 99;
    assert_refused(restway_client_process(NULL, 0, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_client_process(NULL, 0, NULL, &failure));
    count = 99;
    assert_refused(restway_client_drain(NULL, &event, 1, &count, &failure));
    assert_int_equal(count, 0);
    count = 99;
    assert_refused(restway_client_drain(client, NULL, 1, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_client_drain(client, &event, 1, NULL, &failure));
    assert_int_equal(restway_client_drain(NULL, NULL, 0, NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_client_process(NULL, -5, NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
    restway_client_release(client);
}

static void client_create__refuses_an_unknown_delivery(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *client = POISON;
    options.delivery = RESTWAY_DELIVERY_DRAIN + 1;
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "delivery");
    assert_null(client);
    options.delivery = UINT32_MAX;
    assert_refused(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
}

static void process__refuses_clients_of_another_mode(void **state) {
    (void)state;
    for (int index = 0; index < MODES; index++) {
        restway_client *client = make_client_delivering(modes[index]);
        if (modes[index] != RESTWAY_DELIVERY_PROCESS) {
            size_t count = 99;
            assert_fails(
                restway_client_process(client, 0, &count, &failure), RESTWAY_E_INVALID_ARGUMENT,
                "RESTWAY_DELIVERY_PROCESS");
            assert_int_equal(count, 0);
        }
        restway_client_release(client);
    }
}

static void drain__refuses_clients_of_another_mode(void **state) {
    (void)state;
    for (int index = 0; index < MODES; index++) {
        restway_client *client = make_client_delivering(modes[index]);
        if (modes[index] != RESTWAY_DELIVERY_DRAIN) {
            restway_event event;
            size_t count = 99;
            assert_fails(
                restway_client_drain(client, &event, 1, &count, &failure),
                RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_DELIVERY_DRAIN");
            assert_int_equal(count, 0);
        }
        restway_client_release(client);
    }
}

static void process__refuses_waits_that_are_none(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    size_t count = 99;
    assert_fails(
        restway_client_process(client, -2, &count, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "milliseconds");
    assert_int_equal(count, 0);
    assert_refused(restway_client_process(client, INT64_MIN, NULL, &failure));
    restway_client_release(client);
}

static void drain__refuses_no_room(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_event event;
    size_t count = 99;
    restway_call_release(send_and_complete(client, "status", NULL, NULL, NULL));
    assert_fails(
        restway_client_drain(client, &event, 0, &count, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "capacity");
    assert_int_equal(count, 0);
    assert_int_equal(is_readable(client, 0), 1);
    event = drain_event(client, RESTWAY_OK);
    restway_event_release(&event);
    restway_client_release(client);
}

/** A capacity may be larger than the number of events; only existing events are written. */
static void drain__takes_the_largest_capacity(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_event event;
    size_t count = 0;
    restway_call_release(send_and_complete(client, "status", NULL, NULL, NULL));
    assert_ok(restway_client_drain(client, &event, SIZE_MAX / 64, &count, &failure));
    assert_int_equal(count, 1);
    restway_event_release(&event);
    restway_client_release(client);
}

static void client_descriptor__is_there_for_hosts_with_a_loop(void **state) {
    (void)state;
    assert_int_equal(restway_client_descriptor(NULL), -1);
    for (int index = 0; index < MODES; index++) {
        restway_client *client = make_client_delivering(modes[index]);
        int32_t descriptor = restway_client_descriptor(client);
        assert_int_equal(descriptor >= 0, modes[index] != RESTWAY_DELIVERY_THREAD);
        assert_int_equal(restway_client_descriptor(client), descriptor);
        restway_client_release(client);
    }
}

static void perform__blocks_in_every_mode(void **state) {
    (void)state;
    for (int index = 0; index < MODES; index++) {
        restway_client *client = make_client_delivering(modes[index]);
        restway_response *response = fetch(client, "enterprises/3");
        assert_int_equal(restway_response_object_count(response), 1);
        restway_response_release(response);
        if (modes[index] != RESTWAY_DELIVERY_THREAD) {
            assert_int_equal(is_readable(client, 0), 0);
        }
        restway_client_release(client);
    }
}

static void call_wait__blocks_in_every_mode(void **state) {
    (void)state;
    for (int index = 0; index < MODES; index++) {
        restway_client *client = make_client_delivering(modes[index]);
        restway_request *request = make_get("status");
        restway_call *call = NULL;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        assert_ok(restway_call_wait(call, 0, NULL, &failure));
        restway_call_release(call);
        restway_request_release(request);
        restway_client_release(client);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(delivery_functions__refuse_null),
    TEST(client_create__refuses_an_unknown_delivery),
    TEST(process__refuses_clients_of_another_mode),
    TEST(drain__refuses_clients_of_another_mode),
    TEST(process__refuses_waits_that_are_none),
    TEST(drain__refuses_no_room),
    TEST(drain__takes_the_largest_capacity),
    TEST(client_descriptor__is_there_for_hosts_with_a_loop),
    TEST(perform__blocks_in_every_mode),
    TEST(call_wait__blocks_in_every_mode),
};

const struct suite delivery_misuse_suite = SUITE(tests);
