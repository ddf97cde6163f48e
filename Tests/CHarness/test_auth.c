/* Authentication against the demo API: schemes of the document, and functions of the program. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "delivery.h"
#include "gate.h"
#include "harness.h"
#include "realm.h"

enum { CALLS = 200 };

/** A refresh function that asks the realm for a token through its own client, asynchronously. */
static void two_hundred_calls(restway_delivery mode) {
    struct realm realm;
    realm_begin(&realm, mode, "?mode=slow&ms=100");
    restway_call *calls[CALLS];
    restway_request *request = realm_request(&realm, "me");
    for (int index = 0; index < CALLS; index++) {
        assert_ok(restway_client_send(
            realm.client, request, NULL, NULL, NULL, &calls[index], &failure));
    }
    for (int index = 0; index < CALLS; index++) {
        restway_response *response = NULL;
        assert_ok(restway_call_wait(calls[index], 0, &response, &failure));
        assert_int_equal(restway_response_status(response), 200);
        assert_holds(restway_response_json(response, NULL), realm.name);
        restway_response_release(response);
        restway_call_release(calls[index]);
    }
    restway_request_release(request);
    assert_int_equal(realm.refresh_count, 1);
    assert_int_equal(realm_log(&realm, "issued"), 1);
    assert_int_equal(realm_log(&realm, "refreshing_max"), 1);
    realm_end(&realm);
}

static void auth__two_hundred_calls_with_an_expired_token_cause_one_refresh(void **state) {
    (void)state;
    two_hundred_calls(RESTWAY_DELIVERY_THREAD);
}

static void auth__questions_are_asked_on_a_worker_also_when_the_host_drains(void **state) {
    (void)state;
    two_hundred_calls(RESTWAY_DELIVERY_DRAIN);
}

static void auth__a_failed_refresh_tells_its_reason_until_the_credential_changes(void **state) {
    (void)state;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    realm.failure = "the user has logged out";
    realm.is_final = 1;
    restway_request *request = realm_request(&realm, "me");
    for (int round = 0; round < 2; round++) {
        assert_fails_keeping(
            restway_client_perform(realm.client, request, 0, NULL, &failure), RESTWAY_E_AUTH,
            "the user has logged out");
        assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_AUTH);
        assert_int_equal(restway_error_is_retryable(failure), 0);
        forget_failure();
        assert_int_equal(realm.refresh_count, 1);
    }
    realm.failure = NULL;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    credential.token = "also dead";
    assert_ok(restway_client_set_credential(realm.client, &credential, &failure));
    assert_ok(restway_client_perform(realm.client, request, 0, NULL, &failure));
    assert_int_equal(realm.refresh_count, 2);
    assert_ok(restway_client_set_credential(realm.client, NULL, &failure));
    restway_request_release(request);
    realm_end(&realm);
}

static void destroy_gate(void *context) { gate_destroy(context); }

/** Sends @p request, which fails without a credential; returns the cause of the error. */
static void *cause_of(struct realm *realm, const restway_request *request) {
    assert_fails_keeping(
        restway_client_perform(realm->client, request, 0, NULL, &failure), RESTWAY_E_AUTH,
        "no network");
    assert_int_equal(restway_error_is_retryable(failure), 1);
    void *cause = restway_error_cause(failure);
    forget_failure();
    return cause;
}

