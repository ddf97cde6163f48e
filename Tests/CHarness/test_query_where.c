/* Conditions that are written as text, and numbers of objects by their values. */
#include <string.h>

#include "graph.h"

/** Makes a store with enterprises 1 to 20, and with meeting 1, which belongs to enterprise 1 and
 *  which employees 1, 2 and 3 attend. */
static restway_store *make_store(void) {
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_response_release(fetch(client, "enterprises?page=1&per_page=20"));
    restway_response_release(fetch(client, "meetings/1"));
    restway_store *store = restway_client_store(client);
    restway_client_release(client);
    return store;
}

static restway_value list_of(const restway_value *values, uint32_t count) {
    restway_value list = {RESTWAY_VALUE_LIST, count, {.list = values}};
    return list;
}

/** Checks that the objects that meet the condition have these identities. */
static void expect_where(
    restway_store *store, const char *entity, const char *condition, const restway_value *values,
    size_t value_count, size_t count, const int64_t *identities) {
    restway_query *query = NULL;
    restway_list *list = NULL;
    size_t counted = 99;
    assert_ok(restway_query_create(store, entity, &query, &failure));
    assert_ok(restway_query_where(query, condition, values, value_count, &failure));
    assert_ok(restway_query_add_order(query, "id", 0, &failure));
    assert_ok(restway_query_set_unloaded(query, -1, &failure));
    assert_ok(restway_store_query(store, query, &list, &failure));
    expect_identities(list, count, identities);
    assert_ok(restway_store_count_query(store, query, &counted, &failure));
    assert_int_equal(counted, count);
    restway_list_release(list);
    restway_query_release(query);
}

static void query_where__words_lists_and_patterns(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_value three[] = {
        restway_value_int64(3), restway_value_int64(5), restway_value_int64(7)};
    restway_value values[] = {list_of(three, 3), restway_value_int64(5)};
    expect_where(
        store, "Enterprise", "id in ? and not id = ?", values, 2, 2, (const int64_t[]){3, 7});
    expect_where(
        store, "Enterprise", "(id < ? or id >= ?) and id not in ?",
        (const restway_value[]){
            restway_value_int64(4), restway_value_int64(20), list_of(three, 3)},
        3, 3, (const int64_t[]){1, 2, 20});
    restway_value pattern = restway_value_string("nordLICHT books inc_");
    expect_where(
        store, "Enterprise", "name LIKE ?", &pattern, 1, 1, (const int64_t[]){3});
    restway_value escaped[] = {
        restway_value_string("Nordlicht Books Inc!_"), restway_value_string("!")};
    expect_where(store, "Enterprise", "name like ? escape ?", escaped, 2, 0, NULL);
    escaped[0] = restway_value_string("Nordlicht_Books Inc!.");
    expect_where(
        store, "Enterprise", "name like ? escape ?", escaped, 2, 1, (const int64_t[]){3});
    restway_value none = list_of(NULL, 0);
    expect_where(store, "Enterprise", "id in ?", &none, 1, 0, NULL);
    expect_where(store, "Enterprise", "id is null", NULL, 0, 0, NULL);
    restway_store_release(store);
}

