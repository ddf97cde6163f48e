/* Invalid bodies: each fails the call once, with an error that says what is wrong and where. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probe.h"

/** Fetches @p path twice, blocking and with a notice: both calls fail with @p status. The error of
 *  the blocking call stays in `failure`. */
static void fail_to_fetch(
    restway_client *client, const char *path, restway_status status, const char *fragment) {
    struct probe probe;
    restway_request *request = make_get(path);
    restway_response *response = POISON;
    probe_begin(&probe);
    probe_send(&probe, client, path, NULL);
    probe_expect(&probe, status);
    assert_fails_keeping(
        restway_client_perform(client, request, 0, &response, &failure), status, fragment);
    assert_null(response);
    assert_int_equal(probe.domain, restway_error_domain(failure));
    restway_request_release(request);
}

/** @p query must not be in the message, because a query may contain a token. */
static void expect_mapping_failure(const char *path, const char *query, const char *fragment) {
    char target[128];
    restway_client *client = make_client();
    snprintf(target, sizeof(target), "%s%s", path, query);
    fail_to_fetch(client, target, RESTWAY_E_MAPPING, fragment);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_MAPPING);
    assert_int_equal(restway_error_http_status(failure), 200);
    assert_holds(restway_error_message(failure), path);
    restway_response *response = restway_error_response(failure);
    assert_non_null(response);
    assert_int_equal(restway_response_object_count(response), 0);
    restway_client_release(client);
}

static void body__of_html_where_json_belongs(void **state) {
    (void)state;
    expect_mapping_failure("bad/html", "", "json");
    assert_holds(restway_response_body(restway_error_response(failure), NULL), "<html>");
}

static void body__of_json_that_ends_early(void **state) {
    (void)state;
    expect_mapping_failure("bad/json", "", "line 1");
}

static void body__nested_a_hundred_thousand_deep(void **state) {
    (void)state;
    expect_mapping_failure("bad/deep", "?depth=100000", "nested deeper");
}

static void body__nested_one_level_too_deep(void **state) {
    (void)state;
    expect_mapping_failure("bad/deep", "?depth=513", "512");
}

static void body__nested_as_deep_as_allowed(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "bad/deep?depth=512");
    assert_int_equal(restway_response_object_count(response), 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void body__that_is_half(void **state) {
    (void)state;
    restway_client *client = make_client();
    fail_to_fetch(client, "bad/half", RESTWAY_E_CONNECTION_LOST, "bad/half");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    assert_int_equal(restway_error_is_retryable(failure), 1);
    assert_true(restway_error_transport_code(failure) != 0);
    restway_client_release(client);
}

static void body__of_a_gzip_stream_that_ends_early(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/truncated-gzip");
    restway_response *response = POISON;
    restway_status status = restway_client_perform(client, request, 0, &response, &failure);
    assert_true(status == RESTWAY_E_CONNECTION_LOST || status == RESTWAY_E_PROTOCOL);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    assert_null(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void body__beyond_the_bound(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.body_bytes_max = 65536;
    restway_client *client = make_client_with(options);
    fail_to_fetch(client, "bad/big?bytes=65537", RESTWAY_E_TOO_LARGE, "bad/big");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    assert_int_equal(restway_error_is_retryable(failure), 0);
    forget_failure();
    fail_to_fetch(client, "bad/big?bytes=100000000", RESTWAY_E_TOO_LARGE, "65");
    forget_failure();
    restway_response *response = fetch(client, "bad/big?bytes=65536");
    size_t length = 0;
    assert_non_null(restway_response_body(response, &length));
    assert_int_equal(length, 65536);
    restway_response_release(response);
    restway_client_release(client);
}

static void body__with_more_objects_than_allowed(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.objects_max = 10;
    restway_client *client = make_client_with(options);
    restway_store *store = restway_client_store(client);
    size_t count = 99;
    fail_to_fetch(client, "enterprises?page=1&per_page=11", RESTWAY_E_TOO_LARGE, "10");
    forget_failure();
    assert_ok(restway_store_count(store, NULL, &count, &failure));
    assert_int_equal(count, 0);
    restway_response_release(fetch(client, "enterprises?page=1&per_page=10"));
    restway_store_release(store);
    restway_client_release(client);
}

#define MISFIT \
    "{\"method\": \"GET\", \"path\": \"enterprises\", \"entity\": \"Misfit\", " \
    "\"keyPath\": \"array_of_enterprises\"}"
#define MISFIT_ENTITY \
    "{\"attributes\": {\"itemID\": {\"source\": \"name\", \"type\": \"int\"}, \"id\": \"id\"}}"

static restway_client *make_misfit_client(uint32_t flags) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    const char *document = "{\"restway\": 1, \"environment\": \"e\", "
                           "\"environments\": {\"e\": {\"baseURL\": \"http://127.0.0.1:1\"}}}";
    restway_api *api = NULL;
    restway_client *client = NULL;
    options.base_url = demo_url();
    options.flags = flags;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_api_add_entity(
        api, "Misfit", MISFIT_ENTITY, strlen(MISFIT_ENTITY), &failure));
    assert_ok(restway_api_add_response(api, MISFIT, strlen(MISFIT), &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static void mapping__reports_values_that_do_not_fit(void **state) {
    (void)state;
    restway_client *client = make_misfit_client(0);
    restway_response *response = fetch(client, "enterprises");
    size_t count = restway_response_object_count(response);
    assert_true(count > 100);
    assert_int_equal(restway_response_issue_count(response), count);
    assert_string_equal(
        restway_response_issue_key_path(response, 3), "array_of_enterprises[3].name");
    assert_true(restway_response_issue_reason(response, 3)[0] != '\0');
    assert_non_null(restway_response_issue_key_path(response, 99));
    assert_null(restway_response_issue_key_path(response, 100));
    assert_null(restway_response_issue_reason(response, 100));
    restway_value value;
    restway_object *object = restway_response_object(response, 3);
    assert_ok(restway_object_get(object, "itemID", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_ABSENT);
    assert_int_equal(restway_object_int64(object, "id", -1), 4);
    restway_response_release(response);
    restway_client_release(client);
}

static void mapping__strict_fails_with_the_issues_as_details(void **state) {
    (void)state;
    restway_client *client = make_misfit_client(RESTWAY_CLIENT_STRICT_MAPPING);
    fail_to_fetch(client, "enterprises?page=1&per_page=3", RESTWAY_E_MAPPING, "");
    assert_int_equal(restway_error_detail_count(failure), 3);
    assert_string_equal(
        restway_error_detail_path(failure, 2), "array_of_enterprises[2].name");
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(body__of_html_where_json_belongs),
    TEST(body__of_json_that_ends_early),
    TEST(body__nested_a_hundred_thousand_deep),
    TEST(body__nested_one_level_too_deep),
    TEST(body__nested_as_deep_as_allowed),
    TEST(body__that_is_half),
    TEST(body__of_a_gzip_stream_that_ends_early),
    TEST(body__beyond_the_bound),
    TEST(body__with_more_objects_than_allowed),
    TEST(mapping__reports_values_that_do_not_fit),
    TEST(mapping__strict_fails_with_the_issues_as_details),
};

const struct suite bad_body_suite = SUITE(tests);
