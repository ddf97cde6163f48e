/* For whom the response cache keeps an answer, and what its file tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "caching.h"
#include "probe.h"

/** Sends a GET of route "things"; the server has it, but does not answer yet. @p work runs in its
 *  notice. */
static void start(struct caching *caching, struct probe *probe, probe_work_fn work) {
    restway_request *request = caching_request("things");
    answering_shut(&caching->server);
    probe_begin(probe);
    probe->client = caching->client;
    probe->work = work;
    assert_ok(restway_client_send(
        caching->client, request, probe_done, probe, probe_destroy, NULL, &failure));
    restway_request_release(request);
    answering_wait_count(&caching->server, 1);
}

static void cache__a_request_keeps_the_discriminator_it_started_with(void **state) {
    (void)state;
    struct caching caching;
    struct probe probe;
    caching_begin(&caching);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    start(&caching, &probe, NULL);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ben", &failure));
    answering_open(&caching.server);
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_HIT);
    caching_end(&caching);
}

static void cache_file__any_text_is_a_discriminator(void **state) {
    (void)state;
    struct caching caching;
    char long_text[10001];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    const char *const texts[] = {"a\nb", "a b", "%20", "-", "d", long_text};
    int count = 0;
    caching_begin_in_file(&caching);
    for (size_t index = 0; index < sizeof(texts) / sizeof(texts[0]); index++) {
        restway_client *client = caching.client;
        assert_ok(restway_client_set_cache_discriminator(client, texts[index], &failure));
        caching_get(
            &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, ++count);
        caching_restart(&caching);
        assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
        client = caching.client;
        assert_ok(restway_client_set_cache_discriminator(client, texts[index], &failure));
        caching_get(
            &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, count);
    }
    caching_end(&caching);
}

/** Returns how often @p text stands in the file at @p path; 0 if there is no file. */
static int occurrences(const char *path, const char *text) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    int count = 0;
    if (file == NULL) {
        return 0;
    }
    assert_int_equal(fstat(fileno(file), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    size_t length = (size_t)status.st_size;
    char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, length, file), length);
    for (size_t at = 0; at + strlen(text) <= length; at++) {
        count += memcmp(bytes + at, text, strlen(text)) == 0;
    }
    free(bytes);
    fclose(file);
    return count;
}

static void cache_file__has_no_credential_of_a_request(void **state) {
    (void)state;
    struct caching caching;
    char log[128];
    caching_begin_in_file(&caching);
    caching_answer(&caching, 200, "Vary: Authorization, X-Api-Key\r\n", THING);
    for (int turn = 0; turn < 2; turn++) {
        restway_request *request = caching_request("things");
        assert_ok(restway_request_set_header(
            request, "Authorization", "Bearer secret-of-a", &failure));
        assert_ok(restway_request_set_header(request, "Cookie", "sid=secret-of-c", &failure));
        assert_ok(restway_request_set_header(request, "X-Api-Key", "secret-of-k", &failure));
        assert_int_equal(
            caching_perform(&caching, request),
            turn == 0 ? RESTWAY_CACHE_STATE_STORED : RESTWAY_CACHE_STATE_HIT);
    }
    restway_cache_entries *entries = NULL;
    assert_ok(restway_cache_list(caching.client, NULL, 0, &entries, &failure));
    assert_int_equal(restway_cache_entries_count(entries), 1);
    restway_cache_entries_release(entries);
    snprintf(log, sizeof(log), "%s-wal", caching.path);
    assert_true(occurrences(caching.path, THING) + occurrences(log, THING) > 0);
    assert_int_equal(occurrences(caching.path, "secret-of"), 0);
    assert_int_equal(occurrences(log, "secret-of"), 0);
    caching_end(&caching);
}

/** Uses the cache inside the notice of a call. */
static void use_cache(struct probe *probe, restway_call *call, restway_response *response) {
    (void)call;
    (void)response;
    restway_client *client = probe->client;
    restway_cache_counts counts = RESTWAY_CACHE_COUNTS_INIT;
    restway_cache_entries *entries = NULL;
    size_t count = 0;
    probe->found[0] = restway_cache_statistics(client, &counts, NULL);
    probe->found[1] = restway_cache_list(client, NULL, 0, &entries, NULL);
    probe->found[2] = restway_cache_remove(client, NULL, &count, NULL);
    probe->found[3] = restway_cache_problem(client, NULL, 0, NULL, NULL);
    probe->order = (int)(counts.stored + restway_cache_entries_count(entries) + count);
    restway_cache_entries_release(entries);
}

