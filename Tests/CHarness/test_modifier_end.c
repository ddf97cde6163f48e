/* The modifier is replaced or removed, or its call ends while it runs. */
#include <stdlib.h>

#include "gate.h"
#include "harness.h"
#include "probe.h"

static restway_status stamp(struct gate *gate, restway_request *request) {
    gate->found[0] = restway_request_set_header(request, "X-Stamp", "first", NULL);
    return RESTWAY_OK;
}

static restway_status stamp_later(struct gate *gate, restway_request *request) {
    gate->found[0] = restway_request_set_header(request, "X-Stamp", "second", NULL);
    return RESTWAY_OK;
}

static void modifier__calls_keep_the_one_of_their_time(void **state) {
    (void)state;
    struct gate first, second;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    restway_call *call = NULL;
    restway_response *response = NULL;
    gate_set(&first, client, stamp);
    gate_shut(&first);
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    gate_wait_asked(&first, 1);
    gate_remove(&first);
    gate_set(&second, client, stamp_later);
    assert_true(gate_is_alive(&first));
    response = fetch(client, "echo");
    assert_holds(restway_response_json(response, NULL), "second");
    restway_response_release(response);
    assert_true(gate_is_alive(&first));
    gate_open(&first);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "first");
    gate_expect_destroyed(&first, 1);
    assert_true(gate_is_alive(&second));
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&second, 1);
}

static void modifier__is_destroyed_when_it_is_taken_away(void **state) {
    (void)state;
    struct gate gate;
    restway_client *client = make_client();
    gate_set(&gate, client, NULL);
    assert_true(gate_is_alive(&gate));
    gate_remove(&gate);
    gate_expect_destroyed(&gate, 0);
    restway_client_release(client);
}

static void modifier__is_destroyed_with_the_client(void **state) {
    (void)state;
    struct gate closed, released;
    restway_client *client = make_client();
    gate_set(&closed, client, NULL);
    restway_client_close(client);
    gate_expect_destroyed(&closed, 0);
    restway_client_release(client);
    client = make_client();
    gate_set(&released, client, NULL);
    restway_client_release(client);
    gate_expect_destroyed(&released, 0);
}

static void modifier__of_a_cancelled_call_answers_nobody(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_client *client = make_client();
    restway_call *call = NULL;
    probe_begin(&probe);
    gate_set(&gate, client, stamp);
    gate_shut(&gate);
    probe_send(&probe, client, "echo", &call);
    gate_wait_asked(&gate, 1);
    restway_call_cancel(call);
    assert_int_equal(restway_call_is_complete(call), 1);
    /* The notice does not wait for the modifier. */
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    gate_open(&gate);
    restway_response_release(fetch(client, "status"));
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    restway_call_release(call);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 2);
}

static void modifier__of_a_closed_client_answers_nobody(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_client *client = make_client();
    probe_begin(&probe);
    gate_set(&gate, client, stamp);
    gate_shut(&gate);
    probe_send(&probe, client, "echo", NULL);
    gate_wait_asked(&gate, 1);
    restway_client_close(client);
    probe_expect(&probe, RESTWAY_E_CLOSED);
    assert_true(gate_is_alive(&gate));
    gate_open(&gate);
    gate_expect_destroyed(&gate, 1);
    restway_client_release(client);
}

static void modifier__may_outlast_its_client(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_client *client = make_client();
    probe_begin(&probe);
    gate_set(&gate, client, stamp);
    gate_shut(&gate);
    probe_send(&probe, client, "echo", NULL);
    gate_wait_asked(&gate, 1);
    restway_client_release(client);
    probe_expect(&probe, RESTWAY_E_CLOSED);
    gate_open(&gate);
    gate_expect_destroyed(&gate, 1);
}

/** A refusal after the end of the call is dropped, like any other result. */
static restway_status refuse(struct gate *gate, restway_request *request) {
    (void)gate;
    (void)request;
    return RESTWAY_E_IO;
}

static void modifier__a_late_refusal_changes_nothing(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_client *client = make_client();
    restway_call *call = NULL;
    probe_begin(&probe);
    gate_set(&gate, client, refuse);
    gate_shut(&gate);
    probe_send(&probe, client, "echo", &call);
    gate_wait_asked(&gate, 1);
    assert_fails(restway_call_wait(call, 20, NULL, &failure), RESTWAY_E_TIMEOUT, "");
    gate_open(&gate);
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    restway_call_release(call);
    restway_client_release(client);
    gate_expect_destroyed(&gate, 1);
}

/** Inside the modifier: closes and releases the client, and removes the modifier. */
static restway_status saw_off_the_branch(struct gate *gate, restway_request *request) {
    (void)request;
    gate->found[0] = restway_client_remove_stage(gate->client, gate->number, NULL);
    restway_client_close(gate->client);
    restway_client_release(gate->client);
    return RESTWAY_OK;
}

static void modifier__may_end_its_client(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_client *client = make_client();
    probe_begin(&probe);
    gate_set(&gate, client, saw_off_the_branch);
    probe_send(&probe, client, "echo", NULL);
    probe_expect(&probe, RESTWAY_E_CLOSED);
    gate_expect_destroyed(&gate, 1);
    assert_int_equal(gate.found[0], RESTWAY_OK);
}

enum { GATES = 50, CALLS_PER_GATE = 4 };

static void modifier__replaced_while_calls_run(void **state) {
    (void)state;
    int gate_count = scaled(GATES), asked_count = 0;
    struct gate *gates = calloc((size_t)gate_count, sizeof(*gates));
    struct probe *probes = calloc((size_t)(gate_count * CALLS_PER_GATE), sizeof(*probes));
    restway_client *client = make_client();
    assert_non_null(gates);
    assert_non_null(probes);
    for (int index = 0; index < gate_count; index++) {
        if (index > 0) {
            gate_remove(&gates[index - 1]);
        }
        gate_set(&gates[index], client, stamp);
        for (int call = 0; call < CALLS_PER_GATE; call++) {
            struct probe *probe = &probes[index * CALLS_PER_GATE + call];
            probe_begin(probe);
            probe_send(probe, client, "status", NULL);
        }
    }
    for (int index = 0; index < gate_count * CALLS_PER_GATE; index++) {
        probe_expect(&probes[index], RESTWAY_OK);
    }
    restway_client_release(client);
    for (int index = 0; index < gate_count; index++) {
        gate_expect_destroyed(&gates[index], CALLS_PER_GATE);
        asked_count += gates[index].asked_count;
    }
    assert_int_equal(asked_count, gate_count * CALLS_PER_GATE);
    free(probes);
    free(gates);
}

static const struct CMUnitTest tests[] = {
    TEST(modifier__calls_keep_the_one_of_their_time),
    TEST(modifier__is_destroyed_when_it_is_taken_away),
    TEST(modifier__is_destroyed_with_the_client),
    TEST(modifier__of_a_cancelled_call_answers_nobody),
    TEST(modifier__of_a_closed_client_answers_nobody),
    TEST(modifier__may_outlast_its_client),
    TEST(modifier__a_late_refusal_changes_nothing),
    TEST(modifier__may_end_its_client),
    TEST(modifier__replaced_while_calls_run),
};

const struct suite modifier_end_suite = SUITE(tests);
