/* Modifiers, which may change each request before it is sent. */
#include <string.h>

#include "delivery.h"
#include "gate.h"
#include "harness.h"
#include "probe.h"

static restway_status add_token(struct gate *gate, restway_request *request) {
    restway_value value = restway_value_int64(7);
    gate->found[0] = restway_request_set_header(request, "X-Stamp", "seen", NULL);
    gate->found[1] = restway_request_set_parameter(request, "page", &value, NULL);
    return RESTWAY_OK;
}

static void modifier__changes_reach_the_wire(void **state) {
    (void)state;
    static const restway_delivery modes[] = {
        RESTWAY_DELIVERY_THREAD, RESTWAY_DELIVERY_PROCESS, RESTWAY_DELIVERY_DRAIN};
    for (size_t index = 0; index < sizeof(modes) / sizeof(modes[0]); index++) {
        struct gate gate;
        restway_client *client = make_client_delivering(modes[index]);
        gate_set(&gate, client, add_token);
        restway_response *response = fetch(client, "echo");
        const char *echo = restway_response_json(response, NULL);
        assert_holds(echo, "\"x-stamp\":\"seen\"");
        assert_holds(echo, "\"page\":\"7\"");
        assert_false(pthread_equal(gate.thread, pthread_self()));
        assert_int_equal(gate.found[0], RESTWAY_OK);
        assert_int_equal(gate.found[1], RESTWAY_OK);
        restway_response_release(response);
        restway_client_release(client);
        gate_expect_destroyed(&gate, 1);
    }
}

static restway_status fill_path_and_body(struct gate *gate, restway_request *request) {
    restway_value value = restway_value_string("filled");
    gate->found[0] = restway_request_set_variable(request, "name", &value, NULL);
    gate->found[1] = restway_request_set_body(request, "late", 4, "text/plain", NULL);
    return RESTWAY_OK;
}

