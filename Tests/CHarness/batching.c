#include "batching.h"

void batch_end_done(
    void *context, restway_batch *batch, restway_status status, const restway_error *error) {
    struct batch_end *end = context;
    pthread_mutex_lock(&end->probe.lock);
    end->count++;
    end->status = status;
    end->found_batch = batch != NULL && restway_batch_is_complete(batch);
    end->told_before = end->request != NULL ? end->request->done_count : 0;
    /* The session is complete, so this does not wait. */
    end->waited = restway_batch_wait(batch, 0, NULL);
    end->probe.had_error = error != NULL;
    pthread_mutex_unlock(&end->probe.lock);
}

restway_batch *make_batch(restway_client *client) {
    restway_batch *batch = NULL;
    assert_ok(restway_batch_create(client, &batch, &failure));
    assert_non_null(batch);
    return batch;
}

void batch_add_get(restway_batch *batch, const char *path, struct probe *probe) {
    restway_request *request = make_get(path);
    if (probe != NULL) {
        probe_begin(probe);
    }
    assert_ok(restway_batch_add(
        batch, request, probe != NULL ? probe_done : NULL, probe,
        probe != NULL ? probe_destroy : NULL, NULL, &failure));
    restway_request_release(request);
}

restway_status batch_status(restway_batch *batch, size_t index, int32_t *http_status) {
    restway_response *response = NULL;
    restway_status status = restway_batch_response(batch, index, &response, &failure);
    *http_status =
        response != NULL ? restway_response_status(response) : restway_error_http_status(failure);
    restway_response_release(response);
    forget_failure();
    return status;
}
