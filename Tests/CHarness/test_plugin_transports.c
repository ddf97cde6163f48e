/* Transports of plugins: `mirror` of the template, which answers with the body that it reads, and
 * the good and bad transports of Tests/Plugins. */
#include <stdio.h>
#include <string.h>

#include "answering.h"
#include "harness.h"
#include "source.h"

static const char document[] =
    "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"http://nowhere.invalid/v1\"}}}";

static restway_client *client_over(const char *plugin, restway_client_options options) {
    char path[1024];
    restway_api *api = NULL;
    restway_client *client = NULL;
    snprintf(path, sizeof(path), "%s/%s.so", RESTWAY_TEST_PLUGINS, plugin);
    assert_ok(restway_plugin_load(path, NULL, &failure));
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static restway_client *mirror_with(restway_client_options options) {
    options.transport = "mirror";
    return client_over("template", options);
}

static restway_client *mirror(void) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    return mirror_with(options);
}

/** Makes a client whose transport behaves as @p does says. */
static restway_client *doing_with(const char *does, restway_client_options options) {
    char json[128];
    snprintf(json, sizeof(json), "{\"does\": \"%s\"}", does);
    options.transport = "test";
    options.transport_options = json;
    return client_over("transport", options);
}

static restway_client *doing(const char *does) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    return doing_with(does, options);
}

static void expect_body(restway_response *response, const char *text) {
    size_t length = 0;
    const char *body = restway_response_body(response, &length);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(body, text, length);
}

