/* How the response cache is used: modes, offline, single flight, hits with objects, lists. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caching.h"
#include "probe.h"

static restway_response *perform(struct caching *caching, restway_request *request) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(caching->client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

static void cache_mode__decides_who_answers(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_BYPASS, RESTWAY_CACHE_STATE_NONE, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_get(&caching, "things", RESTWAY_CACHE_RELOAD, RESTWAY_CACHE_STATE_STORED, 3);
    caching_answer(&caching, 200, "ETag: \"a\"\r\n", THING);
    caching_get(&caching, "things", RESTWAY_CACHE_RELOAD, RESTWAY_CACHE_STATE_STORED, 4);
    caching_answer(&caching, 304, "ETag: \"a\"\r\n", "");
    caching_get(&caching, "things", RESTWAY_CACHE_VALIDATE, RESTWAY_CACHE_STATE_VALIDATED, 5);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 5);
    caching_pass(&caching, 61);
    caching_get(&caching, "things", RESTWAY_CACHE_PREFERRED, RESTWAY_CACHE_STATE_STALE, 5);
    caching_get(&caching, "things", RESTWAY_CACHE_ONLY, RESTWAY_CACHE_STATE_STALE, 5);
    caching_answer(&caching, 200, "", THING);
    caching_get(&caching, "sure", RESTWAY_CACHE_PREFERRED, RESTWAY_CACHE_STATE_STORED, 6);
    caching_end(&caching);
}

static void cache_only__finds_nothing_without_an_error(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_request *request = caching_request("things");
    assert_ok(restway_request_set_cache(request, RESTWAY_CACHE_ONLY, &failure));
    restway_response *response = perform(&caching, request);
    assert_int_equal(restway_response_status(response), 0);
    assert_int_equal(restway_response_object_count(response), 0);
    assert_int_equal(caching_note(response).state, RESTWAY_CACHE_STATE_MISSING);
    restway_response_release(response);
    caching_get(&caching, "news", RESTWAY_CACHE_ONLY, RESTWAY_CACHE_STATE_MISSING, 0);
    caching_end(&caching);
}

static void cache_only__asks_no_server_in_a_client_without_a_cache(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin(&caching);
    caching_replace_client(&caching, options);
    caching_get(&caching, "things", RESTWAY_CACHE_ONLY, RESTWAY_CACHE_STATE_MISSING, 0);
    caching_get(&caching, "things", RESTWAY_CACHE_PREFERRED, RESTWAY_CACHE_STATE_NONE, 1);
    caching_end(&caching);
}

static void cache_find__tells_how_old_and_how_fresh(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 20);
    restway_cache_note note = caching_find(&caching, "things");
    assert_int_equal(note.state, RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(note.age_seconds, 20);
    assert_int_equal(note.lifetime_seconds, 60);
    assert_int_equal(note.is_stale, 0);
    caching_pass(&caching, 50);
    note = caching_find(&caching, "things");
    assert_int_equal(note.state, RESTWAY_CACHE_STATE_STALE);
    assert_int_equal(note.age_seconds, 70);
    assert_int_equal(note.is_stale, 1);
    assert_int_equal(answering_count(&caching.server), 1);
    assert_int_equal(caching_counts(&caching).hits, 0);
    caching_end(&caching);
}

static void cache__a_hit_has_the_objects_of_the_store(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_response *first = perform(&caching, caching_request("things"));
    restway_response *second = perform(&caching, caching_request("things"));
    assert_int_equal(caching_note(second).state, RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(restway_response_object_count(second), 1);
    restway_object *object = restway_response_object(second, 0);
    assert_int_equal(
        restway_object_store_key(object),
        restway_object_store_key(restway_response_object(first, 0)));
    assert_int_equal(restway_response_is_mapped(second), 1);
    restway_response_release(first);
    restway_response_release(second);
    /* The store has a newer value than the entry. */
    caching_answer(&caching, 200, "", NEWER_THING);
    restway_response_release(perform(&caching, caching_request("/things/1")));
    second = perform(&caching, caching_request("things"));
    assert_string_equal(restway_response_body(second, NULL), THING);
    object = restway_response_object(second, 0);
    assert_string_equal(restway_object_string(object, "name"), "desk");
    restway_response_release(second);
    caching_end(&caching);
}

static void cache__answers_with_cache_status_and_age(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_response *response = perform(&caching, caching_request("things"));
    assert_holds(restway_response_header(response, "Cache-Status"), "restway; fwd=uri-miss");
    assert_holds(restway_response_header(response, "Cache-Status"), "stored");
    restway_response_release(response);
    caching_pass(&caching, 7);
    response = perform(&caching, caching_request("things"));
    assert_holds(restway_response_header(response, "Cache-Status"), "restway; hit");
    assert_string_equal(restway_response_header(response, "Age"), "7");
    restway_response_release(response);
    caching_end(&caching);
}

