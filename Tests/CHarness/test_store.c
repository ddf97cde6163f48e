/* The store: finding objects by identity, newest snapshots, counts. */
#include "harness.h"

static void store_find__by_identity(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(3);
    restway_object *found = NULL;
    assert_ok(restway_store_find(store, "Enterprise", &identity, &found, &failure));
    assert_int_equal(restway_object_is_same(found, object), 1);
    assert_true(restway_object_store_key(found) == restway_object_store_key(object));
    restway_object_release(found);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_find__of_what_is_not_there(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(99999);
    restway_object *found = POISON;
    assert_fails(
        restway_store_find(store, "Enterprise", &identity, &found, &failure), RESTWAY_E_NO_OBJECT,
        "99999");
    assert_null(found);
    identity = restway_value_string("3");
    assert_fails(
        restway_store_find(store, "Enterprise", &identity, &found, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "the identity of Enterprise, is an integer");
    assert_fails(
        restway_store_find(store, "Nothing", &identity, &found, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "Nothing");
    identity = restway_value_double(3);
    assert_refused(restway_store_find(store, "Enterprise", &identity, &found, &failure));
    identity = restway_value_null();
    assert_refused(restway_store_find(store, "Enterprise", &identity, &found, &failure));
    assert_null(found);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_newest__follows_later_responses(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *early = fetch_enterprise(client);
    restway_object *late = fetch_enterprise(client);
    restway_store *store = restway_client_store(client);
    restway_object *newest = NULL;
    assert_ok(restway_store_newest(store, early, &newest, &failure));
    assert_int_equal(restway_object_is_same(newest, late), 1);
    restway_object_release(newest);
    restway_object_release(early);
    restway_object_release(late);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_newest__does_not_know_objects_of_another_store(void **state) {
    (void)state;
    restway_client *one = make_client();
    restway_client *two = make_client();
    restway_object *object = fetch_enterprise(one);
    restway_store *store = restway_client_store(two);
    restway_object *newest = POISON;
    assert_fails(
        restway_store_newest(store, object, &newest, &failure), RESTWAY_E_NO_OBJECT, "");
    assert_null(newest);
    /* Another store may have another instance under the same store key: that is not the newest
     * snapshot. */
    restway_response_release(fetch(two, "status"));
    newest = POISON;
    assert_fails(
        restway_store_newest(store, object, &newest, &failure), RESTWAY_E_NO_OBJECT, "");
    assert_null(newest);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(one);
    restway_client_release(two);
}

static void store_count__by_entity_and_in_all(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_store *store = restway_client_store(client);
    size_t count = 99;
    assert_ok(restway_store_count(store, NULL, &count, &failure));
    assert_int_equal(count, 0);
    restway_response_release(fetch(client, "enterprises?page=2&per_page=7"));
    restway_response_release(fetch(client, "enterprises?page=2&per_page=7"));
    restway_response_release(fetch(client, "status"));
    assert_ok(restway_store_count(store, "Enterprise", &count, &failure));
    assert_int_equal(count, 7);
    assert_ok(restway_store_count(store, "Note", &count, &failure));
    assert_int_equal(count, 1);
    assert_ok(restway_store_count(store, NULL, &count, &failure));
    assert_int_equal(count, 8);
    assert_fails(
        restway_store_count(store, "Nothing", &count, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "Nothing");
    assert_int_equal(count, 0);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_store_retain(NULL));
    restway_store_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(store_find__by_identity),
    TEST(store_find__of_what_is_not_there),
    TEST(store_newest__follows_later_responses),
    TEST(store_newest__does_not_know_objects_of_another_store),
    TEST(store_count__by_entity_and_in_all),
    TEST(store_release__of_null_is_fine),
};

const struct suite store_suite = SUITE(tests);
