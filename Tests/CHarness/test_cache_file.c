/* The response cache's storage and what surrounds it: files, lists, batches, the outbox,
   downloads. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caching.h"

/** Returns how many entries match; NULL for all. What waits for the file is then in it. */
static size_t listed(struct caching *caching, const restway_cache_filter *filter) {
    restway_cache_entries *entries = NULL;
    assert_ok(restway_cache_list(caching->client, filter, 0, &entries, &failure));
    size_t count = restway_cache_entries_count(entries);
    restway_cache_entries_release(entries);
    return count;
}

static void cache_file__outlives_the_client(void **state) {
    (void)state;
    struct caching caching;
    caching_begin_in_file(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    caching_restart(&caching);
    caching_pass(&caching, 10);
    restway_cache_note note = caching_find(&caching, "things");
    assert_int_equal(note.state, RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(note.age_seconds, 10);
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1, THING);
    assert_int_equal(caching_counts(&caching).memory_entries, 0);
    struct stat status;
    assert_int_equal(stat(caching.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    caching_end(&caching);
}

static void cache_file__keeps_discriminators_but_no_holders(void **state) {
    (void)state;
    struct caching caching;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    credential.token = "first";
    caching_begin_in_file(&caching);
    assert_ok(restway_client_set_credential(caching.client, &credential, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_restart(&caching);
    assert_ok(restway_client_set_credential(caching.client, &credential, &failure));
    assert_int_equal(caching_find(&caching, "mine").state, RESTWAY_CACHE_STATE_MISSING);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    assert_int_equal(caching_find(&caching, "mine").state, RESTWAY_CACHE_STATE_HIT);
    caching_end(&caching);
}

static void cache_file__is_shared_by_clients(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin_in_file(&caching);
    options.cache_path = caching.path;
    restway_client *other = caching_client(&caching, options);
    restway_client *first = caching.client;
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    assert_int_equal(listed(&caching, NULL), 1);
    caching.client = other;
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    caching.client = first;
    assert_ok(restway_cache_remove(first, NULL, NULL, &failure));
    caching.client = other;
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    restway_client_release(first);
    caching_end(&caching);
}

/** Returns what is wrong with the cache; freed by the caller. */
static char *problem(struct caching *caching) {
    size_t length = 0;
    assert_ok(restway_cache_problem(caching->client, NULL, 0, &length, &failure));
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_ok(restway_cache_problem(caching->client, text, length + 1, NULL, &failure));
    assert_int_equal(strlen(text), length);
    return text;
}

static void cache_file__that_is_corrupt_fails_no_call(void **state) {
    (void)state;
    struct caching caching;
    caching_begin_in_file(&caching);
    char *text = problem(&caching);
    assert_string_equal(text, "");
    free(text);
    restway_client_close(caching.client);
    restway_client_release(caching.client);
    FILE *file = fopen(caching.path, "w");
    assert_non_null(file);
    for (int line = 0; line < 1000; line++) {
        assert_int_equal(fwrite("SQLite format 3", 1, 16, file), 16);
    }
    assert_int_equal(fclose(file), 0);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.cache_path = caching.path;
    caching.client = caching_client(&caching, options);
    restway_request *request = caching_request("things");
    restway_response *response = NULL;
    assert_ok(restway_client_perform(caching.client, request, 0, &response, &failure));
    assert_string_equal(restway_response_body(response, NULL), THING);
    restway_response_release(response);
    restway_request_release(request);
    text = problem(&caching);
    assert_holds(text, caching.path);
    free(text);
    caching_end(&caching);
}

static void cache_file__that_cannot_be_made_fails_no_call(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin(&caching);
    options.cache_path = "/proc/restway/cache.db";
    caching_replace_client(&caching, options);
    restway_request *request = caching_request("things");
    assert_ok(restway_client_perform(caching.client, request, 0, NULL, &failure));
    restway_request_release(request);
    char *text = problem(&caching);
    assert_holds(text, "/proc/restway");
    free(text);
    assert_true(caching_counts(&caching).failures > 0);
    caching_end(&caching);
}

static void cache_list__has_what_is_kept(void **state) {
    (void)state;
    struct caching caching;
    restway_cache_entries *entries = NULL;
    restway_cache_entry entry = RESTWAY_CACHE_ENTRY_INIT;
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 61);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    assert_ok(restway_cache_list(caching.client, NULL, 0, &entries, &failure));
    assert_int_equal(restway_cache_entries_count(entries), 2);
    assert_ok(restway_cache_entries_read(entries, 0, &entry, &failure));
    assert_string_equal(entry.route, "sure");
    assert_string_equal(entry.discriminator, "ann");
    assert_string_equal(entry.method, "GET");
    assert_holds(entry.url, "/sure");
    assert_int_equal(entry.status, 200);
    assert_int_equal(entry.is_stale, 0);
    assert_int_equal(entry.lifetime_seconds, 60);
    assert_in_range(entry.bytes, strlen(THING), 10000);
    assert_ok(restway_cache_entries_read(entries, 1, &entry, &failure));
    assert_string_equal(entry.route, "things");
    assert_null(entry.discriminator);
    assert_int_equal(entry.age_seconds, 61);
    assert_int_equal(entry.is_stale, 1);
    assert_refused(restway_cache_entries_read(entries, 2, &entry, &failure));
    restway_cache_filter filter = RESTWAY_CACHE_FILTER_INIT;
    filter.key = entry.key;
    assert_int_equal(listed(&caching, &filter), 1);
    restway_cache_entries_release(entries);
    assert_ok(restway_cache_list(caching.client, NULL, 1, &entries, &failure));
    assert_int_equal(restway_cache_entries_count(entries), 1);
    restway_cache_entries_release(restway_cache_entries_retain(entries));
    restway_cache_entries_release(entries);
    caching_end(&caching);
}

static void cache_remove__removes_what_the_filter_matches(void **state) {
    (void)state;
    struct caching caching;
    size_t count = 9;
    char url[96];
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 30);
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_get(&caching, "calm", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 3);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 4);
    restway_cache_filter filter = RESTWAY_CACHE_FILTER_INIT;
    filter.route = "nothing";
    assert_ok(restway_cache_remove(caching.client, &filter, &count, &failure));
    assert_int_equal(count, 0);
    filter.route = "sure";
    filter.discriminator = "ann";
    assert_ok(restway_cache_remove(caching.client, &filter, &count, &failure));
    assert_int_equal(count, 1);
    filter.route = NULL;
    filter.discriminator = "";
    assert_int_equal(listed(&caching, &filter), 3);
    filter.discriminator = NULL;
    filter.age_seconds_min = 30;
    assert_ok(restway_cache_remove(caching.client, &filter, &count, &failure));
    assert_int_equal(count, 1);
    filter.age_seconds_min = 0;
    snprintf(url, sizeof(url), "%s/calm", caching.server.url);
    filter.url = url;
    assert_ok(restway_cache_remove(caching.client, &filter, &count, &failure));
    assert_int_equal(count, 1);
    assert_int_equal(caching_counts(&caching).entries, 1);
    assert_ok(restway_cache_remove(caching.client, NULL, &count, &failure));
    assert_int_equal(count, 1);
    assert_int_equal(caching_counts(&caching).entries, 0);
    caching_end(&caching);
}

static void cache_statistics__count_what_the_cache_did(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    caching_pass(&caching, 61);
    caching_get(&caching, "things", RESTWAY_CACHE_ONLY, RESTWAY_CACHE_STATE_STALE, 1);
    restway_cache_counts counts = caching_counts(&caching);
    assert_int_equal(counts.misses, 1);
    assert_int_equal(counts.stored, 1);
    assert_int_equal(counts.hits, 1);
    assert_int_equal(counts.stale_hits, 1);
    assert_int_equal(counts.entries, 1);
    assert_int_equal(counts.memory_entries, 1);
    assert_true(counts.memory_bytes > (int64_t)strlen(THING));
    assert_int_equal(counts.failures, 0);
    assert_ok(restway_cache_remove(caching.client, NULL, NULL, &failure));
    assert_int_equal(caching_counts(&caching).invalidated, 1);
    caching_end(&caching);
}

static void cache__makes_room(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin(&caching);
    options.cache_flags = RESTWAY_CACHE_ON;
    options.cache_memory_bytes_max = 16384;
    caching_replace_client(&caching, options);
    caching_answer(&caching, 200, "Cache-Control: max-age=60\r\n", THING);
    for (int number = 1; number <= 200; number++) {
        char path[32];
        snprintf(path, sizeof(path), "/plain/%d", number);
        caching_get(&caching, path, RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, number);
    }
    restway_cache_counts counts = caching_counts(&caching);
    assert_true(counts.evicted > 0);
    assert_in_range(counts.memory_bytes, 1, 16384);
    /* The last one is there, the first one is not. */
    assert_int_equal(caching_find(&caching, "/plain/200").state, RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(caching_find(&caching, "/plain/1").state, RESTWAY_CACHE_STATE_MISSING);
    caching_end(&caching);
}

static void cache__saves_an_answer_in_a_file(void **state) {
    (void)state;
    struct caching caching;
    char path[128], content[64];
    caching_begin_in_file(&caching);
    snprintf(path, sizeof(path), "%s/saved", caching.directory);
    for (int turn = 0; turn < 2; turn++) {
        restway_request *request = caching_request("things");
        restway_response *response = NULL;
        assert_ok(restway_request_save_to(request, path, 0, &failure));
        assert_ok(restway_client_perform(caching.client, request, 0, &response, &failure));
        assert_int_equal(restway_response_saved_length(response), strlen(THING));
        int file = open(path, O_RDONLY);
        assert_true(file >= 0);
        assert_int_equal(read(file, content, sizeof(content)), strlen(THING));
        close(file);
        assert_memory_equal(content, THING, strlen(THING));
        assert_int_equal(unlink(path), 0);
        restway_response_release(response);
        restway_request_release(request);
    }
    assert_int_equal(answering_count(&caching.server), 1);
    caching_end(&caching);
}

/** Makes a PUT by a route that makes the answers of route "things" invalid. */
static restway_request *put(const char *route) {
    static const char body[] = "{\"name\": \"a\"}";
    restway_request *request = NULL;
    restway_value value = restway_value_int64(1);
    assert_ok(restway_request_create_route("PUT", route, &request, &failure));
    assert_ok(restway_request_set_variable(request, "id", &value, &failure));
    assert_ok(restway_request_set_body(
        request, body, strlen(body), "application/json", &failure));
    return request;
}

/** Performs the requests in one batch session. */
static void perform_batch(struct caching *caching, restway_request *const *requests, int count) {
    restway_batch *batch = NULL;
    assert_ok(restway_batch_create(caching->client, &batch, &failure));
    for (int index = 0; index < count; index++) {
        assert_ok(restway_batch_add(
            batch, requests[index], NULL, NULL, NULL, NULL, &failure));
        restway_request_release(requests[index]);
    }
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_wait(batch, 0, &failure));
    restway_batch_release(batch);
}

static restway_request *page_of_mine(const char *page) {
    restway_request *request = caching_request("mine");
    restway_value value = restway_value_string(page);
    assert_ok(restway_request_set_parameter(request, "page", &value, &failure));
    return request;
}

/* A batch call goes with the credential, and so do the requests in it. */
static void cache__answers_requests_of_a_batch(void **state) {
    (void)state;
    struct caching caching;
    restway_request *requests[2];
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    assert_int_equal(
        caching_perform(&caching, page_of_mine("first")), RESTWAY_CACHE_STATE_STORED);
    answering_set(&caching.server, 200, "[{\"code\": 200, \"body\": \"{\\\"id\\\": 2}\"}]");
    requests[0] = page_of_mine("first");
    requests[1] = page_of_mine("second");
    perform_batch(&caching, requests, 2);
    assert_int_equal(answering_count(&caching.server), 3);
    char *body = answering_take_body(&caching.server);
    assert_holds(body, "second");
    assert_null(strstr(body, "first"));
    free(body);
    assert_int_equal(
        caching_perform(&caching, page_of_mine("second")), RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(answering_count(&caching.server), 3);
    answering_set(&caching.server, 200, "[{\"code\": 200, \"body\": \"{\\\"id\\\": 1}\"}]");
    requests[0] = put("thing");
    perform_batch(&caching, requests, 1);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    caching_end(&caching);
}

static void cache__follows_the_outbox(void **state) {
    (void)state;
    struct caching caching;
    char outbox[128];
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin_in_file(&caching);
    snprintf(outbox, sizeof(outbox), "%s/outbox.db", caching.directory);
    options.cache_path = caching.path;
    options.outbox_path = outbox;
    caching_replace_client(&caching, options);
    restway_client *client = caching.client;
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    assert_ok(restway_client_set_cache_discriminator(client, "ben", &failure));
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    assert_ok(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    restway_request *request = put("stored");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_QUEUED, "outbox");
    restway_request_release(request);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_HIT);
    /* The request keeps the discriminator that it started with, also for the next client of the
     * file, which sends it in a batch when it has the same discriminator. */
    answering_set(&caching.server, 200, "[{\"code\": 200, \"body\": \"{}\"}]");
    caching_replace_client(&caching, options);
    client = caching.client;
    assert_ok(restway_client_set_cache_discriminator(client, "ben", &failure));
    caching_pass(&caching, 5);
    assert_ok(restway_outbox_count(client, &counts, &failure));
    assert_int_equal(counts.waiting, 1);
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    do {
        sched_yield();
        assert_ok(restway_outbox_count(client, &counts, &failure));
    } while (counts.waiting + counts.sending > 0);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    assert_ok(restway_client_set_cache_discriminator(client, "ben", &failure));
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_HIT);
    caching_end(&caching);
}

static const struct CMUnitTest tests[] = {
    TEST(cache_file__outlives_the_client),
    TEST(cache_file__keeps_discriminators_but_no_holders),
    TEST(cache_file__is_shared_by_clients),
    TEST(cache_file__that_is_corrupt_fails_no_call),
    TEST(cache_file__that_cannot_be_made_fails_no_call),
    TEST(cache_list__has_what_is_kept),
    TEST(cache_remove__removes_what_the_filter_matches),
    TEST(cache_statistics__count_what_the_cache_did),
    TEST(cache__makes_room),
    TEST(cache__saves_an_answer_in_a_file),
    TEST(cache__answers_requests_of_a_batch),
    TEST(cache__follows_the_outbox),
};

const struct suite cache_file_suite = SUITE(tests);
