/* NULL for every pointer that must not be NULL, in functions that return a status. */
#include <string.h>

#include "harness.h"

#define JSON "{}"
#define OUT_IS_CLEARED(out) \
    do { \
        assert_null(out); \
        (out) = POISON; \
    } while (0)

static void api_functions__refuse_null(void **state) {
    (void)state;
    restway_api *out = POISON;
    restway_api *api = make_api();
    const char *json = POISON;
    size_t length = 99;
    assert_refused(restway_api_load(NULL, 5, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_api_load(NULL, 0, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_api_load(JSON, 2, NULL, &failure));
    assert_refused(restway_api_load_file(NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_api_load_file("document.json", NULL, &failure));
    assert_refused(restway_api_check(NULL, 5, &failure));
    assert_refused(restway_api_add_entity(NULL, "A", JSON, 2, &failure));
    assert_refused(restway_api_add_entity(api, NULL, JSON, 2, &failure));
    assert_refused(restway_api_add_entity(api, "A", NULL, 2, &failure));
    assert_refused(restway_api_add_route(NULL, "a", JSON, 2, 0, &failure));
    assert_refused(restway_api_add_route(api, "a", NULL, 2, 0, &failure));
    assert_refused(restway_api_add_response(NULL, JSON, 2, &failure));
    assert_refused(restway_api_add_response(api, NULL, 2, &failure));
    assert_refused(restway_api_join_routes(NULL, "a", "status", "echo", 0, &failure));
    assert_refused(restway_api_join_routes(api, NULL, "status", "echo", 0, &failure));
    assert_refused(restway_api_join_routes(api, "a", NULL, "echo", 0, &failure));
    assert_refused(restway_api_join_routes(api, "a", "status", NULL, 0, &failure));
    assert_refused(restway_api_route_property(NULL, "echo", "x-a", &json, &length, &failure));
    OUT_IS_CLEARED(json);
    assert_int_equal(length, 0);
    assert_refused(restway_api_route_property(api, NULL, "x-a", &json, &length, &failure));
    assert_refused(restway_api_route_property(api, "echo", NULL, &json, &length, &failure));
    assert_refused(restway_api_route_property(api, "echo", "x-a", NULL, &length, &failure));
    assert_refused(restway_api_json(NULL, "", &json, &length, &failure));
    assert_refused(restway_api_json(api, NULL, &json, &length, &failure));
    assert_refused(restway_api_json(api, "", NULL, &length, &failure));
    assert_int_equal(restway_api_name_count(NULL, RESTWAY_SECTION_ROUTES, NULL), 0);
    assert_null(restway_api_name(NULL, RESTWAY_SECTION_ROUTES, NULL, 0));
    restway_api_release(api);
}

static void client_functions__refuse_null(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *client = make_client();
    restway_client *out = POISON;
    restway_request *request = make_get("status");
    restway_call *call = POISON;
    restway_response *response = POISON;
    assert_refused(restway_client_options_init(NULL, sizeof(options), &failure));
    assert_refused(restway_client_create(NULL, &options, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_client_create(api, &options, NULL, &failure));
    assert_refused(restway_client_send(NULL, request, NULL, NULL, NULL, &call, &failure));
    OUT_IS_CLEARED(call);
    assert_refused(restway_client_send(client, NULL, NULL, NULL, NULL, &call, &failure));
    OUT_IS_CLEARED(call);
    assert_refused(restway_client_perform(NULL, request, 0, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_perform(client, NULL, 0, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_call_wait(NULL, 0, &response, &failure));
    OUT_IS_CLEARED(response);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
}

static void client_perform__refuses_a_negative_wait(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    assert_refused(restway_client_perform(client, request, -1, NULL, &failure));
    assert_refused(restway_client_perform(client, request, INT64_MIN, NULL, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static void request_functions__refuse_null(void **state) {
    (void)state;
    restway_value value = restway_value_int64(1);
    restway_request *request = make_get("status");
    restway_request *out = POISON;
    assert_refused(restway_request_create(NULL, "status", &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_request_create("GET", NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_request_create("GET", "status", NULL, &failure));
    assert_refused(restway_request_create_route(NULL, NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_request_create_route(NULL, "status", NULL, &failure));
    assert_refused(restway_request_create_object("GET", NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_request_set_route(NULL, "status", &failure));
    assert_refused(restway_request_set_route(request, NULL, &failure));
    assert_refused(restway_request_set_variable(NULL, "a", &value, &failure));
    assert_refused(restway_request_set_variable(request, NULL, &value, &failure));
    assert_refused(restway_request_set_variable(request, "a", NULL, &failure));
    assert_refused(restway_request_set_parameter(NULL, "a", &value, &failure));
    assert_refused(restway_request_set_parameter(request, NULL, &value, &failure));
    assert_refused(restway_request_set_parameter(request, "a", NULL, &failure));
    assert_refused(restway_request_add_parameter(NULL, "a", &value, &failure));
    assert_refused(restway_request_add_parameter(request, NULL, &value, &failure));
    assert_refused(restway_request_add_parameter(request, "a", NULL, &failure));
    assert_refused(restway_request_set_parameters_json(NULL, JSON, 2, &failure));
    assert_refused(restway_request_set_parameters_json(request, NULL, 2, &failure));
    assert_refused(restway_request_set_header(NULL, "A", "b", &failure));
    assert_refused(restway_request_set_header(request, NULL, "b", &failure));
    assert_refused(restway_request_set_body(NULL, "a", 1, "text/plain", &failure));
    assert_refused(restway_request_set_body(request, NULL, 1, "text/plain", &failure));
    assert_refused(restway_request_set_body(request, "a", 1, NULL, &failure));
    assert_refused(restway_request_set_timeout(NULL, 1, &failure));
    restway_request_release(request);
}

static void object_functions__refuse_null(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_value value = restway_value_int64(7);
    restway_request *request = POISON;
    uint32_t index = 0;
    assert_refused(restway_request_create_object(NULL, object, &request, &failure));
    assert_null(request);
    assert_refused(restway_request_create_object("GET", object, NULL, &failure));
    assert_refused(restway_object_identity(NULL, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_refused(restway_object_identity(object, NULL, &failure));
    value = restway_value_int64(7);
    assert_refused(restway_object_get(NULL, "name", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_refused(restway_object_get(object, NULL, &value, &failure));
    assert_refused(restway_object_get(object, "name", NULL, &failure));
    assert_refused(restway_object_read(NULL, &index, 1, &value, &failure));
    assert_refused(restway_object_read(object, &index, 1, NULL, &failure));
    restway_object_release(object);
    restway_client_release(client);
}

static void store_functions__refuse_null(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(3);
    restway_object *out = POISON;
    size_t count = 99;
    assert_refused(restway_store_find(NULL, "Enterprise", &identity, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_store_find(store, NULL, &identity, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_store_find(store, "Enterprise", NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_store_find(store, "Enterprise", &identity, NULL, &failure));
    assert_refused(restway_store_newest(NULL, object, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_store_newest(store, NULL, &out, &failure));
    OUT_IS_CLEARED(out);
    assert_refused(restway_store_newest(store, object, NULL, &failure));
    assert_refused(restway_store_count(NULL, NULL, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_store_count(store, NULL, NULL, &failure));
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void response_result__refuses_null(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    size_t first = 99, count = 99;
    assert_refused(restway_response_result(NULL, 0, &first, &count, &failure));
    assert_int_equal(first, 0);
    assert_int_equal(count, 0);
    assert_refused(restway_response_result(response, 0, NULL, &count, &failure));
    assert_refused(restway_response_result(response, 0, &first, NULL, &failure));
    restway_response_release(response);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(api_functions__refuse_null),
    TEST(client_functions__refuse_null),
    TEST(client_perform__refuses_a_negative_wait),
    TEST(request_functions__refuse_null),
    TEST(object_functions__refuse_null),
    TEST(store_functions__refuse_null),
    TEST(response_result__refuses_null),
};

const struct suite null_suite = SUITE(tests);
