/* Responses: status, headers, body, objects, mapping issues, redirects, cookies. */
#include <string.h>

#include "answering.h"
#include "harness.h"

static void response_read__gives_an_object_with_its_values(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises?page=1&per_page=5");
    restway_value values[32];
    for (size_t index = 0; index < 5; index++) {
        restway_object *object = NULL;
        const char *entity = NULL;
        size_t count = 0;
        memset(values, 0x5a, sizeof(values));
        assert_ok(restway_response_read(
            response, index, values, 32, &count, &entity, &object, &failure));
        assert_ptr_equal(object, restway_response_object(response, index));
        assert_ptr_equal(entity, restway_object_entity(object));
        assert_int_equal(count, restway_object_attribute_count(object));
        for (size_t place = 0; place < count; place++) {
            restway_value one;
            const char *name = restway_object_attribute_name(object, place);
            assert_ok(restway_object_get(object, name, &one, &failure));
            assert_memory_equal(&values[place], &one, sizeof(one));
        }
        assert_int_equal(values[count].kind, RESTWAY_VALUE_NULL);
        assert_int_equal(values[31].kind, RESTWAY_VALUE_NULL);
        restway_object_release(object);
    }
    /* The handle belongs to the caller, and the values belong to the object. */
    restway_object *object = NULL;
    assert_ok(restway_response_read(response, 1, values, 32, NULL, NULL, &object, &failure));
    restway_response_release(response);
    int32_t place = restway_object_attribute_index(object, "name");
    assert_ptr_equal(values[place].as.text, restway_object_string(object, "name"));
    restway_object_release(object);
    restway_client_release(client);
}

static void response_read__with_little_room_or_none(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises/3");
    restway_value values[3];
    restway_object *object = NULL;
    size_t count = 0;
    memset(values, 0x5a, sizeof(values));
    assert_ok(restway_response_read(response, 0, values, 2, &count, NULL, &object, &failure));
    assert_int_equal(count, 10);
    assert_int_equal(values[2].kind, 0x5a5a5a5a);
    restway_object_release(object);
    assert_ok(restway_response_read(response, 0, NULL, 0, &count, NULL, &object, NULL));
    assert_int_equal(count, 10);
    restway_object_release(object);
    restway_response_release(response);
    restway_client_release(client);
}

static void response_read__of_no_object(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises/3");
    restway_value value;
    restway_object *object = POISON;
    const char *entity = (const char *)POISON;
    size_t count = 99;
    memset(&value, 0x5a, sizeof(value));
    assert_ok(
        restway_response_read(response, 1, &value, 1, &count, &entity, &object, &failure));
    assert_null(object);
    assert_null(entity);
    assert_int_equal(count, 0);
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    object = POISON;
    assert_ok(restway_response_read(
        response, SIZE_MAX, NULL, 0, NULL, NULL, &object, &failure));
    assert_null(object);
    object = POISON;
    count = 99;
    assert_refused(
        restway_response_read(NULL, 0, &value, 1, &count, &entity, &object, &failure));
    assert_null(object);
    assert_int_equal(count, 0);
    assert_refused(
        restway_response_read(response, 0, &value, 1, &count, &entity, NULL, &failure));
    object = POISON;
    assert_refused(
        restway_response_read(response, 0, NULL, 1, &count, &entity, &object, &failure));
    assert_null(object);
    restway_response_release(response);
    restway_client_release(client);
}

static void response__has_its_location_as_an_absolute_url(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *made = NULL, *found = NULL;
    const char *body = "{\"name\": \"C Ltd.\"}";
    assert_ok(restway_client_post(client, "enterprises", body, &made, &failure));
    assert_int_equal(restway_response_header(made, "Location")[0], '/');
    assert_int_equal(strncmp(restway_response_location(made), "http://127.0.0.1:", 17), 0);
    assert_holds(restway_response_location(made), "/v2/enterprises/");
    assert_ok(restway_client_get(client, restway_response_location(made), &found, &failure));
    assert_null(restway_response_location(found));
    /* Other tests count the enterprises. */
    assert_ok(restway_client_delete(client, restway_response_location(made), NULL, &failure));
    restway_response_release(found);
    restway_response_release(made);
    restway_client_release(client);
}

