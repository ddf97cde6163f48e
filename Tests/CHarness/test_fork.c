/* After fork() the child's handles refuse every use except release. */
#include <string.h>

#include "delivery.h"
#include "gate.h"
#include "harness.h"

/** The handles that the parent made. */
struct inherited {
    restway_client *thread;
    restway_client *process;
    restway_client *drain;
    restway_request *request;
    /** This call is complete, and the parent has waited for it. */
    restway_call *call;
    restway_api *api;
    restway_store *store;
    restway_observer *observer;
    restway_clock *clock;
    struct gate gate;
};

/** 0, or the number of the check that failed. */
typedef int (*check_fn)(struct inherited *inherited);

static int perform_and_send(struct inherited *inherited) {
    restway_client *client = inherited->thread;
    restway_response *response = POISON;
    restway_call *call = POISON;
    restway_error *error = NULL;
    if (restway_client_perform(client, inherited->request, 1000, &response, &error)
        != RESTWAY_E_FORKED) {
        return 1;
    }
    if (response != NULL || restway_error_status(error) != RESTWAY_E_FORKED) {
        return 2;
    }
    restway_error_release(error);
    if (restway_client_send(client, inherited->request, NULL, NULL, NULL, &call, NULL)
        != RESTWAY_E_FORKED) {
        return 3;
    }
    return call == NULL ? 0 : 4;
}

static int wait_for_call(struct inherited *inherited) {
    restway_response *response = POISON;
    if (restway_call_wait(inherited->call, 1000, &response, NULL) != RESTWAY_E_FORKED) {
        return 1;
    }
    restway_call_cancel(inherited->call);
    return response == NULL ? 0 : 2;
}

static int take_delivery(struct inherited *inherited) {
    restway_event event;
    size_t count = 99;
    if (restway_client_process(inherited->process, -1, &count, NULL) != RESTWAY_E_FORKED
        || count != 0) {
        return 1;
    }
    count = 99;
    if (restway_client_drain(inherited->drain, &event, 1, &count, NULL) != RESTWAY_E_FORKED
        || count != 0) {
        return 2;
    }
    if (restway_client_descriptor(inherited->process) != -1
        || restway_client_descriptor(inherited->drain) != -1) {
        return 3;
    }
    restway_client_close(inherited->process);
    restway_client_close(inherited->drain);
    return 0;
}

static int set_and_write(struct inherited *inherited) {
    char buffer[16] = "untouched";
    size_t length = 99;
    if (restway_client_add_modifier(
            inherited->thread, gate_ask, NULL, 0, &inherited->gate, gate_destroy, NULL, NULL)
            != RESTWAY_E_FORKED
        || inherited->gate.destroyed_count != 0) {
        return 1;
    }
    if (restway_request_to_curl(
            inherited->request, inherited->thread, 0, buffer, sizeof(buffer), &length, NULL)
            != RESTWAY_E_FORKED
        || length != 0 || buffer[0] != '\0') {
        return 2;
    }
    return 0;
}

static int read_store(struct inherited *inherited) {
    restway_query *query = POISON;
    size_t count = 99;
    if (restway_store_count(inherited->store, NULL, &count, NULL) != RESTWAY_E_FORKED
        || count != 0) {
        return 1;
    }
    if (restway_store_clear(inherited->store, NULL, NULL) != RESTWAY_E_FORKED) {
        return 2;
    }
    if (restway_query_create(inherited->store, "Note", &query, NULL) != RESTWAY_E_FORKED
        || query != NULL) {
        return 3;
    }
    return 0;
}

static int change_request_and_api(struct inherited *inherited) {
    restway_client *client = POISON;
    restway_error *error = NULL;
    if (restway_request_set_header(inherited->request, "A", "b", &error) != RESTWAY_E_FORKED
        || strcmp(restway_error_field(error), "request") != 0) {
        return 1;
    }
    restway_error_release(error);
    if (restway_api_add_route(inherited->api, "a", "{\"path\": \"a\"}", 13, 0, NULL)
        != RESTWAY_E_FORKED) {
        return 2;
    }
    if (restway_client_create(inherited->api, NULL, &client, NULL) != RESTWAY_E_FORKED
        || client != NULL) {
        return 3;
    }
    if (restway_clock_advance(inherited->clock, 1, NULL) != RESTWAY_E_FORKED
        || restway_clock_next_milliseconds(inherited->clock) != -1) {
        return 4;
    }
    return restway_client_store(inherited->thread) == NULL ? 0 : 5;
}

