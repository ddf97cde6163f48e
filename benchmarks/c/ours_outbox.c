#include "ours_outbox.h"

#include "measure.h"
#include "outbox_item.h"

#include <string.h>

void outbox_expect(restway_status status, restway_status expected, restway_error **error) {
    if (status != expected)
        fail("%s: %s", restway_status_name(status), restway_error_message(*error));
    restway_error_release(*error);
    *error = NULL;
}

void outbox_run_begin(
    struct outbox_run *run, const char *document, const char *base, size_t items) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_error *error = NULL;

    memset(run, 0, sizeof *run);
    run->items = items;
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->has_changed, NULL);
    options.base_url = base;
    outbox_expect(restway_api_load_file(document, &api, &error), RESTWAY_OK, &error);
    outbox_expect(restway_client_create(api, &options, &run->client, &error), RESTWAY_OK, &error);
    outbox_expect(
        restway_client_set_reachability(run->client, RESTWAY_REACHABILITY_UNREACHABLE, &error),
        RESTWAY_OK, &error);
    restway_api_release(api);
}

void outbox_run_end(struct outbox_run *run) {
    restway_client_release(run->client);
    pthread_cond_destroy(&run->has_changed);
    pthread_mutex_destroy(&run->mutex);
}

static restway_request *request_of(size_t number) {
    struct outbox_item item;
    restway_request *request = NULL;
    restway_error *error = NULL;

    outbox_item_make(&item, number);
    outbox_expect(
        restway_request_create_route("POST", "events", &request, &error), RESTWAY_OK, &error);
    outbox_expect(
        restway_request_set_body(
            request, item.body, strlen(item.body), "application/json", &error),
        RESTWAY_OK, &error);
    outbox_expect(restway_request_set_lane(request, item.lane, &error), RESTWAY_OK, &error);
    return request;
}

void outbox_run_perform(struct outbox_run *run, size_t number) {
    restway_request *request = request_of(number);
    restway_error *error = NULL;

    outbox_expect(
        restway_client_perform(run->client, request, 0, NULL, &error), RESTWAY_E_QUEUED, &error);
    restway_request_release(request);
}

static void completed(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct outbox_run *run = context;

    (void)call;
    (void)response;
    if (status != RESTWAY_E_QUEUED) fail("%s", restway_error_message(error));
    pthread_mutex_lock(&run->mutex);
    if (++run->done == run->awaited) pthread_cond_signal(&run->has_changed);
    pthread_mutex_unlock(&run->mutex);
}

void outbox_run_send(struct outbox_run *run, size_t number) {
    restway_request *request = request_of(number);
    restway_error *error = NULL;

    outbox_expect(
        restway_client_send(run->client, request, completed, run, NULL, NULL, &error), RESTWAY_OK,
        &error);
    restway_request_release(request);
}

void outbox_run_wait(struct outbox_run *run, size_t done) {
    pthread_mutex_lock(&run->mutex);
    run->awaited = done;
    while (run->done < done) pthread_cond_wait(&run->has_changed, &run->mutex);
    pthread_mutex_unlock(&run->mutex);
}
