/* The progress of calls, and the API's own errors. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

struct watcher {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
    int destroyed;
    int went_back;
    int is_over;
    int cancels;
    restway_progress last;
};

static void watch(void *context, restway_call *call, const restway_progress *progress) {
    struct watcher *watcher = context;
    watcher->went_back |= progress->fraction < watcher->last.fraction;
    watcher->went_back |= progress->upload_done < watcher->last.upload_done;
    watcher->last = *progress;
    watcher->count++;
    if (watcher->cancels) {
        restway_call_cancel(call);
    }
}

static void watch_destroy(void *context) {
    struct watcher *watcher = context;
    pthread_mutex_lock(&watcher->lock);
    watcher->destroyed++;
    pthread_cond_broadcast(&watcher->changed);
    pthread_mutex_unlock(&watcher->lock);
}

static void watcher_begin(struct watcher *watcher) {
    memset(watcher, 0, sizeof(*watcher));
    pthread_mutex_init(&watcher->lock, NULL);
    pthread_cond_init(&watcher->changed, NULL);
}

/** Waits until the watcher can receive nothing more; this happens once. */
static void watcher_end(struct watcher *watcher) {
    pthread_mutex_lock(&watcher->lock);
    while (watcher->destroyed == 0) {
        pthread_cond_wait(&watcher->changed, &watcher->lock);
    }
    pthread_mutex_unlock(&watcher->lock);
    assert_int_equal(watcher->destroyed, 1);
    pthread_mutex_destroy(&watcher->lock);
    pthread_cond_destroy(&watcher->changed);
}

/** Makes a POST of @p count bytes, whose progress is watched. */
static restway_request *make_upload(struct watcher *watcher, size_t count) {
    restway_request *request = NULL;
    char *body = malloc(count);
    assert_non_null(body);
    memset(body, 'x', count);
    watcher_begin(watcher);
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_body(request, body, count, "text/plain", &failure));
    assert_ok(restway_request_set_progress(request, 1, watch, watcher, watch_destroy, &failure));
    // Progress counts bytes as they are sent, and the demo API would compress the same letters.
    assert_ok(restway_request_set_header(request, "Accept-Encoding", NULL, &failure));
    free(body);
    return request;
}

static void progress__tells_upload_download_and_a_fraction_that_never_goes_back(void **state) {
    (void)state;
    enum { BYTES = 2000000 };
    struct watcher watcher;
    restway_client *client = make_client();
    restway_request *request = make_upload(&watcher, BYTES);
    struct probe probe;
    restway_call *call = NULL;
    probe_begin(&probe);
    assert_ok(restway_client_send(
        client, request, probe_done, &probe, probe_destroy, &call, &failure));
    probe_expect(&probe, RESTWAY_OK);
    assert_true(watcher.count >= 2);
    assert_int_equal(watcher.went_back, 0);
    assert_int_equal(watcher.last.upload_done, BYTES);
    assert_int_equal(watcher.last.upload_total, BYTES);
    assert_true(watcher.last.download_total > BYTES);
    assert_int_equal(watcher.last.download_done, watcher.last.download_total);
    assert_true(watcher.last.fraction == 1.0);
    restway_progress progress = RESTWAY_PROGRESS_INIT;
    assert_ok(restway_call_progress(call, &progress, &failure));
    assert_memory_equal(&progress, &watcher.last, sizeof(progress));
    restway_request_release(request);
    restway_call_release(call);
    restway_client_release(client);
    watcher_end(&watcher);
}

