/* Observed queries, with enterprises 1 to 20 of the demo API. */
#include "graph.h"

enum { PLACES_MAX = 16 };

/** What an observer was told last, and how often it was told. */
struct told {
    int count, destroyed_count;
    size_t deletions[PLACES_MAX], insertions[PLACES_MAX], updates[PLACES_MAX];
    size_t from[PLACES_MAX], to[PLACES_MAX];
    size_t deletion_count, insertion_count, update_count, move_count;
    restway_list *list;
};

static void take(struct told *told, const restway_query_changes *changes) {
    told->count++;
    told->deletion_count =
        restway_query_changes_deletions(changes, told->deletions, PLACES_MAX);
    told->insertion_count =
        restway_query_changes_insertions(changes, told->insertions, PLACES_MAX);
    told->update_count = restway_query_changes_updates(changes, told->updates, PLACES_MAX);
    told->move_count = restway_query_changes_moves(changes, told->from, told->to, PLACES_MAX);
    restway_list_release(told->list);
    told->list = restway_query_changes_list(changes);
}

static void changed(void *context, const restway_query_changes *changes) {
    take(context, changes);
}

static void destroy(void *context) {
    struct told *told = context;
    told->destroyed_count++;
    restway_list_release(told->list);
}

/** Makes a query for the first three enterprises, if they have a rating, the best first. */
static restway_query *make_query(restway_store *store) {
    restway_query *query = NULL;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    restway_value three = restway_value_int64(3);
    assert_ok(restway_query_where(
        query, "rating is not null and id <= ?", &three, 1, &failure));
    assert_ok(restway_query_add_order(query, "rating", 1, &failure));
    return query;
}

/** Changes an attribute of the enterprise with an identity in the store. */
static void set(
    restway_store *store, int64_t identity, const char *attribute, restway_value value) {
    restway_object *object = find(store, "Enterprise", identity);
    restway_draft *draft = NULL;
    assert_ok(restway_draft_copy(store, object, &draft, &failure));
    assert_ok(restway_draft_set(draft, attribute, &value, &failure));
    assert_ok(restway_draft_insert(draft, NULL, &failure));
    restway_draft_release(draft);
    restway_object_release(object);
}

static void rate(restway_store *store, int64_t identity, restway_value rating) {
    set(store, identity, "rating", rating);
}

static void name(restway_store *store, int64_t identity, const char *text) {
    set(store, identity, "name", restway_value_string(text));
}

/** Makes a client whose enterprises 1, 2 and 3 have the ratings 5, 3 and 1. */
static restway_client *make_rated(restway_delivery mode) {
    restway_client *client = make_graph_client(mode);
    restway_response_release(fetch(client, "enterprises?page=1&per_page=20"));
    restway_store *store = restway_client_store(client);
    rate(store, 1, restway_value_double(5));
    rate(store, 2, restway_value_double(3));
    rate(store, 3, restway_value_double(1));
    restway_store_release(store);
    return client;
}

static void process(restway_client *client) {
    assert_ok(restway_client_process(client, 0, NULL, &failure));
}

