/* Objects as tables, read from the buffers as the Arrow C Data Interface defines them. */
#include <string.h>

#include "graph.h"

static int is_valid(const struct ArrowArray *array, int64_t row) {
    const uint8_t *bitmap = array->buffers[0];
    if (bitmap == NULL) {
        assert_int_equal(array->null_count, 0);
        return 1;
    }
    return bitmap[row / 8] >> (row % 8) & 1;
}

static int64_t int64_at(const struct ArrowArray *array, int64_t row) {
    assert_int_equal(array->n_buffers, 2);
    assert_int_equal(array->offset, 0);
    return ((const int64_t *)array->buffers[1])[row];
}

/** Checks a value of a utf8 column. */
static void expect_text_at(const struct ArrowArray *array, int64_t row, const char *expected) {
    assert_int_equal(array->n_buffers, 3);
    const int32_t *offsets = array->buffers[1];
    const char *texts = array->buffers[2];
    size_t length = (size_t)(offsets[row + 1] - offsets[row]);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(texts + offsets[row], expected, length);
}

static void expect_field(
    const struct ArrowSchema *schema, int64_t index, const char *name, const char *format) {
    assert_true(index < schema->n_children);
    assert_string_equal(schema->children[index]->name, name);
    assert_string_equal(schema->children[index]->format, format);
    assert_int_equal(schema->children[index]->flags, ARROW_FLAG_NULLABLE);
    assert_null(schema->children[index]->dictionary);
    assert_null(schema->children[index]->metadata);
}

static void release(struct ArrowSchema *schema, struct ArrowArray *array) {
    schema->release(schema);
    array->release(array);
    assert_null(schema->release);
    assert_null(array->release);
}

/** Stores @p text as objects of @p entity, and returns them as a list. */
static restway_list *map(restway_client *client, const char *entity, const char *text) {
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, entity, text, strlen(text), NULL, &response, NULL, &failure));
    restway_list *list = restway_response_list(response);
    restway_response_release(response);
    return list;
}

static const char enterprises[] =
    "[{\"id\": 9007199254740993, \"name\": \"caf\xc3\xa9\", \"rating\": 0.5, \"website\": \"\"},"
    " {\"id\": 2, \"name\": null, \"rating\": 3, \"parent_id\": 9007199254740993},"
    " {\"id\": -3, \"name\": \"c\", \"rating\": null, \"parent_id\": null}]";

static void list_arrow__has_a_column_for_each_attribute(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = map(client, "Enterprise", enterprises);
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_ok(restway_list_arrow(list, 0, 3, store, 0, &schema, &array, &failure));
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 4);
    expect_field(&schema, 0, "id", "l");
    expect_field(&schema, 1, "name", "u");
    expect_field(&schema, 2, "rating", "g");
    expect_field(&schema, 3, "website", "u");
    assert_int_equal(array.length, 3);
    assert_int_equal(array.n_children, 4);
    assert_int_equal(array.n_buffers, 1);
    assert_int_equal(array.null_count, 0);
    for (int64_t index = 0; index < 4; index++) {
        assert_int_equal(array.children[index]->length, 3);
    }
    assert_int_equal(int64_at(array.children[0], 0), 9007199254740993);
    assert_int_equal(int64_at(array.children[0], 2), -3);
    expect_text_at(array.children[1], 0, "caf\xc3\xa9");
    assert_int_equal(array.children[1]->null_count, 1);
    assert_int_equal(is_valid(array.children[1], 0), 1);
    assert_int_equal(is_valid(array.children[1], 1), 0);
    expect_text_at(array.children[1], 2, "c");
    assert_true(((const double *)array.children[2]->buffers[1])[1] == 3.0);
    assert_int_equal(is_valid(array.children[2], 2), 0);
    expect_text_at(array.children[3], 0, "");
    assert_int_equal(array.children[3]->null_count, 2);
    release(&schema, &array);
}

