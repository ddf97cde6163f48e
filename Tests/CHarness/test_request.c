/* Requests: the bytes that are sent, seen through the demo API's echo. */
#include <string.h>

#include "harness.h"

/** Performs @p request, releases it, and returns the echo: the JSON of the request that arrived. */
static restway_response *echoed(restway_client *client, restway_request *request) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

static void expect_echo(const restway_response *response, const char *fragment) {
    assert_holds(restway_response_json(response, NULL), fragment);
}

static restway_request *make_post(const char *path) {
    restway_request *request = NULL;
    assert_ok(restway_request_create("POST", path, &request, &failure));
    return request;
}

static void set_parameter(restway_request *request, const char *name, restway_value value) {
    assert_ok(restway_request_set_parameter(request, name, &value, &failure));
}

static void request__parameters_of_a_get_make_the_query(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo?first=1");
    restway_value list[2] = {restway_value_string("x"), restway_value_string("y z")};
    restway_value many = restway_value_null();
    many.kind = RESTWAY_VALUE_LIST;
    many.length = 2;
    many.as.list = list;
    set_parameter(request, "n", restway_value_int64(INT64_MIN));
    set_parameter(request, "t", restway_value_bool(1));
    set_parameter(request, "none", restway_value_null());
    set_parameter(request, "q", restway_value_string("early"));
    set_parameter(request, "q", restway_value_string("a&b=c/\xc3\xbc"));
    set_parameter(request, "many", many);
    restway_response *response = echoed(client, request);
    expect_echo(response, "\"method\":\"GET\"");
    expect_echo(response, "\"path\":\"/v2/echo\"");
    expect_echo(response, "\"first\":\"1\"");
    expect_echo(response, "\"n\":\"-9223372036854775808\"");
    expect_echo(response, "\"t\":\"true\"");
    expect_echo(response, "\"many\":[\"x\",\"y z\"]");
    assert_null(strstr(restway_response_json(response, NULL), "none"));
    assert_null(strstr(restway_response_json(response, NULL), "early"));
    restway_response_release(response);
    restway_client_release(client);
}

static void request__parameters_of_a_post_make_the_body(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_post("echo");
    const char *json = "{\"dotted.name\": [1, {\"a\": null}]}";
    set_parameter(request, "address.city", restway_value_string("Wien"));
    set_parameter(request, "none", restway_value_null());
    assert_ok(restway_request_set_parameters_json(request, json, strlen(json), &failure));
    restway_response *response = echoed(client, request);
    expect_echo(response, "\"query_string\":\"\"");
    expect_echo(response, "application/json");
    expect_echo(response, "\\\"address\\\":{\\\"city\\\":\\\"Wien\\\"}");
    expect_echo(response, "\\\"none\\\":null");
    expect_echo(response, "\\\"dotted.name\\\":[1,{\\\"a\\\":null}]");
    restway_response_release(response);
    restway_client_release(client);
}

static void request__with_a_body_of_its_own(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_post("echo");
    char body[] = "plain text";
    assert_ok(
        restway_request_set_body(request, body, strlen(body), "text/plain", &failure));
    memset(body, 'x', sizeof(body) - 1);
    set_parameter(request, "q", restway_value_string("1"));
    restway_response *response = echoed(client, request);
    expect_echo(response, "\"body\":\"plain text\"");
    expect_echo(response, "text/plain");
    expect_echo(response, "\"q\":\"1\"");
    restway_response_release(response);
    restway_client_release(client);
}

static void request__with_an_empty_body(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_post("echo");
    assert_ok(restway_request_set_body(request, NULL, 0, "text/plain", &failure));
    restway_response *response = echoed(client, request);
    expect_echo(response, "\"body_bytes\":0");
    restway_response_release(response);
    restway_client_release(client);
}

