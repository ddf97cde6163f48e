/* Queries on the store, with enterprises 1 to 20 of the demo API. */
#include <string.h>

#include "graph.h"

/** Makes a store with enterprises 1 to 20. */
static restway_store *make_store(void) {
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_response_release(fetch(client, "enterprises?page=1&per_page=20"));
    restway_store *store = restway_client_store(client);
    restway_client_release(client);
    return store;
}

static restway_query *make_query(restway_store *store) {
    restway_query *query = NULL;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    return query;
}

static restway_list *run(restway_store *store, const restway_query *query) {
    restway_list *list = NULL;
    assert_ok(restway_store_query(store, query, &list, &failure));
    return list;
}

static size_t count_of(restway_store *store, const restway_query *query) {
    size_t count = 99;
    assert_ok(restway_store_count_query(store, query, &count, &failure));
    return count;
}

static void add_int64(
    restway_query *query, const char *name, restway_comparison comparison, int64_t integer) {
    restway_value value = restway_value_int64(integer);
    assert_ok(restway_query_add_condition(query, name, comparison, &value, &failure));
}

static void query__without_conditions_finds_all_in_the_order_of_storing(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = make_query(store);
    restway_list *list = run(store, query);
    restway_list *all = NULL;
    assert_int_equal(restway_list_count(list), 20);
    assert_int_equal(count_of(store, query), 20);
    assert_ok(restway_store_all(store, "Enterprise", &all, &failure));
    assert_int_equal(restway_list_count(all), 20);
    for (size_t index = 0; index < 20; index++) {
        assert_int_equal(
            restway_object_int64(restway_list_object(list, index), "id", 0), (int64_t)index + 1);
        /* A store in memory returns the very same snapshot. */
        assert_int_equal(
            restway_object_is_same(
                restway_list_object(list, index), restway_list_object(all, index)),
            1);
        assert_true(
            is_test_in_files()
            || restway_list_object(list, index) == restway_list_object(all, index));
    }
    restway_list_release(all);
    restway_list_release(list);
    restway_query_release(query);
    restway_store_release(store);
}

static void query__each_comparison(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 19, 4, 5, 15, 16};
    restway_store *store = make_store();
    for (int comparison = 1; comparison <= 6; comparison++) {
        restway_query *query = make_query(store);
        add_int64(query, "id", (restway_comparison)comparison, 5);
        assert_int_equal(count_of(store, query), counts[comparison]);
        restway_list *list = run(store, query);
        assert_int_equal(restway_list_count(list), counts[comparison]);
        restway_list_release(list);
        restway_query_release(query);
    }
    restway_store_release(store);
}

static void query__conditions_hold_together_then_limit_and_offset(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = make_query(store);
    add_int64(query, "id", RESTWAY_COMPARISON_GREATER, 5);
    add_int64(query, "id", RESTWAY_COMPARISON_LESS_OR_EQUAL, 12);
    assert_ok(restway_query_add_order(query, "id", 1, &failure));
    assert_ok(restway_query_set_limit(query, 3, &failure));
    assert_ok(restway_query_set_offset(query, 2, &failure));
    restway_list *list = run(store, query);
    expect_identities(list, 3, (const int64_t[]){10, 9, 8});
    restway_list_release(list);
    assert_int_equal(count_of(store, query), 7);
    assert_ok(restway_query_set_limit(query, -1, &failure));
    assert_ok(restway_query_set_offset(query, 0, &failure));
    list = run(store, query);
    expect_identities(list, 7, (const int64_t[]){12, 11, 10, 9, 8, 7, 6});
    restway_list_release(list);
    assert_ok(restway_query_set_limit(query, 0, &failure));
    assert_ok(restway_query_set_offset(query, INT64_MAX, &failure));
    list = run(store, query);
    assert_int_equal(restway_list_count(list), 0);
    restway_list_release(list);
    restway_query_release(query);
    restway_store_release(store);
}

static void query__orders_by_several_attributes(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = make_query(store);
    assert_ok(restway_query_add_order(query, "rating", 1, &failure));
    assert_ok(restway_query_add_order(query, "name", 0, &failure));
    restway_list *list = run(store, query);
    assert_int_equal(restway_list_count(list), 20);
    for (size_t index = 1; index < 20; index++) {
        const restway_object *one = restway_list_object(list, index - 1);
        const restway_object *two = restway_list_object(list, index);
        double higher = restway_object_double(one, "rating", -1);
        double lower = restway_object_double(two, "rating", -1);
        assert_true(higher >= lower);
        if (higher == lower) {
            assert_true(
                strcmp(restway_object_string(one, "name"), restway_object_string(two, "name"))
                < 0);
        }
    }
    restway_list_release(list);
    restway_query_release(query);
    restway_store_release(store);
}

