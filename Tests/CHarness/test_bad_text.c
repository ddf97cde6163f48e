/* Bytes that are not UTF-8, in every text parameter. */
#include <string.h>

#include "harness.h"

static const char *const bad_texts[] = {
    "\xff",
    "a\xfe",
    "\xc0\xaf",         /* overlong */
    "\xe2\x82",         /* cut short */
    "\xed\xa0\x80",     /* a surrogate */
    "\xf4\x90\x80\x80", /* beyond U+10FFFF */
    "\x80tail",
};

enum { BAD_TEXT_COUNT = sizeof(bad_texts) / sizeof(bad_texts[0]) };

static void api_functions__refuse_bad_utf8(void **state) {
    (void)state;
    const char *json = NULL;
    restway_api *api = make_api();
    for (size_t index = 0; index < BAD_TEXT_COUNT; index++) {
        const char *bad = bad_texts[index];
        restway_api *out = POISON;
        assert_refused(restway_api_load_file(bad, &out, &failure));
        assert_null(out);
        assert_refused(restway_api_add_entity(api, bad, "{}", 2, &failure));
        assert_refused(restway_api_add_route(api, bad, "{}", 2, 0, &failure));
        assert_refused(restway_api_join_routes(api, bad, "status", "echo", 0, &failure));
        assert_refused(restway_api_join_routes(api, "a", bad, "echo", 0, &failure));
        assert_refused(restway_api_join_routes(api, "a", "status", bad, 0, &failure));
        assert_refused(restway_api_route_property(api, bad, "x-a", &json, NULL, &failure));
        assert_refused(restway_api_route_property(api, "echo", bad, &json, NULL, &failure));
        assert_refused(restway_api_json(api, bad, &json, NULL, &failure));
        assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ROUTES, bad), 0);
        assert_null(restway_api_name(api, RESTWAY_SECTION_ROUTES, bad, 0));
    }
    restway_api_release(api);
}

/** JSON is refused as an argument or as a document; both errors say what is wrong. */
static void refuse_json(restway_status status) {
    assert_true(status == RESTWAY_E_INVALID_ARGUMENT || status == RESTWAY_E_CONFIG);
    assert_int_equal(restway_error_status(failure), status);
    assert_true(restway_error_message(failure)[0] != '\0');
    forget_failure();
}

static void json__refuses_bad_utf8(void **state) {
    (void)state;
    restway_api *api = make_api();
    restway_request *request = make_get("status");
    for (size_t index = 0; index < BAD_TEXT_COUNT; index++) {
        char bad_json[64] = "{\"restway\": 1, \"x-a\": \"";
        restway_api *out = POISON;
        strcat(strcat(bad_json, bad_texts[index]), "\"}");
        size_t length = strlen(bad_json);
        refuse_json(restway_api_load(bad_json, length, &out, &failure));
        assert_null(out);
        refuse_json(restway_api_check(bad_json, length, &failure));
        refuse_json(restway_api_add_entity(api, "A", bad_json, length, &failure));
        refuse_json(restway_api_add_route(api, "a", bad_json, length, 0, &failure));
        refuse_json(restway_api_add_response(api, bad_json, length, &failure));
        assert_refused(restway_request_set_parameters_json(request, bad_json, length, &failure));
    }
    restway_request_release(request);
    restway_api_release(api);
}

static void client_options__refuse_bad_utf8(void **state) {
    (void)state;
    const restway_client_options defaults = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    for (size_t index = 0; index < BAD_TEXT_COUNT; index++) {
        restway_client *client = POISON;
        restway_client_options options = defaults;
        options.environment = bad_texts[index];
        assert_refused(restway_client_create(api, &options, &client, &failure));
        options = defaults;
        options.base_url = bad_texts[index];
        assert_refused(restway_client_create(api, &options, &client, &failure));
        options = defaults;
        options.user_agent = bad_texts[index];
        assert_refused(restway_client_create(api, &options, &client, &failure));
        assert_null(client);
    }
    restway_api_release(api);
}

