#include "outboxing.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}}," \
    " \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {" \
    "   \"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"}}," \
    "   \"relationships\": {\"parts\": {\"entity\": \"Thing\", \"many\": true}}}}," \
    " \"outbox\": {\"path\": \"outbox.db\"}," \
    " \"errors\": {\"code\": \"code\", \"message\": \"detail\", \"details\": []}," \
    " \"routes\": {" \
    "   \"thing\": {\"method\": [\"GET\", \"PUT\", \"DELETE\"], \"path\": \"things/:id\"," \
    "     \"entity\": \"Thing\", \"response\": {\"entity\": \"Thing\"}, \"offline\": true}," \
    "   \"things\": {\"method\": \"POST\", \"path\": \"things\"," \
    "     \"entity\": \"Thing\", \"response\": {\"entity\": \"Thing\"}, \"offline\": true}}}"

static void make_client_here(struct outboxing *outboxing, restway_delivery mode) {
    restway_api *api = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    options.base_url = outboxing->server.url;
    options.outbox_path = outboxing->path;
    options.delivery = (uint32_t)mode;
    assert_ok(restway_client_create(api, &options, &outboxing->client, &failure));
    restway_api_release(api);
}

void outboxing_begin(struct outboxing *outboxing, restway_delivery mode) {
    memset(outboxing, 0, sizeof(*outboxing));
    snprintf(outboxing->directory, sizeof(outboxing->directory), "/tmp/restway-outbox-XXXXXX");
    assert_non_null(mkdtemp(outboxing->directory));
    snprintf(outboxing->path, sizeof(outboxing->path), "%s/outbox.db", outboxing->directory);
    answering_begin(&outboxing->server);
    make_client_here(outboxing, mode);
}

void outboxing_restart(struct outboxing *outboxing, restway_delivery mode) {
    restway_client_release(outboxing->client);
    outboxing->client = NULL;
    make_client_here(outboxing, mode);
}

void outboxing_restart_without_server(struct outboxing *outboxing, restway_delivery mode) {
    char url[URL_BYTES_MAX];
    memcpy(url, outboxing->server.url, sizeof(url));
    snprintf(outboxing->server.url, sizeof(url), "http://127.0.0.1:%d", closed_port());
    outboxing_restart(outboxing, mode);
    memcpy(outboxing->server.url, url, sizeof(url));
}

void outboxing_end(struct outboxing *outboxing) {
    restway_client_release(outboxing->client);
    answering_end(&outboxing->server);
    remove_store(outboxing->directory, outboxing->path);
}

restway_request *outboxing_put(int number) {
    static const char body[] = "{\"name\": \"a\"}";
    restway_request *request = NULL;
    restway_value value = restway_value_int64(number);
    assert_ok(restway_request_create_route("PUT", "thing", &request, &failure));
    assert_ok(restway_request_set_variable(request, "id", &value, &failure));
    assert_ok(restway_request_set_body(
        request, body, strlen(body), "application/json", &failure));
    return request;
}

int64_t outboxing_store(struct outboxing *outboxing, int number) {
    restway_request *request = outboxing_put(number);
    assert_ok(restway_client_set_reachability(
        outboxing->client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_fails_keeping(
        restway_client_perform(outboxing->client, request, 0, NULL, &failure),
        RESTWAY_E_QUEUED, "outbox");
    int64_t id = restway_error_outbox_id(failure);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_OUTBOX);
    forget_failure();
    restway_request_release(request);
    return id;
}

void outboxing_wait(struct outboxing *outboxing, int64_t waiting, int64_t blocked, int64_t dead) {
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    do {
        sched_yield();
        assert_ok(restway_outbox_count(outboxing->client, &counts, &failure));
    } while (counts.waiting != waiting || counts.sending != 0 || counts.blocked != blocked
             || counts.dead != dead);
}
