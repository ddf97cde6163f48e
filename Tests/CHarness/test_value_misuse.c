/* Invalid values: unknown kinds, missing pointers, kinds that are not allowed. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static restway_value make_value(uint32_t kind, uint32_t length, const void *pointer) {
    restway_value value = restway_value_null();
    value.kind = kind;
    value.length = length;
    value.as.text = pointer;
    return value;
}

static void value__refuses_kinds_that_are_none(void **state) {
    (void)state;
    static const uint32_t kinds[] = {RESTWAY_VALUE_ABSENT, 11, 99, 0x7fffffff, UINT32_MAX};
    restway_request *request = make_get("status");
    for (size_t index = 0; index < sizeof(kinds) / sizeof(kinds[0]); index++) {
        restway_value value = make_value(kinds[index], 0, NULL);
        assert_refused(restway_request_set_variable(request, "a", &value, &failure));
        assert_refused(restway_request_set_parameter(request, "a", &value, &failure));
    }
    restway_request_release(request);
}

static void value__refuses_lengths_without_a_pointer(void **state) {
    (void)state;
    static const uint32_t kinds[] = {
        RESTWAY_VALUE_STRING, RESTWAY_VALUE_BYTES, RESTWAY_VALUE_JSON, RESTWAY_VALUE_LIST};
    restway_request *request = make_get("status");
    for (size_t index = 0; index < sizeof(kinds) / sizeof(kinds[0]); index++) {
        restway_value value = make_value(kinds[index], 5, NULL);
        assert_refused(restway_request_set_parameter(request, "a", &value, &failure));
    }
    restway_value string = make_value(RESTWAY_VALUE_STRING, 5, NULL);
    restway_value object = make_value(RESTWAY_VALUE_OBJECT, 0, NULL);
    assert_refused(restway_request_set_variable(request, "a", &string, &failure));
    assert_refused(restway_request_set_variable(request, "a", &object, &failure));
    restway_request_release(request);
}

static void value__refuses_kinds_that_do_not_belong(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_request *request = make_get("status");
    restway_value bytes = restway_value_bytes("ab", 2);
    restway_value json = make_value(RESTWAY_VALUE_JSON, 2, "[]");
    restway_value object_value = make_value(RESTWAY_VALUE_OBJECT, 0, object);
    assert_refused(restway_request_set_variable(request, "a", &bytes, &failure));
    assert_refused(restway_request_set_variable(request, "a", &json, &failure));
    assert_refused(restway_request_set_parameter(request, "a", &object_value, &failure));
    assert_ok(restway_request_set_variable(request, "a", &object_value, &failure));
    restway_request_release(request);
    restway_object_release(object);
    restway_client_release(client);
}

static void value__bytes_hold_a_pointer_and_a_length(void **state) {
    (void)state;
    static const unsigned char content[] = {0, 255, 7};
    restway_value value = restway_value_bytes(content, sizeof content);
    assert_int_equal(value.kind, RESTWAY_VALUE_BYTES);
    assert_int_equal(value.length, 3);
    assert_ptr_equal(value.as.bytes, content);
    assert_int_equal(restway_value_bytes(content, 0).kind, RESTWAY_VALUE_BYTES);
    assert_int_equal(restway_value_bytes(NULL, 0).kind, RESTWAY_VALUE_NULL);
    assert_int_equal(restway_value_bytes(NULL, 3).kind, RESTWAY_VALUE_NULL);
    assert_int_equal(restway_value_bytes(content, SIZE_MAX).kind, RESTWAY_VALUE_NULL);
#if SIZE_MAX > UINT32_MAX
    assert_int_equal(
        restway_value_bytes(content, (size_t)UINT32_MAX + 1).kind, RESTWAY_VALUE_NULL);
#endif
}

static void value__strings_need_no_nul(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    restway_value value = make_value(RESTWAY_VALUE_STRING, 3, "abcdef");
    restway_response *response = NULL;
    assert_ok(restway_request_set_parameter(request, "q", &value, &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "\"q\":\"abc\"");
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

/** A list in a list in a list gets an error, never a stack overflow. */
static void value__refuses_lists_nested_too_deep(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    restway_value *lists = malloc(DEPTH * sizeof(restway_value));
    restway_request *request = make_get("status");
    assert_non_null(lists);
    lists[0] = restway_value_int64(1);
    for (size_t index = 1; index < DEPTH; index++) {
        lists[index] = make_value(RESTWAY_VALUE_LIST, 1, &lists[index - 1]);
    }
    assert_refused(restway_request_set_parameter(request, "a", &lists[DEPTH - 1], &failure));
    assert_refused(restway_request_set_variable(request, "a", &lists[DEPTH - 1], &failure));
    restway_request_release(request);
    free(lists);
}

static void value__refuses_json_nested_too_deep(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *json = malloc(2 * DEPTH + 16);
    restway_request *request = make_get("status");
    assert_non_null(json);
    strcpy(json, "{\"a\":");
    memset(json + 5, '[', DEPTH);
    memset(json + 5 + DEPTH, ']', DEPTH);
    strcpy(json + 5 + 2 * DEPTH, "}");
    assert_refused(restway_request_set_parameters_json(request, json, strlen(json), &failure));
    restway_request_release(request);
    free(json);
}

static const struct CMUnitTest tests[] = {
    TEST(value__refuses_kinds_that_are_none),
    TEST(value__refuses_lengths_without_a_pointer),
    TEST(value__refuses_kinds_that_do_not_belong),
    TEST(value__bytes_hold_a_pointer_and_a_length),
    TEST(value__strings_need_no_nul),
    TEST(value__refuses_lists_nested_too_deep),
    TEST(value__refuses_json_nested_too_deep),
};

const struct suite value_misuse_suite = SUITE(tests);
