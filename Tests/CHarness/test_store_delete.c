/* Deletions from the store, and the size of the store. */
#include <string.h>

#include "graph.h"

static size_t count_of(restway_store *store, const char *entity) {
    restway_list *all = all_objects(store, entity);
    size_t count = restway_list_count(all);
    restway_list_release(all);
    return count;
}

static size_t object_count(restway_store *store) {
    restway_statistics statistics = RESTWAY_STATISTICS_INIT;
    assert_ok(restway_store_statistics(store, &statistics, &failure));
    return (size_t)statistics.object_count;
}

static void store_delete__of_an_object(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_object *second = find(store, "Employee", 2);
    restway_object *newest = POISON;
    restway_list *list = NULL;
    assert_ok(restway_store_delete(store, second, &failure));
    assert_fails(restway_store_delete(store, second, &failure), RESTWAY_E_NO_OBJECT, "Employee");
    assert_fails(
        restway_store_newest(store, second, &newest, &failure), RESTWAY_E_NO_OBJECT, "");
    assert_int_equal(count_of(store, "Employee"), 2);
    assert_ok(restway_store_related(store, meeting, "attendees", &list, &failure));
    expect_identities(list, 2, (const int64_t[]){1, 3});
    restway_list_release(list);
    assert_int_equal(restway_object_int64(second, "id", -1), 2);
    restway_object_release(second);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_delete__by_identity(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_value identity = restway_value_int64(3);
    assert_ok(restway_store_delete_identity(store, "Employee", &identity, &failure));
    assert_fails(
        restway_store_delete_identity(store, "Employee", &identity, &failure),
        RESTWAY_E_NO_OBJECT, "3");
    identity = restway_value_string("1");
    assert_fails(
        restway_store_delete_identity(store, "Employee", &identity, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Employee.id, the identity of Employee, is an integer");
    assert_fails(
        restway_store_delete_identity(store, "Employe", &identity, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "Employee");
    identity = restway_value_null();
    assert_refused(restway_store_delete_identity(store, "Employee", &identity, &failure));
    assert_int_equal(count_of(store, "Employee"), 2);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_delete__does_not_take_another_stores_object_for_its_own(void **state) {
    (void)state;
    restway_client *one = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_client *two = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(two);
    restway_object *meeting = fetch_first(one, "meetings/1");
    restway_object_release(fetch_first(two, "meetings/1"));
    assert_fails(restway_store_delete(store, meeting, &failure), RESTWAY_E_NO_OBJECT, "Meeting");
    assert_int_equal(count_of(store, "Meeting"), 1);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(one);
    restway_client_release(two);
}

static void store_delete_all__of_an_entity_then_of_every_one(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    size_t count = 99;
    restway_object *meeting = fetch_first(client, "meetings/1");
    assert_ok(restway_store_delete_all(store, "Employee", &count, &failure));
    assert_int_equal(count, 3);
    assert_ok(restway_store_delete_all(store, "Employee", &count, &failure));
    assert_int_equal(count, 0);
    assert_int_equal(object_count(store), 2);
    assert_fails(
        restway_store_delete_all(store, "Nothing", &count, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "Nothing");
    assert_ok(restway_store_clear(store, &count, &failure));
    assert_int_equal(count, 2);
    assert_ok(restway_store_clear(store, NULL, &failure));
    assert_int_equal(object_count(store), 0);
    /* An object that comes again is stored under a new key. */
    restway_object *again = fetch_first(client, "meetings/1");
    assert_true(restway_object_store_key(again) > restway_object_store_key(meeting));
    assert_ok(restway_store_delete_all(store, "Meeting", NULL, &failure));
    restway_object_release(again);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_is_unsent__not_what_the_server_gave(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    int32_t unsent = 99;
    assert_ok(restway_store_is_unsent(store, meeting, &unsent, &failure));
    assert_int_equal(unsent, 0);
    unsent = 99;
    assert_ok(restway_store_clear(store, NULL, &failure));
    assert_ok(restway_store_is_unsent(store, meeting, &unsent, &failure));
    assert_int_equal(unsent, 0);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_statistics__count_objects_and_their_bytes(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_statistics statistics = RESTWAY_STATISTICS_INIT;
    assert_ok(restway_store_statistics(store, &statistics, &failure));
    assert_true(statistics.object_count == 0 && statistics.cached_byte_count == 0);
    restway_object_release(fetch_first(client, "meetings/1"));
    assert_ok(restway_store_statistics(store, &statistics, &failure));
    assert_int_equal(statistics.struct_size, sizeof(statistics));
    assert_true(statistics.object_count == 5);
    assert_true(statistics.cached_object_count == 5);
    assert_true(statistics.cached_byte_count > 5 * 16 && statistics.cached_byte_count < 4096);
    assert_int_equal(statistics.file_byte_count > 0, is_test_in_files());
    restway_store_release(store);
    restway_client_release(client);
}

static void statistics__of_every_size(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    struct {
        restway_statistics statistics;
        unsigned char more[16];
    } larger;
    restway_statistics expected = RESTWAY_STATISTICS_INIT;
    memset(&larger, 0x5a, sizeof(larger));
    assert_ok(restway_statistics_init(&larger.statistics, sizeof(larger), &failure));
    assert_int_equal(larger.statistics.struct_size, sizeof(larger));
    assert_ok(restway_store_statistics(store, &larger.statistics, &failure));
    assert_int_equal(larger.statistics.struct_size, sizeof(larger));
    assert_ok(restway_statistics_init(&larger.statistics, sizeof(expected), &failure));
    assert_memory_equal(&larger.statistics, &expected, sizeof(expected));
    static const size_t sizes[] = {0, 8, 32, 41, 4104};
    for (size_t index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        assert_refused(restway_statistics_init(&larger.statistics, sizes[index], &failure));
        larger.statistics.struct_size = sizes[index];
        assert_refused(restway_store_statistics(store, &larger.statistics, &failure));
    }
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(store_delete__of_an_object),
    TEST(store_delete__by_identity),
    TEST(store_delete__does_not_take_another_stores_object_for_its_own),
    TEST(store_delete_all__of_an_entity_then_of_every_one),
    TEST(store_is_unsent__not_what_the_server_gave),
    TEST(store_statistics__count_objects_and_their_bytes),
    TEST(statistics__of_every_size),
};

const struct suite store_delete_suite = SUITE_OF_BOTH_STORES(tests);