static void response__of_a_list(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises?page=1&per_page=5");
    size_t first = 99, count = 99;
    assert_int_equal(restway_response_status(response), 200);
    assert_int_equal(restway_response_http_version(response), 11);
    assert_holds(restway_response_url(response), "/v2/enterprises?page=1&per_page=5");
    assert_int_equal(restway_response_is_mapped(response), 1);
    assert_int_equal(restway_response_object_count(response), 5);
    assert_int_equal(restway_response_result_count(response), 1);
    assert_ok(restway_response_result(response, 0, &first, &count, &failure));
    assert_int_equal(first, 0);
    assert_int_equal(count, 5);
    for (size_t index = 0; index < count; index++) {
        restway_object *object = restway_response_object(response, index);
        assert_string_equal(restway_object_entity(object), "Enterprise");
        assert_int_equal(restway_object_int64(object, "itemID", -1), (int)index + 1);
    }
    assert_null(restway_response_object(response, 5));
    assert_null(restway_response_object(response, SIZE_MAX));
    assert_refused(restway_response_result(response, 1, &first, &count, &failure));
    assert_int_equal(first, 0);
    assert_int_equal(count, 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void response__of_an_empty_list_is_mapped(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises?q=no-such-name-anywhere");
    assert_int_equal(restway_response_is_mapped(response), 1);
    assert_int_equal(restway_response_object_count(response), 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void response__that_no_descriptor_matches(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "echo");
    assert_int_equal(restway_response_is_mapped(response), 0);
    assert_int_equal(restway_response_object_count(response), 0);
    assert_int_equal(restway_response_result_count(response), 0);
    assert_int_equal(restway_response_issue_count(response), 0);
    assert_non_null(restway_response_json(response, NULL));
    restway_response_release(response);
    restway_client_release(client);
}

static void response__headers_by_name_and_index(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    size_t count = restway_response_header_count(response);
    int found = 0;
    assert_true(count > 0);
    assert_holds(restway_response_header(response, "content-TYPE"), "application/json");
    assert_null(restway_response_header(response, "X-Not-There"));
    assert_null(restway_response_header(response, ""));
    for (size_t index = 0; index < count; index++) {
        const char *name = restway_response_header_name(response, index);
        assert_non_null(name);
        assert_non_null(restway_response_header_value(response, index));
        found += strcmp(name, "Content-Type") == 0;
    }
    assert_int_equal(found, 1);
    assert_null(restway_response_header_name(response, count));
    assert_null(restway_response_header_value(response, count));
    assert_null(restway_response_header_name(response, SIZE_MAX));
    assert_null(restway_response_header_value(response, SIZE_MAX));
    restway_response_release(response);
    restway_client_release(client);
}

static void response__body_ends_with_a_nul(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    size_t body_length = 0, json_length = 0;
    const char *body = restway_response_body(response, &body_length);
    const char *json = restway_response_json(response, &json_length);
    assert_int_equal(strlen(body), body_length);
    assert_int_equal(strlen(json), json_length);
    assert_holds(body, "\"status\"");
    assert_ptr_equal(restway_response_body(response, NULL), body);
    restway_response_release(response);
    restway_client_release(client);
}

static void response__without_a_body(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "bad/empty");
    size_t length = 99;
    assert_non_null(restway_response_body(response, &length));
    assert_int_equal(length, 0);
    length = 99;
    assert_null(restway_response_json(response, &length));
    assert_int_equal(length, 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void response__of_html_is_not_json(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    const char *document = "{\"restway\": 1, \"environments\": {\"e\": {\"baseURL\": "
                           "\"http://127.0.0.1:1\"}}, \"environment\": \"e\"}";
    restway_api *api = NULL;
    restway_client *client = NULL;
    options.base_url = demo_url();
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_response *response = fetch(client, "bad/html");
    assert_null(restway_response_json(response, NULL));
    assert_holds(restway_response_body(response, NULL), "<html>");
    restway_response_release(response);
    restway_client_release(client);
    restway_api_release(api);
}

static void response__follows_redirects(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "redirect/3");
    assert_int_equal(restway_response_status(response), 200);
    assert_holds(restway_response_url(response), "/v2/status");
    restway_response_release(response);
    restway_client_release(client);
}

static void response__of_a_redirect_that_is_not_followed(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.flags = RESTWAY_CLIENT_NO_REDIRECTS;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("redirect/3");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "302");
    restway_response *response = restway_error_response(failure);
    assert_int_equal(restway_response_status(response), 302);
    assert_non_null(restway_response_header(response, "Location"));
    restway_request_release(request);
    restway_client_release(client);
}

static void response__cookies_are_kept_unless_switched_off(void **state) {
    (void)state;
    for (uint32_t flags = 0; flags <= RESTWAY_CLIENT_NO_COOKIES; flags += 2) {
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        options.flags = flags;
        restway_client *client = make_client_with(options);
        restway_response_release(fetch(client, "cookies/set?flavour=vanilla"));
        restway_response *response = fetch(client, "cookies");
        int has_it = strstr(restway_response_json(response, NULL), "vanilla") != NULL;
        assert_int_equal(has_it, flags == 0);
        restway_response_release(response);
        restway_client_release(client);
    }
}

static void response_text__is_utf8(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises/3");
    const char *text = NULL, *again = NULL;
    size_t length = 0, expected = 0;
    const void *body = restway_response_body(response, &expected);
    assert_ok(restway_response_text(response, &text, &length, &failure));
    assert_int_equal(length, expected);
    assert_memory_equal(text, body, length + 1);
    assert_ok(restway_response_text(response, &again, NULL, &failure));
    assert_ptr_equal(text, again);
    assert_refused(restway_response_text(NULL, &text, &length, &failure));
    assert_null(text);
    assert_int_equal(length, 0);
    assert_refused(restway_response_text(response, NULL, &length, &failure));
    restway_response_release(response);
    restway_client_release(client);
}

static void response_text__follows_the_charset(void **state) {
    (void)state;
    struct answering_server server;
    static const char latin[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=iso-8859-1\r\n"
        "Content-Length: 3\r\n\r\na\xe4\0";
    static const char unknown[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=klingon\r\n"
        "Content-Length: 1\r\n\r\na";
    answering_begin(&server);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.base_url = server.url;
    restway_client *client = make_client_with(options);
    answering_set_bytes(&server, latin, sizeof(latin) - 1);
    restway_response *response = fetch(client, "x");
    const char *text = NULL;
    size_t length = 0;
    assert_ok(restway_response_text(response, &text, &length, &failure));
    assert_int_equal(length, 4);
    assert_memory_equal(text, "a\xc3\xa4\0", 5);
    restway_response_release(response);
    answering_set_bytes(&server, unknown, sizeof(unknown) - 1);
    response = fetch(client, "x");
    assert_fails(
        restway_response_text(response, &text, &length, &failure), RESTWAY_E_MAPPING, "klingon");
    assert_null(text);
    assert_int_equal(length, 0);
    restway_response_release(response);
    restway_client_release(client);
    answering_end(&server);
}

static void response__outlives_its_client(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises/3");
    restway_client_release(client);
    assert_int_equal(restway_response_status(response), 200);
    restway_object *object = restway_response_object(response, 0);
    assert_string_equal(restway_object_string(object, "name"), "Nordlicht Books Inc.");
    restway_response_release(response);
}

static void response_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_response_retain(NULL));
    restway_response_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(response_read__gives_an_object_with_its_values),
    TEST(response_read__with_little_room_or_none),
    TEST(response_read__of_no_object),
    TEST(response__has_its_location_as_an_absolute_url),
    TEST(response__of_a_list),
    TEST(response__of_an_empty_list_is_mapped),
    TEST(response__that_no_descriptor_matches),
    TEST(response__headers_by_name_and_index),
    TEST(response__body_ends_with_a_nul),
    TEST(response__without_a_body),
    TEST(response__of_html_is_not_json),
    TEST(response__follows_redirects),
    TEST(response__of_a_redirect_that_is_not_followed),
    TEST(response__cookies_are_kept_unless_switched_off),
    TEST(response_text__is_utf8),
    TEST(response_text__follows_the_charset),
    TEST(response__outlives_its_client),
    TEST(response_release__of_null_is_fine),
};

const struct suite response_suite = SUITE(tests);
