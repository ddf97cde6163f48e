/* Clients are made, refused and closed; the sizes of their options. */
#include <string.h>

#include "harness.h"

static void client_create__with_null_options(void **state) {
    (void)state;
    restway_api *api = make_api();
    restway_client *client = NULL;
    assert_ok(restway_client_create(api, NULL, &client, &failure));
    assert_non_null(client);
    restway_api_release(api);
    restway_client_release(client);
}

static void client_create__of_an_unknown_environment(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *client = POISON;
    options.environment = "nowhere";
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_UNKNOWN_ENVIRONMENT,
        "nowhere");
    assert_null(client);
    options.environment = "other";
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_client_release(client);
    restway_api_release(api);
}

static void client_create__failure_clears_out(void **state) {
    (void)state;
    restway_client *client = POISON;
    assert_refused(restway_client_create(NULL, NULL, &client, &failure));
    assert_null(client);
}

static void client_create__of_a_base_url_that_is_none(void **state) {
    (void)state;
    static const char *const urls[] = {"nonsense", "http://", "ftp://127.0.0.1/", "http://a b/"};
    restway_api *api = make_api();
    for (size_t index = 0; index < sizeof(urls) / sizeof(urls[0]); index++) {
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        restway_client *client = POISON;
        options.base_url = urls[index];
        assert_fails(
            restway_client_create(api, &options, &client, &failure), RESTWAY_E_INVALID_URL,
            urls[index]);
        assert_null(client);
    }
    restway_api_release(api);
}

static void refuse_options(const void *options) {
    restway_api *api = make_api();
    restway_client *client = POISON;
    assert_refused(restway_client_create(api, options, &client, &failure));
    assert_null(client);
    restway_api_release(api);
}

static void client_create__refuses_values_out_of_range(void **state) {
    (void)state;
    const restway_client_options defaults = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client_options options = defaults;
    options.delivery = 77;
    refuse_options(&options);
    options = defaults;
    options.flags = 0x80000000u;
    refuse_options(&options);
    options = defaults;
    options.timeout_milliseconds = -2;
    refuse_options(&options);
    options = defaults;
    options.body_bytes_max = -5;
    refuse_options(&options);
    options = defaults;
    options.nesting_depth_max = 1000000;
    refuse_options(&options);
    options = defaults;
    options.connections_max = -1;
    refuse_options(&options);
    static const int64_t modes[] = {-1, 0400, 0060, 0700, 0601, 01600, INT64_MAX, INT64_MIN};
    for (size_t index = 0; index < sizeof modes / sizeof modes[0]; index++) {
        options = defaults;
        options.file_mode = modes[index];
        refuse_options(&options);
    }
    options = defaults;
    options.ca_file = BAD_UTF8;
    refuse_options(&options);
}

static void client_options__of_an_unknown_size(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.struct_size = 0;
    refuse_options(&options);
    options.struct_size = 1;
    refuse_options(&options);
    options.struct_size = sizeof(options) - 1;
    refuse_options(&options);
}

/** The options of a program that was compiled against a later header. */
struct later_options {
    restway_client_options known;
    uint64_t tail[4];
};

static void client_options__of_a_later_version(void **state) {
    (void)state;
    struct later_options later = {RESTWAY_CLIENT_OPTIONS_INIT, {0, 0, 0, 0}};
    restway_api *api = make_api();
    restway_client *client = NULL;
    later.known.struct_size = sizeof(later);
    assert_ok(restway_client_create(api, &later.known, &client, &failure));
    restway_client_release(client);
    restway_api_release(api);
    for (size_t index = 0; index < 4; index++) {
        later.tail[index] = 1;
        refuse_options(&later);
        later.tail[index] = (uint64_t)1 << 63;
        refuse_options(&later);
        later.tail[index] = 0;
    }
}

static void client_options_init__is_the_macro(void **state) {
    (void)state;
    const restway_client_options expected = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client_options options;
    memset(&options, 0x5a, sizeof(options));
    assert_ok(restway_client_options_init(&options, sizeof(options), &failure));
    assert_memory_equal(&options, &expected, sizeof(options));
}

static void client_options_init__of_an_unknown_size(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 7, sizeof(restway_client_options) - 1, SIZE_MAX};
    restway_client_options untouched, options;
    memset(&untouched, 0x5a, sizeof(untouched));
    options = untouched;
    for (size_t index = 0; index < sizeof(sizes) / sizeof(sizes[0]); index++) {
        assert_refused(restway_client_options_init(&options, sizes[index], &failure));
        assert_memory_equal(&options, &untouched, sizeof(options));
    }
}

static void client_close__twice_and_null_is_fine(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_client_close(NULL);
    restway_client_close(client);
    restway_client_close(client);
    restway_client_release(client);
}

static void client_close__refuses_new_calls(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    restway_call *call = POISON;
    restway_response *response = POISON;
    restway_client_close(client);
    assert_fails(
        restway_client_send(client, request, NULL, NULL, NULL, &call, &failure), RESTWAY_E_CLOSED,
        "closed");
    assert_null(call);
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_CLOSED,
        "closed");
    assert_null(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void client_store__outlives_its_client(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_store *store = restway_client_store(client);
    size_t count = 0;
    assert_non_null(store);
    restway_client_release(client);
    assert_ok(restway_store_count(store, NULL, &count, &failure));
    assert_int_equal(count, 1);
    restway_store_release(store);
    assert_string_equal(restway_object_string(object, "name"), "Nordlicht Books Inc.");
    restway_object_release(object);
}

static void client_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_client_retain(NULL));
    assert_null(restway_client_store(NULL));
    restway_client_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(client_create__with_null_options),
    TEST(client_create__of_an_unknown_environment),
    TEST(client_create__failure_clears_out),
    TEST(client_create__of_a_base_url_that_is_none),
    TEST(client_create__refuses_values_out_of_range),
    TEST(client_options__of_an_unknown_size),
    TEST(client_options__of_a_later_version),
    TEST(client_options_init__is_the_macro),
    TEST(client_options_init__of_an_unknown_size),
    TEST(client_close__twice_and_null_is_fine),
    TEST(client_close__refuses_new_calls),
    TEST(client_store__outlives_its_client),
    TEST(client_release__of_null_is_fine),
};

const struct suite client_suite = SUITE(tests);
