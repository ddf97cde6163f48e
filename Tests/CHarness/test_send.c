/* Sending: each call completes once, its context is destroyed once, and callbacks may call any
 * function. */
#include <string.h>

#include "harness.h"
#include "probe.h"

static void send__completes_once_then_destroys(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    restway_call *call = NULL;
    probe_send(&probe, client, "status", &call);
    assert_non_null(call);
    probe_expect(&probe, RESTWAY_OK);
    assert_false(pthread_equal(probe.thread, pthread_self()));
    assert_int_equal(restway_call_is_complete(call), 1);
    restway_call_release(call);
    restway_client_release(client);
    probe_expect(&probe, RESTWAY_OK);
}

static void send__may_forget_the_call(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    probe_send(&probe, client, "status", NULL);
    probe_expect(&probe, RESTWAY_OK);
    restway_client_release(client);
}

static void send__without_callbacks_is_waited_for(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    restway_call *call = NULL;
    restway_response *response = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
}

static void send__failing_at_once_calls_nothing_back(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_call *call = POISON;
    assert_ok(restway_request_create_route(NULL, "nowhere", &request, &failure));
    assert_fails(
        restway_client_send(
            client, request, probe_done, &probe, probe_destroy, &call, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "nowhere");
    assert_null(call);
    restway_request_release(request);
    restway_client_release(client);
    assert_int_equal(probe.done_count, 0);
    assert_int_equal(probe.destroyed_count, 0);
}

static void send__of_a_route_that_cannot_be(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    assert_ok(restway_request_create_route(NULL, "enterprise", &request, &failure));
    assert_fails_keeping(
        restway_client_send(client, request, NULL, NULL, NULL, NULL, &failure),
        RESTWAY_E_MISSING_VARIABLE, "itemID");
    assert_string_equal(restway_error_field(failure), "itemID");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_ROUTE);
    forget_failure();
    restway_value null = restway_value_null();
    assert_ok(restway_request_set_variable(request, "itemID", &null, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_MISSING_VARIABLE,
        "itemID");
    restway_request_release(request);
    assert_ok(restway_request_create_route("PATCH", "enterprise", &request, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_METHOD_NOT_ALLOWED,
        "PATCH");
    restway_request_release(request);
    request = make_get("http://127.0.0.1:9/absolute");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_URL,
        "absolute");
    restway_request_release(request);
    restway_client_release(client);
}

/** Blocking calls inside a notice: a call of the client, and a wait for another pending call. */
static void block(struct probe *probe, restway_call *call, restway_response *response) {
    restway_error *error = NULL;
    (void)call;
    (void)response;
    probe->found[0] = restway_client_perform(probe->client, probe->request, 0, NULL, &error);
    probe->found[1] = restway_error_status(error);
    restway_error_release(error);
    probe->found[2] = restway_call_wait(probe->call, 1000, NULL, NULL);
    probe->found[3] = restway_call_wait(call, 0, NULL, NULL);
}

static void send__a_blocking_call_inside_a_callback_would_block(void **state) {
    (void)state;
    struct probe pending, probe;
    probe_begin(&pending);
    probe_begin(&probe);
    restway_client *client = make_client();
    probe_send(&pending, client, "bad/slow?ms=5000", &probe.call);
    probe.work = block;
    probe.client = client;
    probe.request = make_get("status");
    probe_send(&probe, client, "status", NULL);
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(probe.found[0], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(probe.found[1], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(probe.found[2], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(probe.found[3], RESTWAY_OK);
    restway_call_cancel(probe.call);
    probe_expect(&pending, RESTWAY_E_CANCELLED);
    restway_call_release(probe.call);
    restway_request_release(probe.request);
    restway_client_release(client);
}

/** Releases the last references to everything inside the notice. */
static void release_all(struct probe *probe, restway_call *call, restway_response *response) {
    restway_call_release(restway_call_retain(call));
    restway_response_release(restway_response_retain(response));
    restway_request_release(probe->request);
    restway_call_release(probe->call);
    restway_client_release(probe->client);
}

static void send__the_last_release_may_be_inside_the_callback(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    probe.client = make_client();
    probe.request = make_get("bad/slow?ms=50");
    probe.work = release_all;
    assert_ok(restway_client_send(
        probe.client, probe.request, probe_done, &probe, probe_destroy, &probe.call, &failure));
    probe_expect(&probe, RESTWAY_OK);
}

/** Sends the next request inside the notice of the one before. */
static void send_next(struct probe *probe, restway_call *call, restway_response *response) {
    struct probe *next = probe + 1;
    (void)call;
    (void)response;
    if (next->request != NULL) {
        probe->found[0] = restway_client_send(
            probe->client, next->request, probe_done, next, probe_destroy, NULL, NULL);
    }
}

static void send__a_callback_may_send(void **state) {
    (void)state;
    enum { LENGTH = 5 };
    struct probe chain[LENGTH];
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    for (int index = 0; index < LENGTH; index++) {
        probe_begin(&chain[index]);
        chain[index].client = client;
        chain[index].request = request;
        chain[index].work = index + 1 < LENGTH ? send_next : NULL;
    }
    assert_ok(restway_client_send(
        client, request, probe_done, &chain[0], probe_destroy, NULL, &failure));
    for (int index = 0; index < LENGTH; index++) {
        probe_expect(&chain[index], RESTWAY_OK);
        assert_int_equal(chain[index].found[0], RESTWAY_OK);
    }
    restway_request_release(request);
    restway_client_release(client);
}

static void close_client(struct probe *probe, restway_call *call, restway_response *response) {
    (void)call;
    (void)response;
    restway_client_close(probe->client);
}

static void send__a_callback_may_close_the_client(void **state) {
    (void)state;
    struct probe probe, pending;
    probe_begin(&probe);
    probe_begin(&pending);
    restway_client *client = make_client();
    probe.client = client;
    probe.work = close_client;
    probe_send(&pending, client, "bad/slow?ms=5000", NULL);
    probe_send(&probe, client, "status", NULL);
    probe_expect(&probe, RESTWAY_OK);
    probe_expect(&pending, RESTWAY_E_CLOSED);
    restway_client_release(client);
}

static void call_id__is_unique_and_grows(void **state) {
    (void)state;
    enum { COUNT = 10 };
    restway_client *clients[2] = {make_client(), make_client()};
    restway_request *request = make_get("status");
    uint64_t last = 0;
    for (int index = 0; index < COUNT; index++) {
        restway_call *call = NULL;
        assert_ok(restway_client_send(
            clients[index % 2], request, NULL, NULL, NULL, &call, &failure));
        assert_true(restway_call_id(call) > last);
        last = restway_call_id(call);
        assert_ok(restway_call_wait(call, 0, NULL, &failure));
        assert_true(restway_call_id(call) == last);
        restway_call_release(call);
    }
    restway_request_release(request);
    restway_client_release(clients[0]);
    restway_client_release(clients[1]);
}

static void call_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_call_retain(NULL));
    restway_call_release(NULL);
    restway_call_cancel(NULL);
    assert_int_equal(restway_call_is_complete(NULL), 1);
    assert_true(restway_call_id(NULL) == 0);
}

static const struct CMUnitTest tests[] = {
    TEST(send__completes_once_then_destroys),
    TEST(send__may_forget_the_call),
    TEST(send__without_callbacks_is_waited_for),
    TEST(send__failing_at_once_calls_nothing_back),
    TEST(send__of_a_route_that_cannot_be),
    TEST(send__a_blocking_call_inside_a_callback_would_block),
    TEST(send__the_last_release_may_be_inside_the_callback),
    TEST(send__a_callback_may_send),
    TEST(send__a_callback_may_close_the_client),
    TEST(call_id__is_unique_and_grows),
    TEST(call_release__of_null_is_fine),
};

const struct suite send_suite = SUITE(tests);
