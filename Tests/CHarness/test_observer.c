/* Observers: the changes that they receive, when they receive them, and how they end. */
#include <stdio.h>
#include <string.h>

#include "delivery.h"
#include "graph.h"
#include "probe.h"
#include "watch.h"

static restway_observer *observe(
    restway_client *client, const char *entity, struct watch *watch) {
    restway_observer *observer = NULL;
    watch_begin(watch);
    assert_ok(restway_client_observe(
        client, entity, watch_changed, watch, watch_destroy, &observer, &failure));
    assert_non_null(observer);
    return observer;
}

static void observer__is_told_once_for_each_transaction(void **state) {
    (void)state;
    struct watch all, employees;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_store *store = restway_client_store(client);
    restway_observer_release(observe(client, NULL, &all));
    restway_observer *observer = observe(client, "Employee", &employees);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_object_release(fetch_first(client, "employees/1"));
    restway_object *third = find(store, "Employee", 3);
    assert_ok(restway_store_delete(store, third, &failure));
    restway_object_release(third);
    assert_ok(restway_store_delete_all(store, "Enterprise", NULL, &failure));
    assert_int_equal(all.told_count, 0);
    process_notices(client, 7);
    assert_int_equal(all.told_count, 4);
    assert_string_equal(all.notes[0], "+1 +1 +1 +2 +3");
    assert_string_equal(all.notes[1], "~1");
    assert_string_equal(all.notes[2], "-3");
    assert_string_equal(all.notes[3], "-1");
    assert_int_equal(employees.told_count, 3);
    assert_string_equal(employees.notes[0], "+1 +2 +3");
    assert_string_equal(employees.notes[1], "~1");
    assert_string_equal(employees.notes[2], "-3");
    restway_observer_remove(observer);
    restway_observer_release(observer);
    watch_expect_destroyed(&employees);
    restway_store_release(store);
    restway_client_release(client);
    watch_expect_destroyed(&all);
}

static void observer__of_one_object(void **state) {
    (void)state;
    struct watch watch;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_store *store = restway_client_store(client);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_object *second = find(store, "Employee", 2);
    watch_begin(&watch);
    assert_ok(restway_client_observe_object(
        client, second, watch_changed, &watch, watch_destroy, NULL, &failure));
    restway_object_release(fetch_first(client, "employees/1"));
    restway_object_release(fetch_first(client, "employees/2"));
    assert_ok(restway_store_delete(store, second, &failure));
    restway_object_release(second);
    restway_object_release(fetch_first(client, "employees/2"));
    process_notices(client, 3);
    assert_string_equal(watch.notes[0], "~2");
    assert_string_equal(watch.notes[1], "-2");
    assert_string_equal(watch.notes[2], "+2");
    restway_store_release(store);
    restway_client_release(client);
    watch_expect_destroyed(&watch);
}

/** Keeps the changes that it receives. */
static void keep_changes(void *context, const restway_changes *changes) {
    restway_changes **kept = context;
    restway_changes_release(*kept);
    *kept = restway_changes_retain(changes);
}

static void changes__tell_what_differs(void **state) {
    (void)state;
    restway_changes *changes = NULL;
    uint32_t indices[4] = {99, 99, 99, 99};
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_object_release(fetch_first(client, "meetings/1"));
    assert_ok(restway_client_observe(
        client, "Enterprise", keep_changes, &changes, NULL, NULL, &failure));
    restway_object_release(fetch_first(client, "enterprises/1"));
    process_notices(client, 1);
    restway_client_release(client);
    assert_int_equal(restway_changes_count(changes), 1);
    assert_int_equal(restway_changes_kind(changes, 0), RESTWAY_CHANGE_UPDATED);
    restway_object *before = restway_changes_before(changes, 0);
    restway_object *after = restway_changes_object(changes, 0);
    assert_int_equal(restway_object_is_same(before, after), 1);
    assert_null(restway_object_string(before, "name"));
    assert_non_null(restway_object_string(after, "name"));
    /* The attributes are name, rating and website, but not the identity. */
    assert_int_equal(restway_changes_attributes(changes, 0, indices, 2), 3);
    assert_int_equal(indices[0], 1);
    assert_int_equal(indices[1], 2);
    assert_int_equal(indices[2], 99);
    assert_int_equal(restway_changes_attributes(changes, 0, indices, SIZE_MAX), 3);
    assert_int_equal(indices[2], 3);
    assert_int_equal(restway_changes_attributes(changes, 0, NULL, 0), 3);
    assert_int_equal(restway_changes_relationships(changes, 0, indices, 4), 1);
    assert_int_equal(indices[0], 0);
    assert_int_equal(restway_changes_kind(changes, 1), 0);
    assert_null(restway_changes_object(changes, 1));
    assert_null(restway_changes_before(changes, SIZE_MAX));
    assert_int_equal(restway_changes_attributes(changes, 1, indices, 4), 0);
    assert_int_equal(restway_changes_relationships(changes, 1, indices, 4), 0);
    restway_changes_release(changes);
}

