/* Attempts, policies and clocks, against the demo API. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "delivery.h"
#include "gate.h"
#include "harness.h"
#include "probe.h"
#include "realm.h"

#define NEVER_WAITS "\"retry\": {\"attempts\": 3, \"baseMilliseconds\": 0}"

/** Returns a path of the demo API that no other test and no other run uses. */
static const char *path_of(const char *place, const char *query) {
    static char path[128];
    static int count;
    snprintf(path, sizeof(path), "%s/harness-%d-%d%s", place, (int)getpid(), ++count, query);
    return path;
}

static void retry__a_busy_server_is_asked_again_when_it_says(void **state) {
    (void)state;
    static const char *const forms[] = {"?seconds=30", "?seconds=30&form=date"};
    for (size_t index = 0; index < 2; index++) {
        restway_clock *clock = NULL;
        restway_client *client = make_clocked("\"retry\": {\"attempts\": 2}", &clock);
        restway_request *request = make_get(path_of("busy", forms[index]));
        restway_call *call = NULL;
        restway_response *response = NULL;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        int64_t waited = advance_to_next(clock);
        // A date has whole seconds, and the clock has not moved since before it was made.
        assert_in_range(waited, 29000, index == 0 ? 30000 : 60000);
        assert_ok(restway_call_wait(call, 0, &response, &failure));
        assert_int_equal(restway_response_attempt_count(response), 2);
        restway_attempt attempt;
        assert_ok(restway_attempt_init(&attempt, sizeof(attempt), &failure));
        assert_ok(restway_response_attempt(response, 0, &attempt, &failure));
        assert_int_equal(attempt.http_status, 429);
        assert_ok(restway_response_attempt(response, 1, &attempt, &failure));
        assert_int_equal(attempt.reason, RESTWAY_ATTEMPT_RETRY);
        assert_int_equal(attempt.waited_microseconds, waited * 1000);
        restway_response_release(response);
        restway_call_release(call);
        restway_request_release(request);
        restway_client_release(client);
        restway_clock_release(clock);
    }
}

static void retry__a_flaky_server_is_met_with_patience(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(
        "\"retry\": {\"attempts\": 8, \"baseMilliseconds\": 1, \"capMilliseconds\": 2}", options);
    char path[128];
    size_t attempts = 0;
    snprintf(path, sizeof(path), "%s", path_of("flaky", "?seed=3&percent=30"));
    restway_request *request = make_get(path);
    for (int index = 0; index < 50; index++) {
        restway_response *response = NULL;
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        attempts += restway_response_attempt_count(response);
        restway_response_release(response);
    }
    // About three in ten requests fail; the seed decides which ones.
    assert_in_range(attempts, 60, 90);
    restway_request_release(request);
    restway_client_release(client);
}

