/* NULL in the functions of relationships, lists and stores. */
#include "graph.h"

static void relationship_reads__of_null(void **state) {
    (void)state;
    assert_int_equal(restway_object_relationship_count(NULL), 0);
    assert_null(restway_object_relationship_name(NULL, 0));
    assert_null(restway_object_relationship_entity(NULL, 0));
    assert_int_equal(restway_object_relationship_is_many(NULL, 0), 0);
    assert_int_equal(restway_object_relationship_index(NULL, "owner"), -1);
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_object *meeting = fetch_first(client, "meetings/1");
    const int64_t *keys = POISON;
    size_t count = 99;
    uint32_t kind = 99;
    assert_int_equal(restway_object_relationship_index(meeting, NULL), -1);
    assert_refused(restway_object_related_keys(NULL, "a", &kind, &keys, &count, &failure));
    assert_null(keys);
    assert_int_equal(count, 0);
    assert_int_equal(kind, RESTWAY_VALUE_NULL);
    assert_refused(restway_object_related_keys(meeting, NULL, &kind, &keys, &count, &failure));
    assert_refused(
        restway_object_related_keys(meeting, "attendees", &kind, NULL, &count, &failure));
    assert_refused(
        restway_object_related_keys(meeting, "attendees", &kind, &keys, NULL, &failure));
    assert_ok(restway_object_related_keys(meeting, "attendees", NULL, &keys, &count, NULL));
    restway_object_release(meeting);
    restway_client_release(client);
}

static void list_functions__of_null(void **state) {
    (void)state;
    restway_value value;
    assert_null(restway_list_retain(NULL));
    restway_list_release(NULL);
    assert_int_equal(restway_list_count(NULL), 0);
    assert_null(restway_list_object(NULL, 0));
    assert_null(restway_response_list(NULL));
    assert_refused(restway_list_read(NULL, 0, 1, NULL, 1, &value, &failure));
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_response *response = fetch(client, "meetings/1");
    restway_list *list = restway_response_list(response);
    assert_refused(restway_list_read(list, 0, 1, NULL, 1, NULL, &failure));
    restway_list_release(list);
    restway_response_release(response);
    restway_client_release(client);
}

static void store_related__refuses_null(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_list *list = POISON;
    restway_object *object = POISON;
    assert_refused(restway_store_related(NULL, meeting, "attendees", &list, &failure));
    assert_null(list);
    assert_refused(restway_store_related(store, NULL, "attendees", &list, &failure));
    assert_refused(restway_store_related(store, meeting, NULL, &list, &failure));
    assert_refused(restway_store_related(store, meeting, "attendees", NULL, &failure));
    assert_refused(restway_store_related_one(NULL, meeting, "enterprise", &object, &failure));
    assert_null(object);
    assert_refused(restway_store_related_one(store, NULL, "enterprise", &object, &failure));
    assert_refused(restway_store_related_one(store, meeting, NULL, &object, &failure));
    assert_refused(restway_store_related_one(store, meeting, "enterprise", NULL, &failure));
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void query_functions__refuse_null(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_query *query = POISON;
    restway_list *list = POISON;
    size_t count = 99;
    restway_value value = restway_value_int64(1);
    restway_comparison equal = RESTWAY_COMPARISON_EQUAL;
    assert_null(restway_query_retain(NULL));
    restway_query_release(NULL);
    assert_refused(restway_query_create(NULL, "Meeting", &query, &failure));
    assert_null(query);
    assert_refused(restway_query_create(store, NULL, &query, &failure));
    assert_refused(restway_query_create(store, "Meeting", NULL, &failure));
    assert_ok(restway_query_create(store, "Meeting", &query, &failure));
    assert_refused(restway_query_add_condition(NULL, "id", equal, &value, &failure));
    assert_refused(restway_query_add_condition(query, NULL, equal, &value, &failure));
    assert_refused(restway_query_add_condition(query, "id", equal, NULL, &failure));
    assert_refused(restway_query_add_order(NULL, "id", 0, &failure));
    assert_refused(restway_query_add_order(query, NULL, 0, &failure));
    assert_refused(restway_query_set_limit(NULL, 1, &failure));
    assert_refused(restway_query_set_offset(NULL, 1, &failure));
    assert_refused(restway_query_set_rejected(NULL, 1, &failure));
    assert_refused(restway_query_set_unloaded(NULL, 1, &failure));
    assert_refused(restway_store_query(NULL, query, &list, &failure));
    assert_null(list);
    assert_refused(restway_store_query(store, NULL, &list, &failure));
    assert_refused(restway_store_query(store, query, NULL, &failure));
    assert_refused(restway_store_count_query(NULL, query, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_store_count_query(store, NULL, &count, &failure));
    assert_refused(restway_store_count_query(store, query, NULL, &failure));
    assert_refused(restway_store_all(NULL, "Meeting", &list, &failure));
    assert_refused(restway_store_all(store, NULL, &list, &failure));
    assert_refused(restway_store_all(store, "Meeting", NULL, &failure));
    assert_ptr_equal(restway_query_retain(query), query);
    restway_query_release(query);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_maintenance__refuses_null(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_statistics statistics = RESTWAY_STATISTICS_INIT;
    restway_value identity = restway_value_int64(1);
    size_t count = 99;
    int32_t unsent = 99;
    assert_refused(restway_store_is_unsent(NULL, meeting, &unsent, &failure));
    assert_int_equal(unsent, 0);
    assert_refused(restway_store_is_unsent(store, NULL, &unsent, &failure));
    assert_refused(restway_store_is_unsent(store, meeting, NULL, &failure));
    int32_t rejected = 99;
    assert_refused(restway_store_is_rejected(NULL, meeting, &rejected, &failure));
    assert_int_equal(rejected, 0);
    assert_refused(restway_store_is_rejected(store, NULL, &rejected, &failure));
    assert_refused(restway_store_is_rejected(store, meeting, NULL, &failure));
    assert_refused(restway_store_delete(NULL, meeting, &failure));
    assert_refused(restway_store_delete(store, NULL, &failure));
    assert_refused(restway_store_delete_identity(NULL, "Meeting", &identity, &failure));
    assert_refused(restway_store_delete_identity(store, NULL, &identity, &failure));
    assert_refused(restway_store_delete_identity(store, "Meeting", NULL, &failure));
    assert_refused(restway_store_delete_all(NULL, "Meeting", &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_store_delete_all(store, NULL, &count, &failure));
    assert_refused(restway_store_clear(NULL, &count, &failure));
    assert_refused(restway_statistics_init(NULL, sizeof(statistics), &failure));
    assert_refused(restway_store_statistics(NULL, &statistics, &failure));
    assert_refused(restway_store_statistics(store, NULL, &failure));
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(relationship_reads__of_null),
    TEST(list_functions__of_null),
    TEST(store_related__refuses_null),
    TEST(query_functions__refuse_null),
    TEST(store_maintenance__refuses_null),
};

const struct suite null_store_suite = SUITE_OF_BOTH_STORES(tests);
