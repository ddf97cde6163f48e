/* Versions, names of statuses, values made by hand. */
#include <string.h>

#include "harness.h"

static void version__matches_the_header(void **state) {
    (void)state;
    assert_int_equal(restway_version_number(), RESTWAY_VERSION_NUMBER);
    assert_int_equal(restway_abi_version(), RESTWAY_ABI_VERSION);
    assert_string_equal(restway_version_string(), "0.1.0");
}

static void status_name__is_the_name_in_the_header(void **state) {
    (void)state;
    assert_string_equal(restway_status_name(RESTWAY_OK), "RESTWAY_OK");
    assert_string_equal(
        restway_status_name(RESTWAY_E_INVALID_ARGUMENT), "RESTWAY_E_INVALID_ARGUMENT");
    assert_string_equal(restway_status_name(RESTWAY_E_FORKED), "RESTWAY_E_FORKED");
    assert_string_equal(restway_status_name(RESTWAY_E_CONFIG), "RESTWAY_E_CONFIG");
    assert_string_equal(
        restway_status_name(RESTWAY_E_UNKNOWN_ENVIRONMENT), "RESTWAY_E_UNKNOWN_ENVIRONMENT");
    assert_string_equal(restway_status_name(RESTWAY_E_RESOLVE), "RESTWAY_E_RESOLVE");
    assert_string_equal(restway_status_name(RESTWAY_E_HTTP), "RESTWAY_E_HTTP");
    assert_string_equal(restway_status_name(RESTWAY_E_STORE), "RESTWAY_E_STORE");
}

static void status_name__of_an_unknown_value(void **state) {
    (void)state;
    assert_string_equal(restway_status_name((restway_status)19), "RESTWAY_E_UNKNOWN");
    assert_string_equal(restway_status_name((restway_status)-1), "RESTWAY_E_UNKNOWN");
    assert_string_equal(restway_status_name(RESTWAY_STATUS_PIN_), "RESTWAY_E_UNKNOWN");
}

static void live_handles__counts_references(void **state) {
    (void)state;
    int64_t before = restway_debug_live_handles();
    restway_api *api = make_api();
    assert_int_equal(restway_debug_live_handles() - before, 1);
    assert_ptr_equal(restway_api_retain(api), api);
    assert_int_equal(restway_debug_live_handles() - before, 2);
    restway_api_release(api);
    restway_api_release(api);
    assert_int_equal(restway_debug_live_handles() - before, 0);
}

static void handle_kinds__names_what_is_left(void **state) {
    (void)state;
    char text[256];
    size_t length = 0;
    restway_api *api = make_api();
    restway_client *client = make_client();
    restway_request *first = make_get("status"), *second = make_get("status");
    assert_ok(restway_debug_handle_kinds(text, sizeof(text), &length, &failure));
    assert_string_equal(text, "{\"api\":1,\"client\":1,\"request\":2}");
    assert_int_equal(length, strlen(text));
    restway_request_release(first);
    restway_request_release(second);
    restway_client_release(client);
    restway_api_release(api);
    assert_ok(restway_debug_handle_kinds(text, sizeof(text), NULL, &failure));
    assert_string_equal(text, "{}");
    assert_ok(restway_debug_handle_kinds(NULL, 0, &length, &failure));
    assert_int_equal(length, 2);
    assert_refused(restway_debug_handle_kinds(NULL, 1, &length, &failure));
}

static void value__of_every_kind(void **state) {
    (void)state;
    assert_int_equal(sizeof(restway_value), 16);
    restway_value value = restway_value_null();
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_int_equal(value.length, 0);
    assert_int_equal(value.as.integer, 0);
    value = restway_value_bool(1);
    assert_int_equal(value.kind, RESTWAY_VALUE_BOOL);
    assert_int_equal(value.as.integer, 1);
    value = restway_value_int64(INT64_MIN);
    assert_int_equal(value.kind, RESTWAY_VALUE_INT64);
    assert_true(value.as.integer == INT64_MIN);
    value = restway_value_double(0.1);
    assert_int_equal(value.kind, RESTWAY_VALUE_DOUBLE);
    assert_true(value.as.real == 0.1);
    value = restway_value_date(-1);
    assert_int_equal(value.kind, RESTWAY_VALUE_DATE);
    assert_true(value.as.integer == -1);
}

static void value_bool__is_0_or_1(void **state) {
    (void)state;
    assert_int_equal(restway_value_bool(7).as.integer, 1);
    assert_int_equal(restway_value_bool(-1).as.integer, 1);
    assert_int_equal(restway_value_bool(0).as.integer, 0);
}

static void value_string__borrows_the_text(void **state) {
    (void)state;
    const char *text = "Gr\xc3\xbc\xc3\x9f";
    restway_value value = restway_value_string(text);
    assert_int_equal(value.kind, RESTWAY_VALUE_STRING);
    assert_int_equal(value.length, strlen(text));
    assert_ptr_equal(value.as.text, text);
    assert_int_equal(restway_value_string("").kind, RESTWAY_VALUE_STRING);
    assert_int_equal(restway_value_string("").length, 0);
}

static void value_string__of_null_is_null(void **state) {
    (void)state;
    assert_int_equal(restway_value_string(NULL).kind, RESTWAY_VALUE_NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(version__matches_the_header),
    TEST(status_name__is_the_name_in_the_header),
    TEST(status_name__of_an_unknown_value),
    TEST(live_handles__counts_references),
    TEST(handle_kinds__names_what_is_left),
    TEST(value__of_every_kind),
    TEST(value_bool__is_0_or_1),
    TEST(value_string__borrows_the_text),
    TEST(value_string__of_null_is_null),
};

const struct suite basics_suite = SUITE(tests);
