/* Identities of several parts: issues of two repositories that have the same numbers. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    "\"entities\": {" \
    "  \"Issue\": {\"identity\": [\"owner\", \"repo\", \"number\"]," \
    "    \"attributes\": {\"owner\": {\"type\": \"string\"}, \"repo\": {\"type\": \"string\"}," \
    "      \"number\": {\"type\": \"int\"}, \"title\": {\"type\": \"string\"}}}}}"

static const char ISSUES[] =
    "[{\"owner\": \"o\", \"repo\": \"hello\", \"number\": 7, \"title\": \"a\"},"
    " {\"owner\": \"o\", \"repo\": \"world\", \"number\": 7, \"title\": \"b\"}]";

static restway_client *client_with_issues(void) {
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, "Issue", ISSUES, strlen(ISSUES), &options, &response, NULL, &failure));
    assert_int_equal(restway_response_object_count(response), 2);
    restway_response_release(response);
    return client;
}

static restway_value json_of(const char *text) {
    restway_value value = restway_value_string(text);
    value.kind = RESTWAY_VALUE_JSON;
    return value;
}

static void identity__an_array_finds_and_deletes(void **state) {
    (void)state;
    restway_client *client = client_with_issues();
    restway_store *store = restway_client_store(client);
    restway_value identity = json_of(" [ \"o\", \"world\",\n7 ] ");
    restway_object *found = NULL;
    assert_ok(restway_store_find(store, "Issue", &identity, &found, &failure));
    assert_string_equal(restway_object_string(found, "title"), "b");
    restway_value told;
    assert_ok(restway_object_identity(found, &told, &failure));
    assert_int_equal(told.kind, RESTWAY_VALUE_JSON);
    assert_int_equal(told.length, strlen("[\"o\",\"world\",7]"));
    assert_string_equal(told.as.text, "[\"o\",\"world\",7]");
    assert_int_equal(restway_object_attribute_count(found), 4);
    restway_object_release(found);
    assert_ok(restway_store_delete_identity(store, "Issue", &told, &failure));
    assert_fails(
        restway_store_find_json(store, "Issue", "[\"o\",\"world\",7]", &found, &failure),
        RESTWAY_E_NO_OBJECT, "no Issue with identity [\"o\",\"world\",7]");
    assert_ok(restway_store_find_json(store, "Issue", "[\"o\",\"hello\",7]", &found, &failure));
    restway_object_release(found);
    restway_store_release(store);
    restway_client_release(client);
}

static void identity__a_list_finds(void **state) {
    (void)state;
    restway_client *client = client_with_issues();
    restway_store *store = restway_client_store(client);
    restway_value parts[] = {
        restway_value_string("o"), restway_value_string("hello"), restway_value_int64(7)};
    restway_value identity = restway_value_null();
    restway_object *found = NULL;
    identity.kind = RESTWAY_VALUE_LIST;
    identity.length = 3;
    identity.as.list = parts;
    assert_ok(restway_store_find(store, "Issue", &identity, &found, &failure));
    assert_string_equal(restway_object_string(found, "title"), "a");
    restway_object_release(found);
    restway_store_release(store);
    restway_client_release(client);
}

static void identity__refuses_other_parts(void **state) {
    (void)state;
    restway_client *client = client_with_issues();
    restway_store *store = restway_client_store(client);
    const char *refused[] = {
        "[\"o\", \"hello\"]", "[\"o\", \"hello\", \"7\"]", "[\"o\", \"hello\", 7, 8]",
        "[\"o\", null, 7]", "[]", "{}", "7"};
    restway_object *found = POISON;
    for (size_t index = 0; index < sizeof refused / sizeof *refused; index++) {
        assert_refused(restway_store_find_json(store, "Issue", refused[index], &found, &failure));
        assert_null(found);
    }
    assert_fails(
        restway_store_find_json(store, "Issue", "[\"o\", 7]", &found, &failure),
        RESTWAY_E_INVALID_ARGUMENT,
        "the identity of Issue has the parts owner (string), repo (string), number (int)");
    const char *text = "[\"o\",\"hello\",7]";
    assert_refused(restway_store_find_string(store, "Issue", text, &found, &failure));
    assert_refused(restway_store_find_int64(store, "Issue", 7, &found, &failure));
    assert_refused(restway_store_find_json(store, "Issue", NULL, &found, &failure));
    assert_refused(restway_store_find_json(store, NULL, text, &found, &failure));
    assert_refused(restway_store_find_json(store, "Issue", text, NULL, &failure));
    assert_refused(restway_store_find_json(NULL, "Issue", "[]", &found, &failure));
    restway_store_release(store);
    restway_client_release(client);
}

static void identity__a_function_sets_several_parts(void **state) {
    (void)state;
    restway_api *api = NULL;
    const char document[] = "{\"restway\": 1, \"entities\": {\"Line\": {\"attributes\": {"
        "\"order\": {\"type\": \"int\"}, \"number\": {\"type\": \"int\"}, \"any\": \"any\"}}}}";
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_api_set_identity(api, "Line", "[\"order\", \"number\"]", &failure));
    assert_fails(
        restway_api_set_identity(api, "Line", "[\"order\", \"any\"]", &failure), RESTWAY_E_CONFIG,
        "a part of an identity has the type int or string");
    restway_api_release(api);
}

static const struct CMUnitTest tests[] = {
    TEST(identity__an_array_finds_and_deletes),
    TEST(identity__a_list_finds),
    TEST(identity__refuses_other_parts),
    TEST(identity__a_function_sets_several_parts),
};

const struct suite identity_suite = SUITE(tests);
