/* Requests in a libuv program: a poll handle watches the client, events are drained.
 *
 *     cc libuv.c -o libuv $(pkg-config --cflags --libs restway libuv)
 *     examples/with-demo-api ./libuv
 *
 * The loop ends by itself when the poll handle, its last one, is stopped.
 */
#define _POSIX_C_SOURCE 200809L /* uv.h needs types of POSIX, which plain C99 hides. */
#include <stdio.h>
#include <stdlib.h>

#include <restway/restway.h>
#include <uv.h>

enum { COMPANY_COUNT = 5, EVENT_COUNT_MAX = 16 };

/** The state of the poll handle. */
struct progress {
    restway_client *client;
    int pending_count;
    int failed_count;
};

/** Prints the reason of a failure, and releases the error. */
static int give_up(restway_error *error) {
    fprintf(stderr, "%s\n", restway_error_message(error));
    restway_error_release(error);
    return 1;
}

/** Prints the result of one call; returns whether it failed. */
static int print_event(const restway_event *event) {
    if (event->status != RESTWAY_OK) {
        const char *message = restway_error_message(event->payload.error);
        fprintf(stderr, "company %d: %s\n", (int)event->token, message);
        return 1;
    }
    const restway_object *company = restway_response_object(event->payload.response, 0);
    const char *name = restway_object_string(company, "name");
    printf("company %d: %s\n", (int)event->token, name != NULL ? name : "-");
    return 0;
}

/** Drains the events when the client's descriptor is readable, and stops after the last event. */
static void drain(uv_poll_t *poll, int uv_status, int readiness) {
    struct progress *progress = poll->data;
    restway_event events[EVENT_COUNT_MAX];
    size_t count = 0;
    restway_error *error = NULL;
    (void)uv_status;
    (void)readiness;
    if (restway_client_drain(progress->client, events, EVENT_COUNT_MAX, &count, &error) !=
        RESTWAY_OK) {
        progress->failed_count += give_up(error);
        progress->pending_count = 0;
    }
    for (size_t index = 0; index < count; index++) {
        progress->failed_count += print_event(&events[index]);
        restway_event_release(&events[index]);
    }
    progress->pending_count -= (int)count;
    if (progress->pending_count <= 0) {
        uv_poll_stop(poll);
    }
}

/** Sends a request for one company; its event will carry the number. */
static restway_status ask_for(restway_client *client, int company, restway_error **error) {
    char path[32];
    restway_request *request = NULL;
    void *token = (void *)(uintptr_t)company;
    snprintf(path, sizeof(path), "enterprises/%d", company);
    restway_status status = restway_request_create("GET", path, &request, error);
    if (status == RESTWAY_OK) {
        status = restway_client_send(client, request, NULL, token, NULL, NULL, error);
    }
    restway_request_release(request);
    return status;
}

/** Sends requests for all companies at once, and runs the loop until all have been answered. */
static int fetch_companies(restway_client *client) {
    struct progress progress = {client, 0, 0};
    restway_error *error = NULL;
    uv_loop_t *loop = uv_default_loop();
    uv_poll_t poll;
    for (int company = 1; company <= COMPANY_COUNT && error == NULL; company++) {
        progress.pending_count += ask_for(client, company, &error) == RESTWAY_OK ? 1 : 0;
    }
    int problem = uv_poll_init(loop, &poll, restway_client_descriptor(client));
    if (problem != 0) {
        fprintf(stderr, "uv_poll_init: %s\n", uv_strerror(problem));
        restway_error_release(error);
        return 1;
    }
    poll.data = &progress;
    if (progress.pending_count > 0) {
        uv_poll_start(&poll, UV_READABLE, drain);
        uv_run(loop, UV_RUN_DEFAULT);
    }
    uv_close((uv_handle_t *)&poll, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    if (error != NULL) {
        return give_up(error);
    }
    return progress.failed_count == 0 ? 0 : 1;
}

int main(void) {
    const char *document = getenv("RESTWAY_DEMO_DOCUMENT");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    options.base_url = getenv("RESTWAY_DEMO_URL");
    options.delivery = RESTWAY_DELIVERY_DRAIN;

    restway_status status = restway_api_load_file(
        document != NULL ? document : "examples/demo-api/demo.restway.json", &api, &error);
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, &client, &error);
    }
    restway_api_release(api);
    if (status != RESTWAY_OK) {
        return give_up(error);
    }
    int result = fetch_companies(client);
    restway_client_release(client);
    return result;
}
