/* Lists and maps of values: reading their elements, and changing lists in drafts. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {" \
    "  \"id\": {\"type\": \"int\"}," \
    "  \"tags\": {\"type\": [\"string\"]}," \
    "  \"days\": {\"type\": [\"date\"], \"format\": \"dd/MM/yyyy\"}," \
    "  \"grid\": {\"type\": [[\"int\"]]}," \
    "  \"files\": {\"type\": {\"*\": \"bytes\"}}," \
    "  \"free\": {\"type\": \"json\"}}}}," \
    "\"routes\": {" \
    "  \"count\": {\"path\": \"count\"," \
    "    \"response\": {\"type\": \"int\", \"keyPath\": \"a.n\", \"required\": true}}," \
    "  \"name\": {\"path\": \"name\", \"response\": {\"type\": \"string\"}}," \
    "  \"days\": {\"path\": \"days\", \"response\": {\"type\": [[\"date\"]]}}," \
    "  \"free\": {\"path\": \"free\", \"response\": {\"type\": \"json\"}}}}"

#define THING \
    "{\"id\": 1, \"tags\": [\"a\", null, \"b\\u0000c\"], \"days\": [\"02/01/1970\"]," \
    " \"grid\": [[1, 2.0], [], null], \"files\": {\"b\": \"Qg==\", \"a\": \"QQ==\"}," \
    " \"free\": {\"k\": [1]}}"

/** Maps the thing above; the response is owned by the caller. */
static restway_response *map_thing(restway_client *client) {
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, "Thing", THING, strlen(THING), NULL, &response, NULL, &failure));
    assert_int_equal(restway_response_issue_count(response), 0);
    return response;
}

static restway_values *values_of(const restway_object *object, const char *attribute) {
    restway_values *values = POISON;
    assert_ok(restway_object_values(object, attribute, &values, &failure));
    return values;
}

static restway_value element(const restway_values *values, size_t index) {
    restway_value value;
    assert_ok(restway_values_get(values, index, &value, &failure));
    return value;
}