static void query__null_and_text(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = make_query(store);
    restway_query *other = make_query(store);
    restway_value value = restway_value_null();
    assert_ok(restway_query_add_condition(
        query, "website", RESTWAY_COMPARISON_EQUAL, &value, &failure));
    assert_ok(restway_query_add_condition(
        other, "website", RESTWAY_COMPARISON_NOT_EQUAL, &value, &failure));
    size_t null_count = count_of(store, query);
    assert_true(null_count > 0 && null_count < 20);
    assert_int_equal(count_of(store, other), 20 - null_count);
    char name[] = "Nordlicht Books Inc.";
    value = restway_value_string(name);
    restway_query_release(other);
    other = make_query(store);
    assert_ok(
        restway_query_add_condition(other, "name", RESTWAY_COMPARISON_EQUAL, &value, &failure));
    memset(name, 'x', sizeof(name) - 1);
    restway_list *list = run(store, other);
    expect_identities(list, 1, (const int64_t[]){3});
    restway_list_release(list);
    restway_query_release(other);
    restway_query_release(query);
    restway_store_release(store);
}

static void query__leaves_out_what_only_links_have_named(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_store *store = restway_client_store(client);
    restway_query *query = NULL;
    restway_list *all = NULL;
    size_t count = 99;
    assert_ok(restway_query_create(store, "Employee", &query, &failure));
    assert_ok(restway_store_all(store, "Employee", &all, &failure));
    assert_int_equal(restway_list_count(all), 0);
    assert_ok(restway_store_count(store, "Employee", &count, &failure));
    assert_int_equal(count, 0);
    assert_int_equal(count_of(store, query), 0);
    assert_ok(restway_query_set_unloaded(query, 1, &failure));
    restway_list *named = run(store, query);
    expect_identities(named, 3, (const int64_t[]){1, 2, 3});
    for (size_t index = 0; index < 3; index++) {
        assert_int_equal(restway_object_is_loaded(restway_list_object(named, index)), 0);
    }
    restway_object *loaded = fetch_first(client, "employees/2");
    assert_int_equal(restway_object_is_loaded(loaded), 1);
    assert_int_equal(count_of(store, query), 2);
    assert_ok(restway_query_set_unloaded(query, -1, &failure));
    assert_int_equal(count_of(store, query), 3);
    assert_ok(restway_query_set_unloaded(query, 0, &failure));
    restway_list *rest = run(store, query);
    expect_identities(rest, 1, (const int64_t[]){2});
    restway_list_release(rest);
    restway_object_release(loaded);
    restway_list_release(named);
    restway_list_release(all);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static void query__refuses_what_can_never_be_found(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = POISON;
    assert_fails(
        restway_query_create(store, "Enterprize", &query, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "did you mean \"Enterprise\"?");
    assert_null(query);
    query = make_query(store);
    restway_value value = restway_value_string("5");
    restway_comparison equal = RESTWAY_COMPARISON_EQUAL;
    assert_fails(
        restway_query_add_condition(query, "nam", equal, &value, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "Enterprise has no attribute \"nam\"; did you mean \"name\"?");
    assert_fails(
        restway_query_add_order(query, "parent", 0, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "Enterprise has no attribute \"parent\": that is a relationship");
    assert_fails(
        restway_query_add_condition(query, "id", equal, &value, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Enterprise.id");
    value = restway_value_int64(5);
    assert_fails(
        restway_query_add_condition(query, "name", equal, &value, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Enterprise.name");
    assert_refused(
        restway_query_add_condition(query, "id", (restway_comparison)0, &value, &failure));
    assert_refused(
        restway_query_add_condition(query, "id", (restway_comparison)7, &value, &failure));
    restway_value list = {RESTWAY_VALUE_LIST, 1, {.list = &value}};
    assert_refused(restway_query_add_condition(query, "id", equal, &list, &failure));
    assert_refused(restway_query_set_limit(query, -2, &failure));
    assert_refused(restway_query_set_offset(query, -1, &failure));
    assert_refused(restway_query_set_rejected(query, 2, &failure));
    assert_refused(restway_query_set_rejected(query, -2, &failure));
    assert_refused(restway_query_set_unloaded(query, 2, &failure));
    assert_refused(restway_query_set_unloaded(query, -2, &failure));
    assert_int_equal(count_of(store, query), 20);
    restway_query_release(query);
    restway_store_release(store);
}

static void query__is_for_stores_of_its_api(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_client *client = make_client();
    restway_store *other = restway_client_store(client);
    restway_query *query = make_query(store);
    restway_list *list = POISON;
    size_t count = 99;
    assert_fails(
        restway_store_query(other, query, &list, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "another api");
    assert_null(list);
    assert_refused(restway_store_count_query(other, query, &count, &failure));
    assert_int_equal(count, 0);
    assert_fails(
        restway_store_all(store, "Note", &list, &failure), RESTWAY_E_UNKNOWN_ENTITY, "Note");
    restway_query_release(query);
    restway_store_release(other);
    restway_client_release(client);
    restway_store_release(store);
}

static const struct CMUnitTest tests[] = {
    TEST(query__without_conditions_finds_all_in_the_order_of_storing),
    TEST(query__each_comparison),
    TEST(query__conditions_hold_together_then_limit_and_offset),
    TEST(query__orders_by_several_attributes),
    TEST(query__null_and_text),
    TEST(query__leaves_out_what_only_links_have_named),
    TEST(query__refuses_what_can_never_be_found),
    TEST(query__is_for_stores_of_its_api),
};

const struct suite query_suite = SUITE_OF_BOTH_STORES(tests);
