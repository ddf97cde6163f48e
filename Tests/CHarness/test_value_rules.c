/* Constants, defaults and listed values of attributes. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {\"Issue\": {\"identity\": \"id\", \"attributes\": {" \
    "  \"id\": {\"type\": \"int\"}," \
    "  \"kind\": {\"type\": \"string\", \"constant\": \"issues\"}," \
    "  \"state\": {\"type\": \"string\", \"values\": [\"open\", \"closed\"]," \
    "    \"default\": \"open\"}," \
    "  \"size\": {\"type\": \"int\", \"values\": [1, 2], \"closed\": true}," \
    "  \"tags\": {\"type\": [\"string\"], \"values\": [\"a\"]}}}}}"

/** Maps an issue; the response is owned by the caller. */
static restway_response *map_issue(restway_client *client, const char *body) {
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, "Issue", body, strlen(body), NULL, &response, NULL, &failure));
    return response;
}

static void expect_text(
    const restway_object *object, const char *attribute, const char *expected) {
    restway_value value;
    assert_ok(restway_object_get(object, attribute, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_STRING);
    assert_string_equal(value.as.text, expected);
}

static void expect_known(const restway_object *object, const char *attribute, int32_t expected) {
    int32_t known = 7;
    assert_ok(restway_object_is_known_value(object, attribute, &known, &failure));
    assert_int_equal(known, expected);
}

static void defaults__are_for_objects_without_values(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_issue(client, "{\"id\": 1}");
    expect_text(restway_response_object(response, 0), "state", "open");
    expect_text(restway_response_object(response, 0), "kind", "issues");
    restway_response_release(response);
    response = map_issue(client, "{\"id\": 1, \"state\": \"closed\"}");
    restway_response_release(response);
    response = map_issue(client, "{\"id\": 1, \"size\": 2}");
    expect_text(restway_response_object(response, 0), "state", "closed");
    restway_response_release(response);
    restway_client_release(client);
}

static void values_that_are_not_accepted__are_issues(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response =
        map_issue(client, "{\"id\": 1, \"kind\": \"people\", \"size\": 3}");
    assert_int_equal(restway_response_issue_count(response), 2);
    restway_response_release(response);
    restway_client_release(client);
}

static void is_known_value__tells_listed_values(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_issue(
        client, "{\"id\": 1, \"state\": \"merged\", \"tags\": [\"a\", \"z\"], \"size\": 1}");
    const restway_object *object = restway_response_object(response, 0);
    assert_int_equal(restway_response_issue_count(response), 0);
    expect_text(object, "state", "merged");
    expect_known(object, "state", 0);
    expect_known(object, "tags", 0);
    expect_known(object, "size", 1);
    expect_known(object, "id", 1);
    int32_t known = 7;
    assert_fails(
        restway_object_is_known_value(object, "stat", &known, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "stat");
    assert_int_equal(known, 0);
    assert_refused(restway_object_is_known_value(NULL, "state", &known, &failure));
    assert_refused(restway_object_is_known_value(object, NULL, &known, &failure));
    assert_refused(restway_object_is_known_value(object, BAD_UTF8, &known, &failure));
    assert_refused(restway_object_is_known_value(object, "state", NULL, &failure));
    restway_response_release(response);
    restway_client_release(client);
}

static void draft__refuses_values_that_are_not_accepted(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(store, "Issue", &draft, &failure));
    restway_value value = restway_value_int64(3);
    assert_fails(
        restway_draft_set(draft, "size", &value, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "one of 1, 2");
    value = restway_value_string("people");
    assert_fails(
        restway_draft_set(draft, "kind", &value, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "\"issues\"");
    restway_draft_release(draft);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(defaults__are_for_objects_without_values),
    TEST(values_that_are_not_accepted__are_issues),
    TEST(is_known_value__tells_listed_values),
    TEST(draft__refuses_values_that_are_not_accepted),
};

const struct suite value_rules_suite = SUITE(tests);
