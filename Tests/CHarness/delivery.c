#include "delivery.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MILLISECONDS_MAX = 60000 };

restway_client *make_client_delivering(restway_delivery mode) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.delivery = (uint32_t)mode;
    return make_client_with(options);
}

int is_readable(const restway_client *client, int milliseconds) {
    struct pollfd descriptor = {restway_client_descriptor(client), POLLIN, 0};
    assert_true(descriptor.fd >= 0);
    int count = poll(&descriptor, 1, milliseconds);
    assert_true(count == 0 || (count == 1 && descriptor.revents == POLLIN));
    return count;
}

void wait_readable(const restway_client *client) {
    if (!is_readable(client, WAIT_MILLISECONDS_MAX)) {
        fprintf(stderr, "harness: nothing is due after %d ms\n", WAIT_MILLISECONDS_MAX);
        abort();
    }
}

restway_call *send_and_complete(
    restway_client *client, const char *path, restway_done_fn done, void *context,
    restway_destroy_fn destroy) {
    restway_request *request = make_get(path);
    restway_call *call = NULL;
    restway_error *error = NULL;
    assert_ok(
        restway_client_send(client, request, done, context, destroy, &call, &failure));
    restway_request_release(request);
    if (restway_call_wait(call, 0, NULL, &error) != RESTWAY_OK) {
        restway_error_release(error);
    }
    /* The notice of a completed call may not be due yet. */
    wait_readable(client);
    return call;
}

void process_notices(restway_client *client, size_t count) {
    size_t total = 0;
    while (total < count) {
        size_t ran = 0;
        assert_ok(restway_client_process(client, WAIT_MILLISECONDS_MAX, &ran, &failure));
        assert_true(ran > 0);
        total += ran;
    }
    assert_int_equal(total, count);
}

void send_token(restway_client *client, const char *path, uint64_t token) {
    restway_request *request = make_get(path);
    void *context = (void *)(uintptr_t)token;
    assert_ok(restway_client_send(client, request, NULL, context, NULL, NULL, &failure));
    restway_request_release(request);
}

void drain_events(restway_client *client, restway_event *events, size_t count) {
    size_t total = 0;
    while (total < count) {
        size_t taken = 0;
        wait_readable(client);
        assert_ok(restway_client_drain(client, events + total, count - total, &taken, &failure));
        assert_true(taken > 0 && taken <= count - total);
        total += taken;
    }
}

restway_event drain_event(restway_client *client, restway_status status) {
    restway_event event;
    memset(&event, 0x5a, sizeof(event));
    drain_events(client, &event, 1);
    assert_int_equal(event.kind, RESTWAY_EVENT_COMPLETED);
    assert_int_equal(event.status, status);
    for (size_t index = 0; index < sizeof(event.reserved) / sizeof(event.reserved[0]); index++) {
        assert_true(event.reserved[index] == 0);
    }
    return event;
}

void expect_no_event(restway_client *client) {
    restway_event event;
    size_t count = 99;
    assert_ok(restway_client_drain(client, &event, 1, &count, &failure));
    assert_int_equal(count, 0);
    assert_int_equal(is_readable(client, 0), 0);
}