static void progress__counts_the_objects_that_are_mapped(void **state) {
    (void)state;
    struct watcher watcher;
    watcher_begin(&watcher);
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises");
    struct probe probe;
    assert_ok(restway_request_set_progress(request, 1, watch, &watcher, watch_destroy, &failure));
    probe_begin(&probe);
    assert_ok(restway_client_send(
        client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(watcher.last.mapping_done, 300);
    assert_int_equal(watcher.last.mapping_total, 300);
    assert_int_equal(watcher.last.upload_total, 0);
    assert_ok(restway_request_set_progress(request, 0, NULL, NULL, NULL, &failure));
    restway_request_release(request);
    restway_client_release(client);
    watcher_end(&watcher);
}

static void progress__a_call_can_be_cancelled_where_it_is_told(void **state) {
    (void)state;
    struct watcher watcher;
    struct probe probe;
    restway_client *client = make_client();
    restway_request *request = make_upload(&watcher, 8000000);
    watcher.cancels = 1;
    probe_begin(&probe);
    assert_ok(restway_client_send(
        client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    assert_int_equal(watcher.count, 1);
    restway_request_release(request);
    restway_client_release(client);
    watcher_end(&watcher);
}

struct keeper {
    struct watcher watcher;
    restway_call *call;
};

/** Keeps the call in the context of its own progress function. */
static void keep(void *context, restway_call *call, const restway_progress *progress) {
    struct keeper *keeper = context;
    (void)progress;
    if (keeper->call == NULL) {
        keeper->call = restway_call_retain(call);
    }
    keeper->watcher.count++;
}

static void keeper_destroy(void *context) {
    struct keeper *keeper = context;
    restway_call_release(keeper->call);
    watch_destroy(&keeper->watcher);
}

static void progress__a_context_that_holds_its_call_goes_when_that_completes(void **state) {
    (void)state;
    struct keeper keeper;
    memset(&keeper, 0, sizeof(keeper));
    watcher_begin(&keeper.watcher);
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises");
    assert_ok(restway_request_set_progress(request, 1, keep, &keeper, keeper_destroy, &failure));
    struct probe probe;
    probe_begin(&probe);
    assert_ok(restway_client_send(
        client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    restway_request_release(request);
    probe_expect(&probe, RESTWAY_OK);
    /* Only the context refers to the call, and only the call's completion can release it. */
    watcher_end(&keeper.watcher);
    assert_true(keeper.watcher.count >= 1);
    restway_client_release(client);
}

static void progress__comes_as_events_to_a_host_that_drains(void **state) {
    (void)state;
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_DRAIN);
    restway_request *request = make_get("enterprises");
    restway_event event;
    int progress_count = 0;
    assert_ok(restway_request_set_progress(request, 1, NULL, NULL, NULL, &failure));
    assert_ok(restway_client_send(
        client, request, NULL, (void *)(uintptr_t)9, NULL, NULL, &failure));
    for (;;) {
        drain_events(client, &event, 1);
        assert_int_equal(event.token, 9);
        if (event.kind == RESTWAY_EVENT_COMPLETED) {
            break;
        }
        assert_int_equal(event.kind, RESTWAY_EVENT_PROGRESS);
        assert_int_equal(event.status, RESTWAY_OK);
        assert_null(event.payload.response);
        progress_count++;
    }
    assert_true(progress_count >= 1);
    restway_event_release(&event);
    restway_request_release(request);
    restway_client_release(client);
}

static void progress__wrong_arguments_are_refused(void **state) {
    (void)state;
    restway_request *request = make_get("echo");
    restway_progress progress;
    assert_ok(restway_progress_init(&progress, sizeof(progress), &failure));
    assert_refused(restway_progress_init(NULL, sizeof(progress), &failure));
    assert_refused(restway_call_progress(NULL, &progress, &failure));
    assert_refused(restway_request_set_progress(request, -1, watch, NULL, NULL, &failure));
    assert_refused(restway_request_set_progress(NULL, 1, watch, NULL, NULL, &failure));
    restway_request_release(request);
}

static void read_failure(void *context, restway_failure *answer) {
    int *asked = context;
    const restway_error *error = restway_failure_error(answer);
    const char *code = restway_error_api_code(error);
    restway_error *wrong = NULL;
    *asked += restway_error_http_status(error) == 418 && restway_error_response(error) != NULL
              && code != NULL && strcmp(code, "41899") == 0;
    if (restway_failure_replace(answer, "teapot", "", "short and stout", 1, NULL) != RESTWAY_OK
        || restway_failure_replace(answer, NULL, NULL, NULL, 2, &wrong)
               != RESTWAY_E_INVALID_ARGUMENT) {
        *asked = -100;
    }
    restway_error_release(wrong);
}

static void failure__a_reader_may_replace_what_was_found(void **state) {
    (void)state;
    static const char policy[] = "{\"attempts\": 2, \"baseMilliseconds\": 0}";
    int asked = 0;
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/418");
    assert_ok(restway_client_set_failure_reader(client, read_failure, &asked, NULL, &failure));
    assert_ok(restway_client_set_retry(client, policy, strlen(policy), &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
        "short and stout");
    assert_string_equal(restway_error_api_code(failure), "teapot");
    assert_null(restway_error_api_message(failure));
    assert_int_equal(restway_error_is_retryable(failure), 1);
    // A failure that the reader declares temporary is retried.
    assert_int_equal(restway_error_attempt_count(failure), 2);
    assert_int_equal(asked, 2);
    assert_int_equal(restway_response_status(restway_error_response(failure)), 418);
    forget_failure();
    assert_ok(restway_client_set_failure_reader(client, NULL, NULL, NULL, &failure));
    assert_null(restway_failure_error(NULL));
    assert_refused(restway_failure_replace(NULL, NULL, NULL, NULL, -1, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(progress__tells_upload_download_and_a_fraction_that_never_goes_back),
    TEST(progress__counts_the_objects_that_are_mapped),
    TEST(progress__a_context_that_holds_its_call_goes_when_that_completes),
    TEST(progress__a_call_can_be_cancelled_where_it_is_told),
    TEST(progress__comes_as_events_to_a_host_that_drains),
    TEST(progress__wrong_arguments_are_refused),
    TEST(failure__a_reader_may_replace_what_was_found),
};

const struct suite progress_suite = SUITE(tests);
