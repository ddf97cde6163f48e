/* Whole objects and lists in one call: as JSON text, and as handles with their values. */
#include <string.h>

#include "graph.h"

enum { ROOM = 8 };

/** Checks the text, and releases it. */
static void expect_text(restway_text *text, const char *expected) {
    size_t length = 0;
    const char *content = restway_text_content(text, &length);
    assert_string_equal(content, expected);
    assert_int_equal(length, strlen(expected));
    restway_text_release(text);
}

/** Inserts an enterprise; one that is its own parent if @p is_own_parent is 1. */
static restway_object *insert_enterprise(restway_store *store, int64_t id, int is_own_parent) {
    restway_draft *draft = NULL;
    restway_object *object = NULL;
    restway_value value = restway_value_int64(id);
    assert_ok(restway_draft_create(store, "Enterprise", &draft, &failure));
    assert_ok(restway_draft_set(draft, "id", &value, &failure));
    value = restway_value_string("A \"B\"\n\x01 \xc3\xa9");
    assert_ok(restway_draft_set(draft, "name", &value, &failure));
    value = restway_value_double(0.1);
    assert_ok(restway_draft_set(draft, "rating", &value, &failure));
    value = restway_value_null();
    assert_ok(restway_draft_set(draft, "website", &value, &failure));
    if (is_own_parent) assert_ok(restway_draft_add_draft(draft, "parent", draft, &failure));
    assert_ok(restway_draft_insert(draft, &object, &failure));
    restway_draft_release(draft);
    return object;
}

static restway_object *make_enterprise(restway_store *store, int64_t id) {
    return insert_enterprise(store, id, 0);
}

