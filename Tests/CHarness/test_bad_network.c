/* Servers that cannot be reached. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probe.h"

/** Fetches "status" from @p base_url, blocking and with a notice: both calls fail in the
 *  transport. */
static void fail_to_reach(const char *base_url, restway_status status, const char *fragment) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    struct probe probe;
    probe_begin(&probe);
    options.base_url = base_url;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("status");
    restway_response *response = POISON;
    probe_send(&probe, client, "status", NULL);
    probe_expect(&probe, status);
    assert_int_equal(probe.domain, RESTWAY_DOMAIN_TRANSPORT);
    assert_int_equal(probe.http_status, 0);
    assert_fails_keeping(
        restway_client_perform(client, request, 0, &response, &failure), status, fragment);
    assert_null(response);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    assert_true(restway_error_transport_code(failure) != 0);
    assert_null(restway_error_response(failure));
    restway_request_release(request);
    restway_client_release(client);
}

static void network__of_a_port_nobody_listens_on(void **state) {
    (void)state;
    char url[64], port[16];
    int number = closed_port();
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/v2", number);
    snprintf(port, sizeof(port), "%d", number);
    fail_to_reach(url, RESTWAY_E_CONNECT, port);
    assert_holds(restway_error_message(failure), "127.0.0.1");
    assert_int_equal(restway_error_is_retryable(failure), 1);
}

/* A label of 64 octets is too long: the limit is 63 (RFC 1035, section 2.3.4), so the resolver
 * sends no query. */
static void network__of_a_host_that_does_not_resolve(void **state) {
    (void)state;
    char host[65] = "", url[80];
    memset(host, 'a', 64);
    snprintf(url, sizeof(url), "http://%s/v2", host);
    fail_to_reach(url, RESTWAY_E_RESOLVE, host);
}

static void network__of_a_peer_without_tls(void **state) {
    (void)state;
    char url[128];
    const char *rest = strstr(demo_url(), "://");
    assert_non_null(rest);
    snprintf(url, sizeof(url), "https%s", rest);
    fail_to_reach(url, RESTWAY_E_TLS, "127.0.0.1");
}

static void network__of_too_many_redirects(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("redirect/11");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_MANY_REDIRECTS,
        "10");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    restway_request_release(request);
    restway_client_release(client);
}

static void network__of_a_redirect_to_another_scheme(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("redirect-to?url=file:///etc/hostname");
    restway_response *response = POISON;
    assert_int_not_equal(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_OK);
    assert_null(response);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(network__of_a_port_nobody_listens_on),
    TEST(network__of_a_host_that_does_not_resolve),
    TEST(network__of_a_peer_without_tls),
    TEST(network__of_too_many_redirects),
    TEST(network__of_a_redirect_to_another_scheme),
};

const struct suite bad_network_suite = SUITE(tests);
