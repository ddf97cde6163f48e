/* NULL, bad text, wrong numbers, and clients without a cache, in the functions of the cache. */
#include <string.h>

#include "caching.h"

static void cache_structs__are_what_the_macros_say(void **state) {
    (void)state;
    const restway_cache_note expected_note = RESTWAY_CACHE_NOTE_INIT;
    const restway_cache_counts expected_counts = RESTWAY_CACHE_COUNTS_INIT;
    const restway_cache_filter expected_filter = RESTWAY_CACHE_FILTER_INIT;
    const restway_cache_entry expected_entry = RESTWAY_CACHE_ENTRY_INIT;
    restway_cache_note note;
    restway_cache_counts counts;
    restway_cache_filter filter;
    restway_cache_entry entry;
    memset(&note, 0x5a, sizeof(note));
    assert_ok(restway_cache_note_init(&note, sizeof(note), &failure));
    assert_memory_equal(&note, &expected_note, sizeof(note));
    memset(&counts, 0x5a, sizeof(counts));
    assert_ok(restway_cache_counts_init(&counts, sizeof(counts), &failure));
    assert_memory_equal(&counts, &expected_counts, sizeof(counts));
    memset(&filter, 0x5a, sizeof(filter));
    assert_ok(restway_cache_filter_init(&filter, sizeof(filter), &failure));
    assert_memory_equal(&filter, &expected_filter, sizeof(filter));
    memset(&entry, 0x5a, sizeof(entry));
    assert_ok(restway_cache_entry_init(&entry, sizeof(entry), &failure));
    assert_memory_equal(&entry, &expected_entry, sizeof(entry));
    assert_refused(restway_cache_note_init(NULL, sizeof(note), &failure));
    assert_refused(restway_cache_note_init(&note, 8, &failure));
    assert_refused(restway_cache_counts_init(NULL, sizeof(counts), &failure));
    assert_refused(restway_cache_counts_init(&counts, 8, &failure));
    assert_refused(restway_cache_filter_init(NULL, sizeof(filter), &failure));
    assert_refused(restway_cache_filter_init(&filter, 8, &failure));
    assert_refused(restway_cache_entry_init(NULL, sizeof(entry), &failure));
    assert_refused(restway_cache_entry_init(&entry, 8, &failure));
}

