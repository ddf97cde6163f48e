/* The durations of the phases of a call are known and plausible; the tests never require them to be
 * short. */
#include <string.h>

#include "harness.h"

static restway_timings timings_of(const restway_response *response) {
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    assert_ok(restway_response_timings(response, &timings, &failure));
    assert_int_equal(timings.struct_size, sizeof(timings));
    return timings;
}

static void expect_plausible(const restway_timings *timings) {
    assert_true(timings->queued_microseconds >= 0);
    assert_true(timings->name_lookup_microseconds >= 0);
    assert_true(timings->connect_microseconds >= 0);
    assert_true(timings->tls_microseconds == 0);
    assert_true(timings->first_byte_microseconds >= timings->connect_microseconds);
    assert_true(timings->exchange_microseconds >= timings->first_byte_microseconds);
    assert_true(timings->decode_microseconds >= 0);
    assert_true(timings->map_microseconds >= timings->store_microseconds);
    assert_true(timings->store_microseconds >= 0);
    /* The transport has a clock of its own: a millisecond is allowed for rounding. */
    assert_true(
        timings->total_microseconds + 1000
        >= timings->exchange_microseconds + timings->decode_microseconds
               + timings->map_microseconds);
}

static void response_timings__are_plausible(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises?per_page=20");
    restway_timings timings = timings_of(response);
    expect_plausible(&timings);
    assert_true(timings.total_microseconds > 0);
    assert_true(timings.map_microseconds > 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void response_timings__of_an_open_connection(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response_release(fetch(client, "status"));
    restway_response *response = fetch(client, "echo");
    restway_timings timings = timings_of(response);
    expect_plausible(&timings);
    assert_true(timings.name_lookup_microseconds == 0);
    assert_true(timings.connect_microseconds == 0);
    assert_true(timings.map_microseconds == 0);
    restway_response_release(response);
    restway_client_release(client);
}

static void response_timings__the_wait_shows(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "bad/slow?ms=100");
    restway_timings timings = timings_of(response);
    expect_plausible(&timings);
    assert_true(timings.exchange_microseconds >= 90000);
    assert_true(timings.total_microseconds >= 90000);
    restway_response_release(response);
    restway_client_release(client);
}

static void response_timings__total_holds_the_redirects(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "redirect/3");
    restway_timings timings = timings_of(response);
    expect_plausible(&timings);
    restway_response_release(response);
    restway_client_release(client);
}

static void response_timings__come_with_a_failure(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/99999");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "404");
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    restway_response *response = restway_response_retain(restway_error_response(failure));
    forget_failure();
    assert_ok(restway_response_timings(response, &timings, &failure));
    expect_plausible(&timings);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void timings_init__is_the_macro(void **state) {
    (void)state;
    const restway_timings expected = RESTWAY_TIMINGS_INIT;
    restway_timings timings;
    memset(&timings, 0x5a, sizeof(timings));
    assert_ok(restway_timings_init(&timings, sizeof(timings), &failure));
    assert_memory_equal(&timings, &expected, sizeof(timings));
    assert_refused(restway_timings_init(NULL, sizeof(timings), &failure));
}

static void timings_init__of_an_unknown_size(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 7, sizeof(restway_timings) - 1, SIZE_MAX};
    restway_timings untouched, timings;
    memset(&untouched, 0x5a, sizeof(untouched));
    timings = untouched;
    for (size_t index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        assert_refused(restway_timings_init(&timings, sizes[index], &failure));
        assert_memory_equal(&timings, &untouched, sizeof(timings));
    }
}

static void response_timings__refuses_what_is_none(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    assert_refused(restway_response_timings(NULL, &timings, &failure));
    assert_refused(restway_response_timings(response, NULL, &failure));
    timings.struct_size = 0;
    assert_refused(restway_response_timings(response, &timings, &failure));
    timings.struct_size = sizeof(timings) - 1;
    assert_refused(restway_response_timings(response, &timings, &failure));
    restway_response_release(response);
    restway_client_release(client);
}

/** The structure of a program that was compiled against a later header. */
static void response_timings__of_a_later_version(void **state) {
    (void)state;
    struct {
        restway_timings known;
        uint64_t tail[2];
    } later = {RESTWAY_TIMINGS_INIT, {0, 0}};
    restway_client *client = make_client();
    restway_response *response = fetch(client, "status");
    later.known.struct_size = sizeof(later);
    assert_ok(restway_response_timings(response, &later.known, &failure));
    assert_true(later.known.total_microseconds > 0);
    assert_int_equal(later.known.struct_size, sizeof(later));
    assert_true(later.tail[0] == 0 && later.tail[1] == 0);
    restway_response_release(response);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(response_timings__are_plausible),
    TEST(response_timings__of_an_open_connection),
    TEST(response_timings__the_wait_shows),
    TEST(response_timings__total_holds_the_redirects),
    TEST(response_timings__come_with_a_failure),
    TEST(timings_init__is_the_macro),
    TEST(timings_init__of_an_unknown_size),
    TEST(response_timings__refuses_what_is_none),
    TEST(response_timings__of_a_later_version),
};

const struct suite timings_suite = SUITE(tests);
