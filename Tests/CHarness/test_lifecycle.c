/* The life of calls: its events in every delivery mode, and the calls in flight. */
#include <sched.h>
#include <string.h>

#include "delivery.h"
#include "gate.h"

enum { TOLD_MAX = 64 };

/** The kinds without progress, whose number depends on the network. */
static const uint64_t WITHOUT_PROGRESS =
    1u << RESTWAY_LIFECYCLE_WILL_BEGIN | 1u << RESTWAY_LIFECYCLE_DID_BEGIN
    | 1u << RESTWAY_LIFECYCLE_WILL_MAP | 1u << RESTWAY_LIFECYCLE_TOO_SLOW
    | 1u << RESTWAY_LIFECYCLE_DID_SUCCEED | 1u << RESTWAY_LIFECYCLE_DID_FAIL
    | 1u << RESTWAY_LIFECYCLE_DID_CANCEL;

/** The context of an observer: the kinds that it was told. */
struct told {
    uint32_t kinds[TOLD_MAX];
    int count;
    int destroyed_count;
    restway_lifecycle_event *last;
};

static void note(void *context, const restway_lifecycle_event *event) {
    struct told *told = context;
    assert_true(told->count < TOLD_MAX);
    told->kinds[told->count++] = restway_lifecycle_event_kind(event);
    restway_lifecycle_event_release(told->last);
    told->last = restway_lifecycle_event_retain(event);
}

static void forget(void *context) {
    struct told *told = context;
    restway_lifecycle_event_release(told->last);
    told->last = NULL;
    __atomic_add_fetch(&told->destroyed_count, 1, __ATOMIC_RELEASE);
}

/** Waits until the observer has ended: a worker may hold it for a moment after its last event. */
static void expect_destroyed(struct told *told) {
    while (__atomic_load_n(&told->destroyed_count, __ATOMIC_ACQUIRE) == 0) sched_yield();
    assert_int_equal(told->destroyed_count, 1);
}

static restway_observer *observe(
    restway_client *client, const restway_lifecycle_options *options, struct told *told) {
    restway_observer *observer = NULL;
    memset(told, 0, sizeof(*told));
    assert_ok(restway_client_observe_calls(
        client, options, note, told, forget, &observer, &failure));
    assert_non_null(observer);
    return observer;
}

static restway_lifecycle_options without_progress(void) {
    restway_lifecycle_options options = RESTWAY_LIFECYCLE_OPTIONS_INIT;
    options.kinds = WITHOUT_PROGRESS;
    return options;
}

static void send_and_forget(restway_client *client, restway_request *request) {
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, NULL, &failure));
    restway_request_release(request);
}

static void lifecycle__tells_a_call_from_its_beginning_to_its_end(void **state) {
    (void)state;
    struct told told;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_lifecycle_options options = without_progress();
    restway_observer *observer = observe(client, &options, &told);
    send_and_forget(client, make_route("status"));
    process_notices(client, 4);
    assert_int_equal(told.kinds[0], RESTWAY_LIFECYCLE_WILL_BEGIN);
    assert_int_equal(told.kinds[1], RESTWAY_LIFECYCLE_DID_BEGIN);
    assert_int_equal(told.kinds[2], RESTWAY_LIFECYCLE_WILL_MAP);
    assert_int_equal(told.kinds[3], RESTWAY_LIFECYCLE_DID_SUCCEED);

    restway_call_info info = RESTWAY_CALL_INFO_INIT;
    assert_ok(restway_lifecycle_event_info(told.last, &info, &failure));
    assert_int_equal(info.call_id, restway_call_id(restway_lifecycle_event_call(told.last)));
    assert_string_equal(info.route, "status");
    assert_string_equal(info.method, "GET");
    assert_holds(info.url, "/status");
    assert_string_equal(info.stage, "deliver");
    assert_int_equal(info.attempt, 1);
    assert_int_equal(info.flags, 0);
    assert_true(info.age_microseconds >= 0);
    assert_true(restway_lifecycle_event_time(told.last) > 0);
    assert_int_equal(
        restway_response_status(restway_lifecycle_event_response(told.last)), 200);
    assert_null(restway_lifecycle_event_error(told.last));

    send_and_forget(client, make_get("bad/status/404"));
    process_notices(client, 3);
    assert_int_equal(told.kinds[6], RESTWAY_LIFECYCLE_DID_FAIL);
    const restway_error *error = restway_lifecycle_event_error(told.last);
    assert_int_equal(restway_error_status(error), RESTWAY_E_HTTP);
    assert_int_equal(restway_error_http_status(error), 404);
    assert_null(restway_lifecycle_event_response(told.last));
    assert_ok(restway_lifecycle_event_info(told.last, &info, &failure));
    assert_null(info.route);

    restway_observer_remove(observer);
    expect_destroyed(&told);
    restway_response_release(fetch(client, "status"));
    assert_int_equal(told.count, 7);
    restway_observer_release(observer);
    restway_client_release(client);
}