static void object_json__holds_what_was_received_or_set(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *object = make_enterprise(store, INT64_MAX);
    restway_text *text = POISON;
    assert_ok(restway_object_json(object, NULL, 0, 0, 0, &text, &failure));
    restway_text *same = restway_text_retain(text);
    assert_ptr_equal(same, text);
    restway_text_release(same);
    expect_text(
        text,
        "{\"id\":9223372036854775807,\"name\":\"A \\\"B\\\"\\n\\u0001 \xc3\xa9\","
        "\"rating\":0.1,\"website\":null}");
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void object_json__follows_relationships_to_its_depth(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_text *text = NULL;
    assert_ok(restway_object_json(meeting, store, 1, 0, 0, &text, &failure));
    const char *content = restway_text_content(text, NULL);
    assert_holds(content, "\"enterprise\":{\"id\":1},");
    assert_holds(content, "\"attendees\":[{\"id\":1},{\"id\":2},{\"id\":3}]");
    assert_holds(content, "\"startsAt\":\"20");
    assert_null(strstr(content, "$"));
    restway_text_release(text);
    assert_ok(restway_object_json(meeting, store, 0, 0, 0, &text, &failure));
    assert_null(strstr(restway_text_content(text, NULL), "enterprise"));
    restway_text_release(text);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static restway_object *make_own_parent(restway_store *store) {
    return insert_enterprise(store, 7, 1);
}

static void object_json__cuts_an_object_inside_itself(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *object = make_own_parent(store);
    restway_text *text = NULL;
    assert_ok(restway_object_json(object, store, 16, 0, 0, &text, &failure));
    assert_holds(restway_text_content(text, NULL), "\"website\":null,\"parent\":{\"id\":7}}");
    restway_text_release(text);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void object_json__marks_what_json_cannot_show(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_draft *draft = NULL;
    restway_object *object = NULL;
    restway_text *text = NULL;
    restway_value value = restway_value_date(1500000);
    assert_ok(restway_draft_create(store, "Meeting", &draft, &failure));
    assert_ok(restway_draft_set(draft, "startsAt", &value, &failure));
    assert_ok(restway_draft_insert(draft, &object, &failure));
    assert_ok(restway_object_json(object, NULL, 0, 0, 0, &text, &failure));
    expect_text(text, "{\"startsAt\":\"1970-01-01T00:00:01.500Z\"}");
    assert_ok(restway_object_json(object, NULL, 0, RESTWAY_JSON_MARKED, 0, &text, &failure));
    expect_text(text, "{\"startsAt\":{\"$date\":1500000}}");
    assert_ok(restway_object_json(object, NULL, 0, RESTWAY_JSON_ENTITIES, 0, &text, &failure));
    expect_text(
        text,
        "{\"$entity\":\"Meeting\",\"$identity\":null,\"$absent\":[\"id\",\"title\"],"
        "\"startsAt\":\"1970-01-01T00:00:01.500Z\"}");
    restway_draft_release(draft);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void object_json__refuses_what_is_out_of_range(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *object = make_enterprise(store, 1);
    restway_text *text = POISON;
    assert_fails(
        restway_object_json(object, store, 17, 0, 0, &text, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "depth");
    assert_null(text);
    assert_refused(restway_object_json(object, store, -1, 0, 0, &text, &failure));
    assert_refused(restway_object_json(object, store, 0, 4, 0, &text, &failure));
    assert_refused(restway_object_json(object, store, 0, 0, -1, &text, &failure));
    assert_refused(restway_object_json(object, NULL, 1, 0, 0, &text, &failure));
    assert_refused(restway_object_json(NULL, store, 0, 0, 0, &text, &failure));
    assert_refused(restway_object_json(object, store, 0, 0, 0, NULL, &failure));
    assert_fails(
        restway_object_json(object, store, 0, 0, 12, &text, &failure), RESTWAY_E_TOO_LARGE,
        "12 bytes");
    assert_null(restway_text_retain(NULL));
    assert_null(restway_text_content(NULL, NULL));
    restway_text_release(NULL);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

/** Enterprises 1 to 3, with the values of make_enterprise(). */
static restway_list *make_enterprises(restway_store *store) {
    restway_list *list = NULL;
    for (int64_t id = 1; id <= 3; id++) restway_object_release(make_enterprise(store, id));
    assert_ok(restway_store_all(store, "Enterprise", &list, &failure));
    return list;
}

static void list_json__is_a_list_of_objects(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = make_enterprises(store);
    restway_text *text = POISON;
    assert_ok(restway_list_json(list, 1, 0, NULL, 0, 0, 0, &text, &failure));
    expect_text(text, "[]");
    assert_ok(restway_list_json(list, 1, 2, store, 1, 0, 0, &text, &failure));
    const char *content = restway_text_content(text, NULL);
    assert_holds(content, "[{\"id\":2,");
    assert_holds(content, "},{\"id\":3,");
    restway_text_release(text);
    assert_refused(restway_list_json(NULL, 0, 0, store, 0, 0, 0, &text, &failure));
    assert_refused(restway_list_json(list, 0, 3, NULL, 1, 0, 0, &text, &failure));
    assert_refused(restway_list_json(list, 0, 3, store, 0, 0, 0, NULL, &failure));
    assert_refused(restway_list_json(list, 0, 4, store, 0, 0, 0, &text, &failure));
    assert_refused(restway_list_json(list, SIZE_MAX, 1, store, 0, 0, 0, &text, &failure));
    assert_refused(restway_list_json(list, 0, SIZE_MAX, store, 0, 0, 0, &text, &failure));
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void list_take__gives_objects_with_their_values(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = make_enterprises(store);
    restway_value values[2 * ROOM];
    const char *entities[2] = {NULL, NULL};
    restway_object *objects[2] = {NULL, NULL};
    assert_ok(restway_list_take(list, 1, 2, values, ROOM, entities, objects, &failure));
    restway_list_release(list);
    for (int row = 0; row < 2; row++) {
        assert_string_equal(entities[row], "Enterprise");
        assert_int_equal(values[row * ROOM].as.integer, row + 2);
        assert_ptr_equal(
            values[row * ROOM + 1].as.text, restway_object_string(objects[row], "name"));
        assert_int_equal(values[row * ROOM + 3].kind, RESTWAY_VALUE_NULL);
        assert_int_equal(values[row * ROOM + ROOM - 1].kind, RESTWAY_VALUE_NULL);
        restway_object_release(objects[row]);
    }
    restway_store_release(store);
    restway_client_release(client);
}

static void list_take__of_no_room_and_of_what_is_out_of_range(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = make_enterprises(store);
    restway_value values[ROOM];
    const char *entities[1] = {NULL};
    restway_object *objects[2] = {NULL, NULL};
    assert_ok(restway_list_take(list, 0, 2, NULL, 0, NULL, objects, &failure));
    restway_object_release(objects[0]);
    restway_object_release(objects[1]);
    assert_ok(restway_list_take(list, 3, 0, NULL, 0, NULL, NULL, &failure));
    objects[0] = POISON;
    assert_refused(restway_list_take(list, 3, 1, values, ROOM, entities, objects, &failure));
    assert_null(objects[0]);
    assert_refused(restway_list_take(NULL, 0, 1, values, ROOM, entities, objects, &failure));
    assert_refused(restway_list_take(list, 0, 1, NULL, 1, entities, objects, &failure));
    assert_refused(restway_list_take(list, 0, 1, values, ROOM, entities, NULL, &failure));
    assert_refused(restway_list_take(list, 0, 1, values, SIZE_MAX, entities, objects, &failure));
    assert_refused(restway_list_take(list, 0, SIZE_MAX, values, 1, entities, objects, &failure));
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void list_texts__joins_the_texts_of_an_attribute(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = make_enterprises(store);
    restway_text *text = NULL;
    size_t length = 0;
    size_t name = restway_object_attribute_index(restway_list_object(list, 0), "name");
    assert_ok(restway_list_texts(list, 0, 3, name, &text, &failure));
    const char *place = restway_text_content(text, &length);
    const char *end = place + length;
    for (size_t row = 0; row < 3; row++) {
        assert_string_equal(
            place, restway_object_string(restway_list_object(list, row), "name"));
        place += strlen(place) + 1;
    }
    assert_ptr_equal(place, end);
    restway_text_release(text);
    /* Numbers have no text, and no objects have no texts. */
    assert_ok(restway_list_texts(list, 1, 2, 0, &text, &failure));
    assert_memory_equal(restway_text_content(text, &length), "\0\0", 3);
    assert_int_equal(length, 2);
    restway_text_release(text);
    assert_ok(restway_list_texts(list, 3, 0, name, &text, &failure));
    assert_string_equal(restway_text_content(text, &length), "");
    assert_int_equal(length, 0);
    restway_text_release(text);
    text = POISON;
    assert_refused(restway_list_texts(NULL, 0, 1, name, &text, &failure));
    assert_null(text);
    assert_refused(restway_list_texts(list, 0, 4, name, &text, &failure));
    assert_refused(restway_list_texts(list, SIZE_MAX, 1, name, &text, &failure));
    assert_refused(restway_list_texts(list, 0, 3, name, NULL, &failure));
    assert_fails(
        restway_list_texts(list, 0, 3, 1000, &text, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "1000");
    assert_fails(
        restway_list_texts(list, 0, 3, SIZE_MAX, &text, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "index");
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void list_entity__is_that_of_all_objects(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_list *list = make_enterprises(store);
    assert_string_equal(restway_list_entity(list, 0, 3), "Enterprise");
    assert_string_equal(restway_list_entity(list, 2, 1), "Enterprise");
    assert_null(restway_list_entity(list, 0, 0));
    assert_null(restway_list_entity(list, 1, 3));
    assert_null(restway_list_entity(list, SIZE_MAX, 1));
    assert_null(restway_list_entity(NULL, 0, 1));
    restway_list_release(list);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_take_related__reads_the_object_at_the_other_end(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *child = make_own_parent(store), *parent = POISON;
    restway_object *orphan = make_enterprise(store, 8);
    restway_value values[ROOM];
    const char *entity = POISON;
    assert_ok(
        restway_store_take_related(store, child, 0, values, ROOM, &entity, &parent, &failure));
    assert_string_equal(entity, "Enterprise");
    assert_int_equal(values[0].as.integer, 7);
    assert_int_equal(restway_object_is_same(child, parent), 1);
    restway_object_release(parent);
    assert_ok(restway_store_take_related(store, child, 0, NULL, 0, NULL, &parent, &failure));
    restway_object_release(parent);
    assert_ok(
        restway_store_take_related(store, orphan, 0, values, ROOM, &entity, &parent, &failure));
    assert_null(parent);
    assert_null(entity);
    assert_int_equal(values[0].kind, RESTWAY_VALUE_NULL);
    assert_fails(
        restway_store_take_related(store, child, 1, values, ROOM, &entity, &parent, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "1");
    assert_refused(
        restway_store_take_related(NULL, child, 0, values, ROOM, &entity, &parent, &failure));
    assert_refused(
        restway_store_take_related(store, NULL, 0, values, ROOM, &entity, &parent, &failure));
    assert_refused(
        restway_store_take_related(store, child, 0, NULL, ROOM, &entity, &parent, &failure));
    assert_refused(
        restway_store_take_related(store, child, 0, values, ROOM, &entity, NULL, &failure));
    restway_object_release(orphan);
    restway_object_release(child);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(object_json__holds_what_was_received_or_set),
    TEST(object_json__follows_relationships_to_its_depth),
    TEST(object_json__cuts_an_object_inside_itself),
    TEST(object_json__marks_what_json_cannot_show),
    TEST(object_json__refuses_what_is_out_of_range),
    TEST(list_json__is_a_list_of_objects),
    TEST(list_take__gives_objects_with_their_values),
    TEST(list_take__of_no_room_and_of_what_is_out_of_range),
    TEST(list_texts__joins_the_texts_of_an_attribute),
    TEST(list_entity__is_that_of_all_objects),
    TEST(store_take_related__reads_the_object_at_the_other_end),
};

const struct suite reading_suite = SUITE_OF_BOTH_STORES(tests);