static void changes__of_what_is_inserted_and_deleted(void **state) {
    (void)state;
    restway_changes *changes = NULL;
    uint32_t indices[4];
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_store *store = restway_client_store(client);
    assert_ok(restway_client_observe(
        client, "Meeting", keep_changes, &changes, NULL, NULL, &failure));
    restway_object_release(fetch_first(client, "meetings/1"));
    process_notices(client, 1);
    assert_int_equal(restway_changes_kind(changes, 0), RESTWAY_CHANGE_INSERTED);
    assert_null(restway_changes_before(changes, 0));
    assert_int_equal(restway_changes_attributes(changes, 0, indices, 4), 3);
    /* The sponsor is absent. */
    assert_int_equal(restway_changes_relationships(changes, 0, indices, 4), 2);
    assert_ok(restway_store_clear(store, NULL, &failure));
    process_notices(client, 1);
    assert_int_equal(restway_changes_kind(changes, 0), RESTWAY_CHANGE_DELETED);
    assert_ptr_equal(restway_changes_before(changes, 0), restway_changes_object(changes, 0));
    assert_int_equal(restway_changes_attributes(changes, 0, indices, 4), 3);
    restway_changes_release(changes);
    restway_store_release(store);
    restway_client_release(client);
}

static void observer__removal_inside_its_own_notice(void **state) {
    (void)state;
    struct watch watch;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_observer *observer = observe(client, NULL, &watch);
    pthread_mutex_lock(&watch.lock);
    watch.remove_at = 2;
    watch.observer = observer;
    pthread_mutex_unlock(&watch.lock);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_object_release(fetch_first(client, "employees/1"));
    restway_object_release(fetch_first(client, "employees/2"));
    watch_expect_destroyed(&watch);
    assert_int_equal(watch.told_count, 2);
    assert_int_equal(watch.destroyed_inside, 0);
    restway_observer_release(observer);
    restway_client_release(client);
}

static void observer__nothing_comes_once_removal_has_returned(void **state) {
    (void)state;
    struct watch watch;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_observer *observer = observe(client, NULL, &watch);
    restway_object_release(fetch_first(client, "meetings/1"));
    assert_int_equal(is_readable(client, 0), 1);
    restway_observer_remove(observer);
    assert_int_equal(watch_is_destroyed(&watch), 1);
    assert_int_equal(is_readable(client, 0), 0);
    restway_object_release(fetch_first(client, "employees/1"));
    size_t count = 99;
    assert_ok(restway_client_process(client, 0, &count, &failure));
    assert_int_equal(count, 0);
    restway_observer_remove(observer);
    assert_ptr_equal(restway_observer_retain(observer), observer);
    restway_observer_release(observer);
    restway_observer_release(observer);
    restway_client_release(client);
    assert_int_equal(watch.told_count, 0);
    watch_expect_destroyed(&watch);
}

static void observer__ends_with_its_client(void **state) {
    (void)state;
    struct watch watch, late;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_PROCESS);
    restway_store *store = restway_client_store(client);
    restway_observer *observer = observe(client, NULL, &watch);
    restway_object_release(fetch_first(client, "meetings/1"));
    restway_client_close(client);
    assert_int_equal(watch_is_destroyed(&watch), 0);
    watch_begin(&late);
    restway_observer *refused = POISON;
    assert_fails(
        restway_client_observe(
            client, NULL, watch_changed, &late, watch_destroy, &refused, &failure),
        RESTWAY_E_CLOSED, "closed");
    assert_null(refused);
    assert_int_equal(late.destroyed_count, 0);
    /* The store lives on, but no observer receives the change. */
    assert_ok(restway_store_clear(store, NULL, &failure));
    process_notices(client, 1);
    watch_expect_destroyed(&watch);
    assert_int_equal(watch.told_count, 1);
    restway_client_release(client);
    restway_store_release(store);
    restway_observer_remove(observer);
    restway_observer_release(observer);
}

static void observer__changes_come_before_the_completion_of_their_call(void **state) {
    (void)state;
    enum { COUNT = 40 };
    restway_event events[2 * COUNT];
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_DRAIN);
    uintptr_t token = 1000;
    assert_ok(restway_client_observe(
        client, "Employee", NULL, (void *)token, NULL, NULL, &failure));
    for (int number = 1; number <= COUNT; number++) {
        char path[32];
        snprintf(path, sizeof(path), "employees/%d", number);
        send_token(client, path, (uint64_t)number);
    }
    drain_events(client, events, 2 * COUNT);
    expect_no_event(client);
    for (int number = 1; number <= COUNT; number++) {
        int changed_at = -1, done_at = -1;
        for (int at = 0; at < 2 * COUNT; at++) {
            if (events[at].kind == RESTWAY_EVENT_COMPLETED) {
                if (events[at].token == (uint64_t)number) {
                    done_at = at;
                }
                continue;
            }
            assert_int_equal(events[at].kind, RESTWAY_EVENT_CHANGED);
            assert_int_equal(events[at].status, RESTWAY_OK);
            assert_true(events[at].token == token && events[at].call_id == 0);
            restway_object *object = restway_changes_object(events[at].payload.changes, 0);
            assert_int_equal(restway_changes_count(events[at].payload.changes), 1);
            if (restway_object_int64(object, "id", 0) == number) {
                assert_int_equal(changed_at, -1);
                changed_at = at;
            }
        }
        assert_true(changed_at >= 0 && changed_at < done_at);
    }
    for (int at = 0; at < 2 * COUNT; at++) {
        restway_event_release(&events[at]);
        assert_null(events[at].payload.changes);
    }
    restway_client_release(client);
}

