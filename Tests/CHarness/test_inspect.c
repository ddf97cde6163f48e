/* Requests that are read before and after they are sent, classes of statuses, and URLs. */
#include <stdio.h>
#include <string.h>

#include "drafting.h"
#include "harness.h"
#include "realm.h"

static const restway_client_options defaults = RESTWAY_CLIENT_OPTIONS_INIT;

enum { TEXT_BYTES = 512 };

static void inspect__shows_what_would_be_sent(void **state) {
    (void)state;
    restway_client *client =
        make_client_of("\"auth\": {\"scheme\": \"bearer\", \"token\": \"s3cret\"}", defaults);
    restway_request *request = NULL;
    restway_outgoing *sent = NULL;
    size_t length = 0;
    assert_ok(restway_request_create("POST", "echo?token=hidden&page=2", &request, &failure));
    assert_ok(restway_request_set_header(request, "X-Colour", "green", &failure));
    assert_ok(restway_request_set_body(
        request, "{\"pin\": 1, \"password\": \"hidden\"}", 32, "application/json", &failure));
    assert_ok(restway_client_inspect(client, request, &sent, &failure));
    assert_string_equal(restway_outgoing_method(sent), "POST");
    assert_holds(restway_outgoing_url(sent), "/v2/echo?token=hidden&page=2");
    assert_null(restway_outgoing_route(sent));
    assert_string_equal(restway_outgoing_header(sent, "x-colour"), "green");
    assert_string_equal(restway_outgoing_header(sent, "Authorization"), "Bearer s3cret");
    assert_null(restway_outgoing_header(sent, "X-None"));
    int has_type = 0;
    for (size_t index = 0; index < restway_outgoing_header_count(sent); index++) {
        if (strcmp(restway_outgoing_header_name(sent, index), "Content-Type") == 0) {
            assert_string_equal(restway_outgoing_header_value(sent, index), "application/json");
            has_type = 1;
        }
    }
    assert_true(has_type);
    assert_memory_equal(restway_outgoing_body(sent, &length), "{\"pin\": 1, ", 11);
    assert_int_equal(length, 32);
    const char *text = restway_outgoing_text(sent);
    assert_holds(text, "POST ");
    assert_holds(text, "token=[redacted]&page=2\n");
    assert_holds(text, "Authorization: [redacted]\n");
    assert_holds(text, "X-Colour: green\n");
    assert_null(strstr(text, "hidden"));
    assert_null(strstr(text, "s3cret"));
    restway_request_release(request);
    restway_client_release(client);
    assert_string_equal(restway_outgoing_method(sent), "POST");
    restway_outgoing *same = restway_outgoing_retain(sent);
    assert_ptr_equal(same, sent);
    restway_outgoing_release(same);
    restway_outgoing_release(sent);
}

static void inspect__encodes_a_draft_and_names_its_route(void **state) {
    (void)state;
    struct drafting drafting = drafting_begin(0);
    restway_draft *draft = drafted(&drafting, "Enterprise");
    set_text(draft, "name", "Café");
    restway_request *request = NULL;
    restway_outgoing *sent = NULL;
    size_t length = 0;
    assert_ok(restway_request_create_draft("POST", draft, &request, &failure));
    assert_ok(restway_client_inspect(drafting.client, request, &sent, &failure));
    assert_string_equal(restway_outgoing_route(sent), "add");
    const char *body = restway_outgoing_body(sent, &length);
    assert_int_equal(strncmp(body, "{\"enterprise\":", 14), 0);
    assert_int_equal(body[length - 1], '}');
    assert_int_equal(stored(&drafting, "Enterprise"), 0);
    restway_outgoing_release(sent);
    restway_request_release(request);
    restway_draft_release(draft);
    drafting_end(&drafting);
}

