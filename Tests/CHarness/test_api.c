/* API documents are loaded, checked and extended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define MINIMAL "{\"restway\": 1}"
#define ENTITY "{\"identity\": \"itemID\", \"attributes\": {\"itemID\": \"id\"}}"
#define ROUTE "{\"method\": \"GET\", \"path\": \"things/:itemID\", \"x-color\": {\"r\": 1}}"

static restway_api *minimal_api(void) {
    restway_api *api = NULL;
    assert_ok(restway_api_load(MINIMAL, strlen(MINIMAL), &api, &failure));
    return api;
}

static void api_load__of_an_empty_document(void **state) {
    (void)state;
    restway_api *api = minimal_api();
    assert_non_null(api);
    restway_api_release(api);
}

static void api_load__copies_the_text(void **state) {
    (void)state;
    char text[] = MINIMAL "garbage behind the length";
    restway_api *api = NULL;
    assert_ok(restway_api_load(text, strlen(MINIMAL), &api, &failure));
    memset(text, 'x', sizeof(text));
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    restway_api_release(api);
}

static void api_load_file__reads_a_file(void **state) {
    (void)state;
    char path[] = "/tmp/restway-harness-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, MINIMAL, strlen(MINIMAL)), (int)strlen(MINIMAL));
    close(file);
    restway_api *api = NULL;
    assert_ok(restway_api_load_file(path, &api, &failure));
    assert_non_null(api);
    restway_api_release(api);
    unlink(path);
}

static void api_load_file__names_a_file_it_cannot_read(void **state) {
    (void)state;
    restway_api *api = POISON;
    assert_fails(
        restway_api_load_file("no/such/document.json", &api, &failure), RESTWAY_E_IO,
        "no/such/document.json");
    assert_null(api);
    assert_fails(restway_api_load_file("/", &api, &failure), RESTWAY_E_IO, "/");
}

static void api_check__keeps_nothing(void **state) {
    (void)state;
    assert_ok(restway_api_check(MINIMAL, strlen(MINIMAL), &failure));
    assert_fails(restway_api_check("{}", 2, &failure), RESTWAY_E_CONFIG, "");
}

static void api_add__builds_a_document_by_hand(void **state) {
    (void)state;
    const char *response =
        "{\"method\": \"GET\", \"path\": \"others\", \"entity\": \"Thing\", \"keyPath\": \"all\"}";
    restway_api *api = minimal_api();
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    assert_ok(restway_api_add_response(api, response, strlen(response), &failure));
    restway_api_release(api);
}

static void api_add__refuses_what_is_there(void **state) {
    (void)state;
    const char *response = "{\"method\": \"GET\", \"path\": \"others\", \"entity\": \"Thing\"}";
    size_t length = strlen(response);
    restway_api *api = minimal_api();
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    assert_fails(
        restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure),
        RESTWAY_E_DUPLICATE, "Thing");
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    assert_fails(
        restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure), RESTWAY_E_DUPLICATE,
        "thing");
    assert_ok(restway_api_add_response(api, response, length, &failure));
    assert_fails(
        restway_api_add_response(api, response, length, &failure), RESTWAY_E_DUPLICATE, "");
    restway_api_release(api);
}

static void api_add__of_broken_json_adds_nothing(void **state) {
    (void)state;
    restway_api *api = minimal_api();
    const char *broken = "{\"attributes\": ";
    size_t length = strlen(broken);
    assert_fails(
        restway_api_add_entity(api, "Thing", broken, length, &failure), RESTWAY_E_CONFIG, "");
    assert_fails(
        restway_api_add_route(api, "thing", broken, length, 0, &failure), RESTWAY_E_CONFIG, "");
    assert_fails(restway_api_add_response(api, broken, length, &failure), RESTWAY_E_CONFIG, "");
    assert_fails(
        restway_api_add_entity(api, "Thing", "[]", 2, &failure), RESTWAY_E_CONFIG, "object");
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    restway_api_release(api);
}

static void api_add_route__replaces_only_when_it_is_asked_to(void **state) {
    (void)state;
    const char *later = "{\"path\": \"later/:itemID\", \"x-later\": true}";
    const char *wrong = "{\"path\": 1}";
    const char *json = NULL;
    restway_api *api = make_api();
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    assert_fails_keeping(
        restway_api_add_route(api, "thing", later, strlen(later), 0, &failure),
        RESTWAY_E_DUPLICATE, "thing");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_CONFIG);
    forget_failure();
    assert_ok(restway_api_add_route(
        api, "thing", later, strlen(later), RESTWAY_ROUTE_REPLACE, &failure));
    assert_ok(restway_api_route_property(api, "thing", "x-later", &json, NULL, &failure));
    assert_string_equal(json, "true");
    assert_fails(
        restway_api_add_route(
            api, "thing", wrong, strlen(wrong), RESTWAY_ROUTE_REPLACE, &failure),
        RESTWAY_E_CONFIG, "path");
    assert_fails_keeping(
        restway_api_join_routes(api, "thing", "thing", "echo", 0, &failure), RESTWAY_E_DUPLICATE,
        "thing");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_CONFIG);
    forget_failure();
    assert_ok(restway_api_join_routes(
        api, "thing", "thing", "echo", RESTWAY_ROUTE_REPLACE, &failure));
    assert_refused(restway_api_add_route(api, "thing", later, strlen(later), 2, &failure));
    assert_refused(restway_api_join_routes(api, "thing", "thing", "echo", 2, &failure));
    restway_api_release(api);
}

static void api__refuses_paths_that_overlap_undecided(void **state) {
    (void)state;
    const char *first = "{\"path\": \"files/{name}.json\"}";
    const char *second = "{\"path\": \"files/report-{id}\"}";
    restway_api *api = minimal_api();
    assert_ok(restway_api_add_route(api, "first", first, strlen(first), 0, &failure));
    assert_fails_keeping(
        restway_api_add_route(api, "second", second, strlen(second), 0, &failure),
        RESTWAY_E_CONFIG, "files/report-{id}");
    assert_holds(restway_error_message(failure), "files/{name}.json");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_CONFIG);
    forget_failure();
    restway_api_release(api);
}

static void api_add_attribute__takes_keys_with_dots(void **state) {
    (void)state;
    restway_api *api = minimal_api();
    assert_ok(restway_api_add_entity(api, "Thing", "{}", 2, &failure));
    assert_ok(restway_api_add_attribute(
        api, "Thing", "size", "[\"data\", \"size.cm\"]", RESTWAY_TYPE_INT, NULL, NULL, &failure));
    assert_fails(
        restway_api_add_attribute(
            api, "Thing", "other", "[\"data\", 1]", RESTWAY_TYPE_INT, NULL, NULL, &failure),
        RESTWAY_E_CONFIG, "source");
    restway_api_release(api);
}

static void api_add_route__without_a_name(void **state) {
    (void)state;
    const char *route =
        "{\"method\": \"GET\", \"path\": \"things/:itemID\", \"entity\": \"Thing\"}";
    restway_api *api = minimal_api();
    assert_ok(restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure));
    assert_ok(restway_api_add_route(api, NULL, route, strlen(route), 0, &failure));
    restway_api_release(api);
}

static void api__is_frozen_by_its_first_client(void **state) {
    (void)state;
    const char *response = "{\"method\": \"GET\", \"path\": \"x\", \"entity\": \"Note\"}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    restway_api *api = make_api();
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_fails(
        restway_api_add_entity(api, "Thing", ENTITY, strlen(ENTITY), &failure), RESTWAY_E_FROZEN,
        "");
    assert_fails(
        restway_api_add_response(api, response, strlen(response), &failure), RESTWAY_E_FROZEN, "");
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    restway_client_release(client);
    restway_api_release(api);
}

static void api_join_routes__puts_the_child_behind_its_parent(void **state) {
    (void)state;
    restway_api *api = make_api();
    assert_ok(restway_api_add_route(api, "thing", ROUTE, strlen(ROUTE), 0, &failure));
    assert_ok(restway_api_join_routes(api, "thingEcho", "thing", "echo", 0, &failure));
    assert_fails(
        restway_api_join_routes(api, "thingEcho", "thing", "echo", 0, &failure),
        RESTWAY_E_DUPLICATE, "thingEcho");
    assert_fails(
        restway_api_join_routes(api, "a", "nowhere", "echo", 0, &failure), RESTWAY_E_UNKNOWN_ROUTE,
        "nowhere");
    assert_fails(
        restway_api_join_routes(api, "a", "echo", "elsewhere", 0, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "elsewhere");
    assert_fails(
        restway_api_join_routes(api, "a", "thing", "enterprise", 0, &failure), RESTWAY_E_CONFIG,
        "itemID");
    restway_api_release(api);
}

static void api_route_property__gives_json(void **state) {
    (void)state;
    const char *json = POISON;
    size_t length = 99;
    restway_api *api = make_api();
    assert_ok(restway_api_route_property(api, "enterprises", "x-label", &json, &length, &failure));
    assert_string_equal(json, "\"all\"");
    assert_int_equal(length, 5);
    assert_ok(restway_api_route_property(api, "enterprises", "x-none", &json, &length, &failure));
    assert_null(json);
    assert_int_equal(length, 0);
    assert_ok(restway_api_route_property(api, "enterprises", "x-label", &json, NULL, &failure));
    assert_non_null(json);
    assert_fails(
        restway_api_route_property(api, "nowhere", "x-label", &json, &length, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "nowhere");
    assert_null(json);
    restway_api_release(api);
}

static void api_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_api_retain(NULL));
    restway_api_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(api_load__of_an_empty_document),
    TEST(api_load__copies_the_text),
    TEST(api_load_file__reads_a_file),
    TEST(api_load_file__names_a_file_it_cannot_read),
    TEST(api_check__keeps_nothing),
    TEST(api_add__builds_a_document_by_hand),
    TEST(api_add__refuses_what_is_there),
    TEST(api_add__of_broken_json_adds_nothing),
    TEST(api_add_route__replaces_only_when_it_is_asked_to),
    TEST(api__refuses_paths_that_overlap_undecided),
    TEST(api_add_attribute__takes_keys_with_dots),
    TEST(api_add_route__without_a_name),
    TEST(api__is_frozen_by_its_first_client),
    TEST(api_join_routes__puts_the_child_behind_its_parent),
    TEST(api_route_property__gives_json),
    TEST(api_release__of_null_is_fine),
};

const struct suite api_suite = SUITE(tests);