static void expect_json(
    const restway_object *object, const char *attribute, const char *expected) {
    restway_value value;
    assert_ok(restway_object_get(object, attribute, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_JSON);
    assert_string_equal(value.as.text, expected);
}

static void object_values__have_the_types_of_the_document(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_thing(client);
    const restway_object *object = restway_response_object(response, 0);
    restway_values *tags = values_of(object, "tags");
    assert_int_equal(restway_values_count(tags), 3);
    assert_string_equal(element(tags, 0).as.text, "a");
    assert_int_equal(element(tags, 1).kind, RESTWAY_VALUE_NULL);
    assert_int_equal(element(tags, 2).kind, RESTWAY_VALUE_STRING);
    assert_int_equal(element(tags, 2).length, 3);
    assert_memory_equal(element(tags, 2).as.text, "b\0c", 4);
    assert_null(restway_values_key(tags, 0));
    restway_values *same = restway_values_retain(tags);
    assert_ptr_equal(same, tags);
    restway_values_release(same);
    restway_values *days = values_of(object, "days");
    assert_int_equal(element(days, 0).kind, RESTWAY_VALUE_DATE);
    assert_true(element(days, 0).as.integer == INT64_C(86400000000));
    restway_values *files = values_of(object, "files");
    assert_string_equal(restway_values_key(files, 0), "a");
    assert_string_equal(restway_values_key(files, 1), "b");
    assert_null(restway_values_key(files, 2));
    assert_int_equal(element(files, 1).kind, RESTWAY_VALUE_BYTES);
    assert_int_equal(element(files, 1).length, 1);
    assert_memory_equal(element(files, 1).as.bytes, "B", 1);
    expect_json(object, "files", "{\"a\":\"QQ==\",\"b\":\"Qg==\"}");
    restway_values_release(files);
    restway_values_release(days);
    restway_values_release(tags);
    restway_response_release(response);
    restway_client_release(client);
}

static void values_inner__gives_lists_inside_lists(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_thing(client);
    const restway_object *object = restway_response_object(response, 0);
    restway_values *grid = values_of(object, "grid");
    restway_values *inner = NULL;
    assert_int_equal(restway_values_count(grid), 3);
    assert_int_equal(element(grid, 0).kind, RESTWAY_VALUE_JSON);
    assert_string_equal(element(grid, 0).as.text, "[1,2]");
    assert_ok(restway_values_inner(grid, 0, &inner, &failure));
    assert_int_equal(restway_values_count(inner), 2);
    assert_int_equal(element(inner, 1).as.integer, 2);
    restway_values *none = POISON;
    assert_fails(
        restway_values_inner(inner, 0, &none, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "neither a list nor a map");
    assert_null(none);
    restway_values_release(inner);
    assert_ok(restway_values_inner(grid, 2, &none, &failure));
    assert_null(none);
    restway_values_release(grid);
    restway_values *free = values_of(object, "free");
    assert_string_equal(restway_values_key(free, 0), "k");
    assert_ok(restway_values_inner(free, 0, &inner, &failure));
    assert_int_equal(element(inner, 0).as.integer, 1);
    restway_values_release(inner);
    restway_values_release(free);
    restway_response_release(response);
    restway_client_release(client);
}

static void attribute_type__is_that_of_the_document(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_thing(client);
    const restway_object *object = restway_response_object(response, 0);
    const char *types[] = {
        "int", "[\"string\"]", "[\"date\"]", "[[\"int\"]]", "{\"*\":\"bytes\"}", "json",
    };
    for (size_t index = 0; index < 6; index++) {
        assert_string_equal(restway_object_attribute_type(object, index), types[index]);
    }
    assert_null(restway_object_attribute_type(object, 6));
    assert_null(restway_object_attribute_type(NULL, 0));
    restway_response_release(response);
    restway_client_release(client);
}

static void draft__changes_lists_of_values(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response *response = map_thing(client);
    restway_draft *draft = NULL;
    restway_object *changed = NULL;
    const char *name = NULL;
    size_t count = 0;
    assert_ok(restway_draft_copy(store, restway_response_object(response, 0), &draft, &failure));
    restway_value text = restway_value_string("d");
    restway_value null = restway_value_null();
    assert_ok(restway_draft_add_value(draft, "tags", &text, &failure));
    assert_ok(restway_draft_remove_value(draft, "tags", &null, &failure));
    restway_value day = restway_value_date(0);
    assert_ok(restway_draft_add_value(draft, "days", &day, &failure));
    restway_value number = restway_value_int64(1);
    restway_value elements[2] = {day, null};
    restway_value list = {RESTWAY_VALUE_LIST, 2, {.list = elements}};
    restway_value numbers = {RESTWAY_VALUE_LIST, 1, {.list = &number}};
    assert_fails_keeping(
        restway_draft_add_value(draft, "tags", &number, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "expected a string, found an integer");
    assert_string_equal(restway_error_field(failure), "tags");
    forget_failure();
    assert_fails(
        restway_draft_add_value(draft, "id", &number, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "Thing.id is no list of values");
    assert_fails(
        restway_draft_set(draft, "tags", &numbers, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "Thing.tags: [0]: expected a string, found an integer");
    assert_ok(restway_draft_changes(draft, &name, 1, &count, &failure));
    assert_int_equal(count, 2);
    assert_ok(restway_draft_snapshot(draft, &changed, &failure));
    expect_json(changed, "tags", "[\"a\",\"b\\u0000c\",\"d\"]");
    expect_json(changed, "days", "[\"1970-01-02T00:00:00Z\",\"1970-01-01T00:00:00Z\"]");
    restway_object_release(changed);
    assert_ok(restway_draft_set(draft, "days", &list, &failure));
    assert_ok(restway_draft_set(draft, "tags", &null, &failure));
    assert_ok(restway_draft_remove_value(draft, "tags", &text, &failure));
    assert_ok(restway_draft_snapshot(draft, &changed, &failure));
    expect_json(changed, "days", "[\"1970-01-01T00:00:00Z\",null]");
    assert_null(values_of(changed, "tags"));
    restway_object_release(changed);
    restway_draft_release(draft);
    restway_response_release(response);
    restway_store_release(store);
    restway_client_release(client);
}

static void query_where__finds_lists_with_an_element(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response_release(map_thing(client));
    restway_query *query = NULL;
    size_t count = 0;
    restway_value text = restway_value_string("a");
    restway_value number = restway_value_int64(1);
    restway_value day = restway_value_date(INT64_C(86400000000));
    assert_ok(restway_query_create(store, "Thing", &query, &failure));
    assert_ok(restway_query_where(query, "tags contains ?", &text, 1, &failure));
    assert_ok(restway_query_where(query, "days contains ?", &day, 1, &failure));
    assert_ok(restway_store_count_query(store, query, &count, &failure));
    assert_int_equal(count, 1);
    assert_ok(restway_query_where(query, "tags not contains ?", &text, 1, &failure));
    assert_ok(restway_store_count_query(store, query, &count, &failure));
    assert_int_equal(count, 0);
    assert_fails(
        restway_query_where(query, "tags contains ?", &number, 1, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "an element of Thing.tags is a string");
    assert_fails(
        restway_query_where(query, "id contains ?", &number, 1, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Thing.id is no list");
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void object_json__shows_lists(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *response = map_thing(client);
    const restway_object *object = restway_response_object(response, 0);
    restway_text *text = NULL;
    assert_ok(restway_object_json(object, NULL, 0, 0, 0, &text, &failure));
    const char *plain = restway_text_content(text, NULL);
    assert_holds(plain, "\"tags\":[\"a\",null,\"b\\u0000c\"],");
    assert_holds(plain, "\"days\":[\"1970-01-02T00:00:00Z\"],\"grid\":[[1,2],[],null],");
    restway_text_release(text);
    assert_ok(
        restway_object_json(object, NULL, 0, RESTWAY_JSON_MARKED, 0, &text, &failure));
    const char *marked = restway_text_content(text, NULL);
    assert_holds(marked, "\"days\":[{\"$date\":86400000000}],");
    assert_holds(
        marked,
        "\"files\":{\"$map\":[[\"a\",{\"$bytes\":\"QQ==\"}],[\"b\",{\"$bytes\":\"Qg==\"}]]}");
    restway_text_release(text);
    restway_response_release(response);
    restway_client_release(client);
}

/** Maps @p body by a route; the response is owned by the caller. */
static restway_response *map_route(restway_client *client, const char *route, const char *body) {
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    options.route = route;
    assert_ok(restway_client_map(
        client, NULL, body, strlen(body), &options, &response, NULL, &failure));
    assert_int_equal(restway_response_object_count(response), 0);
    return response;
}

static restway_value value_of(const restway_response *response) {
    restway_value value;
    assert_ok(restway_response_value(response, &value, &failure));
    return value;
}

static void response_value__is_single_or_json(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *count = map_route(client, "count", "{\"a\": {\"n\": 17.0}}");
    assert_int_equal(value_of(count).kind, RESTWAY_VALUE_INT64);
    assert_int_equal(value_of(count).as.integer, 17);
    assert_string_equal(restway_response_value_type(count), "any");
    restway_response *name = map_route(client, "name", "\"A\\u0000B\"");
    assert_int_equal(value_of(name).length, 3);
    assert_memory_equal(value_of(name).as.text, "A\0B", 4);
    restway_response *null = map_route(client, "name", "null");
    assert_int_equal(value_of(null).kind, RESTWAY_VALUE_NULL);
    restway_response *unfit = map_route(client, "name", "[1]");
    assert_int_equal(value_of(unfit).kind, RESTWAY_VALUE_ABSENT);
    assert_string_equal(restway_response_issue_reason(unfit, 0), "expected a string, found a list");
    restway_response *free = map_route(client, "free", "{\"a\": [1, {}]}");
    assert_string_equal(value_of(free).as.text, "{\"a\":[1,{}]}");
    restway_response_release(free);
    restway_response_release(unfit);
    restway_response_release(null);
    restway_response_release(name);
    restway_response_release(count);
    restway_client_release(client);
}

static void response_values__are_the_elements(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_response *days = map_route(client, "days", "[[\"1970-01-02\"], []]");
    restway_response *name = map_route(client, "name", "\"A\"");
    restway_response *thing = map_thing(client);
    restway_values *values = NULL, *inner = NULL, *none = POISON;
    assert_string_equal(value_of(days).as.text, "[[\"1970-01-02T00:00:00Z\"],[]]");
    assert_string_equal(restway_response_value_type(days), "[[\"date\"]]");
    assert_ok(restway_response_values(days, &values, &failure));
    assert_int_equal(restway_values_count(values), 2);
    assert_ok(restway_values_inner(values, 0, &inner, &failure));
    assert_int_equal(element(inner, 0).kind, RESTWAY_VALUE_DATE);
    assert_fails(
        restway_response_values(name, &none, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "neither a list nor a map");
    assert_null(none);
    none = POISON;
    assert_ok(restway_response_values(thing, &none, &failure));
    assert_null(none);
    assert_null(restway_response_value_type(thing));
    assert_null(restway_response_value_type(NULL));
    assert_refused(restway_response_values(NULL, &none, &failure));
    assert_refused(restway_response_values(days, NULL, &failure));
    restway_values_release(inner);
    restway_values_release(values);
    restway_response_release(thing);
    restway_response_release(name);
    restway_response_release(days);
    restway_client_release(client);
}

static void values__refuse_null_bad_texts_and_places_out_of_range(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response *response = map_thing(client);
    const restway_object *object = restway_response_object(response, 0);
    restway_values *tags = values_of(object, "tags"), *out = POISON;
    restway_draft *draft = NULL;
    restway_value value = restway_value_string("a"), bad = restway_value_string(BAD_UTF8);
    assert_ok(restway_draft_copy(store, object, &draft, &failure));
    assert_null(restway_values_retain(NULL));
    restway_values_release(NULL);
    assert_int_equal(restway_values_count(NULL), 0);
    assert_null(restway_values_key(NULL, 0));
    assert_refused(restway_values_get(NULL, 0, &value, &failure));
    assert_refused(restway_values_get(tags, 3, &value, &failure));
    assert_refused(restway_values_get(tags, 0, NULL, &failure));
    assert_refused(restway_values_inner(NULL, 0, &out, &failure));
    assert_null(out);
    assert_refused(restway_values_inner(tags, 3, &out, &failure));
    assert_refused(restway_values_inner(tags, 0, NULL, &failure));
    assert_refused(restway_object_values(NULL, "tags", &out, &failure));
    assert_refused(restway_object_values(object, NULL, &out, &failure));
    assert_refused(restway_object_values(object, BAD_UTF8, &out, &failure));
    assert_refused(restway_object_values(object, "tags", NULL, &failure));
    assert_fails(
        restway_object_values(object, "none", &out, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "none");
    assert_refused(restway_object_values(object, "id", &out, &failure));
    value = restway_value_string("a");
    assert_refused(restway_draft_add_value(NULL, "tags", &value, &failure));
    assert_refused(restway_draft_add_value(draft, NULL, &value, &failure));
    assert_refused(restway_draft_add_value(draft, BAD_UTF8, &value, &failure));
    assert_refused(restway_draft_add_value(draft, "tags", NULL, &failure));
    assert_refused(restway_draft_add_value(draft, "tags", &bad, &failure));
    assert_refused(restway_draft_remove_value(NULL, "tags", &value, &failure));
    assert_refused(restway_draft_remove_value(draft, NULL, &value, &failure));
    assert_refused(restway_draft_remove_value(draft, BAD_UTF8, &value, &failure));
    assert_refused(restway_draft_remove_value(draft, "tags", NULL, &failure));
    restway_draft_release(draft);
    restway_values_release(tags);
    restway_response_release(response);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(object_values__have_the_types_of_the_document),
    TEST(values_inner__gives_lists_inside_lists),
    TEST(attribute_type__is_that_of_the_document),
    TEST(draft__changes_lists_of_values),
    TEST(query_where__finds_lists_with_an_element),
    TEST(object_json__shows_lists),
    TEST(response_value__is_single_or_json),
    TEST(response_values__are_the_elements),
    TEST(values__refuse_null_bad_texts_and_places_out_of_range),
};

const struct suite values_suite = SUITE(tests);