static void list_arrow__nests_relationships_to_its_depth(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = map(
        client, "Meeting",
        "[{\"id\": 1, \"starts_at\": \"1970-01-01T00:00:01Z\", \"attendee_ids\": [4, 5]},"
        " {\"id\": 2, \"attendee_ids\": []},"
        " {\"id\": 3, \"attendee_ids\": [5], \"enterprise_id\": {\"id\": 8, \"name\": \"x\"}}]");
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_ok(restway_list_arrow(list, 1, 2, store, 1, &schema, &array, &failure));
    assert_int_equal(schema.n_children, 6);
    expect_field(&schema, 2, "startsAt", "tsu:UTC");
    expect_field(&schema, 3, "enterprise", "+s");
    expect_field(&schema, 4, "attendees", "+l");
    expect_field(schema.children[4], 0, "item", "+s");
    expect_field(schema.children[4]->children[0], 0, "id", "l");
    const struct ArrowArray *enterprise = array.children[3], *attendees = array.children[4];
    assert_int_equal(is_valid(enterprise, 0), 0);
    assert_int_equal(is_valid(enterprise, 1), 1);
    expect_text_at(enterprise->children[1], 1, "x");
    const int32_t *ends = attendees->buffers[1];
    assert_int_equal(ends[0], 0);
    assert_int_equal(ends[1], 0);
    assert_int_equal(ends[2], 1);
    assert_int_equal(attendees->children[0]->length, 1);
    assert_int_equal(int64_at(attendees->children[0]->children[0], 0), 5);
    release(&schema, &array);
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void arrow_children__may_outlive_their_parent(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = map(client, "Enterprise", enterprises);
    struct ArrowSchema schema, id_schema;
    struct ArrowArray array, ids;
    assert_ok(restway_list_arrow(list, 0, 3, store, 0, &schema, &array, &failure));
    ids = *array.children[0];
    array.children[0]->release = NULL;
    id_schema = *schema.children[0];
    schema.children[0]->release = NULL;
    release(&schema, &array);
    assert_int_equal(int64_at(&ids, 1), 2);
    assert_string_equal(id_schema.name, "id");
    release(&id_schema, &ids);
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_query_arrow__exports_what_the_query_finds(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list_release(map(client, "Enterprise", enterprises));
    restway_query *query = NULL;
    restway_value one = restway_value_int64(1);
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_ok(restway_query_add_condition(
        query, "id", RESTWAY_COMPARISON_GREATER, &one, &failure));
    assert_ok(restway_query_add_order(query, "id", 0, &failure));
    for (int32_t depth = 0; depth < 3; depth++) {
        assert_ok(restway_store_query_arrow(store, query, depth, &schema, &array, &failure));
        assert_int_equal(array.length, 2);
        assert_int_equal(int64_at(array.children[0], 0), 2);
        assert_int_equal(int64_at(array.children[0], 1), 9007199254740993);
        assert_int_equal(array.n_children, depth == 0 ? 4 : 5);
        if (depth > 0) expect_text_at(array.children[4]->children[1], 0, "caf\xc3\xa9");
        release(&schema, &array);
    }
    assert_ok(restway_query_set_limit(query, 0, &failure));
    assert_ok(restway_store_query_arrow(store, query, 0, &schema, &array, &failure));
    assert_int_equal(array.length, 0);
    assert_int_equal(array.n_children, 4);
    release(&schema, &array);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void arrow_stream__gives_one_array(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = map(client, "Enterprise", enterprises);
    struct ArrowSchema schema, told;
    struct ArrowArray array, given;
    struct ArrowArrayStream stream;
    for (int takes_array = 0; takes_array < 2; takes_array++) {
        assert_ok(restway_list_arrow(list, 0, 3, store, 0, &schema, &array, &failure));
        assert_ok(restway_arrow_stream(&schema, &array, &stream, &failure));
        assert_null(schema.release);
        assert_null(array.release);
        assert_int_equal(stream.get_schema(&stream, &told), 0);
        expect_field(&told, 1, "name", "u");
        told.release(&told);
        assert_null(stream.get_last_error(&stream));
        if (takes_array) {
            assert_int_equal(stream.get_next(&stream, &given), 0);
            assert_int_equal(stream.get_next(&stream, &array), 0);
            assert_null(array.release);
        }
        stream.release(&stream);
        assert_null(stream.release);
        if (takes_array) {
            assert_int_equal(int64_at(given.children[0], 1), 2);
            given.release(&given);
        }
    }
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void arrow_functions__refuse_what_is_wrong(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = map(client, "Enterprise", enterprises);
    restway_query *query = NULL;
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowArrayStream stream;
    memset(&array, 0x5a, sizeof(array));
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_refused(restway_list_arrow(list, 0, 4, store, 0, &schema, &array, &failure));
    assert_null(schema.release);
    assert_null(array.release);
    assert_refused(restway_list_arrow(list, 0, 3, store, 17, &schema, &array, &failure));
    assert_refused(restway_list_arrow(list, 0, 3, store, -1, &schema, &array, &failure));
    assert_refused(restway_list_arrow(NULL, 0, 0, store, 0, &schema, &array, &failure));
    assert_refused(restway_list_arrow(list, 0, 3, NULL, 0, &schema, &array, &failure));
    assert_refused(restway_list_arrow(list, 0, 3, store, 0, NULL, &array, &failure));
    assert_refused(restway_list_arrow(list, 0, 3, store, 0, &schema, NULL, &failure));
    assert_refused(restway_store_query_arrow(NULL, query, 0, &schema, &array, &failure));
    assert_refused(restway_store_query_arrow(store, NULL, 0, &schema, &array, &failure));
    assert_refused(restway_store_query_arrow(store, query, 17, &schema, &array, &failure));
    assert_refused(restway_store_query_arrow(store, query, 0, NULL, &array, &failure));
    assert_refused(restway_store_query_arrow(store, query, 0, &schema, NULL, &failure));
    assert_refused(restway_arrow_stream(&schema, &array, &stream, &failure));
    assert_null(stream.release);
    assert_ok(restway_list_arrow(list, 3, 0, store, 0, &schema, &array, &failure));
    assert_int_equal(array.length, 0);
    assert_int_equal(array.n_children, 0);
    assert_refused(restway_arrow_stream(NULL, &array, &stream, &failure));
    assert_refused(restway_arrow_stream(&schema, NULL, &stream, &failure));
    assert_refused(restway_arrow_stream(&schema, &array, NULL, &failure));
    release(&schema, &array);
    restway_query_release(query);
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(list_arrow__has_a_column_for_each_attribute),
    TEST(list_arrow__nests_relationships_to_its_depth),
    TEST(arrow_children__may_outlive_their_parent),
    TEST(store_query_arrow__exports_what_the_query_finds),
    TEST(arrow_stream__gives_one_array),
    TEST(arrow_functions__refuse_what_is_wrong),
};

const struct suite arrow_suite = SUITE_OF_BOTH_STORES(tests);
