/* The log of the process. */
#include <pthread.h>
#include <string.h>

#include "harness.h"

/** The log records, and how often the context was destroyed. */
struct journal {
    pthread_mutex_t lock;
    int message_count;
    int destroyed_count;
    int malformed_count;
    int transport_count;
    int end_count;
    int flush_refused_count;
    uint32_t level_max;
    uint32_t level_min;
};

static void journal_begin(struct journal *journal) {
    memset(journal, 0, sizeof(*journal));
    journal->level_min = RESTWAY_LOG_DEBUG;
    pthread_mutex_init(&journal->lock, NULL);
}

/** Whether the fields of a record fit its message. */
static int is_well_formed(const restway_log_record *record) {
    size_t length = strlen(record->message);
    int is_about_call = record->call_id != 0;
    return record->target[0] != '\0' && length > 0 && record->message[length - 1] != '\n' &&
           record->time_microseconds > 0 && record->milliseconds >= -1 && record->dropped == 0 &&
           record->reserved == 0 && (record->method != NULL) == is_about_call &&
           (record->url != NULL) == is_about_call &&
           (!is_about_call || strchr(record->url, '?') == NULL);
}

static void note(void *context, const restway_log_record *record) {
    struct journal *journal = context;
    pthread_mutex_lock(&journal->lock);
    journal->message_count++;
    journal->malformed_count += !is_well_formed(record);
    journal->transport_count += strcmp(record->target, "transport") == 0;
    journal->end_count += record->milliseconds >= 0 && record->http_status == 500 &&
                          strcmp(record->method, "GET") == 0;
    if (record->level > journal->level_max) {
        journal->level_max = record->level;
    }
    if (record->level < journal->level_min) {
        journal->level_min = record->level;
    }
    pthread_mutex_unlock(&journal->lock);
}

static void journal_destroy(void *context) {
    struct journal *journal = context;
    pthread_mutex_lock(&journal->lock);
    journal->destroyed_count++;
    pthread_mutex_unlock(&journal->lock);
}

static void make_noise(void) {
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/500?token=hidden");
    restway_response_release(fetch(client, "status"));
    assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "");
    restway_request_release(request);
    restway_client_release(client);
}

static void log_set__is_told_and_replaced(void **state) {
    (void)state;
    struct journal first, second;
    journal_begin(&first);
    journal_begin(&second);
    assert_ok(restway_log_set("debug", note, &first, journal_destroy, &failure));
    make_noise();
    assert_ok(restway_log_flush(&failure));
    assert_true(first.message_count > 0);
    assert_true(first.transport_count > 0);
    assert_int_equal(first.end_count, 1);
    assert_int_equal(first.malformed_count, 0);
    assert_int_equal(first.destroyed_count, 0);
    assert_ok(restway_log_set("info", note, &second, journal_destroy, &failure));
    assert_int_equal(first.destroyed_count, 1);
    int before = first.message_count;
    make_noise();
    assert_int_equal(first.message_count, before);
    assert_ok(restway_log_set(NULL, NULL, NULL, NULL, &failure));
    assert_true(second.message_count > 0);
    assert_int_equal(second.level_max, RESTWAY_LOG_INFO);
    assert_int_equal(second.level_min, RESTWAY_LOG_INFO);
    assert_int_equal(second.destroyed_count, 1);
    assert_int_equal(first.destroyed_count, 1);
}

static void log_set_levels__changes_what_arrives(void **state) {
    (void)state;
    struct journal journal;
    journal_begin(&journal);
    assert_ok(restway_log_set("off", note, &journal, journal_destroy, &failure));
    make_noise();
    assert_ok(restway_log_flush(&failure));
    assert_int_equal(journal.message_count, 0);
    assert_ok(restway_log_set_levels("transport=debug", &failure));
    make_noise();
    assert_ok(restway_log_flush(&failure));
    assert_true(journal.message_count > 0);
    assert_int_equal(journal.transport_count, journal.message_count);
    assert_ok(restway_log_set(NULL, NULL, NULL, NULL, &failure));
}

static void ask_inside(void *context, const restway_log_record *record) {
    (void)record;
    struct journal *journal = context;
    restway_error *error = NULL;
    pthread_mutex_lock(&journal->lock);
    journal->flush_refused_count += restway_log_flush(&error) == RESTWAY_E_WOULD_BLOCK;
    journal->message_count++;
    pthread_mutex_unlock(&journal->lock);
    restway_error_release(error);
}

static void log_flush__refuses_to_wait_for_itself(void **state) {
    (void)state;
    struct journal journal;
    journal_begin(&journal);
    assert_ok(restway_log_set("info", ask_inside, &journal, NULL, &failure));
    make_noise();
    assert_ok(restway_log_set(NULL, NULL, NULL, NULL, &failure));
    assert_true(journal.message_count > 0);
    assert_int_equal(journal.flush_refused_count, journal.message_count);
}

static void log_set__refuses_wrong_levels(void **state) {
    (void)state;
    static const char *const wrong[] = { "loud", "transport=loud", "transprot=debug", "debug,=" };
    struct journal journal;
    journal_begin(&journal);
    for (size_t index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        assert_refused(restway_log_set(wrong[index], note, &journal, journal_destroy, &failure));
        assert_refused(restway_log_set_levels(wrong[index], &failure));
    }
    const char *bad = "\xff";
    assert_refused(restway_log_set(bad, note, &journal, journal_destroy, &failure));
    assert_refused(restway_log_set_levels(bad, &failure));
    assert_refused(restway_log_set(NULL, note, &journal, journal_destroy, &failure));
    assert_refused(restway_log_set_levels(NULL, &failure));
    assert_int_equal(journal.destroyed_count, 0);
    assert_int_equal(journal.message_count, 0);
    assert_fails(
        restway_log_set_levels("transprot=debug", &failure), RESTWAY_E_INVALID_ARGUMENT,
        "levels: \"transprot\" is no target of the log");
}

static const struct CMUnitTest tests[] = {
    TEST(log_set__is_told_and_replaced),
    TEST(log_set_levels__changes_what_arrives),
    TEST(log_flush__refuses_to_wait_for_itself),
    TEST(log_set__refuses_wrong_levels),
};

const struct suite log_suite = SUITE(tests);