static void query_where__full_text(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_value text = restway_value_string("inc NORDLICHT books");
    const int64_t three[] = {3};
    expect_where(store, "Enterprise", "match ?", &text, 1, 1, three);
    text = restway_value_string("\"nordlicht books in\"*");
    expect_where(store, "Enterprise", "match ?", &text, 1, 1, three);
    text = restway_value_string("\"books nordlicht\"");
    expect_where(store, "Enterprise", "match ?", &text, 1, 0, NULL);
    text = restway_value_string("");
    expect_where(store, "Enterprise", "match ?", &text, 1, 0, NULL);
    restway_value values[] = {
        restway_value_string("nordlicht books inc"), restway_value_int64(3)};
    expect_where(store, "Enterprise", "match ? and id = ?", values, 2, 1, three);
    expect_where(store, "Enterprise", "not match ? and id = ?", values, 2, 0, NULL);
    text = restway_value_string("nobody");
    expect_where(store, "Meeting", "enterprise.match ?", &text, 1, 0, NULL);
    expect_where(store, "Meeting", "not enterprise.match ?", &text, 1, 1, (const int64_t[]){1});
    assert_ok(restway_query_create(store, "Meeting", &query, &failure));
    assert_fails(
        restway_query_where(query, "match ?", &text, 1, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "condition, column 1: Meeting has no \"fullText\" in the API document");
    assert_refused(restway_query_where(query, "match ?", NULL, 0, &failure));
    restway_query_release(query);
    restway_store_release(store);
}

static void query_where__copies_its_values(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_list *list = NULL;
    char name[] = "Nordlicht Books Inc.";
    restway_value value = restway_value_string(name);
    restway_value names = list_of(&value, 1);
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_ok(restway_query_where(query, "name in ?", &names, 1, &failure));
    memset(name, 'x', sizeof(name) - 1);
    assert_ok(restway_store_query(store, query, &list, &failure));
    expect_identities(list, 1, (const int64_t[]){3});
    restway_list_release(list);
    restway_query_release(query);
    restway_store_release(store);
}

static void query_where__relationships(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_value name = restway_value_string("%");
    restway_value ids[] = {restway_value_int64(3), restway_value_int64(99)};
    restway_value list = list_of(ids, 2);
    restway_value ninety_nine = restway_value_int64(99);
    const int64_t one[] = {1};
    expect_where(store, "Meeting", "enterprise.name like ?", &name, 1, 1, one);
    expect_where(store, "Meeting", "attendees.id in ?", &list, 1, 1, one);
    expect_where(store, "Meeting", "attendees.id = ?", &ninety_nine, 1, 0, NULL);
    expect_where(store, "Meeting", "not attendees.id = ?", &ninety_nine, 1, 1, one);
    expect_where(store, "Meeting", "sponsor is null", NULL, 0, 1, one);
    expect_where(store, "Meeting", "sponsor.name is null", NULL, 0, 0, NULL);
    expect_where(store, "Meeting", "enterprise is not null", NULL, 0, 1, one);
    expect_where(store, "Employee", "id is not null", NULL, 0, 3, (const int64_t[]){1, 2, 3});
    restway_store_release(store);
}

static void query_where__joins_other_conditions(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_value five = restway_value_int64(5), eight = restway_value_int64(8);
    size_t count = 99;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_ok(restway_query_where(query, "id > ? or id is null", &five, 1, &failure));
    assert_ok(restway_query_where(query, "id <= ?", &eight, 1, &failure));
    assert_ok(restway_query_add_condition(
        query, "id", RESTWAY_COMPARISON_NOT_EQUAL, &eight, &failure));
    assert_ok(restway_store_count_query(store, query, &count, &failure));
    assert_int_equal(count, 2);
    restway_query_release(query);
    restway_store_release(store);
}

static void query_where__errors_name_what_and_where(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_value text = restway_value_string("5");
    size_t count = 99;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_fails(
        restway_query_where(query, "id = 5", NULL, 0, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "condition, column 6: values do not stand in the text");
    assert_fails(
        restway_query_where(query, "id = ?", &text, 1, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "condition, column 6: Enterprise.id is of type int: it is never a string");
    assert_fails(
        restway_query_where(query, "id is null or nam = ?", &text, 1, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "condition, column 15: Enterprise has no attribute \"nam\"; did you mean \"name\"?");
    assert_fails(
        restway_query_where(query, "name = ?", NULL, 0, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "condition, column 8: no value is passed for this ?");
    restway_value pattern[] = {restway_value_string("%"), restway_value_string("ab")};
    assert_fails(
        restway_query_where(query, "name like ? escape ?", pattern, 2, &failure),
        RESTWAY_E_INVALID_ARGUMENT,
        "condition, column 20: the ? after escape stands for a text of one character");
    restway_value nested = list_of(&text, 1);
    restway_value outer = list_of(&nested, 1);
    assert_refused(restway_query_where(query, "name in ?", &outer, 1, &failure));
    assert_refused(restway_query_where(query, "name in ?", NULL, 1, &failure));
    assert_refused(restway_query_where(query, BAD_UTF8, NULL, 0, &failure));
    /* A condition that fails changes nothing. */
    assert_ok(restway_store_count_query(store, query, &count, &failure));
    assert_int_equal(count, 20);
    restway_query_release(query);
    restway_store_release(store);
}

static void store_count_groups__in_the_order_of_values(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_groups *groups = NULL;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_ok(restway_query_set_limit(query, 1, &failure));
    assert_ok(restway_store_count_groups(store, query, "rating", &groups, &failure));
    size_t sum = 0;
    double before = -1;
    restway_value value;
    size_t objects = 99;
    for (size_t index = 0; index < restway_groups_count(groups); index++) {
        assert_ok(restway_groups_read(groups, index, &value, &objects, &failure));
        assert_int_equal(value.kind, RESTWAY_VALUE_DOUBLE);
        assert_true(value.as.real > before);
        before = value.as.real;
        sum += objects;
    }
    assert_int_equal(sum, 20);
    assert_refused(restway_groups_read(
        groups, restway_groups_count(groups), &value, &objects, &failure));
    assert_int_equal(objects, 0);
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    restway_groups_release(groups);

    restway_value null = restway_value_null();
    size_t null_count = 99;
    assert_ok(restway_store_count_groups(store, query, "website", &groups, &failure));
    assert_ok(restway_groups_read(groups, 1, &value, NULL, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_STRING);
    assert_int_equal(strlen(value.as.text), value.length);
    assert_ok(restway_groups_read(groups, 0, &value, &objects, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_ok(restway_query_add_condition(
        query, "website", RESTWAY_COMPARISON_EQUAL, &null, &failure));
    assert_ok(restway_store_count_query(store, query, &null_count, &failure));
    assert_int_equal(objects, null_count);
    restway_groups_release(groups);
    assert_fails(
        restway_store_count_groups(store, query, "parent", &groups, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "that is a relationship");
    assert_null(groups);
    restway_query_release(query);
    restway_store_release(store);
}

static void query_where_and_groups__of_null(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_query *query = NULL;
    restway_groups *groups = POISON;
    assert_ok(restway_query_create(store, "Enterprise", &query, &failure));
    assert_refused(restway_query_where(NULL, "id is null", NULL, 0, &failure));
    assert_refused(restway_query_where(query, NULL, NULL, 0, &failure));
    assert_refused(restway_store_count_groups(NULL, query, "id", &groups, &failure));
    assert_null(groups);
    assert_refused(restway_store_count_groups(store, NULL, "id", &groups, &failure));
    assert_refused(restway_store_count_groups(store, query, NULL, &groups, &failure));
    assert_refused(restway_store_count_groups(store, query, BAD_UTF8, &groups, &failure));
    assert_refused(restway_store_count_groups(store, query, "id", NULL, &failure));
    assert_null(restway_groups_retain(NULL));
    restway_groups_release(NULL);
    assert_int_equal(restway_groups_count(NULL), 0);
    assert_refused(restway_groups_read(NULL, 0, NULL, NULL, &failure));
    restway_query_release(query);
    restway_store_release(store);
}

static const struct CMUnitTest tests[] = {
    TEST(query_where__words_lists_and_patterns),
    TEST(query_where__full_text),
    TEST(query_where__copies_its_values),
    TEST(query_where__relationships),
    TEST(query_where__joins_other_conditions),
    TEST(query_where__errors_name_what_and_where),
    TEST(store_count_groups__in_the_order_of_values),
    TEST(query_where_and_groups__of_null),
};

const struct suite query_where_suite = SUITE_OF_BOTH_STORES(tests);
