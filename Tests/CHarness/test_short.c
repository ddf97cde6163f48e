/* The short ways: setters and getters with plain types of C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drafting.h"

enum { FILE_BYTES_MAX = 60 };

/** A request whose response must hold a text. */
static void expect_body(restway_response *response, const char *fragment) {
    assert_non_null(response);
    assert_holds(restway_response_body(response, NULL), fragment);
    restway_response_release(response);
}

/** Performs a request by its route, releases it, and checks the echo. */
static void expect_sent(restway_client *client, restway_request *request, const char *fragment) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    restway_request_release(request);
    expect_body(response, fragment);
}

static void request_setters__take_plain_types(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo/:one/:two");
    assert_ok(restway_request_set_variable_string(request, "one", "a/b", &failure));
    assert_ok(restway_request_set_variable_int64(request, "two", INT64_MIN, &failure));
    expect_sent(client, request, "\"path\":\"/v2/echo/a%2Fb/-9223372036854775808\"");
    request = make_get("echo");
    assert_ok(restway_request_set_parameter_string(request, "text", "x y", &failure));
    assert_ok(restway_request_set_parameter_int64(request, "int", INT64_MAX, &failure));
    assert_ok(restway_request_set_parameter_double(request, "double", 0.5, &failure));
    assert_ok(restway_request_set_parameter_bool(request, "bool", 1, &failure));
    assert_ok(restway_request_set_parameter_date(request, "date", 1500000, &failure));
    expect_sent(
        client, request,
        "\"query\":{\"text\":\"x y\",\"int\":\"9223372036854775807\",\"double\":\"0.5\","
        "\"bool\":\"true\",\"date\":\"1970-01-01T00:00:01.500Z\"}");
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_json(request, "{}", &failure));
    expect_sent(client, request, "\"body\":\"{}\"");
    restway_client_release(client);
}

static void request_setters__refuse_null_and_bad_texts(void **state) {
    (void)state;
    restway_request *request = make_get("echo");
    assert_refused(restway_request_set_json(NULL, "1", &failure));
    assert_refused(restway_request_set_json(request, NULL, &failure));
    /* The bytes of a body are not checked. */
    assert_ok(restway_request_set_json(request, BAD_UTF8, &failure));
    assert_refused(restway_request_set_variable_string(NULL, "a", "b", &failure));
    assert_refused(restway_request_set_variable_string(request, NULL, "b", &failure));
    assert_refused(restway_request_set_variable_string(request, BAD_UTF8, "b", &failure));
    assert_ok(restway_request_set_variable_string(request, "a", NULL, &failure));
    assert_refused(restway_request_set_variable_string(request, "a", BAD_UTF8, &failure));
    assert_refused(restway_request_set_variable_int64(NULL, "a", 1, &failure));
    assert_refused(restway_request_set_variable_int64(request, NULL, 1, &failure));
    assert_refused(restway_request_set_variable_int64(request, BAD_UTF8, 1, &failure));
    assert_refused(restway_request_set_parameter_string(NULL, "a", "b", &failure));
    assert_refused(restway_request_set_parameter_string(request, NULL, "b", &failure));
    assert_refused(restway_request_set_parameter_string(request, BAD_UTF8, "b", &failure));
    assert_ok(restway_request_set_parameter_string(request, "a", NULL, &failure));
    assert_refused(restway_request_set_parameter_string(request, "a", BAD_UTF8, &failure));
    assert_refused(restway_request_set_parameter_int64(NULL, "a", 1, &failure));
    assert_refused(restway_request_set_parameter_int64(request, NULL, 1, &failure));
    assert_refused(restway_request_set_parameter_int64(request, BAD_UTF8, 1, &failure));
    assert_refused(restway_request_set_parameter_double(NULL, "a", 1, &failure));
    assert_refused(restway_request_set_parameter_double(request, NULL, 1, &failure));
    assert_refused(restway_request_set_parameter_double(request, BAD_UTF8, 1, &failure));
    assert_refused(restway_request_set_parameter_bool(NULL, "a", 1, &failure));
    assert_refused(restway_request_set_parameter_bool(request, NULL, 1, &failure));
    assert_refused(restway_request_set_parameter_bool(request, BAD_UTF8, 1, &failure));
    assert_refused(restway_request_set_parameter_date(NULL, "a", 1, &failure));
    assert_refused(restway_request_set_parameter_date(request, NULL, 1, &failure));
    assert_refused(restway_request_set_parameter_date(request, BAD_UTF8, 1, &failure));
    restway_request_release(request);
}

/** Inserts the draft and releases it. */
static restway_object *inserted(restway_draft *draft) {
    restway_object *object = NULL;
    assert_ok(restway_draft_insert(draft, &object, &failure));
    restway_draft_release(draft);
    return object;
}

