/* How a thread that waits for its answer waits: looking for it, or asleep. */
#define _GNU_SOURCE

#include <sys/resource.h>

#include "harness.h"

enum { LEARNING = 10, REQUESTS = 40 };

/** How often this thread has gone to sleep. */
static long sleeps(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

/** How often it does for REQUESTS requests, waited for one after the other. */
static long sleeps_with(int64_t busy_poll_microseconds) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    long before = 0;
    options.busy_poll_microseconds = busy_poll_microseconds;
    restway_client *client = make_client_with(options);
    for (int number = 0; number < LEARNING + REQUESTS; number++) {
        if (number == LEARNING) before = sleeps();
        restway_response_release(fetch(client, "enterprises/3"));
    }
    restway_client_release(client);
    return sleeps() - before;
}

static void busy_poll__answers_that_come_in_time_are_not_slept_for(void **state) {
    (void)state;
    assert_true(sleeps_with(1000000) < REQUESTS / 2);
}

static void busy_poll__without_it_each_answer_is_slept_for(void **state) {
    (void)state;
    assert_true(sleeps_with(-1) > REQUESTS / 2);
}

static void busy_poll__out_of_range_is_refused(void **state) {
    (void)state;
    static const int64_t values[] = {-2, 1000001, INT64_MIN, INT64_MAX};
    restway_api *api = make_api();
    for (size_t index = 0; index < sizeof(values) / sizeof(values[0]); index++) {
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        restway_client *client = POISON;
        options.busy_poll_microseconds = values[index];
        assert_fails(
            restway_client_create(api, &options, &client, &failure), RESTWAY_E_INVALID_ARGUMENT,
            "busy_poll_microseconds");
        assert_null(client);
    }
    restway_api_release(api);
}

static const struct CMUnitTest tests[] = {
    TEST(busy_poll__answers_that_come_in_time_are_not_slept_for),
    TEST(busy_poll__without_it_each_answer_is_slept_for),
    TEST(busy_poll__out_of_range_is_refused),
};

const struct suite busy_poll_suite = SUITE(tests);