static void modifier__sets_variables_and_bodies(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_value value = restway_value_string("early");
    gate_set(&gate, client, fill_path_and_body);
    assert_ok(restway_request_create("POST", "echo/:name", &request, &failure));
    assert_ok(restway_request_set_variable(request, "name", &value, &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "/v2/echo/filled");
    assert_holds(restway_response_json(response, NULL), "\"body\":\"late\"");
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

static restway_status shorten_timeout(struct gate *gate, restway_request *request) {
    gate->found[0] = restway_request_set_timeout(request, 100, NULL);
    return RESTWAY_OK;
}

static void modifier__sets_the_time_out(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=3000");
    gate_set(&gate, client, shorten_timeout);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TIMEOUT, "bad/slow");
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

static void modifier__works_on_a_private_copy(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    restway_response *response = NULL;
    gate_set(&gate, client, add_token);
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    gate_remove(&gate);
    gate_expect_destroyed(&gate, 1);
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_null(strstr(restway_response_json(response, NULL), "seen"));
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void modifier__is_asked_once_whatever_the_redirects(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    gate_set(&gate, client, NULL);
    restway_response_release(fetch(client, "redirect/3"));
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

static restway_status refuse_with_found(struct gate *gate, restway_request *request) {
    (void)request;
    return gate->found[0];
}

static void modifier__refuses_with_its_status(void **state) {
    (void)state;
    static const restway_status statuses[] = {
        RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_OUT_OF_MEMORY, RESTWAY_E_CANCELLED, RESTWAY_E_TIMEOUT,
        RESTWAY_E_IO, RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_CONNECT, RESTWAY_E_HTTP,
        RESTWAY_E_MAPPING, RESTWAY_E_NO_OBJECT, RESTWAY_E_STORE};
    struct gate gate;
    restway_client *client = make_client();
    gate_set(&gate, client, refuse_with_found);
    for (size_t index = 0; index < sizeof(statuses) / sizeof(statuses[0]); index++) {
        struct probe probe;
        probe_begin(&probe);
        gate.found[0] = statuses[index];
        probe_send(&probe, client, "echo", NULL);
        probe_expect(&probe, statuses[index]);
    }
    restway_client_release(client);
    gate_expect_destroyed(&gate, sizeof(statuses) / sizeof(statuses[0]));
}

/** This version does not define the status: the call fails nevertheless, with an error that says
 *  so. */
static void modifier__refuses_with_any_number(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    gate_set(&gate, client, refuse_with_found);
    gate.found[0] = (restway_status)4711;
    restway_status status = restway_client_perform(client, request, 0, NULL, &failure);
    assert_true(status != RESTWAY_OK && restway_error_status(failure) == status);
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

static restway_status break_request(struct gate *gate, restway_request *request) {
    restway_value null = restway_value_null();
    gate->found[0] = restway_request_set_variable(request, "itemID", &null, NULL);
    return RESTWAY_OK;
}

static void modifier__a_request_that_it_breaks_fails(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/:itemID");
    restway_value identity = restway_value_int64(3);
    assert_ok(restway_request_set_variable(request, "itemID", &identity, &failure));
    gate_set(&gate, client, break_request);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_MISSING_VARIABLE,
        "itemID");
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

static restway_status block_inside(struct gate *gate, restway_request *request) {
    restway_call *call = NULL;
    size_t count = 0;
    (void)request;
    /* The inner call also has the modifier: only its first call makes another one. */
    if (gate->asked_count > 1) {
        return RESTWAY_OK;
    }
    gate->found[0] = restway_client_perform(gate->client, gate->request, 0, NULL, NULL);
    gate->found[1] =
        restway_client_send(gate->client, gate->request, NULL, NULL, NULL, &call, NULL);
    gate->found[2] = restway_call_wait(call, 1000, NULL, NULL);
    gate->found[3] = restway_client_process(gate->client, 0, &count, NULL);
    restway_call_cancel(call);
    restway_call_release(call);
    return RESTWAY_OK;
}

static void modifier__a_blocking_call_inside_would_block(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_request *slow = make_get("bad/slow?ms=2000");
    gate_set(&gate, client, block_inside);
    gate.request = slow;
    restway_response_release(fetch(client, "status"));
    assert_int_equal(gate.found[0], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(gate.found[1], RESTWAY_OK);
    assert_int_equal(gate.found[2], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(gate.found[3], RESTWAY_E_WOULD_BLOCK);
    restway_request_release(slow);
    restway_client_release(client);
    gate_expect_destroyed(&gate, -1);
}

static void modifier__added_wrongly(void **state) {
    (void)state;
    static const char *const none[] = {NULL};
    static const char *const bad[] = {BAD_UTF8};
    static const char *const unknown[] = {"nobody"};
    struct gate gate;
    int64_t number = 99;
    gate_begin(&gate, NULL);
    restway_client *client = make_client();
    assert_refused(restway_client_add_modifier(
        NULL, gate_ask, NULL, 0, &gate, gate_destroy, &number, &failure));
    assert_int_equal(number, 0);
    assert_refused(restway_client_add_modifier(
        client, NULL, NULL, 0, &gate, gate_destroy, NULL, &failure));
    assert_refused(restway_client_add_modifier(
        client, gate_ask, NULL, 1, &gate, gate_destroy, NULL, &failure));
    assert_refused(restway_client_add_modifier(
        client, gate_ask, none, 1, &gate, gate_destroy, NULL, &failure));
    assert_refused(restway_client_add_modifier(
        client, gate_ask, bad, 1, &gate, gate_destroy, NULL, &failure));
    assert_fails(
        restway_client_add_modifier(
            client, gate_ask, unknown, 1, &gate, gate_destroy, NULL, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "nobody");
    assert_refused(restway_client_remove_stage(NULL, 1, &failure));
    assert_refused(restway_client_remove_stage(client, 1, &failure));
    assert_ok(
        restway_client_add_modifier(client, gate_ask, NULL, 0, NULL, NULL, &number, &failure));
    assert_ok(restway_client_remove_stage(client, number, &failure));
    assert_refused(restway_client_remove_stage(client, number, &failure));
    restway_client_close(client);
    assert_fails(
        restway_client_add_modifier(
            client, gate_ask, NULL, 0, &gate, gate_destroy, NULL, &failure),
        RESTWAY_E_CLOSED, "closed");
    assert_fails(restway_client_remove_stage(client, 1, &failure), RESTWAY_E_CLOSED, "closed");
    restway_client_release(client);
    assert_int_equal(gate.destroyed_count, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(modifier__changes_reach_the_wire),
    TEST(modifier__sets_variables_and_bodies),
    TEST(modifier__sets_the_time_out),
    TEST(modifier__works_on_a_private_copy),
    TEST(modifier__is_asked_once_whatever_the_redirects),
    TEST(modifier__refuses_with_its_status),
    TEST(modifier__refuses_with_any_number),
    TEST(modifier__a_request_that_it_breaks_fails),
    TEST(modifier__a_blocking_call_inside_would_block),
    TEST(modifier__added_wrongly),
};

const struct suite modifier_suite = SUITE(tests);
