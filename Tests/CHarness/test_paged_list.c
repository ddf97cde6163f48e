/* Lists that the store keeps of pages, against a server on the loopback interface. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answering.h"
#include "harness.h"

#define PAGE(ids, next) "{\"list\": [" ids "], \"next\": " next ", \"total\": 4}"

/** A client whose route "things" has pages, and its server. */
struct listing {
    struct answering_server server;
    char folder[32];
    char path[64];
    restway_client *client;
    restway_paged_list *list;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int destroyed_count;
    restway_status last_status;
    int change_count;
};

static void open_list(struct listing *listing) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_request *request = NULL;
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Thing\": {\"identity\": \"id\","
        " \"attributes\": {\"id\": {\"type\": \"int\"}}}},"
        " \"routes\": {\"things\": {\"path\": \"things\","
        " \"response\": {\"entity\": \"Thing\", \"keyPath\": \"list\"},"
        " \"pages\": {\"cursor\": \"next\", \"parameter\": \"after\", \"total\": \"total\"}},"
        " \"names\": {\"path\": \"names\", \"response\": {\"type\": [\"string\"]},"
        " \"pages\": {\"page\": \"page\"}},"
        " \"plain\": {\"path\": \"plain\"}}}";
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    options.base_url = listing->server.url;
    options.store_path = listing->path;
    assert_ok(restway_client_create(api, &options, &listing->client, &failure));
    restway_api_release(api);
    assert_ok(restway_request_create_route(NULL, "things", &request, &failure));
    assert_ok(restway_client_paged_list(listing->client, request, &listing->list, &failure));
    restway_request_release(request);
}

static void close_list(struct listing *listing) {
    restway_paged_list_release(listing->list);
    restway_client_release(listing->client);
}

static void listing_begin(struct listing *listing) {
    memset(listing, 0, sizeof(*listing));
    pthread_mutex_init(&listing->lock, NULL);
    pthread_cond_init(&listing->changed, NULL);
    answering_begin(&listing->server);
    strcpy(listing->folder, "/tmp/restway-list-XXXXXX");
    assert_non_null(mkdtemp(listing->folder));
    snprintf(listing->path, sizeof(listing->path), "%s/a.db", listing->folder);
    open_list(listing);
}

static void listing_end(struct listing *listing) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    close_list(listing);
    for (size_t i = 0; i < 3; i++) {
        char path[80];
        snprintf(path, sizeof(path), "%s%s", listing->path, suffixes[i]);
        unlink(path);
    }
    rmdir(listing->folder);
    answering_end(&listing->server);
    pthread_cond_destroy(&listing->changed);
    pthread_mutex_destroy(&listing->lock);
}

/** Checks that the list has objects with these ids, one digit each. */
static void assert_ids(struct listing *listing, const char *ids) {
    restway_list *objects = NULL;
    char found[16] = "";
    assert_ok(restway_paged_list_objects(listing->list, &objects, &failure));
    for (size_t i = 0; i < restway_list_count(objects) && i < sizeof(found) - 1; i++) {
        long long id = restway_object_int64(restway_list_object(objects, i), "id", 0);
        found[i] = (char)('0' + id);
        found[i + 1] = 0;
    }
    assert_string_equal(found, ids);
    restway_list_release(objects);
}

static void load(struct listing *listing, const char *body) {
    restway_response *response = POISON;
    answering_set(&listing->server, 200, body);
    assert_ok(restway_paged_list_load(listing->list, 0, &response, &failure));
    assert_non_null(response);
    restway_response_release(response);
}

static void done(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct listing *listing = context;
    (void)call;
    (void)response;
    (void)error;
    pthread_mutex_lock(&listing->lock);
    listing->last_status = status;
    pthread_mutex_unlock(&listing->lock);
}

static void destroy(void *context) {
    struct listing *listing = context;
    pthread_mutex_lock(&listing->lock);
    listing->destroyed_count++;
    pthread_cond_broadcast(&listing->changed);
    pthread_mutex_unlock(&listing->lock);
}

static void changed(void *context, const restway_changes *changes) {
    struct listing *listing = context;
    pthread_mutex_lock(&listing->lock);
    listing->change_count += (int)restway_changes_count(changes);
    pthread_cond_broadcast(&listing->changed);
    pthread_mutex_unlock(&listing->lock);
}

static void paged_list__keeps_its_objects_and_its_place(void **state) {
    (void)state;
    struct listing listing;
    restway_response *response = POISON;
    char *head;
    listing_begin(&listing);
    assert_ids(&listing, "");
    assert_int_equal(restway_paged_list_total(listing.list), -1);
    load(&listing, PAGE("{\"id\": 1}, {\"id\": 2}", "\"a\""));
    close_list(&listing);
    open_list(&listing);
    assert_ids(&listing, "12");
    assert_int_equal(restway_paged_list_total(listing.list), 4);
    assert_int_equal(restway_paged_list_is_complete(listing.list), 0);
    load(&listing, PAGE("{\"id\": 3}, {\"id\": 1}", "null"));
    head = answering_take_head(&listing.server);
    assert_non_null(strstr(head, "GET /things?after=a HTTP"));
    free(head);
    assert_ids(&listing, "231");
    assert_int_equal(restway_paged_list_is_complete(listing.list), 1);
    assert_ok(restway_paged_list_load(listing.list, 0, &response, &failure));
    assert_null(response);
    restway_paged_list_restart(listing.list);
    assert_int_equal(restway_paged_list_is_complete(listing.list), 0);
    assert_ids(&listing, "231");
    load(&listing, PAGE("{\"id\": 5}", "null"));
    assert_ids(&listing, "5");
    listing_end(&listing);
}