static void be_told(void *context, const restway_changes *changes) {
    (void)context;
    (void)changes;
}

static int observe(struct inherited *inherited) {
    restway_observer *observer = POISON;
    if (restway_client_observe(inherited->thread, NULL, be_told, NULL, NULL, &observer, NULL)
            != RESTWAY_E_FORKED
        || observer != NULL) {
        return 1;
    }
    restway_observer_remove(inherited->observer);
    return 0;
}

static void release(struct inherited *inherited) {
    restway_client_release(inherited->thread);
    restway_client_release(inherited->process);
    restway_client_release(inherited->drain);
    restway_call_release(inherited->call);
    restway_request_release(inherited->request);
    restway_api_release(inherited->api);
    restway_store_release(inherited->store);
    restway_observer_release(inherited->observer);
    restway_clock_release(inherited->clock);
}

struct checked {
    check_fn check;
    struct inherited *inherited;
};

static int check_and_release(void *context) {
    struct checked *checked = context;
    int result = checked->check(checked->inherited);
    release(checked->inherited);
    return result;
}

/** Runs @p check in a child, which then releases what it inherited; the parent's handles still
 *  work. */
static void run_in_child(check_fn check) {
    struct inherited inherited;
    memset(&inherited, 0, sizeof(inherited));
    gate_begin(&inherited.gate, NULL);
    inherited.thread = make_client();
    inherited.process = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    inherited.drain = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    inherited.request = make_get("status");
    inherited.api = make_api();
    assert_ok(restway_clock_create(&inherited.clock, &failure));
    assert_ok(restway_client_observe(
        inherited.thread, NULL, be_told, NULL, NULL, &inherited.observer, &failure));
    inherited.store = restway_client_store(inherited.thread);
    inherited.call = send_and_complete(inherited.drain, "status", NULL, NULL, NULL);
    restway_response_release(fetch(inherited.thread, "status"));
    struct checked checked = {.check = check, .inherited = &inherited};
    assert_int_equal(result_in_child(check_and_release, &checked), 0);
    assert_ok(restway_client_perform(inherited.thread, inherited.request, 0, NULL, &failure));
    /* The child's use of its copy of the event must have no effect here. */
    assert_int_equal(is_readable(inherited.drain, 5000), 1);
    restway_event event = drain_event(inherited.drain, RESTWAY_OK);
    restway_event_release(&event);
    expect_no_event(inherited.drain);
    release(&inherited);
}

static void fork__refuses_to_send(void **state) {
    (void)state;
    run_in_child(perform_and_send);
}

static void fork__refuses_to_wait(void **state) {
    (void)state;
    run_in_child(wait_for_call);
}

static void fork__refuses_to_deliver(void **state) {
    (void)state;
    run_in_child(take_delivery);
}

static void fork__refuses_modifiers_and_commands(void **state) {
    (void)state;
    run_in_child(set_and_write);
}

static void fork__refuses_stores(void **state) {
    (void)state;
    run_in_child(read_store);
}

static void fork__refuses_requests_apis_and_clocks(void **state) {
    (void)state;
    run_in_child(change_request_and_api);
}

static void fork__refuses_observers(void **state) {
    (void)state;
    run_in_child(observe);
}

static const struct CMUnitTest tests[] = {
    TEST(fork__refuses_to_send),
    TEST(fork__refuses_to_wait),
    TEST(fork__refuses_to_deliver),
    TEST(fork__refuses_modifiers_and_commands),
    TEST(fork__refuses_stores),
    TEST(fork__refuses_observers),
    TEST(fork__refuses_requests_apis_and_clocks),
};

const struct suite fork_suite = SUITE(tests);
