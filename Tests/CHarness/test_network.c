/* Settings of the network: a wrong setting is an error when the client is made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/** A password that must appear in no message. */
#define PASSWORD "hunter2-secret"

/** Checks that no client can be made with @p network. */
static void refuse(
    const restway_network_options *network, restway_status status, const char *fragment) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *client = POISON;
    options.environment = "other";
    options.network = network;
    assert_fails_keeping(
        restway_client_create(api, &options, &client, &failure), status, fragment);
    assert_null(client);
    assert_null(strstr(restway_error_message(failure), PASSWORD));
    forget_failure();
    restway_api_release(api);
}

/** Checks that no client can be made with the TLS settings @p tls. */
static void refuse_tls(
    const restway_tls_options *tls, restway_status status, const char *fragment) {
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    network.tls = &tls;
    network.tls_count = 1;
    refuse(&network, status, fragment);
}

static void options_init__is_the_macro(void **state) {
    (void)state;
    const restway_tls_options expected_tls = RESTWAY_TLS_OPTIONS_INIT;
    const restway_network_options expected_network = RESTWAY_NETWORK_OPTIONS_INIT;
    restway_tls_options tls;
    restway_network_options network;
    memset(&tls, 0x5a, sizeof(tls));
    memset(&network, 0x5a, sizeof(network));
    assert_ok(restway_tls_options_init(&tls, sizeof(tls), &failure));
    assert_ok(restway_network_options_init(&network, sizeof(network), &failure));
    assert_memory_equal(&tls, &expected_tls, sizeof(tls));
    assert_memory_equal(&network, &expected_network, sizeof(network));
    assert_refused(restway_tls_options_init(NULL, sizeof(tls), &failure));
    assert_refused(restway_tls_options_init(&tls, 8, &failure));
    assert_refused(restway_network_options_init(NULL, sizeof(network), &failure));
    assert_refused(restway_network_options_init(&network, 8, &failure));
}

static void network__that_is_empty_changes_nothing(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    const restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    options.network = &network;
    restway_client *client = make_client_with(options);
    restway_response_release(fetch(client, "status"));
    restway_client_release(client);
}

static void network__of_an_address_for_a_name(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    const char *port = strrchr(demo_url(), ':');
    char url[128], address[128];
    assert_non_null(port);
    snprintf(url, sizeof(url), "http://api.example%s", port);
    snprintf(address, sizeof(address), "api.example:%d:127.0.0.1", atoi(port + 1));
    const char *const addresses[] = {address};
    network.addresses = addresses;
    network.address_count = 1;
    network.proxy = "";
    network.ip_version = RESTWAY_IP_VERSION_4;
    options.network = &network;
    options.base_url = url;
    restway_client *client = make_client_with(options);
    restway_response_release(fetch(client, "status"));
    restway_client_release(client);
}

static void network__of_a_socket_nobody_listens_on(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    network.unix_socket = "/nonexistent/api.sock";
    options.network = &network;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("status");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CONNECT, "");
    restway_request_release(request);
    restway_client_release(client);
}

static void tls__of_a_wrong_file(void **state) {
    (void)state;
    const restway_tls_options defaults = RESTWAY_TLS_OPTIONS_INIT;
    restway_tls_options tls = defaults;
    tls.ca_file = "/nonexistent/ca.pem";
    refuse_tls(&tls, RESTWAY_E_CONFIG, "/nonexistent/ca.pem");
    tls.ca_file = "";
    refuse_tls(&tls, RESTWAY_E_CONFIG, "CA file");
    tls = defaults;
    tls.ca_folder = "/nonexistent";
    refuse_tls(&tls, RESTWAY_E_CONFIG, "/nonexistent");
    tls = defaults;
    tls.certificate_file = "/nonexistent/client.pem";
    tls.password = PASSWORD;
    refuse_tls(&tls, RESTWAY_E_CONFIG, "/nonexistent/client.pem");
    tls = defaults;
    tls.key_file = "/nonexistent/client.key";
    refuse_tls(&tls, RESTWAY_E_CONFIG, "certificate");
    tls = defaults;
    tls.pinned_public_key = "client.pem";
    refuse_tls(&tls, RESTWAY_E_CONFIG, "sha256//");
}