static void cache_functions__refuse_null_and_bad_text(void **state) {
    (void)state;
    struct caching caching;
    restway_cache_note note = RESTWAY_CACHE_NOTE_INIT;
    restway_cache_counts counts = RESTWAY_CACHE_COUNTS_INIT;
    restway_cache_filter filter = RESTWAY_CACHE_FILTER_INIT;
    restway_cache_entry entry = RESTWAY_CACHE_ENTRY_INIT;
    restway_cache_entries *entries = POISON;
    size_t count = 9;
    char text[8];
    caching_begin(&caching);
    restway_client *client = caching.client;
    restway_request *request = caching_request("things");
    assert_refused(restway_request_set_cache(NULL, RESTWAY_CACHE_RELOAD, &failure));
    assert_refused(restway_request_set_cache(request, (restway_cache_mode)6, &failure));
    assert_refused(restway_request_set_cache_ttl(NULL, 1, &failure));
    assert_refused(restway_request_set_cache_ttl(request, -2, &failure));
    assert_fails(
        restway_request_set_cache_ttl(request, 2147483649, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "seconds is out of range: 2147483649 (-1 to 2147483648 is allowed)");
    assert_refused(restway_client_set_cache_discriminator(NULL, "a", &failure));
    assert_refused(restway_client_set_cache_discriminator(client, "", &failure));
    assert_refused(restway_client_set_cache_discriminator(client, BAD_UTF8, &failure));
    assert_refused(restway_response_cache(NULL, &note, &failure));
    restway_response *response = NULL;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_refused(restway_response_cache(response, NULL, &failure));
    restway_response_release(response);
    assert_refused(restway_cache_find(NULL, request, &note, &failure));
    assert_refused(restway_cache_find(client, NULL, &note, &failure));
    assert_refused(restway_cache_find(client, request, NULL, &failure));
    assert_refused(restway_cache_statistics(NULL, &counts, &failure));
    assert_refused(restway_cache_statistics(client, NULL, &failure));
    assert_refused(restway_cache_list(NULL, &filter, 0, &entries, &failure));
    assert_null(entries);
    assert_refused(restway_cache_list(client, &filter, 0, NULL, &failure));
    assert_refused(restway_cache_remove(NULL, &filter, &count, &failure));
    assert_int_equal(count, 0);
    filter.key = BAD_UTF8;
    assert_refused(restway_cache_list(client, &filter, 0, &entries, &failure));
    filter.key = NULL;
    filter.url = BAD_UTF8;
    assert_refused(restway_cache_remove(client, &filter, &count, &failure));
    filter.url = NULL;
    filter.route = BAD_UTF8;
    assert_refused(restway_cache_list(client, &filter, 0, &entries, &failure));
    filter.route = NULL;
    filter.discriminator = BAD_UTF8;
    assert_refused(restway_cache_list(client, &filter, 0, &entries, &failure));
    filter.discriminator = NULL;
    filter.age_seconds_min = -1;
    assert_refused(restway_cache_list(client, &filter, 0, &entries, &failure));
    filter.age_seconds_min = 0;
    filter.struct_size = 8;
    assert_refused(restway_cache_list(client, &filter, 0, &entries, &failure));
    assert_refused(restway_cache_problem(NULL, text, sizeof(text), &count, &failure));
    assert_refused(restway_cache_problem(client, NULL, 8, &count, &failure));
    assert_null(restway_cache_entries_retain(NULL));
    restway_cache_entries_release(NULL);
    assert_int_equal(restway_cache_entries_count(NULL), 0);
    assert_refused(restway_cache_entries_read(NULL, 0, &entry, &failure));
    restway_request_release(request);
    caching_end(&caching);
}

static void cache_functions__of_a_list_refuse_null(void **state) {
    (void)state;
    struct caching caching;
    restway_cache_entries *entries = NULL;
    restway_cache_filter filter = RESTWAY_CACHE_FILTER_INIT;
    caching_begin(&caching);
    assert_ok(restway_cache_list(caching.client, NULL, 0, &entries, &failure));
    assert_refused(restway_cache_entries_read(entries, 0, NULL, &failure));
    restway_cache_entries_release(entries);
    filter.url = "nonsense";
    assert_fails(
        restway_cache_list(caching.client, &filter, 0, &entries, &failure),
        RESTWAY_E_INVALID_URL, "nonsense");
    restway_client_close(caching.client);
    assert_fails(
        restway_cache_list(caching.client, NULL, 0, &entries, &failure), RESTWAY_E_CLOSED, "");
    caching_end(&caching);
}

static void cache_off__takes_the_cache_of_the_document_away(void **state) {
    (void)state;
    static const char document[] = "{\"restway\": 1, \"cache\": {}}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    options.base_url = "http://127.0.0.1:1/";
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_ok(restway_cache_remove(client, NULL, NULL, &failure));
    restway_client_release(client);
    options.cache_flags = RESTWAY_CACHE_OFF;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_fails(
        restway_cache_remove(client, NULL, NULL, &failure), RESTWAY_E_CONFIG, "no response cache");
    restway_client_release(client);
    restway_api_release(api);
}

static void cache_functions__of_a_client_without_a_cache(void **state) {
    (void)state;
    struct caching caching;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_cache_note note = RESTWAY_CACHE_NOTE_INIT;
    restway_cache_counts counts = RESTWAY_CACHE_COUNTS_INIT;
    restway_cache_entries *entries = POISON;
    caching_begin(&caching);
    options.cache_flags = RESTWAY_CACHE_HEURISTICS;
    caching_replace_client(&caching, options);
    restway_client *client = caching.client;
    restway_request *request = caching_request("things");
    const restway_status none = RESTWAY_E_CONFIG;
    assert_fails(
        restway_client_set_cache_discriminator(client, "a", &failure), none, "no response cache");
    assert_fails(restway_cache_find(client, request, &note, &failure), none, "no response cache");
    assert_fails(restway_cache_statistics(client, &counts, &failure), none, "no response cache");
    assert_fails(
        restway_cache_list(client, NULL, 0, &entries, &failure), none, "no response cache");
    assert_null(entries);
    assert_fails(restway_cache_remove(client, NULL, NULL, &failure), none, "no response cache");
    assert_fails(
        restway_cache_problem(client, NULL, 0, NULL, &failure), none, "no response cache");
    /* What the document says of the cache has no effect. */
    restway_request_release(request);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_NONE, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_NONE, 2);
    caching_end(&caching);
}