static void mirror__answers_with_what_it_was_asked(void **state) {
    restway_client *client = mirror();
    restway_request *request = NULL;
    restway_response *response = fetch(client, "things/7?a=1");
    (void)state;
    expect_body(response, "http://nowhere.invalid/v1/things/7");
    assert_string_equal(restway_response_header(response, "content-type"), "text/plain");
    restway_response_release(response);
    assert_ok(restway_request_create("PUT", "things", &request, &failure));
    assert_ok(restway_request_set_body(request, "whole", 5, "text/plain", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    expect_body(response, "whole");
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void mirror__pulls_a_body_that_comes_piece_by_piece(void **state) {
    struct source source;
    restway_client *client = mirror();
    const char *text = "a body that is longer than one of its pieces";
    (void)state;
    for (size_t piece = 1; piece <= 50; piece += 7) {
        restway_response *response = NULL;
        source_begin(&source, text);
        source.piece = piece;
        restway_request *request = source_request(&source, "POST", "things", -1, 0);
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        expect_body(response, text);
        restway_response_release(response);
        restway_request_release(request);
        source_expect_destroyed(&source);
    }
    restway_client_release(client);
}

/** A call whose body waits: the transport was told to read again later. */
static restway_call *send_late(
    restway_client *client, struct source *source, restway_request **out_request) {
    restway_call *call = NULL;
    source_begin(source, "late");
    source_shut(source);
    *out_request = source_request(source, "POST", "things", 4, 0);
    assert_ok(restway_client_send(client, *out_request, NULL, NULL, NULL, &call, &failure));
    source_wait_read(source, 1);
    return call;
}

static void mirror__goes_on_when_a_late_body_is_ready(void **state) {
    struct source source;
    restway_client *client = mirror();
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_call *call = send_late(client, &source, &request);
    (void)state;
    /* No other thread waits for the call meanwhile. */
    restway_response_release(fetch(client, "other"));
    assert_int_equal(restway_call_is_complete(call), 0);
    source_open(&source);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    expect_body(response, "late");
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void mirror__is_cancelled_while_a_body_is_late(void **state) {
    struct source source;
    restway_client *client = mirror();
    restway_request *request = NULL;
    restway_call *call = send_late(client, &source, &request);
    (void)state;
    restway_call_cancel(call);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    restway_call_release(call);
    source_open(&source);
    restway_response_release(fetch(client, "other"));
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void mirror__is_closed_while_a_body_is_late(void **state) {
    struct source source;
    restway_client *client = mirror();
    restway_request *request = NULL;
    restway_call *call = send_late(client, &source, &request);
    (void)state;
    restway_client_close(client);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CLOSED, "");
    source_open(&source);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void mirror__a_body_that_fails_fails_the_call(void **state) {
    struct source source;
    restway_client *client = mirror();
    (void)state;
    source_begin(&source, "half");
    source.end = RESTWAY_E_IO;
    restway_request *request = source_request(&source, "PUT", "things", -1, 0);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO,
        "the disk is gone");
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void mirror__stops_at_a_body_that_is_too_large(void **state) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_request *request = NULL;
    (void)state;
    options.body_bytes_max = 4;
    restway_client *client = mirror_with(options);
    assert_ok(restway_request_create("POST", "things", &request, &failure));
    assert_ok(restway_request_set_body(request, "four", 4, "text/plain", &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_ok(restway_request_set_body(request, "fives", 5, "text/plain", &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_LARGE,
        "larger than 4 bytes");
    restway_request_release(request);
    restway_client_release(client);
}

/** The response has one trailer. */
static void expect_trailer(const restway_response *response, const char *name, const char *value) {
    assert_string_equal(restway_response_trailer(response, name), value);
    assert_int_equal(restway_response_trailer_count(response), 1);
    assert_string_equal(restway_response_trailer_name(response, 0), "X-Trailer");
    assert_string_equal(restway_response_trailer_value(response, 0), value);
    assert_null(restway_response_trailer_name(response, 1));
    assert_null(restway_response_trailer_value(response, SIZE_MAX));
    assert_null(restway_response_trailer(response, "X-Other"));
    assert_null(restway_response_trailer(response, NULL));
    assert_null(restway_response_header(response, name));
}

static void trailers__come_through_a_plugin(void **state) {
    restway_client *client = doing("answers");
    restway_response *response = fetch(client, "things/7");
    (void)state;
    expect_trailer(response, "x-trailer", "behind");
    restway_response_release(response);
    restway_client_release(client);
}

static void trailers__come_from_the_network(void **state) {
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        "2\r\n{}\r\n0\r\nX-Trailer: from afar\r\n\r\n";
    struct answering_server server;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    (void)state;
    answering_begin(&server);
    answering_set_bytes(&server, answer, strlen(answer));
    options.base_url = server.url;
    restway_client *client = make_client_with(options);
    restway_response *response = fetch(client, "things/7");
    expect_trailer(response, "X-TRAILER", "from afar");
    expect_body(response, "{}");
    restway_response_release(response);
    response = NULL;
    restway_client_release(client);
    answering_end(&server);
    assert_int_equal(restway_response_trailer_count(NULL), 0);
    assert_null(restway_response_trailer(NULL, "A"));
    assert_null(restway_response_trailer_name(NULL, 0));
    assert_null(restway_response_trailer_value(NULL, 0));
}

static void priority__reaches_a_plugin(void **state) {
    static const int32_t priorities[] = {0, 3, -2, INT32_MAX, INT32_MIN};
    restway_client *client = doing("answers");
    restway_request *request = make_get("things/7");
    (void)state;
    for (size_t index = 0; index < 5; index++) {
        char expected[64];
        restway_response *response = NULL;
        snprintf(expected, sizeof(expected), "\"priority\": %d,", (int)priorities[index]);
        assert_ok(restway_request_set_priority(request, priorities[index], &failure));
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        assert_holds(restway_response_json(response, NULL), expected);
        restway_response_release(response);
    }
    assert_refused(restway_request_set_priority(NULL, 1, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static void breach__fails_its_call_and_names_the_plugin(void **state) {
    static const char *const breaches[][2] = {
        {"body before head", "calls exchange_body before exchange_head"},
        {"head twice", "calls exchange_head twice"},
        {"trailers before head", "calls exchange_trailers before exchange_head"},
        {"trailers twice", "calls exchange_trailers after exchange_trailers"},
        {"body after trailers", "calls exchange_body after exchange_trailers"},
        {"interim head", "gives a head with status 103"},
        {"no head at all", "calls exchange_head without a head"},
        {"odd header", "gives a head with a line that is no header"},
        {"odd value", "gives a head with a line that is no header"},
        {"null headers", "gives a head with a line that is no header"},
        {"no end", "calls exchange_completed without an end"},
        {"says nothing", "calls exchange_completed without exchange_head"},
        {"fails", "the wire is cut"},
        {"unknown result", "it gave no reason (4711)"},
    };
    (void)state;
    for (size_t index = 0; index < sizeof(breaches) / sizeof(breaches[0]); index++) {
        restway_client *client = doing(breaches[index][0]);
        restway_request *request = make_get("things/7");
        assert_fails_keeping(
            restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_PLUGIN,
            breaches[index][1]);
        assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_PLUGIN);
        assert_holds(
            restway_error_message(failure), "plugin \"test-transport\": transport \"test\"");
        forget_failure();
        restway_request_release(request);
        restway_client_release(client);
    }
}

static void breach__behind_the_end_does_nothing(void **state) {
    static const char *const late[] = {"twice", "late"};
    (void)state;
    for (size_t index = 0; index < 2; index++) {
        restway_client *client = doing(late[index]);
        for (int round = 0; round < 3; round++) {
            restway_response *response = fetch(client, "things/7");
            assert_holds(restway_response_json(response, NULL), "\"id\": 7");
            restway_response_release(response);
        }
        restway_client_release(client);
    }
}

static void breach__what_never_completes_is_ended_by_the_watchdog(void **state) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_clock *clock = NULL;
    restway_call *call = NULL;
    (void)state;
    assert_ok(restway_clock_create(&clock, &failure));
    options.clock = clock;
    options.timeout_milliseconds = 2000;
    restway_client *client = doing_with("never", options);
    restway_request *request = make_get("things/7");
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_clock_advance(clock, 6900, &failure));
    assert_int_equal(restway_call_is_complete(call), 0);
    assert_ok(restway_clock_advance(clock, 200, &failure));
    assert_fails(
        restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_TIMEOUT,
        "transport \"test\": did not complete an exchange that may take 2000 ms");
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    restway_clock_release(clock);
}

static void breach__what_never_completes_ends_with_a_cancel_and_a_close(void **state) {
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        restway_client *client = doing("never");
        restway_request *request = make_get("things/7");
        restway_call *call = NULL;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        closes ? restway_client_close(client) : restway_call_cancel(call);
        assert_fails(
            restway_call_wait(call, 0, NULL, &failure),
            closes ? RESTWAY_E_CLOSED : RESTWAY_E_CANCELLED, "");
        restway_call_release(call);
        restway_request_release(request);
        restway_client_release(client);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(mirror__answers_with_what_it_was_asked),
    TEST(mirror__pulls_a_body_that_comes_piece_by_piece),
    TEST(mirror__goes_on_when_a_late_body_is_ready),
    TEST(mirror__is_cancelled_while_a_body_is_late),
    TEST(mirror__is_closed_while_a_body_is_late),
    TEST(mirror__a_body_that_fails_fails_the_call),
    TEST(mirror__stops_at_a_body_that_is_too_large),
    TEST(trailers__come_through_a_plugin),
    TEST(trailers__come_from_the_network),
    TEST(priority__reaches_a_plugin),
    TEST(breach__fails_its_call_and_names_the_plugin),
    TEST(breach__behind_the_end_does_nothing),
    TEST(breach__what_never_completes_is_ended_by_the_watchdog),
    TEST(breach__what_never_completes_ends_with_a_cancel_and_a_close),
};

const struct suite plugin_transports_suite = SUITE(tests);
