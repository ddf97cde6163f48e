/* Plugins: loading a plugin that ships, and mapping with it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "document.h"
#include "harness.h"

static void plugin_load__names_what_is_missing(void **state) {
    restway_error *error = NULL;
    (void)state;
    assert_int_equal(restway_plugin_load("no-such-plugin", NULL, &error), RESTWAY_E_PLUGIN);
    assert_int_equal(restway_error_domain(error), RESTWAY_DOMAIN_PLUGIN);
    assert_non_null(strstr(restway_error_message(error), "no-such-plugin.so"));
    restway_error_release(error);
    assert_int_equal(restway_plugin_load(NULL, NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_plugin_load("", NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_plugin_load("a", "[]", NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_plugin_load("a", "{", NULL), RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_plugin_load(BAD_UTF8, NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
}

static void plugin_load__describes_what_ships(void **state) {
    restway_error *error = NULL;
    (void)state;
    assert_int_equal(restway_plugin_load("simdjson", NULL, &error), RESTWAY_OK);
    assert_null(error);
    assert_int_equal(restway_plugin_load("simdjson", NULL, NULL), RESTWAY_OK);
    assert_int_equal(restway_plugin_count(), 1);
    assert_string_equal(restway_plugin_name(0), "simdjson");
    assert_string_equal(restway_plugin_licence(0), "MIT");
    assert_string_equal(restway_plugin_description(0), "Maps JSON with simdjson.");
    assert_true(strlen(restway_plugin_version(0)) > 0);
    assert_non_null(strstr(restway_plugin_path(0), "/restway/plugins/simdjson.so"));
    assert_null(restway_plugin_name(1));
    assert_null(restway_plugin_version((size_t)-1));
    assert_int_equal(restway_plugin_load("simdjson", "{\"a\": 1}", NULL), RESTWAY_E_PLUGIN);
}

static restway_status client_of(const char *document, uint32_t flags, restway_error **error) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    options.flags = flags;
    options.base_url = "http://127.0.0.1:9";
    assert_int_equal(restway_api_load(document, strlen(document), &api, NULL), RESTWAY_OK);
    restway_status status = restway_client_create(api, &options, &client, error);
    restway_client_release(client);
    restway_api_release(api);
    return status;
}

static void plugin_load__of_a_document_must_be_allowed(void **state) {
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"http://127.0.0.1\"}},"
        " \"environment\": \"e\", \"plugins\": [{\"name\": \"simdjson\"}],"
        " \"dataMapper\": \"simdjson\"}";
    restway_error *error = NULL;
    (void)state;
    assert_int_equal(client_of(document, 0, &error), RESTWAY_E_PLUGIN);
    assert_string_equal(restway_error_field(error), "$.plugins[0]");
    restway_error_release(error);
    assert_int_equal(client_of(document, RESTWAY_CLIENT_LOAD_PLUGINS, NULL), RESTWAY_OK);
}

/* A cassette with one answer, for the clients of a test. */
static const char *cassette_of(char *path, size_t size) {
    static const char text[] =
        "{\"restwayCassette\": 1, \"exchanges\": [{"
        "\"request\": {\"method\": \"GET\", \"url\": \"http://127.0.0.1:9/a\"},"
        "\"response\": {\"status\": 200, \"headers\": [[\"Content-Type\", \"text/plain\"]],"
        " \"body\": {\"text\": \"played\"}}}]}";
    snprintf(path, size, "/tmp/restway-cassette-%d.json", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void transport__of_a_plugin_performs_the_calls(void **state) {
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"http://127.0.0.1:9\"}}}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    char path[64], json[128];
    const void *body = NULL;
    size_t length = 0;
    (void)state;
    snprintf(json, sizeof json, "{\"cassette\": \"%s\"}", cassette_of(path, sizeof path));
    assert_int_equal(restway_plugin_load("replay", NULL, NULL), RESTWAY_OK);
    assert_int_equal(restway_api_load(document, strlen(document), &api, NULL), RESTWAY_OK);
    options.transport = "replay";
    options.transport_options = json;
    assert_int_equal(restway_client_create(api, &options, &client, NULL), RESTWAY_OK);
    assert_int_equal(restway_request_create("GET", "a", &request, NULL), RESTWAY_OK);
    assert_int_equal(restway_client_perform(client, request, 0, &response, NULL), RESTWAY_OK);
    body = restway_response_body(response, &length);
    assert_int_equal(length, 6);
    assert_memory_equal(body, "played", 6);
    restway_response_release(response);
    /* In strict mode, each answer is given once. */
    assert_int_equal(
        restway_client_perform(client, request, 0, NULL, &error), RESTWAY_E_PLUGIN);
    assert_int_equal(restway_error_domain(error), RESTWAY_DOMAIN_PLUGIN);
    assert_non_null(strstr(restway_error_message(error), "plugin \"replay\""));
    assert_non_null(strstr(restway_error_message(error), "#1 GET http://127.0.0.1:9/a (played)"));
    restway_error_release(error);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
    unlink(path);
}

static void transport__that_cannot_be_had_is_named(void **state) {
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"http://127.0.0.1\"}}}";
    static const char *const names[] = {"pigeon", "", NULL, "replay"};
    static const char *const texts[] = {NULL, NULL, "{}", "[]"};
    static const restway_status statuses[] = {
        RESTWAY_E_PLUGIN, RESTWAY_E_PLUGIN, RESTWAY_E_PLUGIN, RESTWAY_E_INVALID_ARGUMENT};
    restway_api *api = NULL;
    (void)state;
    assert_int_equal(restway_api_load(document, strlen(document), &api, NULL), RESTWAY_OK);
    for (size_t index = 0; index < 4; index++) {
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        restway_client *client = NULL;
        restway_error *error = NULL;
        options.transport = names[index];
        options.transport_options = texts[index];
        assert_int_equal(restway_client_create(api, &options, &client, &error), statuses[index]);
        assert_null(client);
        assert_non_null(strstr(restway_error_field(error), "options.transport"));
        restway_error_release(error);
    }
    restway_api_release(api);
}

static const struct CMUnitTest tests[] = {
    TEST(plugin_load__names_what_is_missing),
    TEST(plugin_load__describes_what_ships),
    TEST(plugin_load__of_a_document_must_be_allowed),
    TEST(transport__of_a_plugin_performs_the_calls),
    TEST(transport__that_cannot_be_had_is_named),
};

const struct suite plugins_suite = SUITE(tests);