static void auth__a_refresh_that_failed_for_now_is_asked_again_after_a_second(void **state) {
    (void)state;
    struct realm realm;
    struct gate causes[2];
    restway_clock *clock = NULL;
    gate_begin(&causes[0], NULL);
    gate_begin(&causes[1], NULL);
    assert_ok(restway_clock_create(&clock, &failure));
    realm_begin_clocked(&realm, RESTWAY_DELIVERY_THREAD, "", clock);
    realm.failure = "no network";
    realm.cause = &causes[0];
    realm.destroy = destroy_gate;
    restway_request *request = realm_request(&realm, "me");
    assert_ptr_equal(cause_of(&realm, request), &causes[0]);
    realm.cause = &causes[1];
    assert_ok(restway_clock_advance(clock, 999, &failure));
    assert_ptr_equal(cause_of(&realm, request), &causes[0]);
    assert_int_equal(realm.refresh_count, 1);
    assert_true(gate_is_alive(&causes[0]));
    assert_ok(restway_clock_advance(clock, 1, &failure));
    assert_ptr_equal(cause_of(&realm, request), &causes[1]);
    assert_int_equal(realm.refresh_count, 2);
    realm.failure = NULL;
    assert_ok(restway_clock_advance(clock, 1000, &failure));
    assert_ok(restway_client_perform(realm.client, request, 0, NULL, &failure));
    assert_int_equal(realm.refresh_count, 3);
    restway_request_release(request);
    realm_end(&realm);
    restway_clock_release(clock);
    gate_expect_destroyed(&causes[0], 0);
    gate_expect_destroyed(&causes[1], 0);
}