static void query_observer__tells_what_came_went_and_moved(void **state) {
    (void)state;
    restway_client *client = make_rated(RESTWAY_DELIVERY_PROCESS);
    restway_store *store = restway_client_store(client);
    restway_query *query = make_query(store);
    restway_list *list = NULL;
    restway_observer *observer = NULL;
    struct told told = {0};
    process(client);
    assert_ok(restway_client_observe_query(
        client, query, changed, &told, destroy, &list, &observer, &failure));
    expect_identities(list, 3, (const int64_t[]){1, 2, 3});
    restway_list_release(list);

    rate(store, 3, restway_value_double(9));
    process(client);
    assert_int_equal(told.count, 1);
    expect_identities(told.list, 3, (const int64_t[]){3, 1, 2});
    assert_int_equal(told.deletion_count + told.insertion_count, 0);
    assert_int_equal(told.move_count, 1);
    assert_int_equal(told.from[0], 2);
    assert_int_equal(told.to[0], 0);
    assert_int_equal(told.update_count, 1);
    assert_int_equal(told.updates[0], 0);

    /* Two transactions are told at once. */
    rate(store, 1, restway_value_null());
    name(store, 2, "Other name");
    process(client);
    assert_int_equal(told.count, 2);
    expect_identities(told.list, 2, (const int64_t[]){3, 2});
    assert_int_equal(told.deletion_count, 1);
    assert_int_equal(told.deletions[0], 1);
    assert_int_equal(told.move_count, 0);
    assert_int_equal(told.update_count, 1);
    assert_int_equal(told.updates[0], 1);

    rate(store, 1, restway_value_double(4));
    process(client);
    assert_int_equal(told.count, 3);
    assert_int_equal(told.insertion_count, 1);
    assert_int_equal(told.insertions[0], 1);
    expect_identities(told.list, 3, (const int64_t[]){3, 1, 2});

    /* What the query does not find, and what comes back to the same, is not told. */
    name(store, 4, "Out of sight");
    rate(store, 1, restway_value_double(4.5));
    rate(store, 1, restway_value_double(4));
    process(client);
    assert_int_equal(told.count, 3);
    restway_observer_remove(observer);
    assert_int_equal(told.destroyed_count, 1);
    restway_observer_release(observer);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void query_observer__events_in_place_of_notices(void **state) {
    (void)state;
    restway_client *client = make_rated(RESTWAY_DELIVERY_DRAIN);
    restway_store *store = restway_client_store(client);
    restway_query *query = make_query(store);
    struct told told = {0};
    restway_event event;
    size_t count = 99;
    restway_observer *observer = NULL;
    assert_ok(restway_client_observe_query(
        client, query, NULL, &told, destroy, NULL, &observer, &failure));
    name(store, 4, "Out of sight");
    assert_ok(restway_client_drain(client, &event, 1, &count, &failure));
    assert_int_equal(count, 0);
    rate(store, 2, restway_value_null());
    rate(store, 3, restway_value_null());
    assert_ok(restway_client_drain(client, &event, 1, &count, &failure));
    assert_int_equal(count, 1);
    assert_int_equal(event.kind, RESTWAY_EVENT_QUERY_CHANGED);
    assert_int_equal(event.status, RESTWAY_OK);
    assert_int_equal(event.token, (uint64_t)(uintptr_t)&told);
    take(&told, event.payload.query_changes);
    assert_int_equal(told.deletion_count, 2);
    assert_int_equal(restway_query_changes_deletions(event.payload.query_changes, NULL, 0), 2);
    expect_identities(told.list, 1, (const int64_t[]){1});
    restway_query_changes *kept = restway_query_changes_retain(event.payload.query_changes);
    restway_event_release(&event);
    assert_null(event.payload.query_changes);
    restway_query_changes_release(kept);
    assert_ok(restway_client_drain(client, &event, 1, &count, &failure));
    assert_int_equal(count, 0);
    assert_int_equal(told.destroyed_count, 0);
    restway_observer_remove(observer);
    assert_int_equal(told.destroyed_count, 1);
    restway_observer_release(observer);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void query_observer__refuses_null(void **state) {
    (void)state;
    restway_client *client = make_rated(RESTWAY_DELIVERY_PROCESS);
    restway_client *stranger = make_client();
    restway_store *store = restway_client_store(client);
    restway_query *query = make_query(store);
    restway_list *list = POISON;
    restway_observer *observer = POISON;
    struct told told = {0};
    assert_refused(restway_client_observe_query(
        NULL, query, changed, &told, destroy, &list, &observer, &failure));
    assert_null(list);
    assert_null(observer);
    assert_refused(restway_client_observe_query(
        client, NULL, changed, &told, destroy, &list, &observer, &failure));
    assert_refused(restway_client_observe_query(
        client, NULL, changed, &told, destroy, NULL, NULL, &failure));
    assert_refused(restway_client_observe_query(
        client, query, NULL, &told, destroy, &list, &observer, &failure));
    assert_fails(
        restway_client_observe_query(
            stranger, query, changed, &told, destroy, &list, &observer, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "another api");
    assert_int_equal(told.destroyed_count, 0);
    assert_null(restway_query_changes_retain(NULL));
    restway_query_changes_release(NULL);
    assert_null(restway_query_changes_list(NULL));
    assert_int_equal(restway_query_changes_deletions(NULL, NULL, 0), 0);
    assert_int_equal(restway_query_changes_insertions(NULL, NULL, 0), 0);
    assert_int_equal(restway_query_changes_updates(NULL, NULL, 0), 0);
    assert_int_equal(restway_query_changes_moves(NULL, NULL, NULL, 0), 0);
    restway_client_close(client);
    assert_fails(
        restway_client_observe_query(
            client, query, changed, &told, destroy, &list, &observer, &failure),
        RESTWAY_E_CLOSED, "");
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(stranger);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(query_observer__tells_what_came_went_and_moved),
    TEST(query_observer__events_in_place_of_notices),
    TEST(query_observer__refuses_null),
};

const struct suite query_observer_suite = SUITE_OF_BOTH_STORES(tests);