static void object_getters__tell_values_from_nulls(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_text *text = NULL;
    assert_ok(restway_draft_set_int64(draft, "id", 7, &failure));
    assert_ok(restway_draft_set_string(draft, "name", "Seven", &failure));
    assert_ok(restway_draft_set_date(draft, "founded", 86400000000, &failure));
    assert_ok(restway_draft_set_bool(draft, "website", 1, &failure));
    assert_ok(restway_draft_set_null(draft, "rating", &failure));
    restway_object *object = inserted(draft);
    assert_int_equal(restway_object_has(object, "name"), 1);
    assert_int_equal(restway_object_has(object, "rating"), 0);
    assert_int_equal(restway_object_has(object, "city"), 0);
    assert_int_equal(restway_object_has(object, "nothing"), 0);
    assert_string_equal(restway_object_string_or(object, "name", "-"), "Seven");
    assert_string_equal(restway_object_string_or(object, "city", "-"), "-");
    assert_string_equal(restway_object_string_or(object, "id", "-"), "-");
    assert_int_equal(restway_object_bool(object, "website", 0), 1);
    assert_int_equal(restway_object_bool(object, "id", -5), -5);
    assert_true(restway_object_date(object, "founded", 0) == 86400000000);
    assert_int_equal(restway_object_date(object, "id", -5), -5);
    assert_ok(restway_object_to_json(object, &text, &failure));
    assert_string_equal(
        restway_text_content(text, NULL),
        "{\"id\":7,\"name\":\"Seven\",\"rating\":null,\"founded\":\"1970-01-02T00:00:00Z\","
        "\"website\":true}");
    restway_text_release(text);
    restway_object_release(object);
    drafting_end(&own);
}

static void drafts__take_bytes(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_value bytes = restway_value_bytes("\0\377", 2), found;
    assert_ok(restway_draft_set(draft, "website", &bytes, &failure));
    restway_object *object = inserted(draft);
    assert_ok(restway_object_get(object, "website", &found, &failure));
    assert_int_equal(found.kind, RESTWAY_VALUE_BYTES);
    assert_int_equal(found.length, 2);
    assert_memory_equal(found.as.bytes, "\0\377", 2);
    restway_object_release(object);
    drafting_end(&own);
}

static void object_getters__of_null_and_bad_texts(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_text *text = POISON;
    assert_int_equal(restway_object_has(NULL, "name"), 0);
    assert_int_equal(restway_object_has(object, NULL), 0);
    assert_int_equal(restway_object_has(object, BAD_UTF8), 0);
    assert_null(restway_object_string_or(NULL, "name", NULL));
    assert_string_equal(restway_object_string_or(object, NULL, "-"), "-");
    assert_string_equal(restway_object_string_or(object, BAD_UTF8, BAD_UTF8), BAD_UTF8);
    assert_int_equal(restway_object_bool(NULL, "active", 5), 5);
    assert_int_equal(restway_object_bool(object, NULL, 5), 5);
    assert_int_equal(restway_object_bool(object, BAD_UTF8, 5), 5);
    assert_int_equal(restway_object_date(NULL, "creationDate", 5), 5);
    assert_int_equal(restway_object_date(object, NULL, 5), 5);
    assert_int_equal(restway_object_date(object, BAD_UTF8, 5), 5);
    assert_refused(restway_object_to_json(NULL, &text, &failure));
    assert_null(text);
    assert_refused(restway_object_to_json(object, NULL, &failure));
    text = POISON;
    assert_refused(restway_list_to_json(NULL, &text, &failure));
    assert_null(text);
    restway_object_release(object);
    restway_client_release(client);
}

