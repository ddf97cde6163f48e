#include "caching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}}," \
    " \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {" \
    "   \"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"}}}}," \
    " \"batch\": {\"path\": \"/batch\"}," \
    " \"auth\": {\"scheme\": \"bearer\"}," \
    " \"routes\": {" \
    "   \"things\": {\"path\": \"things\", \"auth\": false, \"cacheTTL\": 60," \
    "     \"cacheIgnoreQueryParameters\": [\"_\"], \"response\": {\"entity\": \"Thing\"}}," \
    "   \"thing\": {\"method\": [\"GET\", \"PUT\"], \"path\": \"things/:id\"," \
    "     \"auth\": false, \"cacheTTL\": 60, \"entity\": \"Thing\"," \
    "     \"response\": {\"entity\": \"Thing\"}," \
    "     \"invalidatesCachedRouteNames\": [\"things\"]}," \
    "   \"search\": {\"method\": \"POST\", \"path\": \"search\", \"auth\": false," \
    "     \"cacheTTL\": 60, \"cache\": {\"unsafe\": true}}," \
    "   \"calm\": {\"path\": \"calm\", \"auth\": false, \"cacheTTL\": 60," \
    "     \"cache\": {\"staleWhileRevalidate\": 30}}," \
    "   \"sure\": {\"path\": \"sure\", \"auth\": false, \"cacheTTL\": 60," \
    "     \"cache\": {\"staleIfError\": 600}}," \
    "   \"kept\": {\"path\": \"kept\", \"auth\": false, \"cacheTTL\": 60," \
    "     \"offline\": true}," \
    "   \"news\": {\"path\": \"news\", \"auth\": false, \"cache\": {\"bypass\": true}}," \
    "   \"mine\": {\"path\": \"mine\", \"cacheTTL\": 60}}}"

/** A route of clients with an outbox. */
#define STORED_ROUTE \
    "{\"method\": \"PUT\", \"path\": \"stored/:id\", \"offline\": true," \
    " \"auth\": false, \"invalidatesCachedRouteNames\": [\"things\"]}"

restway_client *caching_client(struct caching *caching, restway_client_options options) {
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    if (options.outbox_path != NULL) {
        assert_ok(restway_api_add_route(
            api, "stored", STORED_ROUTE, strlen(STORED_ROUTE), 0, &failure));
    }
    options.base_url = caching->server.url;
    options.clock = caching->clock;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static void begin(struct caching *caching) {
    memset(caching, 0, sizeof(*caching));
    answering_begin(&caching->server);
    answering_set(&caching->server, 200, THING);
    assert_ok(restway_clock_create(&caching->clock, &failure));
}

void caching_begin(struct caching *caching) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    begin(caching);
    options.cache_flags = RESTWAY_CACHE_ON;
    caching->client = caching_client(caching, options);
}

static void make_client_of_file(struct caching *caching) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.cache_path = caching->path;
    options.cache_memory_bytes_max = -1;
    caching->client = caching_client(caching, options);
    // A reader waits for the making of a new file at most 250 ms, which may take longer under
    // valgrind. The list waits until the file is made.
    restway_cache_entries *entries = NULL;
    assert_ok(restway_cache_list(caching->client, NULL, 0, &entries, &failure));
    restway_cache_entries_release(entries);
}

void caching_begin_in_file(struct caching *caching) {
    begin(caching);
    snprintf(caching->directory, sizeof(caching->directory), "/tmp/restway-cache-XXXXXX");
    assert_non_null(mkdtemp(caching->directory));
    snprintf(caching->path, sizeof(caching->path), "%s/cache.db", caching->directory);
    make_client_of_file(caching);
}

void caching_restart(struct caching *caching) {
    restway_client_release(caching->client);
    make_client_of_file(caching);
}

void caching_replace_client(struct caching *caching, restway_client_options options) {
    restway_client_release(caching->client);
    caching->client = caching_client(caching, options);
}

void caching_end(struct caching *caching) {
    restway_client_release(caching->client);
    restway_clock_release(caching->clock);
    answering_end(&caching->server);
    if (caching->path[0] != '\0') {
        char command[128];
        snprintf(command, sizeof(command), "rm -r %s", caching->directory);
        assert_int_equal(system(command), 0);
    }
}

void caching_pass(struct caching *caching, int seconds) {
    assert_ok(restway_clock_advance(caching->clock, seconds * 1000, &failure));
}

void caching_answer(struct caching *caching, int status, const char *headers, const char *body) {
    char answer[1024];
    int length = snprintf(
        answer, sizeof(answer),
        "HTTP/1.1 %d Any\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
        "Connection: close\r\n%s\r\n%s",
        status, strlen(body), headers, body);
    assert_in_range(length, 1, sizeof(answer) - 1);
    answering_set_bytes(&caching->server, answer, (size_t)length);
}

restway_cache_note caching_note(const restway_response *response) {
    restway_cache_note note = RESTWAY_CACHE_NOTE_INIT;
    assert_ok(restway_response_cache(response, &note, &failure));
    return note;
}

restway_request *caching_request(const char *target) {
    restway_request *request = NULL;
    if (target[0] == '/') {
        return make_get(target + 1);
    }
    assert_ok(restway_request_create_route("GET", target, &request, &failure));
    return request;
}

void caching_get_at(
    struct caching *caching, const char *target, restway_cache_mode mode,
    restway_cache_state state, int count, const char *body, const char *file, int line) {
    restway_request *request = caching_request(target);
    restway_response *response = NULL;
    assert_ok(restway_request_set_cache(request, mode, &failure));
    assert_ok_at(
        restway_client_perform(caching->client, request, 0, &response, &failure), target, file,
        line);
    restway_cache_note note = caching_note(response);
    _assert_int_equal(note.state, state, file, line);
    _assert_int_equal(answering_count(&caching->server), count, file, line);
    if (body != NULL) {
        _assert_string_equal(restway_response_body(response, NULL), body, file, line);
    }
    restway_response_release(response);
    restway_request_release(request);
}

restway_cache_state caching_perform(struct caching *caching, restway_request *request) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(caching->client, request, 0, &response, &failure));
    restway_cache_state state = (restway_cache_state)caching_note(response).state;
    restway_response_release(response);
    restway_request_release(request);
    return state;
}

restway_cache_note caching_find(struct caching *caching, const char *target) {
    restway_cache_note note = RESTWAY_CACHE_NOTE_INIT;
    restway_request *request = caching_request(target);
    assert_ok(restway_cache_find(caching->client, request, &note, &failure));
    restway_request_release(request);
    return note;
}

restway_cache_counts caching_counts(struct caching *caching) {
    restway_cache_counts counts = RESTWAY_CACHE_COUNTS_INIT;
    assert_ok(restway_cache_statistics(caching->client, &counts, &failure));
    return counts;
}
