/* Pages of a route, against a server on the loopback interface. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "delivery.h"
#include "harness.h"

#define PAGE(ids, next) "{\"list\": [" ids "], \"next\": " next ", \"total\": 5}"

/** A client whose route "things" has pages, and its server. */
struct paging {
    struct answering_server server;
    restway_client *client;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    restway_pages *pages;
    /** What the done function has seen. */
    int done_count;
    int destroyed_count;
    restway_status last_status;
    long long last_id;
};

static void paging_begin(struct paging *paging, restway_delivery delivery) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Thing\": {\"identity\": \"id\","
        " \"attributes\": {\"id\": {\"type\": \"int\"}}},"
        /* Pages of objects without identity may be equal. */
        " \"Line\": {\"attributes\": {\"id\": {\"type\": \"int\"}}}},"
        " \"routes\": {\"things\": {\"path\": \"things\","
        " \"response\": {\"entity\": \"Thing\", \"keyPath\": \"list\"},"
        " \"pages\": {\"cursor\": \"next\", \"parameter\": \"after\", \"total\": \"total\"}},"
        " \"numbered\": {\"path\": \"numbered\", \"pages\": {\"page\": \"page\"},"
        " \"response\": {\"entity\": \"Line\", \"keyPath\": \"list\"}},"
        " \"plain\": {\"path\": \"plain\"}}}";
    memset(paging, 0, sizeof(*paging));
    pthread_mutex_init(&paging->lock, NULL);
    pthread_cond_init(&paging->changed, NULL);
    answering_begin(&paging->server);
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    options.base_url = paging->server.url;
    options.delivery = delivery;
    assert_ok(restway_client_create(api, &options, &paging->client, &failure));
    restway_api_release(api);
}

static void paging_end(struct paging *paging) {
    restway_pages_release(paging->pages);
    restway_client_release(paging->client);
    answering_end(&paging->server);
    pthread_cond_destroy(&paging->changed);
    pthread_mutex_destroy(&paging->lock);
}

static restway_pages *paging_pages(
    struct paging *paging, const char *route, const restway_page_options *options) {
    restway_request *request = NULL;
    restway_pages *pages = NULL;
    assert_ok(restway_request_create_route(NULL, route, &request, &failure));
    assert_ok(restway_client_pages(paging->client, request, options, &pages, &failure));
    restway_request_release(request);
    return pages;
}

/** Asks for the next page; returns the id of its first object, or -1 after the last page. */
static long long next_id(restway_pages *pages) {
    restway_response *response = POISON;
    restway_list *list = NULL;
    long long id = -1;
    assert_ok(restway_pages_next(pages, 0, &response, &failure));
    if (!response) return -1;
    assert_ok(restway_pages_objects(pages, &list, &failure));
    if (restway_list_count(list)) {
        id = restway_object_int64(restway_list_object(list, 0), "id", -1);
    }
    restway_list_release(list);
    restway_response_release(response);
    return id;
}

static void done(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct paging *paging = context;
    restway_list *list = NULL;
    (void)call;
    (void)error;
    (void)response;
    pthread_mutex_lock(&paging->lock);
    paging->done_count++;
    paging->last_status = status;
    paging->last_id = -1;
    if (!status && !restway_pages_objects(paging->pages, &list, NULL)) {
        if (restway_list_count(list)) {
            paging->last_id = restway_object_int64(restway_list_object(list, 0), "id", -1);
        }
        restway_list_release(list);
    }
    pthread_cond_broadcast(&paging->changed);
    pthread_mutex_unlock(&paging->lock);
}

static void destroy(void *context) {
    struct paging *paging = context;
    pthread_mutex_lock(&paging->lock);
    paging->destroyed_count++;
    pthread_cond_broadcast(&paging->changed);
    pthread_mutex_unlock(&paging->lock);
}

static void wait_destroyed(struct paging *paging, int count) {
    pthread_mutex_lock(&paging->lock);
    while (paging->destroyed_count < count) {
        pthread_cond_wait(&paging->changed, &paging->lock);
    }
    pthread_mutex_unlock(&paging->lock);
}