static void request_functions__refuse_bad_utf8(void **state) {
    (void)state;
    restway_scope *scope = NULL;
    assert_ok(restway_scope_create(NULL, &scope, &failure));
    restway_value value = restway_value_int64(1);
    restway_request *request = make_get("status");
    for (size_t index = 0; index < BAD_TEXT_COUNT; index++) {
        const char *bad = bad_texts[index];
        restway_value bad_value = restway_value_string(bad);
        restway_request *out = POISON;
        assert_refused(restway_request_create(bad, "status", &out, &failure));
        assert_refused(restway_request_create("GET", bad, &out, &failure));
        assert_refused(restway_request_create_route(NULL, bad, &out, &failure));
        assert_refused(restway_request_create_route(bad, "status", &out, &failure));
        assert_refused(restway_request_set_route(request, bad, &failure));
        assert_null(out);
        assert_refused(restway_request_set_variable(request, bad, &value, &failure));
        assert_refused(restway_scope_set_variable(scope, bad, &value, &failure));
        assert_refused(restway_request_set_variable(request, "a", &bad_value, &failure));
        assert_refused(restway_request_set_parameter(request, bad, &value, &failure));
        assert_refused(restway_request_set_parameter(request, "a", &bad_value, &failure));
        assert_refused(restway_request_add_parameter(request, bad, &value, &failure));
        assert_refused(restway_request_add_parameter(request, "a", &bad_value, &failure));
        assert_refused(restway_request_set_header(request, bad, "v", &failure));
        assert_refused(restway_request_set_header(request, "A", bad, &failure));
        assert_refused(restway_request_set_body(request, "a", 1, bad, &failure));
    }
    restway_request_release(request);
    restway_scope_release(scope);
}

static void reading_functions__refuse_bad_utf8(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises/3");
    restway_object *object = restway_response_object(response, 0);
    restway_store *store = restway_client_store(client);
    restway_request *route = make_route("enterprises");
    restway_value identity = restway_value_int64(3), value;
    size_t count = 0;
    for (size_t index = 0; index < BAD_TEXT_COUNT; index++) {
        const char *bad = bad_texts[index];
        restway_value bad_identity = restway_value_string(bad);
        restway_object *found = POISON;
        restway_request *request = POISON;
        assert_refused(restway_client_check_objects(client, route, bad, NULL, NULL, 0, &failure));
        assert_refused(restway_client_check_objects(client, route, "a", bad, NULL, 0, &failure));
        assert_refused(restway_store_find(store, bad, &identity, &found, &failure));
        assert_refused(restway_store_find(store, "Enterprise", &bad_identity, &found, &failure));
        assert_refused(restway_store_find_json(store, bad, "[3]", &found, &failure));
        assert_refused(restway_store_find_json(store, "Enterprise", bad, &found, &failure));
        assert_null(found);
        assert_refused(restway_store_count(store, bad, &count, &failure));
        assert_refused(restway_object_get(object, bad, &value, &failure));
        assert_refused(restway_request_create_object(bad, object, &request, &failure));
        assert_null(request);
        assert_int_equal(restway_object_attribute_index(object, bad), -1);
        assert_null(restway_object_string(object, bad));
        assert_int_equal(restway_object_int64(object, bad, 7), 7);
        assert_true(restway_object_double(object, bad, 7.5) == 7.5);
        assert_null(restway_response_header(response, bad));
    }
    restway_store_release(store);
    restway_request_release(route);
    restway_response_release(response);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(api_functions__refuse_bad_utf8),
    TEST(json__refuses_bad_utf8),
    TEST(client_options__refuse_bad_utf8),
    TEST(request_functions__refuse_bad_utf8),
    TEST(reading_functions__refuse_bad_utf8),
};

const struct suite bad_text_suite = SUITE(tests);
