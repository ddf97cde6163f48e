/* Numbers about a client. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static void metrics__count_calls_exchanges_and_bytes(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/404");
    for (int index = 0; index < 3; index++) {
        restway_response_release(fetch(client, "status"));
    }
    assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "");
    restway_request_release(request);
    char text[1024];
    size_t length = 99;
    assert_ok(restway_client_metrics(client, text, sizeof(text), &length, &failure));
    assert_int_equal(length, strlen(text));
    assert_holds(text, "\"started\": 4, \"succeeded\": 3, \"inFlight\": 0, \"waiting\": 0");
    assert_holds(text, "\"failures\": {\"RESTWAY_E_HTTP\": 1}");
    assert_holds(text, "\"attempts\": {\"retries\": 0, \"replays\": 0}");
    assert_holds(text, "\"2xx\": 3, \"3xx\": 0, \"4xx\": 1, \"5xx\": 0, \"failed\": 0");
    assert_holds(text, "\"connections\": {\"opened\": 1, \"reused\": 3}");
    assert_null(strstr(text, "\"received\": 0"));
    assert_null(strstr(text, "outbox"));

    /* A text that is too long is cut off, and its length is told. */
    char beginning[9];
    size_t whole = 0;
    assert_ok(restway_client_metrics(client, beginning, sizeof(beginning), &whole, &failure));
    assert_int_equal(whole, length);
    assert_string_equal(beginning, "{\"calls\"");
    assert_ok(restway_client_metrics(client, NULL, 0, NULL, &failure));
    restway_client_close(client);
    assert_ok(restway_client_metrics(client, text, sizeof(text), NULL, &failure));
    restway_client_release(client);
}

static void metrics__refuse_null(void **state) {
    (void)state;
    restway_client *client = make_client();
    char text[8] = "old";
    size_t length = 99;
    assert_refused(restway_client_metrics(NULL, text, sizeof(text), &length, &failure));
    assert_string_equal(text, "");
    assert_int_equal(length, 0);
    assert_refused(restway_client_metrics(client, NULL, 8, &length, &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(metrics__count_calls_exchanges_and_bytes),
    TEST(metrics__refuse_null),
};

const struct suite metrics_suite = SUITE(tests);
