/* Several threads share a client: each call completes once, cancelled or not. */
#include <stdlib.h>

#include "harness.h"
#include "probe.h"

enum { THREADS = 4, REQUESTS_PER_THREAD = 100 };

/** The work of one thread. Threads only store results; the test checks them. */
struct part {
    restway_client *client;
    struct probe *probes;
    int count;
    int cancelling;
    int refused_count;
};

static void *send_part(void *context) {
    struct part *part = context;
    for (int index = 0; index < part->count; index++) {
        restway_request *request = NULL;
        restway_call *call = NULL;
        const char *path = index % 2 == 0 ? "enterprises/3" : "enterprises?page=1&per_page=10";
        if (restway_request_create("GET", path, &request, NULL) != RESTWAY_OK
            || restway_client_send(
                   part->client, request, probe_done, &part->probes[index], probe_destroy, &call,
                   NULL)
                   != RESTWAY_OK) {
            part->refused_count++;
        }
        if (part->cancelling && index % 3 == 0) {
            restway_call_cancel(call);
        }
        restway_call_release(call);
        restway_request_release(request);
    }
    return NULL;
}

static void run_threads(int cancelling) {
    int per_thread = scaled(REQUESTS_PER_THREAD);
    int total = THREADS * per_thread;
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    restway_client *client = make_client();
    struct probe *probes = calloc((size_t)total, sizeof(*probes));
    assert_non_null(probes);
    for (int index = 0; index < total; index++) {
        probe_begin(&probes[index]);
    }
    for (int index = 0; index < THREADS; index++) {
        struct probe *own = probes + index * per_thread;
        parts[index] = (struct part){client, own, per_thread, cancelling, 0};
        assert_int_equal(pthread_create(&threads[index], NULL, send_part, &parts[index]), 0);
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        assert_int_equal(parts[index].refused_count, 0);
    }
    for (int index = 0; index < total; index++) {
        probe_wait_done(&probes[index]);
        restway_status status = probes[index].status;
        int may_be_cancelled = cancelling && (index % per_thread) % 3 == 0;
        probe_expect(
            &probes[index],
            may_be_cancelled && status != RESTWAY_OK ? RESTWAY_E_CANCELLED : RESTWAY_OK);
    }
    restway_client_release(client);
    free(probes);
}

static void threads__each_call_completes_once(void **state) {
    (void)state;
    run_threads(0);
}

static void threads__each_call_completes_once_while_some_are_cancelled(void **state) {
    (void)state;
    run_threads(1);
}

static void threads__one_closes_while_others_send(void **state) {
    (void)state;
    int per_thread = scaled(REQUESTS_PER_THREAD);
    pthread_t thread;
    restway_client *client = make_client();
    struct probe *probes = calloc((size_t)per_thread, sizeof(*probes));
    assert_non_null(probes);
    for (int index = 0; index < per_thread; index++) {
        probe_begin(&probes[index]);
    }
    struct part part = {client, probes, per_thread, 0, 0};
    assert_int_equal(pthread_create(&thread, NULL, send_part, &part), 0);
    probe_wait_done(&probes[0]);
    restway_client_close(client);
    pthread_join(thread, NULL);
    int started = per_thread - part.refused_count;
    for (int index = 0; index < started; index++) {
        probe_wait_done(&probes[index]);
        restway_status status = probes[index].status;
        probe_expect(&probes[index], status == RESTWAY_OK ? status : RESTWAY_E_CLOSED);
    }
    for (int index = started; index < per_thread; index++) {
        assert_int_equal(probes[index].done_count, 0);
        assert_int_equal(probes[index].destroyed_count, 0);
    }
    restway_client_release(client);
    free(probes);
}

/** Waits for the same call on several threads, while it also has a completion notice. */
static void *wait_for_call(void *context) {
    struct probe *probe = context;
    restway_response *response = NULL;
    restway_status status = restway_call_wait(probe->call, 0, &response, NULL);
    int matches = (response != NULL) == (status == RESTWAY_OK);
    restway_response_release(response);
    return matches && status == RESTWAY_OK ? NULL : context;
}

static void threads__several_wait_for_one_call(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    struct probe probe;
    probe_begin(&probe);
    restway_client *client = make_client();
    probe_send(&probe, client, "bad/slow?ms=100", &probe.call);
    for (int index = 0; index < THREADS; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, wait_for_call, &probe), 0);
    }
    for (int index = 0; index < THREADS; index++) {
        void *wrong = NULL;
        pthread_join(threads[index], &wrong);
        assert_null(wrong);
    }
    probe_expect(&probe, RESTWAY_OK);
    restway_call_release(probe.call);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(threads__each_call_completes_once),
    TEST(threads__each_call_completes_once_while_some_are_cancelled),
    TEST(threads__one_closes_while_others_send),
    TEST(threads__several_wait_for_one_call),
};

const struct suite concurrency_suite = SUITE(tests);