static void refuse_options(restway_client_options options, restway_status status, const char *why) {
    restway_client *client = POISON;
    restway_api *api = make_api();
    options.base_url = demo_url();
    assert_fails(restway_client_create(api, &options, &client, &failure), status, why);
    assert_null(client);
    restway_api_release(api);
}

static void client_create__says_the_range_of_a_number(void **state) {
    (void)state;
    const restway_client_options good = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client_options options = good;
    options.nesting_depth_max = 2049;
    refuse_options(
        options, RESTWAY_E_INVALID_ARGUMENT,
        "options.nesting_depth_max is out of range: 2049 (1 to 2048 is allowed)");
    options = good;
    options.redirects_max = 1001;
    refuse_options(
        options, RESTWAY_E_INVALID_ARGUMENT,
        "options.redirects_max is out of range: 1001 (-1, or 1 to 1000, is allowed)");
    options = good;
    options.save_bytes_max = -2;
    refuse_options(
        options, RESTWAY_E_INVALID_ARGUMENT,
        "options.save_bytes_max is out of range: -2 (-1, or 1 or more, is allowed)");
    options = good;
    options.language_count = 1;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.languages is NULL");
}

static void client_create__refuses_wrong_options_of_the_cache(void **state) {
    (void)state;
    const restway_client_options good = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client_options options = good;
    options.cache_path = BAD_UTF8;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.cache_path");
    options.cache_path = "";
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.cache_path");
    options = good;
    options.cache_bytes_max = 65535;
    refuse_options(
        options, RESTWAY_E_INVALID_ARGUMENT,
        "options.cache_bytes_max is out of range: 65535 (65536 to 1125899906842624 is allowed)");
    options = good;
    options.cache_memory_bytes_max = -2;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.cache_memory_bytes_max");
    options = good;
    options.cache_flags = 0x8u;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.cache_flags");
    options = good;
    options.cache_reserved = 1;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "options.cache_reserved");
    options = good;
    options.cache_flags = RESTWAY_CACHE_OFF | RESTWAY_CACHE_ON;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_CACHE_OFF");
    options = good;
    options.cache_flags = RESTWAY_CACHE_OFF;
    options.cache_path = "/tmp/restway-cache-never-made.db";
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_CACHE_OFF");
    options = good;
    options.cache_flags = RESTWAY_CACHE_OFF;
    options.cache_bytes_max = 65536;
    refuse_options(options, RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_CACHE_OFF");
    options = good;
    options.cache_flags = RESTWAY_CACHE_ON;
    options.cache_memory_bytes_max = -1;
    refuse_options(options, RESTWAY_E_CONFIG, "no file");
    options = good;
    options.cache_path = "/tmp/restway-cache-never-made.db";
    options.cache_bytes_max = 65536;
    options.cache_memory_bytes_max = 65537;
    refuse_options(options, RESTWAY_E_CONFIG, "in memory");
}

static const struct CMUnitTest tests[] = {
    TEST(cache_structs__are_what_the_macros_say),
    TEST(cache_functions__refuse_null_and_bad_text),
    TEST(cache_functions__of_a_list_refuse_null),
    TEST(cache_off__takes_the_cache_of_the_document_away),
    TEST(cache_functions__of_a_client_without_a_cache),
    TEST(client_create__says_the_range_of_a_number),
    TEST(client_create__refuses_wrong_options_of_the_cache),
};

const struct suite null_cache_suite = SUITE(tests);