/** Notes an event, and cancels its call. */
static void cancel(void *context, const restway_lifecycle_event *event) {
    note(context, event);
    restway_call_cancel(restway_lifecycle_event_call(event));
}

static void lifecycle__a_call_can_be_cancelled_where_it_is_told(void **state) {
    (void)state;
    struct told told;
    struct gate gate;
    memset(&told, 0, sizeof(told));
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    gate_set(&gate, client, NULL);
    gate_shut(&gate);
    assert_ok(restway_client_observe_calls(client, NULL, cancel, &told, forget, NULL, &failure));
    send_and_forget(client, make_get("status"));
    process_notices(client, 2);
    assert_int_equal(told.kinds[0], RESTWAY_LIFECYCLE_WILL_BEGIN);
    assert_int_equal(told.kinds[1], RESTWAY_LIFECYCLE_DID_CANCEL);
    gate_open(&gate);
    restway_client_release(client);
    gate_expect_destroyed(&gate, -1);
    expect_destroyed(&told);
}

static void lifecycle__progress_ends_with_all_bytes(void **state) {
    (void)state;
    restway_event events[64];
    restway_lifecycle_options options = RESTWAY_LIFECYCLE_OPTIONS_INIT;
    options.kinds = 1u << RESTWAY_LIFECYCLE_DOWNLOADED | 1u << RESTWAY_LIFECYCLE_DID_SUCCEED;
    options.progress_interval_milliseconds = 1;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    void *token = (void *)(uintptr_t)77;
    assert_ok(restway_client_observe_calls(client, &options, NULL, token, NULL, NULL, &failure));
    restway_response *response = fetch(client, "enterprises");
    int64_t done = 0;
    int is_over = 0;
    while (!is_over) {
        restway_progress progress = RESTWAY_PROGRESS_INIT;
        drain_events(client, events, 1);
        assert_int_equal(events[0].kind, RESTWAY_EVENT_LIFECYCLE);
        assert_true(events[0].token == 77 && events[0].call_id > 0);
        restway_lifecycle_event *event = events[0].payload.lifecycle;
        is_over = restway_lifecycle_event_kind(event) == RESTWAY_LIFECYCLE_DID_SUCCEED;
        assert_ok(restway_call_progress(
            restway_lifecycle_event_call(event), &progress, &failure));
        assert_true(is_over == (restway_lifecycle_event_response(event) != NULL));
        if (!is_over) {
            done = progress.download_done;
        }
        restway_event_release(&events[0]);
        assert_null(events[0].payload.lifecycle);
    }
    assert_true(done > 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void lifecycle__a_drained_end_has_its_status(void **state) {
    (void)state;
    restway_event event;
    restway_lifecycle_options options = RESTWAY_LIFECYCLE_OPTIONS_INIT;
    options.kinds = 1u << RESTWAY_LIFECYCLE_DID_FAIL;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    assert_ok(restway_client_observe_calls(client, &options, NULL, NULL, NULL, NULL, &failure));
    restway_request *request = make_get("bad/status/404");
    assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "");
    restway_request_release(request);
    drain_events(client, &event, 1);
    assert_int_equal(event.status, RESTWAY_E_HTTP);
    restway_event_release(&event);
    expect_no_event(client);
    restway_client_release(client);
}

static void lifecycle__of_some_routes(void **state) {
    (void)state;
    struct told told;
    const char *const routes[] = {"status", "echo"};
    const char *const wrong[] = {"statu"};
    const char *const bad[] = {BAD_UTF8};
    restway_lifecycle_options options = without_progress();
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    options.routes = routes;
    options.route_count = 2;
    restway_observer_release(observe(client, &options, &told));
    send_and_forget(client, make_get("status"));
    send_and_forget(client, make_route("enterprises"));
    send_and_forget(client, make_route("echo"));
    process_notices(client, 3);
    assert_int_equal(told.kinds[2], RESTWAY_LIFECYCLE_DID_SUCCEED);
    options.routes = wrong;
    options.route_count = 1;
    assert_fails(
        restway_client_observe_calls(client, &options, note, NULL, NULL, NULL, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "did you mean \"status\"?");
    options.routes = bad;
    assert_refused(
        restway_client_observe_calls(client, &options, note, NULL, NULL, NULL, &failure));
    options.routes = NULL;
    assert_refused(
        restway_client_observe_calls(client, &options, note, NULL, NULL, NULL, &failure));
    restway_client_release(client);
    expect_destroyed(&told);
}

/** Sends a request whose call is too slow after @p expected milliseconds (-1: never).
 *
 *  @param given Passed to restway_request_set_too_slow(). */
static void expect_too_slow(int64_t given, int64_t expected) {
    struct told told;
    struct gate gate;
    restway_clock *clock = NULL;
    restway_call *call = NULL;
    restway_client_options client_options = RESTWAY_CLIENT_OPTIONS_INIT;
    assert_ok(restway_clock_create(&clock, &failure));
    client_options.clock = clock;
    client_options.delivery = RESTWAY_DELIVERY_PROCESS;
    client_options.too_slow_milliseconds = 5000;
    restway_client *client = make_client_with(client_options);
    restway_lifecycle_options options = RESTWAY_LIFECYCLE_OPTIONS_INIT;
    options.kinds = 1u << RESTWAY_LIFECYCLE_TOO_SLOW;
    restway_observer_release(observe(client, &options, &told));
    gate_set(&gate, client, NULL);
    gate_shut(&gate);
    restway_request *request = make_get("status");
    assert_ok(restway_request_set_too_slow(request, given, &failure));
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    restway_request_release(request);
    assert_int_equal(restway_clock_next_milliseconds(clock), expected);
    if (expected > 0) {
        assert_ok(restway_clock_advance(clock, expected, &failure));
        process_notices(client, 1);
        assert_int_equal(told.kinds[0], RESTWAY_LIFECYCLE_TOO_SLOW);
    }
    restway_call_cancel(call);
    restway_call_release(call);
    assert_int_equal(restway_clock_next_milliseconds(clock), -1);
    gate_open(&gate);
    restway_client_release(client);
    gate_expect_destroyed(&gate, -1);
    restway_clock_release(clock);
}

static void lifecycle__a_call_is_too_slow_at_an_age(void **state) {
    (void)state;
    expect_too_slow(0, 5000);
    expect_too_slow(4000, 4000);
    expect_too_slow(-1, -1);
}

static void active_calls__are_listed_and_can_be_cancelled(void **state) {
    (void)state;
    struct gate gate;
    restway_active_calls *calls = POISON;
    restway_call *first = NULL, *second = NULL;
    restway_call_info info = RESTWAY_CALL_INFO_INIT;
    restway_client *client = make_client();
    assert_ok(restway_client_active_calls(client, &calls, &failure));
    assert_int_equal(restway_active_calls_count(calls), 0);
    restway_active_calls_release(calls);
    gate_set(&gate, client, NULL);
    gate_shut(&gate);
    restway_request *request = make_route("status");
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &first, &failure));
    restway_request_release(request);
    request = make_get("echo?token=hidden");
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &second, &failure));
    restway_request_release(request);
    assert_ok(restway_client_active_calls(client, &calls, &failure));
    assert_int_equal(restway_active_calls_count(calls), 2);
    assert_ok(restway_active_calls_read(calls, 0, &info, &failure));
    assert_int_equal(info.call_id, restway_call_id(first));
    assert_string_equal(info.route, "status");
    assert_string_equal(info.stage, "modify");
    assert_int_equal(info.attempt, 1);
    assert_ok(restway_active_calls_read(calls, 1, &info, &failure));
    assert_null(info.route);
    assert_holds(info.url, "/echo?token=[redacted]");
    assert_ptr_equal(restway_active_calls_call(calls, 1), second);
    assert_null(restway_active_calls_call(calls, 2));
    assert_fails(
        restway_active_calls_read(calls, 2, &info, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "the list has 2 calls");
    restway_call_cancel(restway_active_calls_call(calls, 0));
    assert_fails(restway_call_wait(first, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    assert_ptr_equal(restway_active_calls_retain(calls), calls);
    restway_active_calls_release(calls);
    restway_active_calls_release(calls);
    gate_open(&gate);
    assert_ok(restway_call_wait(second, 0, NULL, &failure));
    assert_ok(restway_client_active_calls(client, &calls, &failure));
    assert_int_equal(restway_active_calls_count(calls), 0);
    restway_active_calls_release(calls);
    restway_call_release(first);
    restway_call_release(second);
    restway_client_release(client);
    gate_expect_destroyed(&gate, -1);
}

static void lifecycle__refuses_wrong_arguments(void **state) {
    (void)state;
    struct told told = {{0}, 0, 0, NULL};
    restway_observer *observer = POISON;
    restway_call_info info = RESTWAY_CALL_INFO_INIT;
    restway_lifecycle_options options = RESTWAY_LIFECYCLE_OPTIONS_INIT;
    restway_client *client = make_client();
    restway_client *drain = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    assert_refused(restway_call_info_init(NULL, sizeof(info), &failure));
    assert_refused(restway_call_info_init(&info, 8, &failure));
    assert_refused(restway_lifecycle_options_init(NULL, sizeof(options), &failure));
    assert_refused(restway_lifecycle_options_init(&options, 12, &failure));
    assert_refused(restway_client_observe_calls(
        NULL, NULL, note, &told, forget, &observer, &failure));
    assert_null(observer);
    assert_fails(
        restway_client_observe_calls(client, NULL, NULL, &told, forget, &observer, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "told is NULL");
    assert_fails(
        restway_client_observe_calls(drain, NULL, note, &told, forget, &observer, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_DELIVERY_DRAIN");
    options.kinds = 1;
    assert_fails(
        restway_client_observe_calls(client, &options, note, &told, forget, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "options.kinds");
    options.kinds = 0;
    options.progress_interval_milliseconds = -1;
    assert_fails(
        restway_client_observe_calls(client, &options, note, &told, forget, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "options.progress_interval_milliseconds");
    restway_client_close(client);
    assert_fails(
        restway_client_observe_calls(client, NULL, note, &told, forget, NULL, &failure),
        RESTWAY_E_CLOSED, "");
    assert_int_equal(told.destroyed_count, 0);
    assert_null(restway_lifecycle_event_retain(NULL));
    restway_lifecycle_event_release(NULL);
    assert_int_equal(restway_lifecycle_event_kind(NULL), 0);
    assert_int_equal(restway_lifecycle_event_time(NULL), 0);
    assert_null(restway_lifecycle_event_call(NULL));
    assert_null(restway_lifecycle_event_response(NULL));
    assert_null(restway_lifecycle_event_error(NULL));
    assert_refused(restway_lifecycle_event_info(NULL, NULL, &failure));
    assert_refused(restway_request_set_too_slow(NULL, 1, &failure));
    restway_request *request = make_get("status");
    assert_refused(restway_request_set_too_slow(request, -2, &failure));
    restway_request_release(request);
    restway_client_release(client);
    restway_client_release(drain);
}

static void active_calls__refuse_wrong_arguments(void **state) {
    (void)state;
    restway_call_info info = RESTWAY_CALL_INFO_INIT;
    restway_active_calls *calls = POISON;
    restway_client *client = make_client();
    assert_refused(restway_client_active_calls(NULL, &calls, &failure));
    assert_null(calls);
    assert_refused(restway_client_active_calls(client, NULL, &failure));
    assert_null(restway_active_calls_retain(NULL));
    restway_active_calls_release(NULL);
    assert_int_equal(restway_active_calls_count(NULL), 0);
    assert_null(restway_active_calls_call(NULL, 0));
    assert_refused(restway_active_calls_read(NULL, 0, &info, &failure));
    assert_ok(restway_client_active_calls(client, &calls, &failure));
    assert_refused(restway_active_calls_read(calls, 0, NULL, &failure));
    restway_active_calls_release(calls);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(lifecycle__tells_a_call_from_its_beginning_to_its_end),
    TEST(lifecycle__a_call_can_be_cancelled_where_it_is_told),
    TEST(lifecycle__progress_ends_with_all_bytes),
    TEST(lifecycle__a_drained_end_has_its_status),
    TEST(lifecycle__of_some_routes),
    TEST(lifecycle__a_call_is_too_slow_at_an_age),
    TEST(lifecycle__refuses_wrong_arguments),
    TEST(active_calls__are_listed_and_can_be_cancelled),
    TEST(active_calls__refuse_wrong_arguments),
};

const struct suite lifecycle_suite = SUITE(tests);
