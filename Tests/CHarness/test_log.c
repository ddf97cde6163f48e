/* The log of the process. */
#include <pthread.h>
#include <string.h>

#include "harness.h"

/** The log messages, and how often the context was destroyed. */
struct journal {
    pthread_mutex_t lock;
    int message_count;
    int destroyed_count;
    int malformed_count;
    restway_log_level level_max;
};

static void journal_begin(struct journal *journal) {
    memset(journal, 0, sizeof(*journal));
    pthread_mutex_init(&journal->lock, NULL);
}

static void note(
    void *context, restway_log_level level, const char *category, const char *message) {
    struct journal *journal = context;
    size_t length = strlen(message);
    pthread_mutex_lock(&journal->lock);
    journal->message_count++;
    journal->malformed_count += category[0] == '\0' || length == 0 || message[length - 1] == '\n';
    if (level > journal->level_max) {
        journal->level_max = level;
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
    restway_request *request = make_get("bad/status/500");
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
    assert_ok(restway_log_set(RESTWAY_LOG_DEBUG, note, &first, journal_destroy, &failure));
    make_noise();
    assert_true(first.message_count > 0);
    assert_int_equal(first.malformed_count, 0);
    assert_int_equal(first.destroyed_count, 0);
    assert_ok(restway_log_set(RESTWAY_LOG_ERROR, note, &second, journal_destroy, &failure));
    assert_int_equal(first.destroyed_count, 1);
    int before = first.message_count;
    make_noise();
    assert_int_equal(first.message_count, before);
    assert_true(second.level_max <= RESTWAY_LOG_ERROR);
    assert_ok(restway_log_set(RESTWAY_LOG_OFF, NULL, NULL, NULL, &failure));
    assert_int_equal(second.destroyed_count, 1);
    assert_int_equal(first.destroyed_count, 1);
}

static void log_set__refuses_an_unknown_level(void **state) {
    (void)state;
    struct journal journal;
    journal_begin(&journal);
    assert_refused(
        restway_log_set((restway_log_level)9, note, &journal, journal_destroy, &failure));
    assert_refused(
        restway_log_set((restway_log_level)-1, note, &journal, journal_destroy, &failure));
    assert_int_equal(journal.destroyed_count, 0);
    assert_int_equal(journal.message_count, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(log_set__is_told_and_replaced),
    TEST(log_set__refuses_an_unknown_level),
};

const struct suite log_suite = SUITE(tests);
