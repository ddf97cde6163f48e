/* The demo API with its own document, which the examples use. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static restway_client *make_demo_client(void) {
    const char *path = getenv("RESTWAY_DEMO_DOCUMENT");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_non_null(path);
    options.base_url = demo_url();
    assert_ok(restway_api_load_file(path, &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static restway_response *fetch_route(restway_client *client, const char *route) {
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create_route(NULL, route, &request, &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

static void demo__enterprises_become_objects(void **state) {
    (void)state;
    restway_client *client = make_demo_client();
    restway_response *response = fetch_route(client, "enterprises");
    assert_true(restway_response_object_count(response) >= 3);
    assert_int_equal(restway_response_issue_count(response), 0);
    restway_object *object = restway_response_object(response, 2);
    assert_string_equal(restway_object_entity(object), "Enterprise");
    assert_int_equal(restway_object_int64(object, "itemID", -1), 3);
    assert_string_equal(restway_object_string(object, "name"), "Nordlicht Books Inc.");
    assert_string_equal(restway_object_string(object, "city"), "Portland");
    restway_response_release(response);
    restway_client_release(client);
}

static void demo__list_and_single_are_the_same_instance(void **state) {
    (void)state;
    restway_client *client = make_demo_client();
    restway_response *list = fetch_route(client, "enterprises");
    restway_response *single = fetch(client, "enterprises/3");
    assert_int_equal(restway_response_object_count(single), 1);
    assert_int_equal(
        restway_object_is_same(
            restway_response_object(list, 2), restway_response_object(single, 0)),
        1);
    restway_response_release(single);
    restway_response_release(list);
    restway_client_release(client);
}

static void demo__a_company_is_added(void **state) {
    (void)state;
    const char *json = "{\"name\": \"Quiet Lamps\", \"address\": {\"city\": \"Turku\"}}";
    restway_client *client = make_demo_client();
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("POST", "enterprises", &request, &failure));
    assert_ok(restway_request_set_body(
        request, json, strlen(json), "application/json", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 201);
    assert_int_equal(restway_response_object_count(response), 1);
    restway_object *object = restway_response_object(response, 0);
    assert_string_equal(restway_object_string(object, "city"), "Turku");
    assert_true(restway_object_int64(object, "itemID", -1) > 0);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(demo__enterprises_become_objects),
    TEST(demo__list_and_single_are_the_same_instance),
    TEST(demo__a_company_is_added),
};

const struct suite demo_suite = SUITE(tests);