static void paged_list__tells_functions_and_observers(void **state) {
    (void)state;
    struct listing listing;
    restway_call *call = NULL;
    restway_observer *observer = NULL;
    listing_begin(&listing);
    assert_ok(restway_paged_list_observe(
        listing.list, changed, &listing, NULL, &observer, &failure));
    answering_set(&listing.server, 200, PAGE("{\"id\": 1}, {\"id\": 2}", "null"));
    assert_ok(restway_paged_list_send(
        listing.list, done, &listing, destroy, &call, &failure));
    restway_call_release(call);
    pthread_mutex_lock(&listing.lock);
    while (listing.destroyed_count < 1 || listing.change_count < 2) {
        pthread_cond_wait(&listing.changed, &listing.lock);
    }
    pthread_mutex_unlock(&listing.lock);
    assert_int_equal(listing.last_status, RESTWAY_OK);
    assert_ids(&listing, "12");
    assert_fails(
        restway_paged_list_send(listing.list, done, &listing, destroy, &call, &failure),
        RESTWAY_E_NO_OBJECT, "no more pages");
    assert_null(call);
    restway_paged_list_restart(listing.list);
    answering_shut(&listing.server);
    assert_ok(restway_paged_list_send(listing.list, done, &listing, destroy, NULL, &failure));
    restway_paged_list_cancel(listing.list);
    pthread_mutex_lock(&listing.lock);
    while (listing.destroyed_count < 2) pthread_cond_wait(&listing.changed, &listing.lock);
    pthread_mutex_unlock(&listing.lock);
    assert_int_equal(listing.last_status, RESTWAY_E_CANCELLED);
    answering_open(&listing.server);
    restway_observer_remove(observer);
    restway_observer_release(observer);
    listing_end(&listing);
}

static void paged_list__refuses_wrong_arguments(void **state) {
    (void)state;
    struct listing listing;
    restway_paged_list *list = POISON;
    restway_list *objects = POISON;
    restway_response *response = POISON;
    restway_call *call = POISON;
    restway_observer *observer = POISON;
    restway_request *request = NULL;
    listing_begin(&listing);
    assert_ok(restway_request_create_route(NULL, "plain", &request, &failure));
    assert_refused(restway_client_paged_list(NULL, request, &list, &failure));
    assert_null(list);
    assert_refused(restway_client_paged_list(listing.client, NULL, &list, &failure));
    assert_refused(restway_client_paged_list(listing.client, request, NULL, &failure));
    assert_fails(
        restway_client_paged_list(listing.client, request, &list, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "has no \"pages\"");
    restway_request_release(request);
    assert_ok(restway_request_create_route(NULL, "names", &request, &failure));
    assert_fails(
        restway_client_paged_list(listing.client, request, &list, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "the pages of route \"names\" have values");
    assert_null(list);
    restway_request_release(request);
    assert_null(restway_paged_list_retain(NULL));
    restway_paged_list_release(NULL);
    restway_paged_list_restart(NULL);
    restway_paged_list_cancel(NULL);
    assert_int_equal(restway_paged_list_is_complete(NULL), 0);
    assert_int_equal(restway_paged_list_total(NULL), -1);
    assert_refused(restway_paged_list_objects(NULL, &objects, &failure));
    assert_null(objects);
    assert_refused(restway_paged_list_objects(listing.list, NULL, &failure));
    assert_refused(restway_paged_list_load(NULL, 0, &response, &failure));
    assert_null(response);
    assert_refused(restway_paged_list_load(listing.list, 0, NULL, &failure));
    assert_refused(restway_paged_list_load(listing.list, -1, &response, &failure));
    assert_refused(restway_paged_list_send(NULL, done, NULL, NULL, &call, &failure));
    assert_null(call);
    assert_refused(restway_paged_list_observe(NULL, changed, NULL, NULL, &observer, &failure));
    assert_null(observer);
    assert_refused(restway_paged_list_observe(
        listing.list, NULL, NULL, NULL, &observer, &failure));
    assert_ok(restway_paged_list_observe(listing.list, changed, NULL, NULL, NULL, &failure));
    list = restway_paged_list_retain(listing.list);
    restway_paged_list_release(list);
    listing_end(&listing);
}

static const struct CMUnitTest tests[] = {
    TEST(paged_list__keeps_its_objects_and_its_place),
    TEST(paged_list__tells_functions_and_observers),
    TEST(paged_list__refuses_wrong_arguments),
};
const struct suite paged_list_suite = SUITE(tests);
