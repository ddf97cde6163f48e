/* API documents: variables of the environment, included files, and what a program can list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static void load(const char *document, restway_api **out_api) {
    assert_ok(restway_api_load(document, strlen(document), out_api, &failure));
}

static void refuse(const char *document, const char *path, const char *fragment) {
    restway_api *api = POISON;
    assert_fails_keeping(
        restway_api_load(document, strlen(document), &api, &failure), RESTWAY_E_CONFIG, fragment);
    assert_null(api);
    assert_string_equal(restway_error_detail_path(failure, 0), path);
    forget_failure();
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void document__names_variables_of_the_environment(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"${RESTWAY_TEST_URL}\"}}}";
    unsetenv("RESTWAY_TEST_URL");
    refuse(document, "$.environments.e.baseURL", "\"RESTWAY_TEST_URL\" is not set");
    setenv("RESTWAY_TEST_URL", demo_url(), 1);
    restway_api *api = NULL;
    restway_client *client = NULL;
    load(document, &api);
    assert_ok(restway_client_create(api, NULL, &client, &failure));
    restway_response *response = fetch(client, "enterprises/1");
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    restway_client_release(client);
    restway_api_release(api);
    setenv("RESTWAY_TEST_URL", "hidden", 1);
    assert_fails_keeping(
        restway_api_check(document, strlen(document), &failure), RESTWAY_E_CONFIG, "baseURL");
    assert_null(strstr(restway_error_message(failure), "hidden"));
    forget_failure();
    unsetenv("RESTWAY_TEST_URL");
}

static void document__is_joined_with_the_files_that_it_includes(void **state) {
    (void)state;
    char folder[] = "/tmp/restway-harness-XXXXXX";
    char main_file[64], more_file[64];
    restway_api *api = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(main_file, sizeof main_file, "%s/api.json", folder);
    snprintf(more_file, sizeof more_file, "%s/more.json", folder);
    write_file(main_file, "{\"restway\": 1, \"include\": \"more.json\"}");
    write_file(more_file, "{\"restway\": 1, \"routes\": {\"r\": {\"path\": \"a\", \"x-a\": 1}}}");
    assert_ok(restway_api_load_file(main_file, &api, &failure));
    const char *json = NULL;
    assert_ok(restway_api_route_property(api, "r", "x-a", &json, NULL, &failure));
    assert_string_equal(json, "1");
    restway_api_release(api);
    write_file(more_file, "{\"restway\": 1, \"include\": \"api.json\", \"bogus\": 1}");
    assert_fails_keeping(
        restway_api_load_file(main_file, &api, &failure), RESTWAY_E_CONFIG, "bogus");
    assert_int_equal(restway_error_detail_count(failure), 2);
    assert_string_equal(restway_error_detail_path(failure, 0), "more.json: $.bogus");
    assert_holds(
        restway_error_detail_message(failure, 1), "api.json -> more.json -> api.json");
    forget_failure();
    unlink(main_file);
    unlink(more_file);
    rmdir(folder);
    refuse(
        "{\"restway\": 1, \"include\": \"http://127.0.0.1/a.json\"}", "$.include", "not a URL");
}

static void document__may_be_a_configuration_of_webapiclient(void **state) {
    (void)state;
    static const char configuration[] =
        "{\"App_webservice_protocol\": \"http\", \"App_webservice_host\": \"a.test\","
        " \"App_webservice_port\": 80, \"webservice\": {\"api\": {"
        "   \"login\": {\"method\": \"POST\", \"path\": \"user/login\", \"mine\": {\"a\": 1}}}}}";
    restway_api *api = NULL;
    const char *json = NULL;
    load(configuration, &api);
    assert_ok(restway_api_route_property(api, "login", "mine", &json, NULL, &failure));
    assert_string_equal(json, "{\"a\":1}");
    restway_api_release(api);
    refuse(
        "{\"webservice\": {\"api\": {\"login\": {}}}}", "$.webservice.api.login",
        "\"path\" is missing");
}

static void document__refuses_types_as_key_paths_and_paths_for_everything(void **state) {
    (void)state;
    refuse(
        "{\"restway\": 1, \"entities\": {\"A\": {\"attributes\": {\"id\": \"int\"}}}}",
        "$.entities.A.attributes.id", "write {\"type\": \"int\"}");
    refuse(
        "{\"restway\": 1, \"routes\": {\"r\": {\"path\": \"{+path}\"}}}", "$.routes.r",
        "\"catchAll\": true");
    restway_api *api = NULL;
    load("{\"restway\": 1, \"routes\": {\"r\": {\"path\": \"{+p}\", \"catchAll\": true}}}", &api);
    restway_api_release(api);
}

static const char lists[] =
    "{\"restway\": 1, \"x-team\": \"core\","
    " \"environments\": {\"b\": {\"host\": \"b.test\"}, \"a\": {\"host\": \"a.test\"}},"
    " \"auth\": {\"scheme\": \"bearer\", \"token\": \"t0ken\"},"
    " \"entities\": {\"Note\": {\"attributes\": {\"text\": \"text\"}}},"
    " \"routes\": {\"note\": {\"path\": \"notes/:id\", \"entity\": \"Note\"},"
    "              \"status\": {\"path\": \"status\"}}}";

static void document__lists_what_it_has(void **state) {
    (void)state;
    restway_api *api = NULL;
    load(lists, &api);
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ENVIRONMENTS, NULL), 2);
    assert_string_equal(restway_api_name(api, RESTWAY_SECTION_ENVIRONMENTS, NULL, 0), "b");
    assert_string_equal(restway_api_name(api, RESTWAY_SECTION_ENVIRONMENTS, NULL, 1), "a");
    assert_null(restway_api_name(api, RESTWAY_SECTION_ENVIRONMENTS, NULL, 2));
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ENTITIES, NULL), 1);
    assert_string_equal(restway_api_name(api, RESTWAY_SECTION_ENTITIES, NULL, 0), "Note");
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ENTITIES, "Note"), 0);
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ROUTES, NULL), 2);
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ROUTES, "Note"), 1);
    assert_string_equal(restway_api_name(api, RESTWAY_SECTION_ROUTES, "Note", 0), "note");
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ROUTES, "Nothing"), 0);
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_ROUTES, "\xff"), 0);
    assert_null(restway_api_name(api, RESTWAY_SECTION_ROUTES, "\xff", 0));
    assert_int_equal(restway_api_name_count(api, RESTWAY_SECTION_PIN_, NULL), 0);
    assert_int_equal(restway_api_name_count(NULL, RESTWAY_SECTION_ROUTES, NULL), 0);
    assert_null(restway_api_name(NULL, RESTWAY_SECTION_ROUTES, NULL, 0));
    restway_api_release(api);
}

static void assert_part(restway_api *api, const char *pointer, const char *expected) {
    const char *json = POISON;
    size_t length = 7;
    assert_ok(restway_api_json(api, pointer, &json, &length, &failure));
    if (expected == NULL) {
        assert_null(json);
        assert_int_equal(length, 0);
    } else {
        assert_string_equal(json, expected);
        assert_int_equal(length, strlen(expected));
    }
}

static void document__is_given_as_json(void **state) {
    (void)state;
    static const char route[] = "{\"path\": \"a/b\", \"x-~a/b\": [1, {\"c\": null}]}";
    const char *json = POISON;
    restway_api *api = NULL;
    load(lists, &api);
    assert_part(api, "/x-team", "\"core\"");
    assert_part(api, "/environments/a", "{\"host\":\"a.test\"}");
    assert_part(api, "/auth", "{\"scheme\":\"bearer\",\"token\":\"[redacted]\"}");
    assert_part(api, "/routes/none", NULL);
    assert_part(api, "/x-team/none", NULL);
    assert_ok(restway_api_add_route(api, "added", route, strlen(route), 0, &failure));
    assert_part(api, "/routes/added/x-~0a~1b/1", "{\"c\":null}");
    assert_part(api, "/routes/added/x-~0a~1b/2", NULL);
    assert_ok(restway_api_join_routes(api, "joined", "note", "status", 0, &failure));
    assert_part(api, "/routes/joined", "{\"path\":\"notes/:id/status\"}");
    assert_ok(restway_api_json(api, "", &json, NULL, &failure));
    assert_null(strstr(json, "t0ken"));
    assert_holds(json, "\"restway\":1");
    assert_refused(restway_api_json(api, "x-team", &json, NULL, &failure));
    assert_null(json);
    restway_api_release(api);
}

static void add(restway_request *request, const char *name, int64_t number) {
    restway_value value = restway_value_int64(number);
    assert_ok(restway_request_add_parameter(request, name, &value, &failure));
}

static void request__parameters_have_several_values_in_their_order(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_value first = restway_value_int64(1);
    for (int turn = 0; turn < 2; turn++) {
        restway_request *request = NULL;
        restway_response *response = NULL;
        assert_ok(
            restway_request_create(turn == 0 ? "GET" : "POST", "echo", &request, &failure));
        assert_ok(restway_request_set_parameter(request, "a", &first, &failure));
        add(request, "b", 2);
        add(request, "a", 4);
        add(request, "a", 3);
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        const char *json = restway_response_json(response, NULL);
        assert_holds(json, turn == 0 ? "a=1&a=4&a=3&b=2" : "[1,4,3]");
        restway_response_release(response);
        restway_request_release(request);
    }
    restway_client_release(client);
}

static void request__refuses_variables_that_the_path_does_not_have(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_value value = restway_value_int64(1);
    assert_ok(restway_request_create_route(NULL, "enterprise", &request, &failure));
    assert_ok(restway_request_set_variable(request, "itemId", &value, &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "did you mean \"itemID\"");
    assert_string_equal(restway_error_field(failure), "itemId");
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(request__parameters_have_several_values_in_their_order),
    TEST(request__refuses_variables_that_the_path_does_not_have),
    TEST(document__refuses_types_as_key_paths_and_paths_for_everything),
    TEST(document__lists_what_it_has),
    TEST(document__is_given_as_json),
    TEST(document__may_be_a_configuration_of_webapiclient),
    TEST(document__names_variables_of_the_environment),
    TEST(document__is_joined_with_the_files_that_it_includes),
};

const struct suite document_suite = SUITE(tests);