static void pages__come_one_after_the_other(void **state) {
    (void)state;
    struct paging paging;
    restway_page page = RESTWAY_PAGE_INIT;
    char *head;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    paging.pages = paging_pages(&paging, "things", NULL);
    assert_int_equal(answering_count(&paging.server), 0);
    assert_int_equal(restway_pages_has_next(paging.pages), 1);
    answering_set(&paging.server, 200, PAGE("{\"id\": 1}, {\"id\": 2}", "\"x y\""));
    assert_int_equal(next_id(paging.pages), 1);
    assert_ok(restway_pages_position(paging.pages, &page, &failure));
    assert_int_equal(page.number, 0);
    assert_int_equal(page.offset, 0);
    assert_int_equal(page.total, 5);
    assert_int_equal(page.object_count, 2);
    assert_int_equal(page.is_last, 0);
    answering_set(&paging.server, 200, PAGE("{\"id\": 3}", "null"));
    assert_int_equal(next_id(paging.pages), 3);
    head = answering_take_head(&paging.server);
    assert_non_null(strstr(head, "GET /things?after=x%20y HTTP"));
    free(head);
    assert_ok(restway_pages_position(paging.pages, &page, &failure));
    assert_int_equal(page.number, 1);
    assert_int_equal(page.offset, 2);
    assert_int_equal(page.is_last, 1);
    assert_int_equal(restway_pages_has_next(paging.pages), 0);
    assert_int_equal(next_id(paging.pages), -1);
    paging_end(&paging);
}

static void pages__are_told_to_functions(void **state) {
    (void)state;
    struct paging paging;
    restway_call *call = NULL;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    for (int prefetch = 0; prefetch < 2; prefetch++) {
        restway_page_options options = RESTWAY_PAGE_OPTIONS_INIT;
        options.prefetch = prefetch;
        options.pages_max = 3;
        paging.pages = paging_pages(&paging, "numbered", &options);
        paging.destroyed_count = paging.done_count = 0;
        answering_set(&paging.server, 200, PAGE("{\"id\": 8}", "null"));
        for (int page = 1; page <= 3; page++) {
            assert_ok(restway_pages_send_next(
                paging.pages, done, &paging, destroy, &call, &failure));
            restway_call_release(call);
            wait_destroyed(&paging, page);
            assert_int_equal(paging.last_status, RESTWAY_OK);
            assert_int_equal(paging.last_id, 8);
        }
        assert_int_equal(paging.done_count, 3);
        assert_int_equal(restway_pages_has_next(paging.pages), 0);
        assert_fails(
            restway_pages_send_next(paging.pages, done, &paging, destroy, &call, &failure),
            RESTWAY_E_NO_OBJECT, "no more pages");
        assert_null(call);
        assert_int_equal(paging.destroyed_count, 3);
        restway_pages_release(paging.pages);
        paging.pages = NULL;
    }
    paging_end(&paging);
}

static void pages__come_as_events(void **state) {
    (void)state;
    struct paging paging;
    restway_event event;
    size_t count = 0;
    paging_begin(&paging, RESTWAY_DELIVERY_DRAIN);
    restway_page_options options = RESTWAY_PAGE_OPTIONS_INIT;
    options.prefetch = 1;
    paging.pages = paging_pages(&paging, "numbered", &options);
    answering_set(&paging.server, 200, PAGE("{\"id\": 8}", "null"));
    for (int page = 1; page <= 3; page++) {
        assert_ok(restway_pages_send_next(
            paging.pages, NULL, (void *)(size_t)(40 + page), NULL, NULL, &failure));
        do {
            wait_readable(paging.client);
            assert_ok(restway_client_drain(paging.client, &event, 1, &count, &failure));
        } while (!count);
        assert_int_equal(event.kind, RESTWAY_EVENT_COMPLETED);
        assert_int_equal(event.token, 40 + page);
        assert_int_equal(event.status, RESTWAY_OK);
        restway_event_release(&event);
        restway_page found = RESTWAY_PAGE_INIT;
        assert_ok(restway_pages_position(paging.pages, &found, &failure));
        assert_int_equal(found.number, page - 1);
    }
    paging_end(&paging);
}

