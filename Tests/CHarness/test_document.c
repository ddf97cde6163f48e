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

static const struct CMUnitTest tests[] = {
    TEST(document__may_be_a_configuration_of_webapiclient),
    TEST(document__names_variables_of_the_environment),
    TEST(document__is_joined_with_the_files_that_it_includes),
};

const struct suite document_suite = SUITE(tests);