static void request__headers_are_set_and_taken_away(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    assert_ok(restway_request_set_header(request, "X-Colour", "green", &failure));
    assert_ok(restway_request_set_header(request, "x-colour", "gr\xc3\xbcn", &failure));
    assert_ok(restway_request_set_header(request, "User-Agent", NULL, &failure));
    restway_response *response = echoed(client, request);
    expect_echo(response, "x-colour\":\"gr");
    assert_null(strstr(restway_response_json(response, NULL), "green"));
    assert_null(strstr(restway_response_json(response, NULL), "User-Agent"));
    restway_response_release(response);
    restway_client_release(client);
}

static void request__refuses_headers_that_are_none(void **state) {
    (void)state;
    static const char *const names[] = {"", "a b", "a:b", "a\r\nb", "\xc3\xbc"};
    static const char *const values[] = {"a\r\nX-Evil: 1", "a\nb", "a\rb"};
    restway_request *request = make_get("echo");
    for (size_t index = 0; index < sizeof(names) / sizeof(names[0]); index++) {
        assert_refused(restway_request_set_header(request, names[index], "v", &failure));
    }
    for (size_t index = 0; index < sizeof(values) / sizeof(values[0]); index++) {
        assert_refused(restway_request_set_header(request, "X-A", values[index], &failure));
    }
    restway_request_release(request);
}

static void request_create__takes_any_token_as_its_method(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    assert_ok(restway_request_create("M-SEARCH", "echo", &request, &failure));
    restway_value value = restway_value_int64(7);
    assert_ok(restway_request_set_parameter(request, "a", &value, &failure));
    restway_response *response = echoed(client, request);
    expect_echo(response, "\"method\":\"M-SEARCH\"");
    expect_echo(response, "\"body\":\"{\\\"a\\\":7}\"");
    restway_response_release(response);
    restway_client_release(client);
}

static void request_create__refuses_what_is_no_method(void **state) {
    (void)state;
    static const char *const methods[] = {"", "get", "a b", "GET ", "GET\r\n", "CONNECT"};
    restway_request *request = POISON;
    for (size_t index = 0; index < sizeof(methods) / sizeof(methods[0]); index++) {
        assert_refused(restway_request_create(methods[index], "echo", &request, &failure));
        assert_null(request);
    }
}

static void request__variables_fill_the_path(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo/:a/:b");
    restway_value value = restway_value_string("x/y \xc3\xbc");
    assert_ok(restway_request_set_variable(request, "a", &value, &failure));
    value = restway_value_int64(-7);
    assert_ok(restway_request_set_variable(request, "b", &value, &failure));
    restway_response *response = echoed(client, request);
    expect_echo(response, "/v2/echo/x%2Fy%20%C3%BC/-7");
    restway_response_release(response);
    restway_client_release(client);
}

static void request__to_a_named_route(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_value identity = restway_value_int64(3);
    assert_ok(restway_request_create_route(NULL, "enterprise", &request, &failure));
    assert_ok(restway_request_set_variable(request, "itemID", &identity, &failure));
    restway_response *response = echoed(client, request);
    assert_int_equal(restway_response_object_count(response), 1);
    restway_response_release(response);
    assert_ok(restway_request_create_route("POST", "echo", &request, &failure));
    response = echoed(client, request);
    expect_echo(response, "\"method\":\"POST\"");
    restway_response_release(response);
    restway_client_release(client);
}

