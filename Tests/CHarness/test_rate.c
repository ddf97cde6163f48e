/* Rates of origins: requests that wait, and what the program reads of them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "delivery.h"
#include "harness.h"
#include "realm.h"

static restway_rate rate_of(restway_client *client, const char *url) {
    restway_rate rate;
    assert_ok(restway_rate_init(&rate, sizeof(rate), &failure));
    assert_ok(restway_client_rate(client, url, &rate, &failure));
    return rate;
}

static void rate__a_request_waits_until_the_period_of_the_document_allows_it(void **state) {
    (void)state;
    restway_clock *clock = NULL;
    restway_client *client =
        make_clocked("\"rate\": {\"requests\": 1, \"perMilliseconds\": 4000}", &clock);
    restway_request *request = make_get("status");
    restway_call *calls[2] = {NULL, NULL};
    for (size_t index = 0; index < 2; index++) {
        assert_ok(
            restway_client_send(client, request, NULL, NULL, NULL, &calls[index], &failure));
    }
    assert_int_equal(rate_of(client, NULL).waiting, 1);
    assert_int_equal(advance_to_next(clock), 4000);
    for (size_t index = 0; index < 2; index++) {
        restway_response *response = NULL;
        assert_ok(restway_call_wait(calls[index], 0, &response, &failure));
        restway_response_release(response);
        restway_call_release(calls[index]);
    }
    restway_rate rate = rate_of(client, NULL);
    assert_int_equal(rate.waiting, 0);
    assert_int_equal(rate.under_way, 0);
    assert_int_equal(rate.remaining, -1);
    restway_request_release(request);
    restway_client_release(client);
    restway_clock_release(clock);
}

static void rate__a_refusal_holds_the_next_requests(void **state) {
    (void)state;
    restway_clock *clock = NULL;
    restway_client *client = make_clocked("\"rate\": {}", &clock);
    char path[96];
    snprintf(path, sizeof(path), "busy/rate-%d?seconds=30", (int)getpid());
    restway_request *busy = make_get(path);
    restway_response *response = NULL;
    assert_fails(
        restway_client_perform(client, busy, 0, &response, &failure), RESTWAY_E_HTTP, "429");
    assert_int_equal(rate_of(client, NULL).remaining, 0);
    assert_int_equal(rate_of(client, NULL).reset_milliseconds, 30000);
    assert_int_equal(rate_of(client, "http://127.0.0.1:1/x").remaining, -1);
    restway_request *request = make_get("status");
    restway_call *call = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_int_equal(advance_to_next(clock), 30000);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_request_release(busy);
    restway_client_release(client);
    restway_clock_release(clock);
}

static void rate__a_limit_beyond_the_time_limit_fails_at_once(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of("\"rate\": {}", options);
    char path[96];
    snprintf(path, sizeof(path), "busy/rate-late-%d?seconds=3000", (int)getpid());
    restway_request *busy = make_get(path);
    restway_response *response = NULL;
    assert_fails(
        restway_client_perform(client, busy, 0, &response, &failure), RESTWAY_E_HTTP, "429");
    restway_error *error = NULL;
    assert_int_equal(
        restway_client_perform(client, busy, 0, &response, &error), RESTWAY_E_TIMEOUT);
    assert_non_null(strstr(restway_error_message(error), "rate limit"));
    assert_int_equal(restway_error_is_retryable(error), 1);
    restway_error_release(error);
    restway_request_release(busy);
    restway_client_release(client);
}

static void rate__a_wrong_policy_or_url_is_refused(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of("\"x-none\": 1", options);
    static const char bad[] = "{\"requests\": 0}";
    static const char good[] = "{\"concurrency\": 2}";
    assert_fails(
        restway_client_set_rate(client, bad, strlen(bad), &failure), RESTWAY_E_CONFIG, "requests");
    assert_ok(restway_client_set_rate(client, good, strlen(good), &failure));
    assert_ok(restway_client_set_rate(client, NULL, 0, &failure));
    restway_rate rate = RESTWAY_RATE_INIT;
    assert_fails(
        restway_client_rate(client, "ftp://x", &rate, &failure), RESTWAY_E_INVALID_URL, "url");
    assert_refused(restway_rate_init(NULL, sizeof(rate), &failure));
    assert_refused(restway_client_rate(client, NULL, NULL, &failure));
    assert_refused(restway_client_rate(NULL, NULL, &rate, &failure));
    assert_refused(restway_client_set_rate(NULL, NULL, 0, &failure));
    assert_fails(
        restway_client_rate(client, BAD_UTF8, &rate, &failure), RESTWAY_E_INVALID_ARGUMENT, "url");
    rate.struct_size = 7;
    assert_refused(restway_client_rate(client, NULL, &rate, &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(rate__a_request_waits_until_the_period_of_the_document_allows_it),
    TEST(rate__a_refusal_holds_the_next_requests),
    TEST(rate__a_limit_beyond_the_time_limit_fails_at_once),
    TEST(rate__a_wrong_policy_or_url_is_refused),
};

const struct suite rate_suite = SUITE(tests);