static void auth__credentials_are_checked_where_they_enter(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    static const char *const schemes[] = {"basic", "digest", "bearer"};
    for (size_t index = 0; index < sizeof(schemes) / sizeof(schemes[0]); index++) {
        char sections[64];
        snprintf(sections, sizeof(sections), "\"auth\": {\"scheme\": \"%s\"}", schemes[index]);
        restway_client *client = make_client_of(sections, options);
        restway_credential credential = RESTWAY_CREDENTIAL_INIT;
        credential.user = "a:b";
        if (index < 2) {
            assert_fails_keeping(
                restway_client_set_credential(client, &credential, &failure),
                RESTWAY_E_INVALID_ARGUMENT, "colon");
            assert_string_equal(restway_error_field(failure), "credential.user");
            forget_failure();
        } else {
            assert_ok(restway_client_set_credential(client, &credential, &failure));
        }
        credential.user = "ann";
        credential.password = "hush\n";
        assert_fails(
            restway_client_set_credential(client, &credential, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "credential.password holds a control character");
        credential.password = " pass : word ";
        assert_ok(restway_client_set_credential(client, &credential, &failure));
        restway_client_release(client);
    }
}

static void auth__a_refresh_can_be_completed_later_from_any_thread_and_only_once(void **state) {
    (void)state;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    realm.keeps_refresh = 1;
    restway_request *request = realm_request(&realm, "me");
    restway_call *call = NULL;
    assert_ok(restway_client_send(realm.client, request, NULL, NULL, NULL, &call, &failure));
    restway_refresh *refresh = realm_wait_refresh(&realm);
    restway_refresh *other = restway_refresh_retain(refresh);
    assert_int_equal(restway_call_is_complete(call), 0);
    realm_get_token(&realm);
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    credential.token = realm.token;
    assert_ok(restway_refresh_succeed(refresh, &credential, &failure));
    assert_fails(restway_refresh_succeed(other, NULL, &failure), RESTWAY_E_CLOSED, "over");
    assert_fails(
        restway_refresh_fail(other, "late", 0, NULL, NULL, &failure), RESTWAY_E_CLOSED, "over");
    restway_refresh_release(refresh);
    restway_refresh_release(other);
    restway_response *response = NULL;
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_int_equal(restway_response_attempt_count(response), 2);
    restway_attempt attempt = RESTWAY_ATTEMPT_INIT;
    assert_ok(restway_response_attempt(response, 0, &attempt, &failure));
    assert_int_equal(attempt.reason, RESTWAY_ATTEMPT_FIRST);
    assert_int_equal(attempt.status, RESTWAY_E_HTTP);
    assert_int_equal(attempt.http_status, 401);
    assert_string_equal(attempt.api_code, "40100");
    assert_ok(restway_response_attempt(response, 1, &attempt, &failure));
    assert_int_equal(attempt.reason, RESTWAY_ATTEMPT_REPLAY);
    assert_int_equal(attempt.status, RESTWAY_OK);
    assert_null(attempt.api_code);
    assert_refused(restway_response_attempt(response, 2, &attempt, &failure));
    assert_string_equal(realm.persisted, realm.token);
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    realm_end(&realm);
}

static void auth__a_released_refresh_has_failed_and_a_waiting_call_can_be_cancelled(void **state) {
    (void)state;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    realm.keeps_refresh = 1;
    restway_request *request = realm_request(&realm, "me");
    restway_call *first = NULL;
    restway_call *second = NULL;
    assert_ok(restway_client_send(realm.client, request, NULL, NULL, NULL, &first, &failure));
    restway_refresh *refresh = realm_wait_refresh(&realm);
    assert_ok(restway_client_send(realm.client, request, NULL, NULL, NULL, &second, &failure));
    restway_call_cancel(second);
    assert_fails(restway_call_wait(second, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    restway_refresh_release(refresh);
    assert_fails(restway_call_wait(first, 0, NULL, &failure), RESTWAY_E_AUTH, "dropped");
    restway_call_release(first);
    restway_call_release(second);
    restway_request_release(request);
    realm_end(&realm);
}

static void auth__closing_completes_who_waits_for_a_refresh(void **state) {
    (void)state;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    realm.keeps_refresh = 1;
    restway_request *request = realm_request(&realm, "me");
    restway_call *call = NULL;
    assert_ok(restway_client_send(realm.client, request, NULL, NULL, NULL, &call, &failure));
    restway_refresh *refresh = realm_wait_refresh(&realm);
    restway_client_close(realm.client);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CLOSED, "");
    assert_fails(restway_refresh_succeed(refresh, NULL, &failure), RESTWAY_E_CLOSED, "over");
    restway_refresh_release(refresh);
    assert_fails(
        restway_client_set_credential(realm.client, NULL, &failure), RESTWAY_E_CLOSED, "");
    restway_call_release(call);
    restway_request_release(request);
    realm_end(&realm);
}

static int32_t expired_by_code(void *context, const restway_error *error) {
    int *asked = context;
    const char *code = restway_error_api_code(error);
    *asked += 1;
    return restway_error_http_status(error) == 400 && code != NULL && strcmp(code, "40004") == 0
           && restway_error_response(error) != NULL;
}

static void auth__should_replay_sees_the_api_s_own_code(void **state) {
    (void)state;
    int asked = 0;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    assert_ok(restway_client_set_should_replay(
        realm.client, expired_by_code, &asked, NULL, &failure));
    restway_request *request = realm_request(&realm, "me?style=code");
    assert_ok(restway_client_perform(realm.client, request, 0, NULL, &failure));
    assert_int_equal(asked, 1);
    assert_int_equal(realm.refresh_count, 1);
    restway_request_release(request);
    realm_end(&realm);
}

struct signer {
    struct gate gate;
    int asked;
    restway_status answer;
    char seen[256];
};

static restway_status sign(void *context, restway_exchange *exchange) {
    struct signer *signer = context;
    size_t length = 0;
    const char *body = restway_exchange_body(exchange, &length);
    signer->asked++;
    snprintf(
        signer->seen, sizeof(signer->seen), "%s %s %s %d %.*s", restway_exchange_method(exchange),
        strstr(restway_exchange_url(exchange), "/v2/"),
        restway_exchange_header(exchange, "content-TYPE"), restway_exchange_attempt(exchange),
        (int)length, body != NULL ? body : "");
    if (restway_exchange_set_header(exchange, "X-Signature", "signed", NULL) != RESTWAY_OK
        || restway_exchange_set_header(exchange, "Accept", NULL, NULL) != RESTWAY_OK
        || restway_exchange_add_parameter(exchange, "key", "a&b", NULL) != RESTWAY_OK
        || restway_exchange_set_header(exchange, "X Y", "1", NULL) != RESTWAY_E_INVALID_ARGUMENT
        || restway_exchange_add_parameter(exchange, "", "1", NULL) != RESTWAY_E_INVALID_ARGUMENT
        || restway_exchange_header(exchange, "Accept") != NULL) {
        return RESTWAY_E_INTERNAL;
    }
    return signer->answer;
}

static restway_status refuse_to_sign(void *context, restway_exchange *exchange) {
    struct gate *causes = context;
    if (restway_exchange_set_refusal(exchange, NULL, NULL, NULL, NULL) != RESTWAY_E_INVALID_ARGUMENT
        || restway_exchange_set_refusal(exchange, "not yet", &causes[0], destroy_gate, NULL)
               != RESTWAY_OK
        || !gate_is_alive(&causes[0])
        || restway_exchange_set_refusal(
               exchange, "the key is gone", &causes[1], destroy_gate, NULL)
               != RESTWAY_OK
        || gate_is_alive(&causes[0])) {
        return RESTWAY_E_INTERNAL;
    }
    return RESTWAY_E_IO;
}

static void auth__what_an_authorize_function_attaches_comes_back_with_the_error(void **state) {
    (void)state;
    struct gate causes[2];
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    gate_begin(&causes[0], NULL);
    gate_begin(&causes[1], NULL);
    assert_ok(restway_client_set_authorize(client, refuse_to_sign, causes, NULL, &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO,
        "the key is gone");
    assert_ptr_equal(restway_error_cause(failure), &causes[1]);
    assert_true(gate_is_alive(&causes[1]));
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&causes[0], 0);
    gate_expect_destroyed(&causes[1], 0);
}

static void signer_destroy(void *context) { gate_destroy(&((struct signer *)context)->gate); }

static void auth__authorize_sees_and_changes_what_goes_out(void **state) {
    (void)state;
    struct signer signer;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_response *response = NULL;
    memset(&signer, 0, sizeof(signer));
    gate_begin(&signer.gate, NULL);
    assert_ok(restway_client_set_authorize(client, sign, &signer, signer_destroy, &failure));
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_body(request, "hello", 5, "text/plain", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_string_equal(signer.seen, "POST /v2/echo text/plain 1 hello");
    assert_holds(restway_response_json(response, NULL), "\"x-signature\":\"signed\"");
    assert_holds(restway_response_json(response, NULL), "\"key\":\"a&b\"");
    restway_response_release(response);
    assert_ok(restway_request_set_auth(request, RESTWAY_AUTH_NONE, &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_int_equal(signer.asked, 1);
    assert_ok(restway_request_set_auth(request, RESTWAY_AUTH_BYPASS, &failure));
    signer.answer = RESTWAY_E_CANCELLED;
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CANCELLED,
        "authorize");
    assert_ok(restway_client_set_authorize(client, NULL, NULL, NULL, &failure));
    gate_expect_destroyed(&signer.gate, 0);
    assert_refused(restway_request_set_auth(request, (restway_auth_mode)9, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(auth__two_hundred_calls_with_an_expired_token_cause_one_refresh),
    TEST(auth__questions_are_asked_on_a_worker_also_when_the_host_drains),
    TEST(auth__a_failed_refresh_tells_its_reason_until_the_credential_changes),
    TEST(auth__a_refresh_that_failed_for_now_is_asked_again_after_a_second),
    TEST(auth__credentials_are_checked_where_they_enter),
    TEST(auth__a_refresh_can_be_completed_later_from_any_thread_and_only_once),
    TEST(auth__a_released_refresh_has_failed_and_a_waiting_call_can_be_cancelled),
    TEST(auth__closing_completes_who_waits_for_a_refresh),
    TEST(auth__should_replay_sees_the_api_s_own_code),
    TEST(auth__authorize_sees_and_changes_what_goes_out),
    TEST(auth__what_an_authorize_function_attaches_comes_back_with_the_error),
};

const struct suite auth_suite = SUITE(tests);