static void pages__are_bounded(void **state) {
    (void)state;
    struct paging paging;
    restway_page_options options = RESTWAY_PAGE_OPTIONS_INIT;
    restway_page page = RESTWAY_PAGE_INIT;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    options.objects_max = 3;
    paging.pages = paging_pages(&paging, "things", &options);
    answering_set(&paging.server, 200, PAGE("{\"id\": 1}, {\"id\": 2}", "1"));
    assert_int_equal(next_id(paging.pages), 1);
    answering_set(&paging.server, 200, PAGE("{\"id\": 3}, {\"id\": 4}", "2"));
    assert_int_equal(next_id(paging.pages), 3);
    assert_ok(restway_pages_position(paging.pages, &page, &failure));
    assert_int_equal(page.object_count, 1);
    assert_int_equal(page.is_last, 0);
    assert_int_equal(next_id(paging.pages), -1);
    paging_end(&paging);
}

static void pages__that_lead_wrong_are_errors(void **state) {
    (void)state;
    struct paging paging;
    restway_response *response = POISON;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    paging.pages = paging_pages(&paging, "things", NULL);
    answering_set(&paging.server, 200, PAGE("{\"id\": 1}", "[1]"));
    assert_int_equal(next_id(paging.pages), 1);
    assert_int_equal(restway_pages_has_next(paging.pages), 1);
    assert_fails(
        restway_pages_next(paging.pages, 0, &response, &failure), RESTWAY_E_MAPPING,
        "expected a text, a whole number or null at next, found an array");
    assert_null(response);
    restway_pages_release(paging.pages);
    paging.pages = paging_pages(&paging, "things", NULL);
    answering_set(&paging.server, 200, PAGE("{\"id\": 1}", "\"a\""));
    assert_int_equal(next_id(paging.pages), 1);
    assert_int_equal(next_id(paging.pages), 1);
    assert_fails(
        restway_pages_next(paging.pages, 0, &response, &failure), RESTWAY_E_PROTOCOL,
        "a page that was requested before (\"a\")");
    paging_end(&paging);
}

