/* The bodies of failed answers: lists of problems, and bodies without a known shape. */
#include <stdio.h>
#include <string.h>

#include "answering.h"
#include "harness.h"

static restway_client *make_for(struct answering_server *server, const char *sections) {
    char document[1024];
    restway_api *api = NULL;
    restway_client *client = NULL;
    snprintf(
        document, sizeof document,
        "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": \"%s\"}}, %s}", server->url,
        sections);
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, NULL, &client, &failure));
    restway_api_release(api);
    return client;
}

static void fail_to_get(restway_client *client, const char *fragment) {
    restway_request *request = make_get("x");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, fragment);
    restway_request_release(request);
}

static void error_body__lists_problems(void **state) {
    (void)state;
    struct answering_server server;
    answering_begin(&server);
    restway_client *client = make_for(
        &server,
        "\"errors\": {\"details\": \"errors\", \"field\": \"field\", \"code\": \"code\","
        "             \"message\": \"message\"}");
    answering_set(
        &server, 422,
        "{\"message\": \"Validation failed\", \"errors\": ["
        " {\"field\": \"title\", \"code\": \"missing\", \"message\": \"is missing\"},"
        " {\"field\": \"age\", \"code\": 7}]}");
    fail_to_get(client, "Validation failed");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_API);
    assert_string_equal(restway_error_api_message(failure), "Validation failed");
    assert_null(restway_error_api_code(failure));
    assert_int_equal(restway_error_detail_count(failure), 2);
    assert_string_equal(restway_error_detail_path(failure, 0), "title");
    assert_string_equal(restway_error_detail_message(failure, 0), "is missing");
    assert_string_equal(restway_error_detail_code(failure, 0), "missing");
    assert_string_equal(restway_error_detail_path(failure, 1), "age");
    assert_string_equal(restway_error_detail_message(failure, 1), "7");
    assert_string_equal(restway_error_detail_code(failure, 1), "7");
    assert_null(restway_error_detail_code(failure, 2));
    forget_failure();
    restway_client_release(client);
    answering_end(&server);
}

static void error_body__without_a_known_shape_stands_in_the_message(void **state) {
    (void)state;
    static const char answer[] =
        "HTTP/1.1 502 Any\r\nContent-Type: text/plain\r\nContent-Length: 45\r\n\r\n"
        "upstream\r\n\033[31mdown\ntoken abc-123 was no good.";
    struct answering_server server;
    answering_begin(&server);
    restway_client *client =
        make_for(&server, "\"auth\": {\"scheme\": \"bearer\", \"token\": \"abc-123\"}");
    answering_set_bytes(&server, answer, strlen(answer));
    fail_to_get(client, "502 Bad Gateway: upstream [31mdown token [redacted]");
    assert_null(strstr(restway_error_message(failure), "abc-123"));
    assert_null(restway_error_api_message(failure));
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_HTTP);
    forget_failure();
    answering_set(&server, 400, "{\"password\": \"tiger\", \"why\": \"no\"}");
    fail_to_get(client, "{\"password\":\"[redacted]\",\"why\":\"no\"}");
    forget_failure();
    restway_client_release(client);
    answering_end(&server);
}

static const struct CMUnitTest tests[] = {
    TEST(error_body__lists_problems),
    TEST(error_body__without_a_known_shape_stands_in_the_message),
};

const struct suite error_body_suite = SUITE(tests);
