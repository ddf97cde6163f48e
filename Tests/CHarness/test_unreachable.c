/* Calls that fail at once while the program says that the server cannot be reached. */
#include "harness.h"

static void fail_unreachable__fails_without_a_try(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.flags = RESTWAY_CLIENT_FAIL_UNREACHABLE;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("status");
    assert_ok(restway_client_set_reachability(
        client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_fails_keeping(restway_client_perform(client, request, 0, NULL, &failure),
        RESTWAY_E_CONNECT, "cannot be reached");
    assert_int_equal(restway_error_is_retryable(failure), 1);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
    forget_failure();
    assert_ok(restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNKNOWN, &failure));
    restway_response_release(fetch(client, "status"));
    restway_client_release(client);
    client = make_client();
    assert_ok(restway_client_set_reachability(
        client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    restway_response_release(fetch(client, "status"));
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(fail_unreachable__fails_without_a_try),
};

const struct suite unreachable_suite = SUITE(tests);