static void cache__may_be_used_inside_a_callback(void **state) {
    (void)state;
    struct caching caching;
    for (int in_file = 0; in_file < 2; in_file++) {
        struct probe probe;
        if (in_file) {
            caching_begin_in_file(&caching);
        } else {
            caching_begin(&caching);
        }
        start(&caching, &probe, use_cache);
        answering_open(&caching.server);
        probe_expect(&probe, RESTWAY_OK);
        for (int index = 0; index < 4; index++) {
            assert_int_equal(probe.found[index], RESTWAY_OK);
        }
        /* One answer is stored, listed and removed. */
        assert_int_equal(probe.order, 3);
        caching_end(&caching);
    }
}

static void cache_filter__that_is_wrong_is_named_without_secrets(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_cache_filter filter = RESTWAY_CACHE_FILTER_INIT;
    filter.url = "ftp://user:secret@host/things?token=secret";
    assert_fails_keeping(
        restway_cache_remove(caching.client, &filter, NULL, &failure), RESTWAY_E_INVALID_URL,
        "filter.url \"ftp://host/things\" is no absolute http or https URL");
    assert_null(strstr(restway_error_message(failure), "secret"));
    forget_failure();
    caching_end(&caching);
}

static restway_status count_question(void *context, restway_exchange *exchange) {
    (void)exchange;
    ++*(int *)context;
    return RESTWAY_OK;
}

static void cache__a_hit_asks_no_authorize_function(void **state) {
    (void)state;
    struct caching caching;
    int question_count = 0;
    caching_begin(&caching);
    assert_ok(restway_client_set_authorize(
        caching.client, count_question, &question_count, NULL, &failure));
    assert_ok(restway_client_set_cache_discriminator(caching.client, "ann", &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    assert_int_equal(question_count, 1);
    caching_end(&caching);
}

static void cache__without_a_discriminator_an_authorize_function_is_always_asked(void **state) {
    (void)state;
    struct caching caching;
    int question_count = 0;
    caching_begin(&caching);
    assert_ok(restway_client_set_authorize(
        caching.client, count_question, &question_count, NULL, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 1);
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 2);
    caching_get(&caching, "mine", RESTWAY_CACHE_ONLY, RESTWAY_CACHE_STATE_MISSING, 2);
    assert_int_equal(question_count, 2);
    caching_end(&caching);
}

/** A refresh function that also lets the server accept the new credential. */
static void renew(void *context, restway_refresh *refresh) {
    struct caching *caching = context;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    credential.token = "second";
    answering_set(&caching->server, 200, THING);
    if (restway_refresh_succeed(refresh, &credential, NULL) != RESTWAY_OK) {
        abort();
    }
    restway_refresh_release(refresh);
}

static void cache__a_refresh_keeps_the_entries(void **state) {
    (void)state;
    struct caching caching;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    caching_begin(&caching);
    credential.token = "first";
    assert_ok(restway_client_set_credential(caching.client, &credential, &failure));
    assert_ok(restway_client_set_refresh(caching.client, renew, &caching, NULL, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    answering_set(&caching.server, 401, "{}");
    caching_get_body(
        &caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 3, THING);
    char *head = answering_take_head(&caching.server);
    assert_holds(head, "Authorization: Bearer second");
    free(head);
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    caching_end(&caching);
}

static const struct CMUnitTest tests[] = {
    TEST(cache__a_hit_asks_no_authorize_function),
    TEST(cache__without_a_discriminator_an_authorize_function_is_always_asked),
    TEST(cache__a_refresh_keeps_the_entries),
    TEST(cache__a_request_keeps_the_discriminator_it_started_with),
    TEST(cache_file__any_text_is_a_discriminator),
    TEST(cache_file__has_no_credential_of_a_request),
    TEST(cache__may_be_used_inside_a_callback),
    TEST(cache_filter__that_is_wrong_is_named_without_secrets),
};

const struct suite cache_privacy_suite = SUITE(tests);