static void retry__the_last_failure_tells_all_attempts(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    restway_request *request = make_get("bad/status/503");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "503");
    assert_int_equal(restway_error_attempt_count(failure), 3);
    assert_int_equal(restway_response_attempt_count(restway_error_response(failure)), 3);
    restway_attempt attempt = RESTWAY_ATTEMPT_INIT;
    restway_error *other = NULL;
    assert_int_equal(restway_error_attempt(failure, 2, &attempt, &other), RESTWAY_OK);
    assert_int_equal(attempt.status, RESTWAY_E_HTTP);
    assert_string_equal(attempt.api_code, "50399");
    assert_int_equal(
        restway_error_attempt(failure, 3, &attempt, &other), RESTWAY_E_INVALID_ARGUMENT);
    restway_error_release(other);
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static void retry__a_post_is_repeated_only_with_an_idempotency_key(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("POST", "bad/status/503", &request, &failure));
    for (size_t expected = 1; expected <= 3; expected += 2) {
        assert_fails_keeping(
            restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "503");
        assert_int_equal(restway_error_attempt_count(failure), expected);
        forget_failure();
        assert_ok(restway_request_set_idempotency_key(request, NULL, &failure));
    }
    restway_request_release(request);
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_idempotency_key(request, "key 7", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "\"idempotency-key\":\"key 7\"");
    assert_refused(restway_request_set_idempotency_key(request, "", &failure));
    assert_refused(restway_request_set_idempotency_key(request, "a\nb", &failure));
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void retry__a_policy_can_be_set_and_taken_away(void **state) {
    (void)state;
    static const char policy[] = "{\"attempts\": 2, \"codes\": [41899], \"baseMilliseconds\": 0}";
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/418");
    for (size_t expected = 1; expected <= 2; expected++) {
        assert_fails_keeping(
            restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "418");
        assert_int_equal(restway_error_attempt_count(failure), expected);
        forget_failure();
        assert_ok(restway_client_set_retry(client, policy, strlen(policy), &failure));
    }
    assert_ok(restway_client_set_retry(client, NULL, 0, &failure));
    assert_fails_keeping(
        restway_client_set_retry(client, "{\"attempts\": 0, \"cap\": 1}", 25, &failure),
        RESTWAY_E_CONFIG, "cap");
    assert_int_equal(restway_error_detail_count(failure), 2);
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

struct witness {
    struct gate gate;
    int count;
    size_t number;
    restway_attempt attempt;
};

static void witness_attempt(
    void *context, restway_call *call, size_t number, const restway_attempt *attempt) {
    struct witness *witness = context;
    witness->count += restway_call_id(call) > 0 ? 1 : 100;
    witness->number = number;
    witness->attempt = *attempt;
}

static void witness_begin(struct witness *witness) {
    memset(witness, 0, sizeof(*witness));
    gate_begin(&witness->gate, NULL);
}

static void witness_destroy(void *context) { gate_destroy(&((struct witness *)context)->gate); }

static void retry__an_observer_is_told_of_attempts_that_are_followed_by_others(void **state) {
    (void)state;
    struct witness witness;
    struct probe probe;
    witness_begin(&witness);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    assert_ok(restway_client_set_attempt_observer(
        client, witness_attempt, &witness, witness_destroy, &failure));
    probe_begin(&probe);
    probe_send(&probe, client, "bad/status/503", NULL);
    probe_expect(&probe, RESTWAY_E_HTTP);
    // Notices keep their order: the completion comes last.
    assert_int_equal(witness.count, 2);
    assert_int_equal(witness.number, 2);
    assert_int_equal(witness.attempt.http_status, 503);
    assert_ok(restway_client_set_attempt_observer(client, NULL, NULL, NULL, &failure));
    gate_expect_destroyed(&witness.gate, 0);
    restway_client_release(client);
}

static void retry__attempts_come_as_events_to_a_host_that_drains(void **state) {
    (void)state;
    struct witness witness;
    witness_begin(&witness);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.delivery = RESTWAY_DELIVERY_DRAIN;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    assert_ok(restway_client_set_attempt_observer(client, NULL, &witness, NULL, &failure));
    restway_event events[3];
    send_token(client, "bad/status/503", 77);
    drain_events(client, events, 3);
    for (int index = 0; index < 3; index++) {
        assert_int_equal(
            events[index].kind, index < 2 ? RESTWAY_EVENT_ATTEMPT : RESTWAY_EVENT_COMPLETED);
        assert_int_equal(events[index].status, RESTWAY_E_HTTP);
        assert_int_equal(events[index].token, 77);
        assert_int_equal(events[index].call_id, events[2].call_id);
        // Each event has its error, with the attempts until then.
        size_t number = (size_t)index + 1;
        restway_attempt attempt = RESTWAY_ATTEMPT_INIT;
        assert_int_equal(restway_error_attempt_count(events[index].payload.error), number);
        assert_ok(
            restway_error_attempt(events[index].payload.error, number - 1, &attempt, &failure));
        assert_int_equal(
            attempt.reason, index == 0 ? RESTWAY_ATTEMPT_FIRST : RESTWAY_ATTEMPT_RETRY);
        assert_int_equal(attempt.http_status, 503);
        assert_string_equal(attempt.api_code, "50399");
        assert_true(attempt.took_microseconds > 0);
    }
    for (int index = 0; index < 3; index++) {
        restway_event_release(&events[index]);
        assert_null(events[index].payload.error);
    }
    assert_int_equal(witness.count, 0);
    // The client drops events that are never drained; no further events are asked for.
    send_token(client, "bad/status/503", 78);
    while (!is_readable(client, 1000)) {
    }
    assert_ok(restway_client_set_attempt_observer(client, NULL, NULL, NULL, &failure));
    restway_client_release(client);
    assert_int_equal(witness.count, 0);
}

static void retry__attempts_are_processed_by_a_host_that_asks_for_its_notices(void **state) {
    (void)state;
    struct witness witness;
    witness_begin(&witness);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.delivery = RESTWAY_DELIVERY_PROCESS;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    assert_ok(restway_client_set_attempt_observer(
        client, witness_attempt, &witness, witness_destroy, &failure));
    struct probe probe;
    probe_begin(&probe);
    probe_send(&probe, client, "bad/status/503", NULL);
    process_notices(client, 3);
    assert_int_equal(witness.count, 2);
    assert_int_equal(witness.number, 2);
    probe_expect(&probe, RESTWAY_E_HTTP);
    restway_client_close(client);
    gate_expect_destroyed(&witness.gate, 0);
    restway_client_release(client);
}

static void clock__stands_still_until_it_is_moved(void **state) {
    (void)state;
    restway_clock *clock = NULL;
    restway_client *client = make_clocked("\"retry\": {\"attempts\": 2}", &clock);
    restway_clock *other = restway_clock_retain(clock);
    restway_request *request = make_get(path_of("busy", "?seconds=1"));
    restway_call *call = NULL;
    assert_int_equal(restway_clock_next_milliseconds(clock), -1);
    assert_int_equal(restway_clock_next_milliseconds(NULL), -1);
    assert_refused(restway_clock_advance(clock, -1, &failure));
    assert_refused(restway_clock_advance(clock, INT64_MAX, &failure));
    assert_refused(restway_clock_advance(NULL, 1, &failure));
    assert_refused(restway_clock_create(NULL, &failure));
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    while (restway_clock_next_milliseconds(clock) < 0) {
        sched_yield();
    }
    assert_int_equal(restway_call_is_complete(call), 0);
    restway_call_cancel(call);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    assert_int_equal(restway_clock_next_milliseconds(clock), -1);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    restway_clock_release(other);
    restway_clock_release(clock);
}

static const struct CMUnitTest tests[] = {
    TEST(retry__a_busy_server_is_asked_again_when_it_says),
    TEST(retry__a_flaky_server_is_met_with_patience),
    TEST(retry__the_last_failure_tells_all_attempts),
    TEST(retry__a_post_is_repeated_only_with_an_idempotency_key),
    TEST(retry__a_policy_can_be_set_and_taken_away),
    TEST(retry__an_observer_is_told_of_attempts_that_are_followed_by_others),
    TEST(retry__attempts_come_as_events_to_a_host_that_drains),
    TEST(retry__attempts_are_processed_by_a_host_that_asks_for_its_notices),
    TEST(clock__stands_still_until_it_is_moved),
};

const struct suite retry_suite = SUITE(tests);
