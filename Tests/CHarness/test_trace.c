/* Spans of calls, and the header `traceparent`. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define GIVEN "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

/** The spans of a client. */
struct spans {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int start_count;
    int end_count;
    int destroyed_count;
    char proposal[RESTWAY_TRACEPARENT_SIZE];
    char name[64];
    char attributes[512];
    uint32_t status;
    int is_in_order;
};

static void spans_begin(struct spans *spans) {
    memset(spans, 0, sizeof(*spans));
    pthread_mutex_init(&spans->lock, NULL);
    pthread_cond_init(&spans->changed, NULL);
}

static void describe(const restway_span *span, char *text, size_t capacity) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t index = 0; index < span->attribute_count; index++) {
        const restway_span_attribute *attribute = &span->attributes[index];
        if (attribute->text != NULL) {
            length += (size_t)snprintf(
                text + length, capacity - length, "%s=%s ", attribute->name, attribute->text);
        } else {
            length += (size_t)snprintf(
                text + length, capacity - length, "%s=%lld ", attribute->name,
                (long long)attribute->number);
        }
    }
}

static void note(void *context, const restway_span *span, void *trace_parent) {
    struct spans *spans = context;
    pthread_mutex_lock(&spans->lock);
    if (trace_parent != NULL) {
        spans->start_count++;
        strcpy(spans->proposal, trace_parent);
        strcpy(trace_parent, GIVEN);
        spans->is_in_order = span->end_microseconds == 0 && span->status == RESTWAY_OK;
    } else {
        spans->end_count++;
        snprintf(spans->name, sizeof(spans->name), "%s", span->name);
        describe(span, spans->attributes, sizeof(spans->attributes));
        spans->status = span->status;
        spans->is_in_order &= span->end_microseconds >= span->start_microseconds &&
                              span->start_microseconds > 0 && span->call_id > 0 &&
                              span->reserved == 0;
    }
    pthread_cond_signal(&spans->changed);
    pthread_mutex_unlock(&spans->lock);
}

static void spans_destroy(void *context) {
    struct spans *spans = context;
    spans->destroyed_count++;
}

static void wait_for_ends(struct spans *spans, int count) {
    pthread_mutex_lock(&spans->lock);
    while (spans->end_count < count) {
        pthread_cond_wait(&spans->changed, &spans->lock);
    }
    pthread_mutex_unlock(&spans->lock);
}

static void tracing__tells_spans_and_sends_the_header(void **state) {
    (void)state;
    struct spans spans;
    spans_begin(&spans);
    restway_client *client = make_client();
    assert_ok(restway_client_set_tracing(
        client, RESTWAY_TRACE_HEADER, note, &spans, spans_destroy, &failure));
    restway_response *response = fetch(client, "echo?token=hidden&page=2");
    const char *body = NULL;
    size_t length = 0;
    assert_ok(restway_response_text(response, &body, &length, &failure));
    assert_holds(body, GIVEN);
    restway_response_release(response);
    wait_for_ends(&spans, 1);
    assert_int_equal(spans.start_count, 1);
    assert_true(spans.is_in_order);
    assert_int_equal(strlen(spans.proposal), RESTWAY_TRACEPARENT_SIZE - 1);
    assert_int_equal(strncmp(spans.proposal, "00-", 3), 0);
    assert_holds(spans.name, "GET");
    assert_holds(spans.attributes, "http.request.method=GET ");
    assert_holds(spans.attributes, "token=[redacted]&page=2 ");
    assert_holds(spans.attributes, "server.address=127.0.0.1 ");
    assert_holds(spans.attributes, "server.port=");
    assert_holds(spans.attributes, "http.response.status_code=200 ");
    assert_holds(spans.attributes, "network.protocol.version=1.1 ");
    assert_int_equal(spans.status, RESTWAY_OK);
    assert_null(strstr(spans.attributes, "error.type"));

    restway_request *request = make_get("bad/status/404");
    assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "");
    restway_request_release(request);
    wait_for_ends(&spans, 2);
    assert_int_equal(spans.status, RESTWAY_E_HTTP);
    assert_holds(spans.attributes, "http.response.status_code=404 ");
    assert_holds(spans.attributes, "error.type=404 ");

    assert_ok(restway_client_set_tracing(client, 0, NULL, NULL, NULL, &failure));
    restway_response_release(fetch(client, "status"));
    assert_int_equal(spans.start_count, 2);
    restway_client_release(client);
}

/** Sends a request to a server that does not answer, and waits for the span. */
static void fail_to_connect(const char *host, struct spans *spans) {
    char url[64];
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    snprintf(url, sizeof(url), "http://%s:%d", host, closed_port());
    options.base_url = url;
    restway_client *client = make_client_with(options);
    spans_begin(spans);
    assert_ok(restway_client_set_tracing(client, 0, note, spans, NULL, &failure));
    restway_request *request = make_get("status");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CONNECT, "");
    restway_request_release(request);
    wait_for_ends(spans, 1);
    restway_client_release(client);
}

static void tracing__names_what_went_wrong(void **state) {
    (void)state;
    struct spans spans;
    fail_to_connect("127.0.0.1", &spans);
    assert_int_equal(spans.status, RESTWAY_E_CONNECT);
    assert_holds(spans.attributes, "error.type=RESTWAY_E_CONNECT ");
    assert_null(strstr(spans.attributes, "http.response.status_code"));
    fail_to_connect("[::1]", &spans);
    assert_holds(spans.attributes, "server.address=::1 ");
}

static void tracing__refuses_wrong_arguments(void **state) {
    (void)state;
    restway_client *client = make_client();
    assert_refused(restway_client_set_tracing(NULL, 0, NULL, NULL, NULL, &failure));
    assert_refused(restway_client_set_tracing(client, 4, note, NULL, NULL, &failure));
    restway_client_close(client);
    assert_fails(
        restway_client_set_tracing(client, 0, NULL, NULL, NULL, &failure), RESTWAY_E_CLOSED, "");
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(tracing__tells_spans_and_sends_the_header),
    TEST(tracing__names_what_went_wrong),
    TEST(tracing__refuses_wrong_arguments),
};

const struct suite trace_suite = SUITE(tests);