static void request__about_an_object(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_request *request = NULL;
    assert_ok(restway_request_create_object("GET", object, &request, &failure));
    restway_response *response = echoed(client, request);
    assert_holds(restway_response_url(response), "/v2/enterprises/3");
    assert_true(restway_object_is_same(restway_response_object(response, 0), object));
    restway_response_release(response);
    assert_ok(restway_request_create_object("POST", object, &request, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_UNKNOWN_ROUTE,
        "Enterprise");
    restway_request_release(request);
    restway_object_release(object);
    restway_client_release(client);
}

static void request__later_changes_do_not_reach_the_wire(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    restway_call *call = NULL;
    restway_response *response = NULL;
    set_parameter(request, "q", restway_value_string("early"));
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    set_parameter(request, "q", restway_value_string("late"));
    restway_request_release(request);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    expect_echo(response, "\"q\":\"early\"");
    restway_response_release(response);
    restway_call_release(call);
    restway_client_release(client);
}

static void request__is_sent_through_several_clients(void **state) {
    (void)state;
    restway_client *one = make_client();
    restway_client *two = make_client();
    restway_request *request = make_get("status");
    assert_ok(restway_client_perform(one, request, 0, NULL, &failure));
    assert_ok(restway_client_perform(two, request, 0, NULL, &failure));
    assert_ok(restway_client_perform(one, request, 0, NULL, &failure));
    restway_request_release(request);
    restway_client_release(one);
    restway_client_release(two);
}

static void request_set_timeout__refuses_values_out_of_range(void **state) {
    (void)state;
    restway_request *request = make_get("status");
    assert_ok(restway_request_set_timeout(request, 1, &failure));
    assert_ok(restway_request_set_timeout(request, 0, &failure));
    assert_ok(restway_request_set_timeout(request, -1, &failure));
    assert_refused(restway_request_set_timeout(request, -2, &failure));
    assert_refused(restway_request_set_timeout(request, INT64_MIN, &failure));
    restway_request_release(request);
}

static void request_set_phase_timeout__refuses_values_out_of_range(void **state) {
    (void)state;
    restway_request *request = make_get("status");
    for (int phase = RESTWAY_PHASE_CONNECT; phase <= RESTWAY_PHASE_IDLE; phase++) {
        for (int64_t limit = -1; limit <= 1; limit++) {
            assert_ok(restway_request_set_phase_timeout(
                request, (restway_phase)phase, limit, &failure));
        }
        assert_refused(restway_request_set_phase_timeout(
            request, (restway_phase)phase, -2, &failure));
    }
    assert_refused(
        restway_request_set_phase_timeout(request, (restway_phase)3, 1, &failure));
    assert_refused(
        restway_request_set_phase_timeout(NULL, RESTWAY_PHASE_IDLE, 1, &failure));
    restway_request_release(request);
}

static void request_set_phase_timeout__names_the_phase_and_the_limit(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=5000");
    assert_ok(restway_request_set_phase_timeout(
        request, RESTWAY_PHASE_FIRST_BYTE, 50, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TIMEOUT,
        "first-byte time limit of 50 ms");
    restway_request_release(request);
    restway_client_release(client);
}

static void request_set_parameters_json__says_where_it_is_wrong(void **state) {
    (void)state;
    const char *json = "{\"a\": 1,\n \"b\": }";
    restway_request *request = make_get("status");
    assert_fails(
        restway_request_set_parameters_json(request, json, strlen(json), &failure),
        RESTWAY_E_INVALID_ARGUMENT, "line 2");
    assert_refused(restway_request_set_parameters_json(request, "[1]", 3, &failure));
    assert_refused(restway_request_set_parameters_json(request, "", 0, &failure));
    restway_request_release(request);
}

static const struct CMUnitTest tests[] = {
    TEST(request__parameters_of_a_get_make_the_query),
    TEST(request__parameters_of_a_post_make_the_body),
    TEST(request__with_a_body_of_its_own),
    TEST(request__with_an_empty_body),
    TEST(request__headers_are_set_and_taken_away),
    TEST(request__refuses_headers_that_are_none),
    TEST(request_create__takes_any_token_as_its_method),
    TEST(request_create__refuses_what_is_no_method),
    TEST(request__variables_fill_the_path),
    TEST(request__to_a_named_route),
    TEST(request__about_an_object),
    TEST(request__later_changes_do_not_reach_the_wire),
    TEST(request__is_sent_through_several_clients),
    TEST(request_set_timeout__refuses_values_out_of_range),
    TEST(request_set_phase_timeout__refuses_values_out_of_range),
    TEST(request_set_phase_timeout__names_the_phase_and_the_limit),
    TEST(request_set_parameters_json__says_where_it_is_wrong),
};

const struct suite request_suite = SUITE(tests);
