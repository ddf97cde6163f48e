/* Errors: every field, and the API's own code and message. */
#include <string.h>

#include "harness.h"

static void fail_to_fetch(restway_client *client, const char *path, restway_status status) {
    restway_request *request = make_get(path);
    restway_response *response = POISON;
    assert_fails_keeping(
        restway_client_perform(client, request, 0, &response, &failure), status, "");
    assert_null(response);
    restway_request_release(request);
}

static void error__of_a_404_holds_what_the_api_said(void **state) {
    (void)state;
    restway_client *client = make_client();
    fail_to_fetch(client, "enterprises/99999", RESTWAY_E_HTTP);
    restway_client_release(client);
    assert_holds(restway_error_message(failure), "404");
    assert_holds(restway_error_message(failure), "enterprises/99999");
    assert_int_equal(restway_error_http_status(failure), 404);
    assert_int_equal(restway_error_is_retryable(failure), 0);
    assert_int_equal(restway_error_transport_code(failure), 0);
    assert_string_equal(restway_error_api_code(failure), "40401");
    assert_string_equal(
        restway_error_api_message(failure), "there is no enterprise with id 99999");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_API);
    assert_int_equal(restway_error_detail_count(failure), 0);
    restway_response *response = restway_error_response(failure);
    assert_non_null(response);
    assert_int_equal(restway_response_status(response), 404);
    assert_holds(restway_response_json(response, NULL), "error_code");
}

static void error__response_may_be_kept(void **state) {
    (void)state;
    restway_client *client = make_client();
    fail_to_fetch(client, "enterprises/99999", RESTWAY_E_HTTP);
    restway_response *response = restway_response_retain(restway_error_response(failure));
    forget_failure();
    restway_client_release(client);
    assert_int_equal(restway_response_status(response), 404);
    restway_response_release(response);
}

static void error__of_statuses_that_may_pass(void **state) {
    (void)state;
    static const struct { const char *path; int32_t status; int32_t retryable; } cases[] = {
        {"bad/status/400", 400, 0}, {"bad/status/403", 403, 0}, {"bad/status/429", 429, 1},
        {"bad/status/502", 502, 1}, {"bad/status/503", 503, 1}, {"bad/status/504", 504, 1},
    };
    restway_client *client = make_client();
    for (size_t index = 0; index < sizeof(cases) / sizeof(cases[0]); index++) {
        fail_to_fetch(client, cases[index].path, RESTWAY_E_HTTP);
        assert_int_equal(restway_error_http_status(failure), cases[index].status);
        assert_int_equal(restway_error_is_retryable(failure), cases[index].retryable);
        forget_failure();
    }
    restway_client_release(client);
}

static void error__fields_of_null(void **state) {
    (void)state;
    assert_null(restway_error_retain(NULL));
    restway_error_release(NULL);
    assert_int_equal(restway_error_status(NULL), RESTWAY_OK);
    assert_int_equal(restway_error_domain(NULL), 0);
    assert_string_equal(restway_error_message(NULL), "");
    assert_int_equal(restway_error_http_status(NULL), 0);
    assert_int_equal(restway_error_transport_code(NULL), 0);
    assert_int_equal(restway_error_is_retryable(NULL), 0);
    assert_null(restway_error_api_code(NULL));
    assert_null(restway_error_api_message(NULL));
    assert_null(restway_error_field(NULL));
    assert_null(restway_error_response(NULL));
    assert_int_equal(restway_error_detail_count(NULL), 0);
    assert_null(restway_error_detail_path(NULL, 0));
    assert_null(restway_error_detail_message(NULL, 0));
    assert_null(restway_error_detail_code(NULL, 0));
}

static void error__of_misuse_has_the_domain_usage(void **state) {
    (void)state;
    restway_request *request = NULL;
    assert_fails_keeping(
        restway_request_create(NULL, "path", &request, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "method");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_USAGE);
    assert_int_equal(restway_error_http_status(failure), 0);
    assert_int_equal(restway_error_is_retryable(failure), 0);
    assert_string_equal(restway_error_field(failure), "method");
    assert_null(restway_error_api_code(failure));
    assert_null(restway_error_api_message(failure));
    assert_null(restway_error_response(failure));
    assert_null(restway_error_detail_path(failure, 0));
    assert_null(restway_error_detail_message(failure, 0));
    assert_null(restway_error_detail_code(failure, 0));
}

static void error__is_counted_and_shared(void **state) {
    (void)state;
    restway_request *request = NULL;
    int64_t before = restway_debug_live_handles();
    assert_fails_keeping(
        restway_request_create(NULL, "path", &request, &failure), RESTWAY_E_INVALID_ARGUMENT, "");
    restway_error *error = restway_error_retain(failure);
    assert_int_equal(restway_debug_live_handles() - before, 2);
    forget_failure();
    assert_int_equal(restway_error_status(error), RESTWAY_E_INVALID_ARGUMENT);
    restway_error_release(error);
}

static void error__is_optional_and_cleared_by_success(void **state) {
    (void)state;
    restway_request *request = NULL;
    restway_error *error = POISON;
    assert_int_equal(
        restway_request_create(NULL, "path", &request, NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_request_create("GET", "path", &request, &error), RESTWAY_OK);
    assert_null(error);
    restway_request_release(request);
}

static void error_create__makes_an_error_of_the_program(void **state) {
    (void)state;
    restway_error *error = restway_error_create(RESTWAY_E_STORE, "not\ntoday", "name");
    assert_int_equal(restway_error_status(error), RESTWAY_E_STORE);
    assert_int_equal(restway_error_domain(error), RESTWAY_DOMAIN_STORE);
    assert_string_equal(restway_error_message(error), "not\\ntoday");
    assert_string_equal(restway_error_field(error), "name");
    assert_null(restway_error_response(error));
    assert_int_equal(restway_error_detail_count(error), 0);
    restway_error_release(error);
    error = restway_error_create(RESTWAY_E_IO, NULL, NULL);
    assert_string_equal(restway_error_message(error), "RESTWAY_E_IO");
    assert_null(restway_error_field(error));
    restway_error_release(error);
    error = restway_error_create((restway_status)-7, BAD_UTF8, BAD_UTF8);
    assert_int_equal(restway_error_status(error), RESTWAY_E_INVALID_ARGUMENT);
    assert_string_equal(restway_error_message(error), "a\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(restway_error_field(error), "a\xef\xbf\xbd\xef\xbf\xbd");
    restway_error_release(error);
    assert_null(restway_error_create(RESTWAY_OK, "fine", "none"));
}

static const struct CMUnitTest tests[] = {
    TEST(error__of_a_404_holds_what_the_api_said),
    TEST(error__response_may_be_kept),
    TEST(error__of_statuses_that_may_pass),
    TEST(error__fields_of_null),
    TEST(error__of_misuse_has_the_domain_usage),
    TEST(error__is_counted_and_shared),
    TEST(error__is_optional_and_cleared_by_success),
    TEST(error_create__makes_an_error_of_the_program),
};

const struct suite error_suite = SUITE(tests);