static void lists_and_stores__have_short_ways(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_response *response = fetch(own.client, "enterprises/3");
    restway_list *list = restway_response_list(response);
    restway_object *found = POISON;
    restway_text *text = NULL;
    assert_ok(restway_list_to_json(list, &text, &failure));
    assert_true(strncmp(restway_text_content(text, NULL), "[{\"id\":3,", 9) == 0);
    restway_text_release(text);
    assert_refused(restway_list_to_json(list, NULL, &failure));
    assert_ok(restway_store_find_int64(own.store, "Enterprise", 3, &found, &failure));
    assert_int_equal(restway_object_int64(found, "id", 0), 3);
    restway_object_release(found);
    assert_fails(
        restway_store_find_string(own.store, "Enterprise", "3", &found, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "is an integer, and \"3\" is a string");
    assert_null(found);
    assert_refused(restway_store_find_int64(NULL, "Enterprise", 3, &found, &failure));
    assert_refused(restway_store_find_int64(own.store, NULL, 3, &found, &failure));
    assert_refused(restway_store_find_int64(own.store, BAD_UTF8, 3, &found, &failure));
    assert_refused(restway_store_find_int64(own.store, "Enterprise", 3, NULL, &failure));
    assert_refused(restway_store_find_string(NULL, "Enterprise", "3", &found, &failure));
    assert_refused(restway_store_find_string(own.store, NULL, "3", &found, &failure));
    assert_refused(restway_store_find_string(own.store, BAD_UTF8, "3", &found, &failure));
    assert_refused(restway_store_find_string(own.store, "Enterprise", NULL, &found, &failure));
    assert_refused(restway_store_find_string(own.store, "Enterprise", BAD_UTF8, &found, &failure));
    assert_refused(restway_store_find_string(own.store, "Enterprise", "3", NULL, &failure));
    restway_list_release(list);
    restway_response_release(response);
    drafting_end(&own);
}

static void draft_setters__set_relationships(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Person");
    restway_object *linked = NULL;
    assert_ok(restway_draft_set_int64(draft, "id", 4, &failure));
    restway_object *person = inserted(draft);
    draft = drafted(&own, "Enterprise");
    assert_ok(restway_draft_set_object(draft, "owner", person, &failure));
    restway_object *object = inserted(draft);
    assert_ok(restway_store_related_one(own.store, object, "owner", &linked, &failure));
    assert_int_equal(restway_object_is_same(linked, person), 1);
    restway_object_release(linked);
    assert_ok(restway_draft_copy(own.store, object, &draft, &failure));
    assert_ok(restway_draft_set_object(draft, "owner", NULL, &failure));
    restway_object_release(object);
    object = inserted(draft);
    assert_fails(
        restway_store_related_one(own.store, object, "owner", &linked, &failure),
        RESTWAY_E_NO_OBJECT, "");
    restway_object_release(object);
    restway_object_release(person);
    drafting_end(&own);
}

static void draft_setters__refuse_null_and_bad_texts(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    assert_refused(restway_draft_set_string(NULL, "name", "a", &failure));
    assert_refused(restway_draft_set_string(draft, NULL, "a", &failure));
    assert_refused(restway_draft_set_string(draft, BAD_UTF8, "a", &failure));
    assert_ok(restway_draft_set_string(draft, "name", NULL, &failure));
    assert_refused(restway_draft_set_string(draft, "name", BAD_UTF8, &failure));
    assert_refused(restway_draft_set_int64(NULL, "id", 1, &failure));
    assert_refused(restway_draft_set_int64(draft, NULL, 1, &failure));
    assert_refused(restway_draft_set_int64(draft, BAD_UTF8, 1, &failure));
    assert_refused(restway_draft_set_double(NULL, "rating", 1, &failure));
    assert_refused(restway_draft_set_double(draft, NULL, 1, &failure));
    assert_refused(restway_draft_set_double(draft, BAD_UTF8, 1, &failure));
    assert_refused(restway_draft_set_bool(NULL, "website", 1, &failure));
    assert_refused(restway_draft_set_bool(draft, NULL, 1, &failure));
    assert_refused(restway_draft_set_bool(draft, BAD_UTF8, 1, &failure));
    assert_refused(restway_draft_set_date(NULL, "founded", 1, &failure));
    assert_refused(restway_draft_set_date(draft, NULL, 1, &failure));
    assert_refused(restway_draft_set_date(draft, BAD_UTF8, 1, &failure));
    assert_refused(restway_draft_set_null(NULL, "name", &failure));
    assert_refused(restway_draft_set_null(draft, NULL, &failure));
    assert_refused(restway_draft_set_null(draft, BAD_UTF8, &failure));
    assert_refused(restway_draft_set_object(NULL, "owner", NULL, &failure));
    assert_refused(restway_draft_set_object(draft, NULL, NULL, &failure));
    assert_refused(restway_draft_set_object(draft, BAD_UTF8, NULL, &failure));
    restway_draft_release(draft);
    drafting_end(&own);
}

static void client_create_file__loads_a_document(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"a\": {\"baseURL\": \"http://127.0.0.1:1\"}}}";
    char path[FILE_BYTES_MAX] = "/tmp/restway-short-XXXXXX";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = POISON;
    restway_response *response = NULL;
    int file = mkstemp(path);
    assert_true(write(file, document, strlen(document)) == (ssize_t)strlen(document));
    close(file);
    options.base_url = demo_url();
    assert_ok(restway_client_create_file(path, &options, &client, &failure));
    assert_ok(restway_client_get(client, "status", &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    restway_client_release(client);
    assert_ok(restway_client_create_file(path, NULL, &client, &failure));
    restway_client_release(client);
    assert_refused(restway_client_create_file(path, NULL, NULL, &failure));
    unlink(path);
    client = POISON;
    assert_fails(
        restway_client_create_file(path, NULL, &client, &failure), RESTWAY_E_IO, path);
    assert_null(client);
    assert_refused(restway_client_create_file(NULL, NULL, &client, &failure));
    assert_refused(restway_client_create_file(BAD_UTF8, NULL, &client, &failure));
}

static const struct CMUnitTest tests[] = {
    TEST(request_setters__take_plain_types),
    TEST(request_setters__refuse_null_and_bad_texts),
    TEST(object_getters__tell_values_from_nulls),
    TEST(drafts__take_bytes),
    TEST(object_getters__of_null_and_bad_texts),
    TEST(lists_and_stores__have_short_ways),
    TEST(draft_setters__set_relationships),
    TEST(draft_setters__refuse_null_and_bad_texts),
    TEST(client_create_file__loads_a_document),
};

const struct suite short_suite = SUITE(tests);
