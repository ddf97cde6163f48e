#include "graph.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/memcheck.h>

extern const struct suite api_suite, api_errors_suite, bad_body_suite, bad_network_suite,
    bad_text_suite, basics_suite, cancel_suite, client_suite, concurrency_suite, curl_suite,
    delivery_misuse_suite, demo_suite, drain_suite, drain_end_suite, error_suite, fork_suite,
    modifier_suite, modifier_end_suite, log_suite, null_suite, null_reading_suite,
    object_suite, process_suite, process_end_suite, request_suite, response_suite, send_suite,
    store_suite, timings_suite, value_misuse_suite, relationship_suite, list_suite,
    null_store_suite, query_suite, store_delete_suite, observer_suite,
    mapping_cases_suite, auth_suite, auth_schemes_suite, null_auth_suite, progress_suite,
    metrics_suite, rate_suite, trace_suite,
    retry_suite, store_file_suite, mapping_suite, hook_suite, plugins_suite,
    draft_suite, draft_send_suite, body_question_suite,
    store_fault_suite, body_suite, inside_suite, batch_suite, batch_delivery_suite,
    batch_format_suite, plugin_transports_suite, outbox_suite, outbox_await_suite,
    outbox_delivery_suite, outbox_functions_suite, null_outbox_suite, misuse_suite,
    misuse_asked_suite, scheduling_suite,
    wire_suite, resource_suite, network_suite, download_suite, stream_suite, event_stream_suite,
    upload_suite, cookie_suite, error_body_suite, document_suite, cache_suite, cache_use_suite,
    cache_file_suite, cache_privacy_suite, null_cache_suite, parsing_suite, map_suite,
    inspect_suite, client_headers_suite, unreachable_suite, send_to_suite, interrupt_suite,
    lifecycle_suite, page_suite, paged_list_suite, pipeline_suite, scope_suite, routing_suite,
    reading_suite, arrow_suite, query_where_suite, transaction_suite, query_observer_suite,
    values_suite, forms_suite, value_rules_suite, short_suite, verbs_suite, fields_suite,
    fields_draft_suite, extends_suite, identity_suite, jsonapi_suite, unkept_suite,
    pending_suite, conflict_suite;

static const struct suite *const suites[] = {
    &basics_suite,      &api_suite,          &api_errors_suite,  &client_suite,
    &request_suite,     &send_suite,         &cancel_suite,      &response_suite,
    &object_suite,      &store_suite,        &error_suite,       &log_suite,
    &timings_suite,     &curl_suite,         &process_suite,     &process_end_suite,
    &drain_suite,       &drain_end_suite,    &modifier_suite, &modifier_end_suite,
    &null_suite,        &null_reading_suite, &bad_text_suite,    &value_misuse_suite,
    &delivery_misuse_suite, &bad_body_suite, &bad_network_suite, &concurrency_suite,
    &relationship_suite, &list_suite,        &null_store_suite,
    &query_suite,       &store_delete_suite, &observer_suite,
    &mapping_cases_suite,
    &auth_suite,        &auth_schemes_suite, &null_auth_suite,   &progress_suite,
    &metrics_suite,     &rate_suite,         &trace_suite,
    &retry_suite,       &store_file_suite, &mapping_suite,     &hook_suite,
    &plugins_suite,     &draft_suite,        &draft_send_suite,  &body_question_suite,
    &plugin_transports_suite,
    &store_fault_suite, &body_suite,         &inside_suite,
    &batch_suite,       &batch_delivery_suite, &batch_format_suite,
    &outbox_suite,      &outbox_await_suite, &outbox_delivery_suite, &outbox_functions_suite,
    &null_outbox_suite, &misuse_suite,      &misuse_asked_suite,
    &scheduling_suite,  &wire_suite,        &resource_suite,    &network_suite,     &cookie_suite,
    &error_body_suite,  &document_suite,
    &download_suite,    &stream_suite,      &event_stream_suite, &upload_suite,
    &cache_suite,       &cache_use_suite,    &cache_file_suite,  &cache_privacy_suite,
    &null_cache_suite,  &parsing_suite,      &map_suite,         &inspect_suite,
    &client_headers_suite, &unreachable_suite, &send_to_suite,  &interrupt_suite,
    &lifecycle_suite,   &page_suite,         &paged_list_suite, &pipeline_suite, &scope_suite,
    &routing_suite,     &reading_suite,     &arrow_suite,       &query_where_suite,
    &transaction_suite, &query_observer_suite, &values_suite, &short_suite,
    &verbs_suite, &fields_suite,      &fields_draft_suite, &forms_suite,
    &value_rules_suite, &extends_suite, &identity_suite, &jsonapi_suite, &unkept_suite,
    &pending_suite,      &conflict_suite,
    &demo_suite,        &fork_suite,
};

