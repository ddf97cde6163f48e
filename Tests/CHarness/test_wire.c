/* Unusual answers: heads, redirects, and JSON bodies that few servers send. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "harness.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\n"

/** Makes a client with entity Thing (any, real, text) for @p server. */
static restway_client *make_wire_client(struct answering_server *server, const char *more) {
    char document[1024];
    restway_api *api = NULL;
    restway_client *client = NULL;
    snprintf(
        document, sizeof document,
        "{\"restway\": 1, \"environment\": \"e\","
        " \"environments\": {\"e\": {\"baseURL\": \"%s\"}},"
        " \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {"
        "   \"id\": {\"type\": \"int\"}, \"any\": \"any\", \"real\": {\"type\": \"double\"}}}},"
        " \"responses\": [{\"entity\": \"Thing\"}]%s}",
        server->url, more);
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, NULL, &client, &failure));
    restway_api_release(api);
    return client;
}

static void answer(struct answering_server *server, const char *bytes) {
    answering_set_bytes(server, bytes, strlen(bytes));
}

/** Performs a GET of "x", which fails; the error is in `failure`. */
static void fail_with(restway_client *client, restway_status status, const char *fragment) {
    restway_response *response = POISON;
    restway_request *request = make_get("x");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, &response, &failure), status, fragment);
    assert_null(response);
    restway_request_release(request);
}

static void wire__of_a_body_without_a_certain_end(void **state) {
    (void)state;
    static const char *const heads[] = {
        "Content-Length: 9223372036854775808\r\n\r\n{}",
        "Content-Length: 18446744073709551618\r\n\r\n{}",
        "Transfer-Encoding: rot13\r\n\r\n{}",
        "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "X-A: 1\rX-B: 2\r\nContent-Length: 2\r\n\r\n{}",
    };
    struct answering_server server;
    answering_begin(&server);
    restway_client *client = make_wire_client(&server, "");
    for (size_t index = 0; index < sizeof heads / sizeof heads[0]; index++) {
        char bytes[256];
        snprintf(bytes, sizeof bytes, OK_HEAD "%s", heads[index]);
        answer(&server, bytes);
        fail_with(client, RESTWAY_E_PROTOCOL, "response");
        assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_TRANSPORT);
        forget_failure();
    }
    restway_client_release(client);
    answering_end(&server);
}

static void wire__of_white_space_alone(void **state) {
    (void)state;
    struct answering_server server;
    answering_begin(&server);
    restway_client *client = make_wire_client(&server, "");
    answering_set(&server, 200, " \r\n\t ");
    restway_response *response = fetch(client, "x");
    assert_int_equal(restway_response_object_count(response), 0);
    assert_int_equal(restway_response_issue_count(response), 0);
    assert_null(restway_response_json(response, NULL));
    restway_response_release(response);
    restway_client_release(client);
    answering_end(&server);
}

static void wire__of_keys_with_nul_and_integers_beyond_64_bits(void **state) {
    (void)state;
    static const char body[] =
        "{\"id\": 1, \"real\": 10000000000000000000, \"any\": 18446744073709551615,"
        " \"i\\u0000d\": 2, \"id\\u0000\": 3}";
    struct answering_server server;
    restway_value values[3];
    uint32_t attributes[3] = {0, 1, 2};
    answering_begin(&server);
    restway_client *client = make_wire_client(&server, "");
    answering_set(&server, 200, body);
    restway_response *response = fetch(client, "x");
    assert_int_equal(restway_response_object_count(response), 1);
    assert_int_equal(restway_response_issue_count(response), 0);
    assert_string_equal(restway_response_json(response, NULL), body);
    restway_object *object = restway_response_object(response, 0);
    assert_ok(restway_object_read(object, attributes, 3, values, &failure));
    assert_int_equal(values[0].as.integer, 1);
    assert_int_equal(values[1].kind, RESTWAY_VALUE_JSON);
    assert_string_equal(values[1].as.text, "18446744073709551615");
    assert_int_equal(values[2].kind, RESTWAY_VALUE_DOUBLE);
    assert_true(values[2].as.real == 1e19);
    restway_response_release(response);
    restway_client_release(client);
    answering_end(&server);
}

