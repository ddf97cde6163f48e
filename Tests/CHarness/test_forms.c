/* Values that come in several forms, media types that choose a descriptor, and lists with gaps. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {" \
    "  \"id\": {\"type\": \"int\", \"transform\": [\"plain\", \"numberText\"]}," \
    "  \"made\": {\"type\": \"date\", \"format\": [\"epoch\", \"iso8601\"]}," \
    "  \"days\": {\"type\": [\"date\"], \"format\": [\"dd/MM/yyyy\", \"iso8601\"]}}}}," \
    "\"routes\": {\"day\": {\"path\": \"day\"," \
    "  \"response\": {\"type\": \"date\", \"format\": [\"iso8601\", \"epoch\"]}}}}"

#define DAY_MICROSECONDS INT64_C(86400000000)

/** Maps `body` to a thing or, with a route, to a value; the response is owned by the caller. */
static restway_response *map_body(
    restway_client *client, const char *entity, const char *route, const char *body) {
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    options.route = route;
    assert_ok(restway_client_map(
        client, entity, body, strlen(body), &options, &response, NULL, &failure));
    return response;
}

static void formats__are_tried_in_order_and_the_first_writes(void **state) {
    static const char *const bodies[] = {
        "{\"id\": 7, \"made\": 86400, \"days\": [\"02/01/1970\"]}",
        "{\"id\": \"7\", \"made\": \"1970-01-02T00:00:00Z\", \"days\": [\"1970-01-02\"]}",
    };
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        restway_response *response = map_body(client, "Thing", NULL, bodies[i]);
        assert_int_equal(restway_response_issue_count(response), 0);
        const restway_object *object = restway_response_object(response, 0);
        restway_value value;
        assert_ok(restway_object_get(object, "id", &value, &failure));
        assert_int_equal(value.as.integer, 7);
        assert_ok(restway_object_get(object, "made", &value, &failure));
        assert_int_equal(value.kind, RESTWAY_VALUE_DATE);
        assert_int_equal(value.as.integer, DAY_MICROSECONDS);
        assert_ok(restway_object_get(object, "days", &value, &failure));
        assert_string_equal(value.as.text, "[\"1970-01-02T00:00:00Z\"]");
        restway_response_release(response);
    }
    restway_client_release(client);
}

static void value_of_no_form__is_one_issue(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response =
        map_body(client, "Thing", NULL, "{\"id\": 1, \"made\": true, \"days\": [\"x\"]}");
    assert_int_equal(restway_response_issue_count(response), 2);
    restway_response_release(response);
    restway_client_release(client);
}

static void value_of_an_answer__comes_in_several_forms(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    static const char *const bodies[] = {"86400", "\"1970-01-02\""};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        restway_response *response = map_body(client, NULL, "day", bodies[i]);
        restway_value value;
        assert_ok(restway_response_value(response, &value, &failure));
        assert_int_equal(value.as.integer, DAY_MICROSECONDS);
        restway_response_release(response);
    }
    restway_client_release(client);
}

static void add_attribute__takes_a_list_of_transforms(void **state) {
    (void)state;
    restway_api *api = NULL;
    assert_ok(restway_api_load("{\"restway\": 1}", 14, &api, &failure));
    assert_ok(restway_api_add_entity(api, "Thing", "{}", 2, &failure));
    assert_ok(restway_api_add_attribute(
        api, "Thing", "made", NULL, RESTWAY_TYPE_DATE, NULL,
        "[\"epoch\", {\"name\": \"date\", \"format\": \"dd/MM/yyyy\"}]", &failure));
    assert_fails(
        restway_api_add_attribute(
            api, "Thing", "bad", NULL, RESTWAY_TYPE_DATE, NULL, "[\"epoch\", \"url\"]",
            &failure),
        RESTWAY_E_CONFIG, "url");
    assert_fails(
        restway_api_add_attribute(
            api, "Thing", "bad", NULL, RESTWAY_TYPE_DATE, NULL, "[\"epoch\"", &failure),
        RESTWAY_E_CONFIG, "");
    restway_api_release(api);
}

static void media_type__chooses_the_descriptor(void **state) {
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Full\": {\"attributes\": {\"a\": \"a\"}},"
        "  \"Plain\": {\"attributes\": {\"a\": \"a\"}}},"
        "\"routes\": {\"report\": {\"path\": \"report\", \"response\": ["
        "  {\"entity\": \"Full\", \"mediaType\": \"application/vnd.full+json\"},"
        "  {\"entity\": \"Plain\", \"mediaType\": \"application/json\"}]}}}";
    static const char *const cases[][2] = {
        {"application/vnd.full+json; charset=utf-8", "Full"}, {"application/json", "Plain"},
        {"application/problem+json", "Plain"},
    };
    (void)state;
    restway_client *client = unreachable_client_of(document);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
        restway_response *response = NULL;
        options.route = "report";
        options.media_type = cases[i][0];
        assert_ok(restway_client_map(
            client, NULL, "{\"a\": 1}", 8, &options, &response, NULL, &failure));
        assert_int_equal(restway_response_object_count(response), 1);
        assert_string_equal(
            restway_object_entity(restway_response_object(response, 0)), cases[i][1]);
        restway_response_release(response);
    }
    restway_client_release(client);
}

static void related_keys__are_zero_for_gaps(void **state) {
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Node\": {\"identity\": \"id\","
        "  \"attributes\": {\"id\": {\"type\": \"int\"}}, \"relationships\": {"
        "    \"seats\": {\"entity\": \"Node\", \"many\": true, \"empty\": \"gap\"}}}}}";
    (void)state;
    restway_client *client = unreachable_client_of(document);
    restway_response *response =
        map_body(client, "Node", NULL, "{\"id\": 1, \"seats\": [null, 2, {}, 3]}");
    const restway_object *object = restway_response_object(response, 0);
    uint32_t kind = 0;
    const int64_t *keys = NULL;
    size_t count = 0;
    assert_ok(restway_object_related_keys(object, "seats", &kind, &keys, &count, &failure));
    assert_int_equal(count, 4);
    assert_int_equal(keys[0], 0);
    assert_int_not_equal(keys[1], 0);
    assert_int_equal(keys[2], 0);
    assert_int_not_equal(keys[3], 0);
    restway_response_release(response);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(media_type__chooses_the_descriptor),
    TEST(related_keys__are_zero_for_gaps),
    TEST(formats__are_tried_in_order_and_the_first_writes),
    TEST(value_of_no_form__is_one_issue),
    TEST(value_of_an_answer__comes_in_several_forms),
    TEST(add_attribute__takes_a_list_of_transforms),
};

const struct suite forms_suite = SUITE(tests);
