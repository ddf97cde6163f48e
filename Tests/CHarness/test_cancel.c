/* Calls that end early: cancelled, timed out, closed, or after the last release of their client. */
#include "harness.h"
#include "probe.h"

static void call_cancel__completes_the_call_once(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    restway_call *call = NULL;
    probe_send(&probe, client, "bad/slow?ms=5000", &call);
    assert_int_equal(restway_call_is_complete(call), 0);
    restway_call_cancel(call);
    restway_call_cancel(call);
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    assert_int_equal(probe.domain, RESTWAY_DOMAIN_CANCELLED);
    assert_int_equal(restway_call_is_complete(call), 1);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    restway_call_release(call);
    restway_client_release(client);
}

static void call_cancel__after_completion_changes_nothing(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    restway_call *call = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    restway_call_cancel(call);
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
}

static void call_cancel__leaves_the_store_alone(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_store *store = restway_client_store(client);
    for (int round = 0; round < scaled(20); round++) {
        struct probe probe;
        restway_call *call = NULL;
        size_t before = 0, after = 0;
        probe_begin(&probe);
        assert_ok(restway_store_count(store, NULL, &before, &failure));
        probe_send(&probe, client, "enterprises?per_page=5", &call);
        restway_call_cancel(call);
        probe_wait_done(&probe);
        assert_ok(restway_store_count(store, NULL, &after, &failure));
        if (probe.status == RESTWAY_E_CANCELLED) {
            assert_int_equal(after, before);
        } else {
            assert_int_equal(probe.status, RESTWAY_OK);
        }
        probe_expect(&probe, probe.status);
        restway_call_release(call);
    }
    restway_store_release(store);
    restway_client_release(client);
}

static void call_wait__gives_up_in_time_and_cancels(void **state) {
    (void)state;
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    restway_call *call = NULL;
    restway_response *response = POISON;
    probe_send(&probe, client, "bad/slow?ms=5000", &call);
    assert_fails_keeping(restway_call_wait(call, 50, &response, &failure), RESTWAY_E_TIMEOUT, "");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    forget_failure();
    assert_null(response);
    probe_wait_done(&probe);
    assert_int_equal(probe.done_count, 1);
    assert_true(probe.status == RESTWAY_E_CANCELLED || probe.status == RESTWAY_E_TIMEOUT);
    probe_expect(&probe, probe.status);
    restway_call_release(call);
    restway_client_release(client);
}

static void perform__gives_up_in_time(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=5000");
    restway_response *response = POISON;
    assert_fails(
        restway_client_perform(client, request, 50, &response, &failure), RESTWAY_E_TIMEOUT, "");
    assert_null(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void perform__keeps_the_time_out_of_the_request(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=5000");
    assert_ok(restway_request_set_timeout(request, 100, &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TIMEOUT, "bad/slow");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    restway_request_release(request);
    restway_client_release(client);
}

static void perform__keeps_the_time_out_of_the_client(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.timeout_milliseconds = 100;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("bad/slow?ms=5000");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TIMEOUT, "");
    restway_request_release(request);
    restway_client_release(client);
}

enum { IN_FLIGHT = 16 };

static void send_slow_ones(struct probe *probes, restway_client *client) {
    for (int index = 0; index < IN_FLIGHT; index++) {
        probe_begin(&probes[index]);
        probe_send(&probes[index], client, "bad/slow?ms=5000", NULL);
    }
}

static void client_close__completes_what_is_in_flight(void **state) {
    (void)state;
    struct probe probes[IN_FLIGHT];
    restway_client *client = make_client();
    send_slow_ones(probes, client);
    restway_client_close(client);
    for (int index = 0; index < IN_FLIGHT; index++) {
        probe_expect(&probes[index], RESTWAY_E_CLOSED);
        assert_int_equal(probes[index].domain, RESTWAY_DOMAIN_CANCELLED);
    }
    restway_client_release(client);
}

static void client_release__closes(void **state) {
    (void)state;
    struct probe probes[IN_FLIGHT];
    restway_client *client = make_client();
    send_slow_ones(probes, client);
    restway_client_release(client);
    for (int index = 0; index < IN_FLIGHT; index++) {
        probe_expect(&probes[index], RESTWAY_E_CLOSED);
    }
}

static void call__outlives_its_client(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=5000");
    restway_call *call = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    restway_request_release(request);
    restway_client_release(client);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CLOSED, "");
    restway_call_cancel(call);
    restway_call_release(call);
}

static const struct CMUnitTest tests[] = {
    TEST(call_cancel__completes_the_call_once),
    TEST(call_cancel__after_completion_changes_nothing),
    TEST(call_cancel__leaves_the_store_alone),
    TEST(call_wait__gives_up_in_time_and_cancels),
    TEST(perform__gives_up_in_time),
    TEST(perform__keeps_the_time_out_of_the_request),
    TEST(perform__keeps_the_time_out_of_the_client),
    TEST(client_close__completes_what_is_in_flight),
    TEST(client_release__closes),
    TEST(call__outlives_its_client),
};

const struct suite cancel_suite = SUITE(tests);