enum { LEAK_TURNS_MAX = 250 };
enum { TESTS_MAX = 1000, NAME_BYTES_MAX = 100, SUITE_COUNT = sizeof(suites) / sizeof(suites[0]) };

static struct CMUnitTest tests[TESTS_MAX];
static char names[TESTS_MAX][NAME_BYTES_MAX];
static size_t count;

static void add(const struct suite *suite) {
    memcpy(tests + count, suite->tests, suite->count * sizeof(tests[0]));
    count += suite->count;
}

/** Runs the tests of @p suite again, with stores in files. */
static void add_in_files(const struct suite *suite) {
    size_t first = count;
    add(suite);
    for (size_t index = first; index < count; index++) {
        snprintf(names[index], NAME_BYTES_MAX, "%s__in_a_file", tests[index].name);
        tests[index].name = names[index];
        tests[index].setup_func = begin_test_in_files;
        tests[index].teardown_func = end_test_in_files;
    }
}

/** Lets valgrind, if the program runs under it, look for leaks; remaining leaks are errors.
 *
 *  The last clients may still be ending on threads of the library. Memory looks lost if only
 *  one of these threads refers to it, or if Swift refers to it with a tagged address. */
static void check_for_leaks(void) {
    for (int turn = 0; turn < LEAK_TURNS_MAX; turn++) {
        unsigned long leaked = 0, dubious = 0, reachable = 0, suppressed = 0;
        VALGRIND_DO_QUICK_LEAK_CHECK;
        VALGRIND_COUNT_LEAKS(leaked, dubious, reachable, suppressed);
        (void)dubious, (void)reachable, (void)suppressed;
        if (leaked == 0) {
            return;
        }
        poll(NULL, 0, 20);
    }
    VALGRIND_DO_LEAK_CHECK;
}

/** Keeps every second test, if RESTWAY_HARNESS_HALF is 1 or 2, so that two processes can share the
 *  tests. */
static void keep_half(void) {
    const char *half = getenv("RESTWAY_HARNESS_HALF");
    size_t kept = 0;
    if (half == NULL) return;
    if (strcmp(half, "1") != 0 && strcmp(half, "2") != 0) {
        fprintf(stderr, "harness: RESTWAY_HARNESS_HALF must be 1 or 2\n");
        exit(2);
    }
    for (size_t index = half[0] == '2'; index < count; index += 2) {
        tests[kept++] = tests[index];
    }
    count = kept;
}

/** Runs all tests, or the tests whose names match the given pattern (`client_*`). */
int main(int argument_count, char **arguments) {
    demo_url();
    for (size_t index = 0; index < SUITE_COUNT; index++) {
        const struct suite *suite = suites[index];
        if (count + 2 * suite->count > TESTS_MAX) {
            fprintf(stderr, "harness: raise TESTS_MAX\n");
            return 2;
        }
        add(suite);
        if (suite->has_files) {
            add_in_files(suite);
        }
    }
    keep_half();
    if (argument_count > 1) {
        cmocka_set_test_filter(arguments[1]);
    }
    int failed = _cmocka_run_group_tests("restway", tests, count, NULL, NULL);
    check_for_leaks();
    return failed;
}
