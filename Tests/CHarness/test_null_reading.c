/* NULL in functions that read: they give NULL, 0 or the fallback. */
#include "harness.h"

static void response_reads__of_null(void **state) {
    (void)state;
    size_t length = 99;
    assert_int_equal(restway_response_status(NULL), 0);
    assert_int_equal(restway_response_http_version(NULL), 0);
    assert_null(restway_response_url(NULL));
    assert_null(restway_response_location(NULL));
    assert_null(restway_response_header(NULL, "Date"));
    assert_int_equal(restway_response_header_count(NULL), 0);
    assert_null(restway_response_header_name(NULL, 0));
    assert_null(restway_response_header_value(NULL, 0));
    assert_null(restway_response_body(NULL, &length));
    assert_int_equal(length, 0);
    length = 99;
    assert_null(restway_response_json(NULL, &length));
    assert_int_equal(length, 0);
    assert_null(restway_response_body(NULL, NULL));
    assert_null(restway_response_json(NULL, NULL));
    assert_int_equal(restway_response_is_mapped(NULL), 0);
    assert_int_equal(restway_response_object_count(NULL), 0);
    assert_null(restway_response_object(NULL, 0));
    assert_int_equal(restway_response_result_count(NULL), 0);
    assert_int_equal(restway_response_issue_count(NULL), 0);
    assert_null(restway_response_issue_key_path(NULL, 0));
    assert_null(restway_response_issue_reason(NULL, 0));
}

static void response_reads__of_names_and_indexes_that_are_none(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    assert_null(restway_response_header(response, NULL));
    assert_null(restway_response_issue_key_path(response, 0));
    assert_null(restway_response_issue_reason(response, SIZE_MAX));
    restway_response_release(response);
    restway_client_release(client);
}

static void object_reads__of_null(void **state) {
    (void)state;
    assert_null(restway_object_entity(NULL));
    assert_int_equal(restway_object_store_key(NULL), 0);
    assert_int_equal(restway_object_is_loaded(NULL), 0);
    assert_int_equal(restway_object_attribute_count(NULL), 0);
    assert_null(restway_object_attribute_name(NULL, 0));
    assert_int_equal(restway_object_attribute_index(NULL, "name"), -1);
    assert_null(restway_object_string(NULL, "name"));
    assert_int_equal(restway_object_int64(NULL, "name", 7), 7);
    assert_true(restway_object_double(NULL, "name", 7.5) == 7.5);
}

static void object_reads__of_null_names(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    assert_int_equal(restway_object_attribute_index(object, NULL), -1);
    assert_null(restway_object_string(object, NULL));
    assert_int_equal(restway_object_int64(object, NULL, 7), 7);
    assert_true(restway_object_double(object, NULL, 7.5) == 7.5);
    restway_object_release(object);
    restway_client_release(client);
}

static void request_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_request_retain(NULL));
    restway_request_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(response_reads__of_null),
    TEST(response_reads__of_names_and_indexes_that_are_none),
    TEST(object_reads__of_null),
    TEST(object_reads__of_null_names),
    TEST(request_release__of_null_is_fine),
};

const struct suite null_reading_suite = SUITE(tests);
