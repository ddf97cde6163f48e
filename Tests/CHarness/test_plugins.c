/* Plugins: loading the one that ships, and mapping with it. */
#include <string.h>

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
    assert_int_equal(restway_plugin_load("\xff", NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
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

static const struct CMUnitTest tests[] = {
    TEST(plugin_load__names_what_is_missing),
    TEST(plugin_load__describes_what_ships),
    TEST(plugin_load__of_a_document_must_be_allowed),
};

const struct suite plugins_suite = SUITE(tests);