static void observer__in_drain_mode_ends_like_a_call(void **state) {
    (void)state;
    struct watch drained, dropped;
    restway_event events[4];
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_DRAIN);
    restway_observer *observer = NULL;
    size_t count = 99;
    watch_begin(&drained);
    watch_begin(&dropped);
    assert_ok(restway_client_observe(
        client, NULL, NULL, &drained, watch_destroy, &observer, &failure));
    assert_ok(restway_client_observe(
        client, "Meeting", NULL, &dropped, watch_destroy, NULL, &failure));
    restway_object_release(fetch_first(client, "meetings/1"));
    drain_events(client, events, 2);
    assert_true(events[0].token == (uint64_t)(uintptr_t)&drained);
    assert_true(events[1].token == (uint64_t)(uintptr_t)&dropped);
    restway_event_release(&events[0]);
    restway_event_release(&events[1]);
    restway_object_release(fetch_first(client, "meetings/2"));
    restway_observer_remove(observer);
    assert_int_equal(watch_is_destroyed(&drained), 1);
    restway_observer_release(observer);
    restway_object_release(fetch_first(client, "meetings/3"));
    assert_ok(restway_client_drain(client, events, 1, &count, &failure));
    assert_int_equal(count, 1);
    assert_true(events[0].token == (uint64_t)(uintptr_t)&dropped);
    restway_event_release(&events[0]);
    restway_client_close(client);
    assert_int_equal(watch_is_destroyed(&dropped), 0);
    restway_client_release(client);
    watch_expect_destroyed(&dropped);
    watch_expect_destroyed(&drained);
}

static void observer__refuses_what_it_cannot_be(void **state) {
    (void)state;
    struct watch watch;
    restway_client *thread = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_client *drain = make_graph_client(RESTWAY_DELIVERY_DRAIN);
    restway_object *meeting = fetch_first(thread, "meetings/1");
    restway_observer *observer = POISON;
    watch_begin(&watch);
    assert_refused(restway_client_observe(
        NULL, NULL, watch_changed, &watch, watch_destroy, &observer, &failure));
    assert_null(observer);
    assert_fails(
        restway_client_observe(
            thread, "Meting", watch_changed, &watch, watch_destroy, &observer, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "did you mean \"Meeting\"?");
    assert_refused(restway_client_observe(
        thread, BAD_UTF8, watch_changed, &watch, watch_destroy, &observer, &failure));
    assert_fails(
        restway_client_observe(thread, NULL, NULL, &watch, watch_destroy, &observer, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "changed");
    assert_fails(
        restway_client_observe(
            drain, NULL, watch_changed, &watch, watch_destroy, &observer, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "changed");
    assert_refused(restway_client_observe_object(
        NULL, meeting, watch_changed, &watch, watch_destroy, &observer, &failure));
    observer = POISON;
    assert_refused(restway_client_observe_object(
        thread, NULL, watch_changed, &watch, watch_destroy, &observer, &failure));
    assert_null(observer);
    assert_refused(restway_client_observe_object(
        thread, meeting, NULL, &watch, watch_destroy, &observer, &failure));
    assert_int_equal(watch.destroyed_count, 0);
    assert_null(restway_observer_retain(NULL));
    restway_observer_release(NULL);
    restway_observer_remove(NULL);
    assert_null(restway_changes_retain(NULL));
    restway_changes_release(NULL);
    assert_int_equal(restway_changes_count(NULL), 0);
    assert_int_equal(restway_changes_kind(NULL, 0), 0);
    assert_null(restway_changes_object(NULL, 0));
    assert_null(restway_changes_before(NULL, 0));
    assert_int_equal(restway_changes_attributes(NULL, 0, NULL, 0), 0);
    assert_int_equal(restway_changes_relationships(NULL, 0, NULL, 0), 0);
    restway_object_release(meeting);
    restway_client_release(drain);
    restway_client_release(thread);
}

static const struct CMUnitTest tests[] = {
    TEST(observer__is_told_once_for_each_transaction),
    TEST(observer__of_one_object),
    TEST(changes__tell_what_differs),
    TEST(changes__of_what_is_inserted_and_deleted),
    TEST(observer__removal_inside_its_own_notice),
    TEST(observer__nothing_comes_once_removal_has_returned),
    TEST(observer__ends_with_its_client),
    TEST(observer__changes_come_before_the_completion_of_their_call),
    TEST(observer__in_drain_mode_ends_like_a_call),
    TEST(observer__refuses_what_it_cannot_be),
};

const struct suite observer_suite = SUITE_OF_BOTH_STORES(tests);
