/* Waiting for the end of one stored request. */
#include <string.h>

#include "delivery.h"
#include "outboxing.h"
#include "probe.h"

/** The end of an item, as a wait for it is told. */
struct ended {
    struct probe probe;
    int64_t id;
    restway_outbox_state state;
    restway_outbox_reason reason;
    restway_status status;
    int32_t http_status;
    /** The item itself, which outlives the notice. */
    restway_outbox_item *kept;
};

static void told(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *error) {
    struct ended *ended = context;
    pthread_mutex_lock(&ended->probe.lock);
    ended->kept = restway_outbox_item_retain(item);
    ended->id = restway_outbox_item_id(item);
    ended->state = restway_outbox_item_state(item);
    ended->reason = restway_outbox_item_reason(item);
    ended->status = status;
    ended->http_status = restway_response_status(restway_outbox_item_response(item));
    ended->probe.had_error = error != NULL;
    pthread_mutex_unlock(&ended->probe.lock);
}

static void begin(struct ended *ended) {
    memset(ended, 0, sizeof(*ended));
    probe_begin(&ended->probe);
}

static void wait_for(struct outboxing *outboxing, struct ended *ended, int64_t id) {
    begin(ended);
    assert_ok(restway_outbox_await(
        outboxing->client, id, told, ended, probe_destroy, &failure));
}

static void expect(
    struct ended *ended, int64_t id, restway_outbox_state state, restway_status status) {
    probe_expect_dropped(&ended->probe);
    assert_int_equal(ended->id, id);
    assert_int_equal(ended->state, state);
    assert_int_equal(ended->status, status);
    assert_int_equal(ended->probe.had_error, status != RESTWAY_OK);
    assert_int_equal(restway_outbox_item_id(ended->kept), id);
    restway_outbox_item_release(ended->kept);
}

static void flush(struct outboxing *outboxing) {
    assert_ok(restway_outbox_flush(
        outboxing->client, RESTWAY_OUTBOX_FORCE, NULL, NULL, NULL, &failure));
}

static void await__tells_a_delivery_once_and_also_later(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended first, second, late;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    int64_t id = outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    wait_for(&outboxing, &first, id);
    wait_for(&outboxing, &second, id);
    flush(&outboxing);
    expect(&first, id, RESTWAY_OUTBOX_DELIVERED, RESTWAY_OK);
    expect(&second, id, RESTWAY_OUTBOX_DELIVERED, RESTWAY_OK);
    assert_int_equal(first.http_status, 200);
    wait_for(&outboxing, &late, id);
    expect(&late, id, RESTWAY_OUTBOX_DELIVERED, RESTWAY_OK);
    assert_refused(
        restway_outbox_await(outboxing.client, id + 1, told, &late, probe_destroy, &failure));
    outboxing_end(&outboxing);
}

static void await__tells_a_dead_letter_and_its_reason(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended ended, late;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    int64_t id = outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 422, "{}");
    wait_for(&outboxing, &ended, id);
    flush(&outboxing);
    expect(&ended, id, RESTWAY_OUTBOX_DEAD, RESTWAY_E_HTTP);
    assert_int_equal(ended.reason, RESTWAY_OUTBOX_REASON_REFUSED);
    assert_int_equal(ended.http_status, 422);
    wait_for(&outboxing, &late, id);
    expect(&late, id, RESTWAY_OUTBOX_DEAD, RESTWAY_E_HTTP);
    assert_int_equal(late.reason, RESTWAY_OUTBOX_REASON_REFUSED);
    /* A retry lets the program wait for the next end. */
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_ok(restway_outbox_retry(outboxing.client, id, &failure));
    wait_for(&outboxing, &ended, id);
    flush(&outboxing);
    expect(&ended, id, RESTWAY_OUTBOX_DELIVERED, RESTWAY_OK);
    outboxing_end(&outboxing);
}

static void await__tells_a_drop(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended one, all;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    int64_t first = outboxing_store(&outboxing, 1);
    int64_t second = outboxing_store(&outboxing, 2);
    wait_for(&outboxing, &one, first);
    wait_for(&outboxing, &all, second);
    assert_ok(restway_outbox_drop(outboxing.client, first, NULL, &failure));
    expect(&one, first, RESTWAY_OUTBOX_GONE, RESTWAY_E_CANCELLED);
    assert_int_equal(all.probe.destroyed_count, 0);
    assert_ok(restway_outbox_drop_all(outboxing.client, NULL, &failure));
    expect(&all, second, RESTWAY_OUTBOX_GONE, RESTWAY_E_CANCELLED);
    assert_refused(restway_outbox_await(
        outboxing.client, first, told, &one, probe_destroy, &failure));
    outboxing_end(&outboxing);
}

static void await__ends_with_its_client(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended ended;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    int64_t id = outboxing_store(&outboxing, 1);
    wait_for(&outboxing, &ended, id);
    restway_client_close(outboxing.client);
    expect(&ended, id, RESTWAY_OUTBOX_WAITING, RESTWAY_E_CLOSED);
    assert_fails(
        restway_outbox_await(outboxing.client, id, told, &ended, NULL, &failure),
        RESTWAY_E_CLOSED, "");
    outboxing_end(&outboxing);
}

static void await__comes_as_an_event(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended dropped;
    restway_event event;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_DRAIN);
    int64_t id = outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_refused(restway_outbox_await(outboxing.client, id, told, NULL, NULL, &failure));
    assert_ok(restway_outbox_await(
        outboxing.client, id, NULL, (void *)(uintptr_t)7, NULL, &failure));
    flush(&outboxing);
    drain_events(outboxing.client, &event, 1);
    assert_int_equal(event.kind, RESTWAY_EVENT_OUTBOX_ITEM);
    assert_int_equal(event.token, 7);
    assert_int_equal(event.status, RESTWAY_OK);
    restway_outbox_item *item = restway_outbox_items_item(event.payload.items, 0);
    assert_int_equal(restway_outbox_item_id(item), id);
    assert_int_equal(restway_outbox_item_state(item), RESTWAY_OUTBOX_DELIVERED);
    restway_event_release(&event);
    /* The event is never drained: it is dropped with the client. */
    begin(&dropped);
    assert_ok(restway_outbox_await(
        outboxing.client, id, NULL, &dropped, probe_destroy, &failure));
    outboxing_end(&outboxing);
    probe_expect_dropped(&dropped.probe);
}

static void await__is_told_inside_process(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct ended ended;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_PROCESS);
    int64_t id = outboxing_store(&outboxing, 1);
    wait_for(&outboxing, &ended, id);
    assert_ok(restway_outbox_drop(outboxing.client, id, NULL, &failure));
    process_notices(outboxing.client, 1);
    expect(&ended, id, RESTWAY_OUTBOX_GONE, RESTWAY_E_CANCELLED);
    outboxing_end(&outboxing);
}

static const struct CMUnitTest tests[] = {
    TEST(await__tells_a_delivery_once_and_also_later),
    TEST(await__tells_a_dead_letter_and_its_reason),
    TEST(await__tells_a_drop),
    TEST(await__ends_with_its_client),
    TEST(await__comes_as_an_event),
    TEST(await__is_told_inside_process),
};

const struct suite outbox_await_suite = SUITE(tests);