static void pages__go_on_after_a_failed_call(void **state) {
    (void)state;
    struct paging paging;
    restway_response *response = POISON;
    restway_call *call = NULL;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    paging.pages = paging_pages(&paging, "things", NULL);
    answering_set(&paging.server, 500, "{}");
    assert_fails(
        restway_pages_next(paging.pages, 0, &response, &failure), RESTWAY_E_HTTP, "500");
    assert_null(response);
    answering_shut(&paging.server);
    assert_ok(restway_pages_send_next(paging.pages, done, &paging, destroy, &call, &failure));
    assert_fails(
        restway_pages_next(paging.pages, 0, &response, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "the next page is on its way");
    restway_pages_cancel(paging.pages);
    wait_destroyed(&paging, 1);
    assert_int_equal(paging.last_status, RESTWAY_E_CANCELLED);
    restway_call_release(call);
    answering_set(&paging.server, 200, PAGE("{\"id\": 7}", "null"));
    answering_open(&paging.server);
    assert_int_equal(next_id(paging.pages), 7);
    restway_client_close(paging.client);
    assert_int_equal(next_id(paging.pages), -1);
    paging_end(&paging);
}

static void pages__are_asked_for_again_after_an_interrupt(void **state) {
    (void)state;
    struct paging paging;
    restway_response *response = POISON;
    restway_interrupt *interrupt = NULL;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    paging.pages = paging_pages(&paging, "things", NULL);
    assert_ok(restway_interrupt_create(&interrupt, &failure));
    assert_ok(restway_interrupt_use(interrupt, &failure));
    answering_shut(&paging.server);
    restway_interrupt_raise(interrupt);
    assert_fails(
        restway_pages_next(paging.pages, 0, &response, &failure), RESTWAY_E_INTERRUPTED, "things");
    assert_null(response);
    assert_int_equal(restway_pages_has_next(paging.pages), 1);
    answering_set(&paging.server, 200, PAGE("{\"id\": 7}", "null"));
    answering_open(&paging.server);
    assert_int_equal(next_id(paging.pages), 7);
    assert_int_equal(next_id(paging.pages), -1);
    assert_ok(restway_interrupt_use(NULL, &failure));
    restway_interrupt_release(interrupt);
    paging_end(&paging);
}

static void pages__refuse_wrong_arguments(void **state) {
    (void)state;
    struct paging paging;
    restway_page_options options = RESTWAY_PAGE_OPTIONS_INIT, same_options;
    restway_page page = RESTWAY_PAGE_INIT, same_page;
    restway_pages *pages = POISON;
    restway_response *response = POISON;
    restway_call *call = POISON;
    restway_list *list = POISON;
    restway_request *request = NULL;
    paging_begin(&paging, RESTWAY_DELIVERY_THREAD);
    assert_ok(restway_page_options_init(&same_options, sizeof(options), &failure));
    assert_memory_equal(&same_options, &options, sizeof(options));
    assert_ok(restway_page_init(&same_page, sizeof(page), &failure));
    assert_memory_equal(&same_page, &page, sizeof(page));
    assert_refused(restway_page_options_init(NULL, sizeof(options), &failure));
    assert_refused(restway_page_options_init(&options, 8, &failure));
    assert_refused(restway_page_init(NULL, sizeof(page), &failure));
    assert_refused(restway_page_init(&page, 8, &failure));
    assert_ok(restway_request_create_route(NULL, "things", &request, &failure));
    assert_refused(restway_client_pages(NULL, request, NULL, &pages, &failure));
    assert_null(pages);
    assert_refused(restway_client_pages(paging.client, NULL, NULL, &pages, &failure));
    assert_refused(restway_client_pages(paging.client, request, NULL, NULL, &failure));
    options.pages_max = -1;
    assert_refused(restway_client_pages(paging.client, request, &options, &pages, &failure));
    options.pages_max = 0;
    options.objects_max = -1;
    assert_refused(restway_client_pages(paging.client, request, &options, &pages, &failure));
    options.objects_max = 0;
    options.prefetch = 2;
    assert_refused(restway_client_pages(paging.client, request, &options, &pages, &failure));
    options.prefetch = 0;
    options.reserved = 1;
    assert_refused(restway_client_pages(paging.client, request, &options, &pages, &failure));
    options.reserved = 0;
    options.struct_size = 8;
    assert_refused(restway_client_pages(paging.client, request, &options, &pages, &failure));
    restway_request_release(request);
    assert_ok(restway_request_create_route(NULL, "plain", &request, &failure));
    assert_fails(
        restway_client_pages(paging.client, request, NULL, &pages, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "route \"plain\" has no \"pages\"");
    restway_request_release(request);
    request = make_get("things");
    assert_fails(
        restway_client_pages(paging.client, request, NULL, &pages, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "by the name of a route");
    restway_request_release(request);
    assert_null(restway_pages_retain(NULL));
    restway_pages_release(NULL);
    restway_pages_cancel(NULL);
    assert_int_equal(restway_pages_has_next(NULL), 0);
    assert_refused(restway_pages_next(NULL, 0, &response, &failure));
    assert_null(response);
    assert_refused(restway_pages_send_next(NULL, done, NULL, NULL, &call, &failure));
    assert_null(call);
    assert_refused(restway_pages_position(NULL, &page, &failure));
    assert_refused(restway_pages_objects(NULL, &list, &failure));
    assert_null(list);
    paging.pages = paging_pages(&paging, "things", NULL);
    assert_refused(restway_pages_next(paging.pages, 0, NULL, &failure));
    assert_refused(restway_pages_next(paging.pages, -1, &response, &failure));
    assert_fails(
        restway_pages_position(paging.pages, &page, &failure), RESTWAY_E_NO_OBJECT, "no page");
    assert_fails(
        restway_pages_objects(paging.pages, &list, &failure), RESTWAY_E_NO_OBJECT, "no page");
    answering_set(&paging.server, 200, PAGE("{\"id\": 1}", "null"));
    assert_int_equal(next_id(paging.pages), 1);
    assert_refused(restway_pages_position(paging.pages, NULL, &failure));
    assert_refused(restway_pages_objects(paging.pages, NULL, &failure));
    pages = restway_pages_retain(paging.pages);
    restway_pages_release(pages);
    paging_end(&paging);
}

static const struct CMUnitTest tests[] = {
    TEST(pages__come_one_after_the_other),
    TEST(pages__are_told_to_functions),
    TEST(pages__come_as_events),
    TEST(pages__are_bounded),
    TEST(pages__that_lead_wrong_are_errors),
    TEST(pages__go_on_after_a_failed_call),
    TEST(pages__are_asked_for_again_after_an_interrupt),
    TEST(pages__refuse_wrong_arguments),
};
const struct suite page_suite = SUITE(tests);