static void wire__of_ranges_preferences_and_trailers(void **state) {
    (void)state;
    struct answering_server server;
    answering_begin(&server);
    restway_client *client = make_wire_client(&server, "");
    answer(
        &server,
        "HTTP/1.1 206 Any\r\nContent-Range: bytes 0-1/9\r\nPreference-Applied: wait=5\r\n"
        "Transfer-Encoding: chunked\r\nX-Where: before\r\nConnection: close\r\n\r\n"
        "2\r\n{}\r\n0\r\nX-Where: behind\r\nX-More: 1\r\n\r\n");
    restway_response *response = fetch(client, "x");
    assert_int_equal(restway_response_status(response), 206);
    assert_string_equal(restway_response_header(response, "content-range"), "bytes 0-1/9");
    assert_string_equal(restway_response_header(response, "Preference-Applied"), "wait=5");
    assert_string_equal(restway_response_header(response, "X-Where"), "before");
    assert_null(restway_response_header(response, "X-More"));
    assert_int_equal(restway_response_trailer_count(response), 2);
    assert_string_equal(restway_response_trailer(response, "x-where"), "behind");
    assert_string_equal(restway_response_trailer(response, "X-More"), "1");
    restway_response_release(response);
    restway_client_release(client);
    answering_end(&server);
}

/** Posts a body with the header "X-Mine" with @p client; the answer redirects to @p other. */
static restway_status post(
    restway_client *client, struct answering_server *here, struct answering_server *other) {
    char bytes[256];
    restway_request *request = NULL;
    restway_response *response = NULL;
    snprintf(
        bytes, sizeof bytes,
        "HTTP/1.1 307 Any\r\nLocation: %s/y\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        other->url);
    answer(here, bytes);
    answering_set(other, 200, "{}");
    assert_ok(restway_request_create("POST", "x", &request, &failure));
    assert_ok(restway_request_set_body(request, "secret", 6, "text/plain", &failure));
    restway_status status = restway_client_perform(client, request, 0, &response, &failure);
    restway_response_release(response);
    restway_request_release(request);
    return status;
}

static void redirect__to_another_origin_carries_no_body_unless_told(void **state) {
    (void)state;
    struct answering_server here, other;
    answering_begin(&here);
    answering_begin(&other);
    restway_client *client = make_wire_client(&here, "");
    assert_int_equal(post(client, &here, &other), RESTWAY_E_HTTP);
    assert_int_equal(restway_error_http_status(failure), 307);
    assert_holds(restway_error_message(failure), "redirectBodies");
    forget_failure();
    assert_null(answering_take_body(&other));
    restway_client_release(client);

    client = make_wire_client(&here, ", \"redirectBodies\": true");
    assert_int_equal(post(client, &here, &other), RESTWAY_OK);
    char *body = answering_take_body(&other);
    assert_string_equal(body, "secret");
    free(body);
    restway_client_release(client);
    answering_end(&here);
    answering_end(&other);
}

static void redirect_headers__name_no_credential(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"redirectHeaders\": [\"X-Mine\", \"Authorization\"]}";
    restway_api *api = POISON;
    assert_fails_keeping(
        restway_api_load(document, strlen(document), &api, &failure), RESTWAY_E_CONFIG,
        "credential");
    assert_string_equal(restway_error_field(failure), "$.redirectHeaders[1]");
    assert_null(api);
}

static void message__forges_no_line(void **state) {
    (void)state;
    static const char document[] = "{\"restway\": 1, \"a\\n#1 \\u001b[31mforged\": 1}";
    restway_api *api = NULL;
    assert_fails_keeping(
        restway_api_load(document, strlen(document), &api, &failure), RESTWAY_E_CONFIG,
        "a\\n#1 \\u001b[31mforged");
    assert_null(strchr(restway_error_message(failure), '\n'));
    assert_null(strchr(restway_error_message(failure), 27));
    assert_null(strchr(restway_error_detail_message(failure, 0), '\n'));
}

static const struct CMUnitTest tests[] = {
    TEST(wire__of_a_body_without_a_certain_end),
    TEST(wire__of_white_space_alone),
    TEST(wire__of_ranges_preferences_and_trailers),
    TEST(wire__of_keys_with_nul_and_integers_beyond_64_bits),
    TEST(redirect__to_another_origin_carries_no_body_unless_told),
    TEST(redirect_headers__name_no_credential),
    TEST(message__forges_no_line),
};

const struct suite wire_suite = SUITE(tests);
