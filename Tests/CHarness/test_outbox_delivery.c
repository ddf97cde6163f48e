/* The callbacks and events of the outbox, in every delivery mode. */
#include <string.h>

#include "delivery.h"
#include "outboxing.h"
#include "probe.h"

/** The reported results; the context of an observer and of a flush. */
struct told {
    struct probe probe;
    int items;
    int flushes;
    size_t flushed_count;
    restway_status status;
    int32_t http_status;
    restway_outbox_state state;
};

static void told_item(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *error) {
    struct told *told = context;
    pthread_mutex_lock(&told->probe.lock);
    told->items++;
    told->status = status;
    told->probe.had_error = error != NULL;
    told->http_status = restway_response_status(restway_outbox_item_response(item));
    told->state = restway_outbox_item_state(item);
    pthread_mutex_unlock(&told->probe.lock);
}

static void told_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error) {
    struct told *told = context;
    pthread_mutex_lock(&told->probe.lock);
    told->flushes++;
    /* The list can outlive the notice. */
    restway_outbox_items *kept = restway_outbox_items_retain(items);
    told->flushed_count = restway_outbox_items_count(kept);
    restway_outbox_items_release(kept);
    told->status = status;
    told->probe.had_error = error != NULL;
    pthread_mutex_unlock(&told->probe.lock);
}

static void outbox__items_and_flushes_are_told_on_a_worker(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct told observer, flush;
    memset(&observer, 0, sizeof(observer));
    memset(&flush, 0, sizeof(flush));
    probe_begin(&observer.probe);
    probe_begin(&flush.probe);
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_store(&outboxing, 1);
    outboxing_store(&outboxing, 2);
    answering_set(&outboxing.server, 422, "{}");
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, told_item, told_flushed, &observer, probe_destroy, &failure));
    assert_ok(restway_outbox_flush(
        outboxing.client, 0, told_flushed, &flush, probe_destroy, &failure));
    probe_expect_dropped(&flush.probe);
    assert_int_equal(flush.flushes, 1);
    assert_int_equal(flush.flushed_count, 2);
    assert_int_equal(flush.status, RESTWAY_OK);
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, NULL, NULL, NULL, NULL, &failure));
    probe_expect_dropped(&observer.probe);
    assert_int_equal(observer.items, 2);
    assert_int_equal(observer.flushes, 1);
    assert_int_equal(observer.state, RESTWAY_OUTBOX_DEAD);
    assert_int_equal(observer.http_status, 422);
    outboxing_end(&outboxing);
}

static void outbox__its_events_are_drained(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_event events[3];
    void *observer = (void *)(uintptr_t)5;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_DRAIN);
    outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_refused(restway_outbox_flush(
        outboxing.client, 0, told_flushed, NULL, NULL, &failure));
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, told_item, told_flushed, observer, NULL, &failure));
    assert_ok(restway_outbox_flush(
        outboxing.client, 0, NULL, (void *)(uintptr_t)9, NULL, &failure));
    drain_events(outboxing.client, events, 3);
    assert_int_equal(events[0].kind, RESTWAY_EVENT_OUTBOX_ITEM);
    assert_int_equal(events[0].token, 5);
    assert_int_equal(events[0].status, RESTWAY_OK);
    assert_int_equal(restway_outbox_items_count(events[0].payload.items), 1);
    restway_outbox_item *item = restway_outbox_items_item(events[0].payload.items, 0);
    assert_int_equal(restway_outbox_item_state(item), RESTWAY_OUTBOX_DELIVERED);
    assert_int_equal(restway_response_status(restway_outbox_item_response(item)), 200);
    assert_int_equal(events[1].kind, RESTWAY_EVENT_OUTBOX_FLUSHED);
    assert_int_equal(events[1].token, 5);
    assert_int_equal(events[2].kind, RESTWAY_EVENT_OUTBOX_FLUSHED);
    assert_int_equal(events[2].token, 9);
    assert_int_equal(restway_outbox_items_count(events[2].payload.items), 1);
    for (size_t index = 0; index < 3; index++) {
        restway_event_release(&events[index]);
        assert_null(events[index].payload.items);
    }
    expect_no_event(outboxing.client);
    outboxing_end(&outboxing);
}

/** Sends one stored request, and counts its events by kind. */
static void count_outbox_events(struct outboxing *outboxing, size_t expected, int *counts) {
    restway_event events[3];
    counts[0] = counts[1] = 0;
    outboxing_store(outboxing, 1);
    assert_ok(restway_outbox_flush(
        outboxing->client, 0, NULL, (void *)(uintptr_t)9, NULL, &failure));
    drain_events(outboxing->client, events, expected);
    for (size_t index = 0; index < expected; index++) {
        if (events[index].token == 5) {
            counts[events[index].kind == RESTWAY_EVENT_OUTBOX_FLUSHED]++;
        }
        restway_event_release(&events[index]);
    }
    expect_no_event(outboxing->client);
}

static void outbox__a_context_without_functions_turns_on_its_events(void **state) {
    (void)state;
    struct outboxing outboxing;
    int counts[2];
    void *token = (void *)(uintptr_t)5;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_DRAIN);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, NULL, NULL, token, NULL, &failure));
    count_outbox_events(&outboxing, 3, counts);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, NULL, told_flushed, token, NULL, &failure));
    count_outbox_events(&outboxing, 2, counts);
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 1);
    assert_ok(restway_client_set_outbox_observer(
        outboxing.client, NULL, NULL, NULL, NULL, &failure));
    count_outbox_events(&outboxing, 1, counts);
    assert_int_equal(counts[0] + counts[1], 0);
    outboxing_end(&outboxing);
}

static void outbox__its_notices_are_processed(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct told flush;
    memset(&flush, 0, sizeof(flush));
    probe_begin(&flush.probe);
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_PROCESS);
    assert_ok(restway_outbox_flush(
        outboxing.client, 0, told_flushed, &flush, probe_destroy, &failure));
    process_notices(outboxing.client, 1);
    probe_expect_dropped(&flush.probe);
    assert_int_equal(flush.flushes, 1);
    assert_int_equal(flush.flushed_count, 0);
    outboxing_end(&outboxing);
}

static void outbox__a_closed_client_ends_a_flush(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct told flush;
    memset(&flush, 0, sizeof(flush));
    probe_begin(&flush.probe);
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_client_close(outboxing.client);
    assert_fails(
        restway_outbox_flush(outboxing.client, 0, told_flushed, NULL, NULL, &failure),
        RESTWAY_E_CLOSED, "");
    assert_fails(
        restway_outbox_needs_flushing(outboxing.client, &(int32_t){0}, &failure),
        RESTWAY_E_CLOSED, "");
    outboxing_restart(&outboxing, RESTWAY_DELIVERY_DRAIN);
    assert_ok(restway_outbox_flush(
        outboxing.client, 0, NULL, &flush, probe_destroy, &failure));
    /* The event is never drained: it is dropped with the client. */
    outboxing_end(&outboxing);
    probe_expect_dropped(&flush.probe);
}

static const struct CMUnitTest tests[] = {
    TEST(outbox__items_and_flushes_are_told_on_a_worker),
    TEST(outbox__its_events_are_drained),
    TEST(outbox__a_context_without_functions_turns_on_its_events),
    TEST(outbox__its_notices_are_processed),
    TEST(outbox__a_closed_client_ends_a_flush),
};

const struct suite outbox_delivery_suite = SUITE(tests);