static void cache__a_hit_is_delivered_like_an_answer(void **state) {
    (void)state;
    struct caching caching;
    struct probe probe;
    caching_begin(&caching);
    restway_response_release(perform(&caching, caching_request("things")));
    restway_request *request = caching_request("things");
    probe_begin(&probe);
    assert_ok(restway_client_send(
        caching.client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(answering_count(&caching.server), 1);
    restway_request_release(request);
    caching_end(&caching);
}

static void cache__reads_offline_what_was_read_before(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "kept", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_pass(&caching, 3600);
    assert_ok(restway_client_set_reachability(
        caching.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    caching_get_body(
        &caching, "kept", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STALE, 2, THING);
    assert_ok(restway_client_set_reachability(
        caching.client, RESTWAY_REACHABILITY_UNKNOWN, &failure));
    answering_stop(&caching.server);
    caching_get(&caching, "kept", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STALE, 2);
    /* The other route does not say that it may be read offline. */
    restway_request *request = caching_request("things");
    assert_fails(
        restway_client_perform(caching.client, request, 0, NULL, &failure), RESTWAY_E_CONNECT,
        "");
    restway_request_release(request);
    caching_end(&caching);
}

static void cache__gives_a_stale_answer_while_it_asks_for_a_newer_one(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "calm", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 70);
    caching_answer(&caching, 200, "", NEWER_THING);
    restway_response *response = perform(&caching, caching_request("calm"));
    assert_int_equal(caching_note(response).state, RESTWAY_CACHE_STATE_STALE);
    assert_string_equal(restway_response_body(response, NULL), THING);
    restway_response_release(response);
    answering_wait_count(&caching.server, 2);
    while (caching_find(&caching, "calm").is_stale) {
        sched_yield();
    }
    caching_get_body(
        &caching, "calm", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2, NEWER_THING);
    caching_pass(&caching, 100);
    caching_get(&caching, "calm", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 3);
    caching_end(&caching);
}

static void cache__a_close_ends_the_request_in_the_background(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "calm", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 70);
    answering_shut(&caching.server);
    restway_response_release(perform(&caching, caching_request("calm")));
    answering_wait_count(&caching.server, 2);
    restway_client_close(caching.client);
    caching_end(&caching);
}

static void cache__gives_a_stale_answer_in_place_of_a_failure(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_pass(&caching, 100);
    caching_answer(&caching, 503, "", "{}");
    caching_get_body(
        &caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STALE, 2, THING);
    caching_pass(&caching, 600);
    restway_request *request = caching_request("sure");
    assert_fails(
        restway_client_perform(caching.client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "503");
    restway_request_release(request);
    caching_end(&caching);
}

enum { FLIGHT_COUNT = 4 };

static void start_flight(
    struct caching *caching, struct probe probes[FLIGHT_COUNT],
    restway_call *calls[FLIGHT_COUNT]) {
    answering_shut(&caching->server);
    for (int index = 0; index < FLIGHT_COUNT; index++) {
        restway_request *request = caching_request("things");
        probe_begin(&probes[index]);
        assert_ok(restway_client_send(
            caching->client, request, probe_done, &probes[index], probe_destroy, &calls[index],
            &failure));
        restway_request_release(request);
    }
    answering_wait_count(&caching->server, 1);
}

static void cache__equal_requests_share_one_exchange(void **state) {
    (void)state;
    struct caching caching;
    struct probe probes[FLIGHT_COUNT];
    restway_call *calls[FLIGHT_COUNT];
    caching_begin(&caching);
    start_flight(&caching, probes, calls);
    /* The first call and one that waits end. The second call then sends its own request, and the
     * fourth one gets the same answer. */
    restway_call_cancel(calls[0]);
    restway_call_cancel(calls[2]);
    probe_expect(&probes[0], RESTWAY_E_CANCELLED);
    probe_expect(&probes[2], RESTWAY_E_CANCELLED);
    answering_open(&caching.server);
    probe_expect(&probes[1], RESTWAY_OK);
    probe_expect(&probes[3], RESTWAY_OK);
    assert_int_equal(answering_count(&caching.server), 2);
    assert_int_equal(caching_counts(&caching).shared, 1);
    for (int index = 0; index < FLIGHT_COUNT; index++) {
        restway_call_release(calls[index]);
    }
    caching_end(&caching);
}

static void cache__the_last_that_is_cancelled_ends_the_exchange(void **state) {
    (void)state;
    struct caching caching;
    struct probe probes[FLIGHT_COUNT];
    restway_call *calls[FLIGHT_COUNT];
    caching_begin(&caching);
    start_flight(&caching, probes, calls);
    for (int index = FLIGHT_COUNT - 1; index >= 0; index--) {
        restway_call_cancel(calls[index]);
        probe_expect(&probes[index], RESTWAY_E_CANCELLED);
        restway_call_release(calls[index]);
    }
    answering_open(&caching.server);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_end(&caching);
}

static void cache__what_may_not_be_shared_is_sent_for_each(void **state) {
    (void)state;
    struct caching caching;
    struct probe probes[FLIGHT_COUNT];
    restway_call *calls[FLIGHT_COUNT];
    caching_begin(&caching);
    caching_answer(&caching, 200, "Cache-Control: no-store\r\n", THING);
    start_flight(&caching, probes, calls);
    answering_open(&caching.server);
    for (int index = 0; index < FLIGHT_COUNT; index++) {
        probe_expect(&probes[index], RESTWAY_OK);
        restway_call_release(calls[index]);
    }
    assert_int_equal(answering_count(&caching.server), FLIGHT_COUNT);
    caching_end(&caching);
}

static void cache__what_left_before_an_invalidation_is_not_kept(void **state) {
    (void)state;
    struct caching caching;
    struct probe probe;
    caching_begin(&caching);
    answering_shut(&caching.server);
    restway_request *request = caching_request("things");
    probe_begin(&probe);
    assert_ok(restway_client_send(
        caching.client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    answering_wait_count(&caching.server, 1);
    assert_ok(restway_cache_remove(caching.client, NULL, NULL, &failure));
    answering_open(&caching.server);
    probe_expect(&probe, RESTWAY_OK);
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    restway_request_release(request);
    caching_end(&caching);
}

static void cache__guesses_a_lifetime_only_if_the_client_says_so(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    caching_begin(&caching);
    options.cache_flags = RESTWAY_CACHE_ON | RESTWAY_CACHE_HEURISTICS;
    caching_answer(
        &caching, 200, "Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT\r\n", THING);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    /* The server answers the conditional request with a whole answer. */
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_replace_client(&caching, options);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 3);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    caching_end(&caching);
}

static void cache__pages_are_entries_of_their_own(void **state) {
    (void)state;
    struct caching caching;
    static const char *const pages[] = {"{\"page\": 1}", "{\"page\": 2}", "{\"page\": 1}"};
    static const restway_cache_state states[] = {
        RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_HIT,
    };
    caching_begin(&caching);
    for (int index = 0; index < 3; index++) {
        restway_request *request = caching_request("things");
        assert_ok(restway_request_set_parameters_json(
            request, pages[index], strlen(pages[index]), &failure));
        assert_int_equal(caching_perform(&caching, request), states[index]);
    }
    assert_int_equal(caching_counts(&caching).entries, 2);
    caching_end(&caching);
}

static void cache__keeps_a_body_whose_coding_is_unknown(void **state) {
    (void)state;
    struct caching caching;
    restway_response *response = POISON;
    static const char coded[] = "\xff\x06 sNaPpY";
    caching_begin(&caching);
    caching_answer(
        &caching, 200, "Cache-Control: max-age=60\r\nContent-Encoding: snappy\r\n", coded);
    caching_get_body(
        &caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1, coded);
    caching_get_body(
        &caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1, coded);
    response = perform(&caching, caching_request("/plain"));
    assert_string_equal(restway_response_header(response, "Content-Encoding"), "snappy");
    restway_response_release(response);
    /* Only mapping needs what is in the body. */
    for (int times = 0; times < 2; times++) {
        restway_request *request = caching_request("things");
        assert_fails(
            restway_client_perform(caching.client, request, 0, &response, &failure),
            RESTWAY_E_MAPPING, "content coding is unknown: snappy");
        assert_null(response);
        forget_failure();
        restway_request_release(request);
    }
    assert_int_equal(answering_count(&caching.server), 2);
    caching_end(&caching);
}

static const struct CMUnitTest tests[] = {
    TEST(cache__keeps_a_body_whose_coding_is_unknown),
    TEST(cache__guesses_a_lifetime_only_if_the_client_says_so),
    TEST(cache__pages_are_entries_of_their_own),
    TEST(cache_mode__decides_who_answers),
    TEST(cache_only__finds_nothing_without_an_error),
    TEST(cache_only__asks_no_server_in_a_client_without_a_cache),
    TEST(cache_find__tells_how_old_and_how_fresh),
    TEST(cache__a_hit_has_the_objects_of_the_store),
    TEST(cache__answers_with_cache_status_and_age),
    TEST(cache__a_hit_is_delivered_like_an_answer),
    TEST(cache__reads_offline_what_was_read_before),
    TEST(cache__gives_a_stale_answer_while_it_asks_for_a_newer_one),
    TEST(cache__a_close_ends_the_request_in_the_background),
    TEST(cache__gives_a_stale_answer_in_place_of_a_failure),
    TEST(cache__equal_requests_share_one_exchange),
    TEST(cache__the_last_that_is_cancelled_ends_the_exchange),
    TEST(cache__what_may_not_be_shared_is_sent_for_each),
    TEST(cache__what_left_before_an_invalidation_is_not_kept),
};

const struct suite cache_use_suite = SUITE(tests);