static void tls__of_a_wrong_ca_file_of_the_client(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *client = POISON;
    options.environment = "other";
    options.ca_file = "/nonexistent/ca.pem";
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG,
        "/nonexistent/ca.pem");
    assert_null(client);
    restway_api_release(api);
}

static void tls__refuses_values_out_of_range(void **state) {
    (void)state;
    const restway_tls_options defaults = RESTWAY_TLS_OPTIONS_INIT;
    restway_tls_options tls = defaults;
    tls.minimum_version = 7;
    refuse_tls(&tls, RESTWAY_E_INVALID_ARGUMENT, "minimum_version");
    tls = defaults;
    tls.flags = 0x80u;
    refuse_tls(&tls, RESTWAY_E_INVALID_ARGUMENT, "flags");
    tls = defaults;
    tls.password = BAD_UTF8;
    refuse_tls(&tls, RESTWAY_E_INVALID_ARGUMENT, "password");
    tls = defaults;
    tls.origin = "nonsense";
    refuse_tls(&tls, RESTWAY_E_INVALID_URL, "nonsense");
    tls = defaults;
    tls.struct_size = 8;
    refuse_tls(&tls, RESTWAY_E_INVALID_ARGUMENT, "struct_size");
    refuse_tls(NULL, RESTWAY_E_INVALID_ARGUMENT, "NULL");
}

static void network__refuses_proxies_that_are_none(void **state) {
    (void)state;
    static const char *const proxies[] = {
        "proxy.example.com:3128", "ftp://proxy.example.com:3128", "http://proxy.example.com",
        "http://proxy.example.com:3128/path", "http://user:" PASSWORD "@proxy.example.com:3128",
        "http://:3128", "http://proxy.example.com:99999",
    };
    for (size_t index = 0; index < sizeof(proxies) / sizeof(proxies[0]); index++) {
        restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
        network.proxy = proxies[index];
        refuse(&network, RESTWAY_E_CONFIG, "proxy");
    }
}

static void network__refuses_values_out_of_range(void **state) {
    (void)state;
    const restway_network_options defaults = RESTWAY_NETWORK_OPTIONS_INIT;
    restway_network_options network = defaults;
    network.struct_size = 8;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "struct_size");
    network = defaults;
    network.tls_count = 1;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "tls");
    network = defaults;
    network.proxy_password = PASSWORD;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "no proxy");
    network = defaults;
    network.proxy = "http://127.0.0.1:3128";
    network.unix_socket = "/run/api.sock";
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "both");
    network = defaults;
    network.unix_socket = "@";
    refuse(&network, RESTWAY_E_CONFIG, "107");
    network = defaults;
    network.local_interface = "";
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "local_interface");
    static const char *const addresses[] = {"api.example:80"};
    network = defaults;
    network.addresses = addresses;
    network.address_count = 1;
    refuse(&network, RESTWAY_E_CONFIG, "api.example:80");
    static const char *const names[] = {"api.example:80:127.0.0.1,[::1],other.example"};
    network.addresses = names;
    refuse(&network, RESTWAY_E_CONFIG, "\"other.example\"");
    network = defaults;
    network.doh_url = "http://127.0.0.1/dns-query";
    refuse(&network, RESTWAY_E_CONFIG, "https");
    network = defaults;
    network.ip_version = 5;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "ip_version");
    network = defaults;
    network.http_version = 12;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "http_version");
    network = defaults;
    network.happy_eyeballs_milliseconds = 60001;
    refuse(&network, RESTWAY_E_INVALID_ARGUMENT, "happy_eyeballs");
}

static const struct CMUnitTest tests[] = {
    TEST(options_init__is_the_macro),
    TEST(network__that_is_empty_changes_nothing),
    TEST(network__of_an_address_for_a_name),
    TEST(network__of_a_socket_nobody_listens_on),
    TEST(network__refuses_proxies_that_are_none),
    TEST(network__refuses_values_out_of_range),
    TEST(tls__of_a_wrong_file),
    TEST(tls__of_a_wrong_ca_file_of_the_client),
    TEST(tls__refuses_values_out_of_range),
};

const struct suite network_suite = SUITE(tests);
