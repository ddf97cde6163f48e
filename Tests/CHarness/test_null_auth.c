/* NULL for required pointers of auth.h, retry.h, progress.h and failure.h. */
#include "harness.h"

static void null_auth__functions_of_handles_refuse_null(void **state) {
    (void)state;
    restway_attempt attempt = RESTWAY_ATTEMPT_INIT;
    assert_refused(restway_client_set_credential(NULL, NULL, &failure));
    assert_refused(restway_client_set_authorize(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_set_should_replay(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_set_refresh(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_set_persist(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_refresh_succeed(NULL, NULL, &failure));
    assert_refused(restway_refresh_fail(NULL, "why", 0, NULL, NULL, &failure));
    assert_refused(restway_request_set_auth(NULL, RESTWAY_AUTH_NONE, &failure));
    assert_refused(restway_exchange_set_header(NULL, "A", "b", &failure));
    assert_refused(restway_exchange_add_parameter(NULL, "a", "b", &failure));
    assert_refused(restway_exchange_set_refusal(NULL, "why", NULL, NULL, &failure));
    assert_refused(restway_client_set_retry(NULL, NULL, 0, &failure));
    assert_refused(restway_request_set_idempotency_key(NULL, NULL, &failure));
    assert_refused(restway_attempt_init(NULL, sizeof(attempt), &failure));
    assert_refused(restway_response_attempt(NULL, 0, &attempt, &failure));
    assert_refused(restway_error_attempt(NULL, 0, &attempt, &failure));
    assert_refused(restway_client_set_attempt_observer(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_set_failure_reader(NULL, NULL, NULL, NULL, &failure));
}

static void null_auth__readers_answer_for_null(void **state) {
    (void)state;
    size_t length = 7;
    assert_null(restway_exchange_method(NULL));
    assert_null(restway_exchange_url(NULL));
    assert_null(restway_exchange_header(NULL, "A"));
    assert_null(restway_exchange_body(NULL, &length));
    assert_int_equal(length, 0);
    assert_int_equal(restway_exchange_attempt(NULL), 0);
    assert_int_equal(restway_response_attempt_count(NULL), 0);
    assert_int_equal(restway_error_attempt_count(NULL), 0);
    assert_null(restway_error_cause(NULL));
    assert_null(restway_refresh_retain(NULL));
    restway_refresh_release(NULL);
    assert_null(restway_clock_retain(NULL));
    restway_clock_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(null_auth__functions_of_handles_refuse_null),
    TEST(null_auth__readers_answer_for_null),
};

const struct suite null_auth_suite = SUITE(tests);
