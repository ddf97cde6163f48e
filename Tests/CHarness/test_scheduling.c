/* What the library's threads ask of the kernel: how a thread that waits for its answer waits, and
 * what the I/O thread and callbacks run with. */
#define _GNU_SOURCE

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
        /* So slow that nobody has it before it could sleep. */
        restway_response_release(fetch(client, "bad/slow?ms=5"));
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

/** What a callback has seen: policies, -1 where there is none. */
struct policies {
    sem_t is_over;
    int callback;
    int io_thread;
};

/** The policy of the library's I/O thread, the only one of this process. */
static int policy_of_io_thread(void) {
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    int policy = -1;
    while (tasks != NULL && (task = readdir(tasks)) != NULL) {
        char path[300], name[32] = "";
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(name, sizeof(name), file) != NULL && strcmp(name, "restway-io\n") == 0)
            policy = sched_getscheduler(atoi(task->d_name));
        fclose(file);
    }
    if (tasks != NULL) closedir(tasks);
    return policy;
}

static void look_at_policies(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    (void)call, (void)status, (void)response, (void)error;
    struct policies *policies = context;
    policies->callback = sched_getscheduler(0);
    policies->io_thread = policy_of_io_thread();
}

static void end_look(void *context) {
    sem_post(&((struct policies *)context)->is_over);
}

static void *try_batch(void *was_refused) {
    const struct sched_param none = {0};
    *(int *)was_refused = sched_setscheduler(0, SCHED_BATCH, &none);
    return NULL;
}

/** Who says so by a policy of the process, or by forbidding the call, is not overruled. */
static int may_have_batch(void) {
    pthread_t thread;
    int was_refused = 1;
    if (sched_getscheduler(0) != SCHED_OTHER) return 0;
    assert_int_equal(pthread_create(&thread, NULL, try_batch, &was_refused), 0);
    pthread_join(thread, NULL);
    return !was_refused;
}

static void callbacks__preempt_nobody_but_the_io_thread_does(void **state) {
    (void)state;
    struct policies policies = {.callback = -1, .io_thread = -1};
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    int usual = sched_getscheduler(0);
    assert_int_equal(sem_init(&policies.is_over, 0, 0), 0);
    assert_ok(restway_client_send(
        client, request, look_at_policies, &policies, end_look, NULL, &failure));
    while (sem_wait(&policies.is_over) != 0) continue;
    assert_int_equal(policies.callback, may_have_batch() ? SCHED_BATCH : usual);
    assert_int_equal(policies.io_thread, usual);
    sem_destroy(&policies.is_over);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(busy_poll__answers_that_come_in_time_are_not_slept_for),
    TEST(busy_poll__without_it_each_answer_is_slept_for),
    TEST(busy_poll__out_of_range_is_refused),
    TEST(callbacks__preempt_nobody_but_the_io_thread_does),
};

const struct suite scheduling_suite = SUITE(tests);
