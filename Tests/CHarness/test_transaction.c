/* Transactions of the program, on a store of the demo API's objects. */
#include "graph.h"

static restway_draft *draft_named(restway_store *store, const char *name) {
    restway_draft *draft = NULL;
    restway_value value = restway_value_string(name);
    assert_ok(restway_draft_create(store, "Enterprise", &draft, &failure));
    assert_ok(restway_draft_set(draft, "name", &value, &failure));
    return draft;
}

static size_t enterprises(restway_store *store) {
    size_t count = 99;
    assert_ok(restway_store_count(store, "Enterprise", &count, &failure));
    return count;
}

static restway_store *make_store(void) {
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_response_release(fetch(client, "enterprises?page=1&per_page=20"));
    restway_store *store = restway_client_store(client);
    restway_client_release(client);
    return store;
}

static restway_transaction *begin(restway_store *store) {
    restway_transaction *transaction = NULL;
    assert_ok(restway_transaction_create(store, &transaction, &failure));
    return transaction;
}

static void transaction__commits_all_changes_together(void **state) {
    (void)state;
    restway_store *store = make_store();
    size_t before = enterprises(store);
    restway_transaction *transaction = begin(store);
    restway_draft *draft = draft_named(store, "Acme");
    restway_object *three = find(store, "Enterprise", 3), *four = find(store, "Enterprise", 4);
    restway_draft *changed = NULL;
    restway_value name = restway_value_string("New name");
    assert_ok(restway_draft_copy(store, three, &changed, &failure));
    assert_ok(restway_draft_set(changed, "name", &name, &failure));
    assert_ok(restway_transaction_insert(transaction, draft, &failure));
    assert_ok(restway_transaction_insert(transaction, changed, &failure));
    assert_ok(restway_transaction_delete(transaction, four, &failure));
    assert_fails(
        restway_transaction_delete(transaction, four, &failure), RESTWAY_E_NO_OBJECT, "");
    assert_int_equal(enterprises(store), before);
    assert_int_equal(restway_draft_store_key(draft), 0);
    restway_changes *changes = NULL;
    assert_ok(restway_transaction_commit(transaction, &changes, &failure));
    assert_int_equal(enterprises(store), before);
    assert_int_equal(restway_changes_count(changes), 3);
    assert_int_equal(restway_changes_kind(changes, 0), RESTWAY_CHANGE_INSERTED);
    assert_int_equal(restway_changes_kind(changes, 1), RESTWAY_CHANGE_UPDATED);
    assert_int_equal(restway_changes_kind(changes, 2), RESTWAY_CHANGE_DELETED);
    assert_int_equal(
        restway_object_store_key(restway_changes_object(changes, 0)),
        restway_draft_store_key(draft));
    assert_string_equal(
        restway_object_string(restway_changes_object(changes, 1), "name"), "New name");
    restway_changes_release(changes);
    assert_fails(
        restway_transaction_commit(transaction, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "the transaction is over");
    restway_object_release(three);
    restway_object_release(four);
    restway_draft_release(changed);
    restway_draft_release(draft);
    restway_transaction_release(transaction);
    restway_store_release(store);
}

static void transaction__is_dropped_without_a_trace(void **state) {
    (void)state;
    restway_store *store = make_store();
    size_t before = enterprises(store);
    restway_draft *draft = draft_named(store, "Acme");
    for (int is_rolled_back = 0; is_rolled_back <= 1; is_rolled_back++) {
        restway_transaction *transaction = begin(store);
        assert_ok(restway_transaction_insert(transaction, draft, &failure));
        if (is_rolled_back) {
            restway_transaction_rollback(transaction);
            restway_transaction_rollback(transaction);
            assert_refused(restway_transaction_insert(transaction, draft, &failure));
        }
        restway_transaction_release(transaction);
    }
    assert_int_equal(enterprises(store), before);
    assert_int_equal(restway_draft_store_key(draft), 0);
    restway_draft_release(draft);
    restway_store_release(store);
}

static void transaction__fails_as_a_whole(void **state) {
    (void)state;
    restway_store *store = make_store();
    restway_object *three = find(store, "Enterprise", 3);
    restway_draft *draft = draft_named(store, "Acme"), *gone = NULL;
    restway_changes *changes = POISON;
    assert_ok(restway_draft_copy(store, three, &gone, &failure));
    restway_transaction *transaction = begin(store);
    assert_ok(restway_transaction_insert(transaction, draft, &failure));
    assert_ok(restway_transaction_insert(transaction, gone, &failure));
    assert_ok(restway_store_delete(store, three, &failure));
    size_t before = enterprises(store);
    assert_fails(
        restway_transaction_commit(transaction, &changes, &failure), RESTWAY_E_NO_OBJECT,
        "Enterprise");
    assert_null(changes);
    assert_int_equal(enterprises(store), before);
    restway_transaction_release(transaction);

    transaction = begin(store);
    assert_ok(restway_transaction_commit(transaction, &changes, &failure));
    assert_null(changes);
    restway_transaction_release(transaction);
    restway_draft_release(gone);
    restway_draft_release(draft);
    restway_object_release(three);
    restway_store_release(store);
}

static void transaction__refuses_null_and_strangers(void **state) {
    (void)state;
    restway_store *store = make_store(), *other = make_store();
    restway_transaction *transaction = POISON;
    restway_draft *draft = draft_named(other, "Acme");
    restway_object *three = find(store, "Enterprise", 3);
    assert_refused(restway_transaction_create(NULL, &transaction, &failure));
    assert_null(transaction);
    assert_refused(restway_transaction_create(store, NULL, &failure));
    transaction = begin(store);
    assert_ptr_equal(restway_transaction_retain(transaction), transaction);
    restway_transaction_release(transaction);
    assert_null(restway_transaction_retain(NULL));
    restway_transaction_release(NULL);
    restway_transaction_rollback(NULL);
    assert_fails(
        restway_transaction_insert(transaction, draft, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "another store");
    assert_refused(restway_transaction_insert(NULL, draft, &failure));
    assert_refused(restway_transaction_insert(transaction, NULL, &failure));
    assert_refused(restway_transaction_delete(NULL, three, &failure));
    assert_refused(restway_transaction_delete(transaction, NULL, &failure));
    assert_refused(restway_transaction_commit(NULL, NULL, &failure));
    restway_object_release(three);
    restway_draft_release(draft);
    restway_transaction_release(transaction);
    restway_store_release(other);
    restway_store_release(store);
}

static const struct CMUnitTest tests[] = {
    TEST(transaction__commits_all_changes_together),
    TEST(transaction__is_dropped_without_a_trace),
    TEST(transaction__fails_as_a_whole),
    TEST(transaction__refuses_null_and_strangers),
};

const struct suite transaction_suite = SUITE_OF_BOTH_STORES(tests);
