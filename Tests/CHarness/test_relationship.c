/* Relationships: the links of a snapshot, and the objects that the store finds for them. */
#include <string.h>

#include "graph.h"

/** The results of restway_object_related_keys(). */
struct links {
    uint32_t kind;
    const int64_t *keys;
    size_t count;
};

static struct links links_of(const restway_object *object, const char *relationship) {
    struct links links = {99, POISON, 99};
    assert_ok(restway_object_related_keys(
        object, relationship, &links.kind, &links.keys, &links.count, &failure));
    return links;
}

static void object_relationship__names_kinds_and_targets(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_object *meeting = fetch_first(client, "meetings/1");
    assert_int_equal(restway_object_relationship_count(meeting), 3);
    assert_string_equal(restway_object_relationship_name(meeting, 0), "enterprise");
    assert_string_equal(restway_object_relationship_name(meeting, 1), "attendees");
    assert_null(restway_object_relationship_name(meeting, 3));
    assert_null(restway_object_relationship_name(meeting, SIZE_MAX));
    assert_string_equal(restway_object_relationship_entity(meeting, 0), "Enterprise");
    assert_string_equal(restway_object_relationship_entity(meeting, 1), "Employee");
    assert_null(restway_object_relationship_entity(meeting, 3));
    assert_int_equal(restway_object_relationship_is_many(meeting, 0), 0);
    assert_int_equal(restway_object_relationship_is_many(meeting, 1), 1);
    assert_int_equal(restway_object_relationship_is_many(meeting, SIZE_MAX), 0);
    assert_int_equal(restway_object_relationship_index(meeting, "attendees"), 1);
    assert_int_equal(restway_object_relationship_index(meeting, "title"), -1);
    assert_int_equal(restway_object_attribute_index(meeting, "attendees"), -1);
    restway_object_release(meeting);
    restway_client_release(client);
}

static void object_related_keys__of_every_kind(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_object *enterprise = fetch_first(client, "enterprises/3");
    restway_client_release(client);
    struct links links = links_of(meeting, "attendees");
    assert_int_equal(links.kind, RESTWAY_VALUE_LIST);
    assert_int_equal(links.count, 3);
    for (int64_t index = 0; index < 3; index++) {
        restway_object *employee = find(store, "Employee", index + 1);
        assert_true(restway_object_store_key(employee) == links.keys[index]);
        restway_object_release(employee);
    }
    links = links_of(meeting, "enterprise");
    assert_int_equal(links.kind, RESTWAY_VALUE_OBJECT);
    assert_int_equal(links.count, 1);
    restway_object *stub = find(store, "Enterprise", 1);
    assert_true(links.keys[0] == restway_object_store_key(stub));
    restway_object_release(stub);
    links = links_of(enterprise, "parent");
    assert_int_equal(links.kind, RESTWAY_VALUE_NULL);
    assert_null(links.keys);
    assert_int_equal(links.count, 0);
    links = links_of(meeting, "sponsor");
    assert_int_equal(links.kind, RESTWAY_VALUE_ABSENT);
    assert_null(links.keys);
    assert_int_equal(links.count, 0);
    restway_object_release(meeting);
    restway_object_release(enterprise);
    restway_store_release(store);
}

static void object_related_keys__names_what_may_have_been_meant(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_object *meeting = fetch_first(client, "meetings/1");
    const int64_t *keys = POISON;
    size_t count = 99;
    assert_fails(
        restway_object_related_keys(meeting, "attendes", NULL, &keys, &count, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "Meeting has no relationship \"attendes\"; did you mean \"attendees\"?");
    assert_null(keys);
    assert_int_equal(count, 0);
    assert_fails(
        restway_object_related_keys(meeting, "title", NULL, &keys, &count, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "title");
    assert_refused(
        restway_object_related_keys(meeting, BAD_UTF8, NULL, &keys, &count, &failure));
    restway_object_release(meeting);
    restway_client_release(client);
}

static void store_related__gives_the_newest_snapshots_in_order(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_list *list = NULL;
    restway_object *named = NULL;
    assert_ok(restway_store_related(store, meeting, "attendees", &list, &failure));
    expect_identities(list, 3, (const int64_t[]){1, 2, 3});
    assert_null(restway_object_string(restway_list_object(list, 0), "firstName"));
    restway_list_release(list);
    restway_object_release(fetch_first(client, "employees/1"));
    assert_ok(restway_store_related(store, meeting, "attendees", &list, &failure));
    assert_non_null(restway_object_string(restway_list_object(list, 0), "firstName"));
    restway_list_release(list);
    assert_ok(restway_store_related(store, meeting, "sponsor", &list, &failure));
    assert_int_equal(restway_list_count(list), 0);
    restway_list_release(list);
    assert_ok(restway_store_related_one(store, meeting, "enterprise", &named, &failure));
    assert_string_equal(restway_object_entity(named), "Enterprise");
    assert_int_equal(restway_object_int64(named, "id", -1), 1);
    restway_object_release(named);
    assert_ok(restway_store_related_one(store, meeting, "attendees", &named, &failure));
    assert_int_equal(restway_object_int64(named, "id", -1), 1);
    restway_object_release(named);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void store_related__of_what_leads_nowhere(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_client *other = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_store *empty = restway_client_store(other);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_object *enterprise = fetch_first(client, "enterprises/3");
    restway_object *found = POISON;
    restway_list *list = POISON;
    assert_fails(
        restway_store_related_one(store, meeting, "sponsor", &found, &failure),
        RESTWAY_E_NO_OBJECT, "sponsor");
    assert_null(found);
    assert_fails(
        restway_store_related_one(store, enterprise, "parent", &found, &failure),
        RESTWAY_E_NO_OBJECT, "parent");
    assert_fails(
        restway_store_related_one(store, enterprise, "parents", &found, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "did you mean \"parent\"?");
    assert_fails(
        restway_store_related(store, meeting, "nothing", &list, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "nothing");
    assert_null(list);
    /* Another store has no object of the relationship. */
    assert_ok(restway_store_related(empty, meeting, "attendees", &list, &failure));
    assert_int_equal(restway_list_count(list), 0);
    restway_list_release(list);
    restway_object_release(enterprise);
    restway_object_release(meeting);
    restway_store_release(empty);
    restway_store_release(store);
    restway_client_release(other);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(object_relationship__names_kinds_and_targets),
    TEST(object_related_keys__of_every_kind),
    TEST(object_related_keys__names_what_may_have_been_meant),
    TEST(store_related__gives_the_newest_snapshots_in_order),
    TEST(store_related__of_what_leads_nowhere),
};

const struct suite relationship_suite = SUITE_OF_BOTH_STORES(tests);