static void client_url__is_found_by_the_object_router(void **state) {
    (void)state;
    char url[TEXT_BYTES];
    size_t length = 0;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    assert_ok(restway_client_url(
        client, "PUT", object, url, sizeof(url), &length, &failure));
    assert_int_equal(strlen(url), length);
    assert_holds(url, "/v2/enterprises/3");
    assert_ok(restway_client_url(client, "GET", object, NULL, 0, &length, &failure));
    assert_int_equal(strlen(url), length);
    assert_fails(restway_client_url(client, "POST", object, NULL, 0, NULL, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "Enterprise");
    restway_object_release(object);
    restway_client_release(client);
}

static void check_objects__says_what_an_answer_cannot_give(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_route("enterprises");
    const char *names[] = {"itemID", "name"};
    const char *wrong[] = {"itemID", "nmae"};
    assert_ok(restway_client_check_objects(client, request, "company", NULL, names, 2, &failure));
    assert_ok(
        restway_client_check_objects(client, request, "company", "Enterprise", NULL, 0, &failure));
    assert_fails(restway_client_check_objects(client, request, "company", NULL, wrong, 2, &failure),
        RESTWAY_E_MAPPING, "company cannot be read from the answers to the route \"enterprises\"");
    assert_fails(restway_client_check_objects(client, request, "company", NULL, wrong, 2, &failure),
        RESTWAY_E_MAPPING, "did you mean \"name\"?");
    assert_fails(
        restway_client_check_objects(client, request, "person", "Person", NULL, 0, &failure),
        RESTWAY_E_MAPPING, "Enterprise");
    assert_ok(restway_request_set_parser(request, "text", &failure));
    assert_fails(restway_client_check_objects(client, request, "company", NULL, NULL, 0, &failure),
        RESTWAY_E_MAPPING, "the parser \"text\"");
    assert_fails(restway_client_check_objects(NULL, request, "company", NULL, NULL, 0, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "client");
    assert_fails(restway_client_check_objects(client, NULL, "company", NULL, NULL, 0, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "request");
    assert_fails(restway_client_check_objects(client, request, NULL, NULL, NULL, 0, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "type");
    assert_fails(restway_client_check_objects(client, request, "company", NULL, NULL, 1, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "names");
    restway_request_release(request);
    restway_client_release(client);
}

static void response_request__is_what_went_out(void **state) {
    (void)state;
    restway_client *client =
        make_client_of("\"auth\": {\"scheme\": \"bearer\", \"token\": \"s3cret\"}", defaults);
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_body(request, "abc", 3, "text/plain", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    restway_outgoing *sent = restway_response_request(response);
    size_t length = 0;
    assert_string_equal(restway_outgoing_header(sent, "Authorization"), "Bearer s3cret");
    assert_memory_equal(restway_outgoing_body(sent, &length), "abc", 3);
    assert_int_equal(length, 3);
    restway_outgoing_release(sent);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void error_request__is_there_with_and_without_an_answer(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/404");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "404");
    restway_outgoing *sent = restway_error_request(failure);
    assert_holds(restway_outgoing_url(sent), "/bad/status/404");
    assert_null(restway_outgoing_body(sent, NULL));
    restway_outgoing_release(sent);
    sent = restway_response_request(restway_error_response(failure));
    assert_string_equal(restway_outgoing_method(sent), "GET");
    restway_outgoing_release(sent);
    forget_failure();
    restway_client_release(client);

    restway_client_options options = defaults;
    options.base_url = "http://127.0.0.1:1";
    client = make_client_with(options);
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CONNECT, "");
    sent = restway_error_request(failure);
    assert_holds(restway_outgoing_url(sent), "http://127.0.0.1:1/bad/status/404");
    restway_outgoing_release(sent);
    forget_failure();
    assert_fails_keeping(
        restway_client_perform(client, NULL, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT, "");
    assert_null(restway_error_request(failure));
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static void http_class_of__is_the_first_digit(void **state) {
    (void)state;
    assert_int_equal(restway_http_class_of(100), RESTWAY_HTTP_CLASS_INFORMATIONAL);
    assert_int_equal(restway_http_class_of(204), RESTWAY_HTTP_CLASS_SUCCESS);
    assert_int_equal(restway_http_class_of(399), RESTWAY_HTTP_CLASS_REDIRECTION);
    assert_int_equal(restway_http_class_of(404), RESTWAY_HTTP_CLASS_CLIENT_ERROR);
    assert_int_equal(restway_http_class_of(599), RESTWAY_HTTP_CLASS_SERVER_ERROR);
    static const int32_t others[] = {0, 99, 600, 1000, -200, INT32_MAX, INT32_MIN};
    for (size_t index = 0; index < sizeof(others) / sizeof(others[0]); index++) {
        assert_int_equal(restway_http_class_of(others[index]), RESTWAY_HTTP_CLASS_NONE);
    }
}

static void url_split__gives_the_parts(void **state) {
    (void)state;
    restway_url *url = NULL;
    assert_ok(restway_url_split(
        "HTTPS://API.example.com/a%2Fb/c?x=1&tag=a%20b&tag=c+d&empty&=y&n=%00#top%21", &url,
        &failure));
    assert_string_equal(restway_url_scheme(url), "https");
    assert_string_equal(restway_url_host(url), "api.example.com");
    assert_int_equal(restway_url_port(url), 443);
    assert_string_equal(restway_url_path(url), "/a%2Fb/c");
    assert_string_equal(restway_url_fragment(url), "top!");
    static const char *const expected[][2] = {
        {"x", "1"}, {"tag", "a b"}, {"tag", "c d"}, {"empty", ""}, {"", "y"},
        {"n", "\xef\xbf\xbd"}};
    size_t count = sizeof(expected) / sizeof(expected[0]);
    assert_int_equal(restway_url_parameter_count(url), count);
    for (size_t index = 0; index < count; index++) {
        assert_string_equal(restway_url_parameter_name(url, index), expected[index][0]);
        assert_string_equal(restway_url_parameter_value(url, index), expected[index][1]);
    }
    assert_null(restway_url_parameter_name(url, count));
    assert_null(restway_url_parameter_value(url, count));
    restway_url_release(restway_url_retain(url));
    restway_url_release(url);
    assert_ok(restway_url_split("http://[::1]:8080", &url, &failure));
    assert_string_equal(restway_url_host(url), "[::1]");
    assert_int_equal(restway_url_port(url), 8080);
    assert_string_equal(restway_url_path(url), "/");
    assert_null(restway_url_fragment(url));
    assert_int_equal(restway_url_parameter_count(url), 0);
    restway_url_release(url);
    static const char *const wrong[] = {
        "", "a/b", "ftp://a", "http://", "http://u:p@a", "http://a:x"};
    for (size_t index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        assert_fails(
            restway_url_split(wrong[index], &url, &failure), RESTWAY_E_INVALID_URL, "");
        assert_null(url);
    }
}

static void url_build_query__encodes_and_splits_again(void **state) {
    (void)state;
    static const char *const names[] = {"sort", "a&b", ""};
    static const char *const values[] = {"name", "x =+/\xc3\xa9", ""};
    char query[TEXT_BYTES], text[2 * TEXT_BYTES];
    size_t length = 0;
    assert_ok(restway_url_build_query(
        names, values, 3, query, sizeof(query), &length, &failure));
    assert_string_equal(query, "sort=name&a%26b=x%20%3D%2B%2F%C3%A9&=");
    assert_int_equal(length, strlen(query));
    snprintf(text, sizeof(text), "http://a.test/?%s", query);
    restway_url *url = NULL;
    assert_ok(restway_url_split(text, &url, &failure));
    for (size_t index = 0; index < 3; index++) {
        assert_string_equal(restway_url_parameter_name(url, index), names[index]);
        assert_string_equal(restway_url_parameter_value(url, index), values[index]);
    }
    restway_url_release(url);
    assert_ok(restway_url_build_query(NULL, NULL, 0, query, sizeof(query), &length, &failure));
    assert_string_equal(query, "");
    assert_int_equal(length, 0);
}

static void inspect_functions__refuse_null_and_bad_utf8(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_request *request = make_get("status");
    restway_outgoing *sent = POISON;
    restway_url *url = POISON;
    static const char *const texts[] = {"a"};
    static const char *const bad_texts[] = {BAD_UTF8};
    static const char *const none[] = {NULL};
    assert_refused(restway_client_inspect(NULL, request, &sent, &failure));
    assert_null(sent);
    assert_refused(restway_client_inspect(client, NULL, &sent, &failure));
    assert_refused(restway_client_inspect(client, request, NULL, &failure));
    assert_refused(restway_client_url(NULL, "GET", object, NULL, 0, NULL, &failure));
    assert_refused(restway_client_url(client, NULL, object, NULL, 0, NULL, &failure));
    assert_refused(restway_client_url(client, BAD_UTF8, object, NULL, 0, NULL, &failure));
    assert_refused(restway_client_url(client, "GET", NULL, NULL, 0, NULL, &failure));
    assert_refused(restway_client_url(client, "GET", object, NULL, 1, NULL, &failure));
    assert_refused(restway_url_split(NULL, &url, &failure));
    assert_null(url);
    assert_refused(restway_url_split(BAD_UTF8, &url, &failure));
    assert_refused(restway_url_split(demo_url(), NULL, &failure));
    assert_refused(restway_url_build_query(NULL, texts, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(texts, NULL, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(none, texts, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(texts, none, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(bad_texts, texts, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(texts, bad_texts, 1, NULL, 0, NULL, &failure));
    assert_refused(restway_url_build_query(texts, texts, SIZE_MAX, NULL, 0, NULL, &failure));
    assert_ok(restway_client_inspect(client, request, &sent, &failure));
    assert_null(restway_outgoing_header(sent, BAD_UTF8));
    assert_null(restway_outgoing_header(sent, NULL));
    assert_null(restway_outgoing_header_name(sent, SIZE_MAX));
    assert_null(restway_outgoing_header_value(sent, SIZE_MAX));
    restway_outgoing_release(sent);
    restway_request_release(request);
    restway_object_release(object);
    restway_client_release(client);
}

static void inspect_reads__of_null(void **state) {
    (void)state;
    size_t length = 7;
    assert_null(restway_response_request(NULL));
    assert_null(restway_error_request(NULL));
    assert_null(restway_outgoing_retain(NULL));
    restway_outgoing_release(NULL);
    assert_null(restway_outgoing_method(NULL));
    assert_null(restway_outgoing_url(NULL));
    assert_null(restway_outgoing_route(NULL));
    assert_null(restway_outgoing_header(NULL, "Accept"));
    assert_int_equal(restway_outgoing_header_count(NULL), 0);
    assert_null(restway_outgoing_header_name(NULL, 0));
    assert_null(restway_outgoing_header_value(NULL, 0));
    assert_null(restway_outgoing_body(NULL, &length));
    assert_int_equal(length, 0);
    assert_null(restway_outgoing_body(NULL, NULL));
    assert_null(restway_outgoing_text(NULL));
    assert_null(restway_url_retain(NULL));
    restway_url_release(NULL);
    assert_null(restway_url_scheme(NULL));
    assert_null(restway_url_host(NULL));
    assert_int_equal(restway_url_port(NULL), 0);
    assert_null(restway_url_path(NULL));
    assert_null(restway_url_fragment(NULL));
    assert_int_equal(restway_url_parameter_count(NULL), 0);
    assert_null(restway_url_parameter_name(NULL, 0));
    assert_null(restway_url_parameter_value(NULL, 0));
}

static const struct CMUnitTest tests[] = {
    TEST(inspect__shows_what_would_be_sent),
    TEST(inspect__encodes_a_draft_and_names_its_route),
    TEST(client_url__is_found_by_the_object_router),
    TEST(check_objects__says_what_an_answer_cannot_give),
    TEST(response_request__is_what_went_out),
    TEST(error_request__is_there_with_and_without_an_answer),
    TEST(http_class_of__is_the_first_digit),
    TEST(url_split__gives_the_parts),
    TEST(url_build_query__encodes_and_splits_again),
    TEST(inspect_functions__refuse_null_and_bad_utf8),
    TEST(inspect_reads__of_null),
};

const struct suite inspect_suite = SUITE(tests);
