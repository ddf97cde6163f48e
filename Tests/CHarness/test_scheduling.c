/* How threads wait and run: a thread that waits for an answer sleeps, and the library's threads
 * have the scheduling policy of the process. */
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

enum { WARM_UP = 10, REQUESTS = 40 };

/** Returns how often this thread has gone to sleep. */
static long sleeps(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

static void waiting_thread__sleeps_for_each_answer(void **state) {
    (void)state;
    long before = 0;
    restway_client *client = make_client();
    for (int number = 0; number < WARM_UP + REQUESTS; number++) {
        if (number == WARM_UP) before = sleeps();
        /* The server answers so late that the thread always has to wait. */
        restway_response_release(fetch(client, "bad/slow?ms=5"));
    }
    restway_client_release(client);
    assert_true(sleeps() - before > REQUESTS / 2);
}

/** The scheduling policies that a callback has seen; -1 for a thread that does not exist. */
struct policies {
    sem_t is_over;
    int callback;
    int io_thread;
};

/** Returns the policy of the library's I/O thread, the only one of this process. */
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

static void threads__have_the_scheduling_policy_of_the_process(void **state) {
    (void)state;
    struct policies policies = {.callback = -1, .io_thread = -1};
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    int usual = sched_getscheduler(0);
    assert_int_equal(sem_init(&policies.is_over, 0, 0), 0);
    assert_ok(restway_client_send(
        client, request, look_at_policies, &policies, end_look, NULL, &failure));
    while (sem_wait(&policies.is_over) != 0) continue;
    assert_int_equal(policies.callback, usual);
    assert_int_equal(policies.io_thread, usual);
    sem_destroy(&policies.is_over);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(waiting_thread__sleeps_for_each_answer),
    TEST(threads__have_the_scheduling_policy_of_the_process),
};

const struct suite scheduling_suite = SUITE(tests);
