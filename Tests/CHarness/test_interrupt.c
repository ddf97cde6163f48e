/* Interrupts: waits that a signal handler or another thread ends. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"

/** Makes an interrupt that this thread uses. */
static restway_interrupt *use_interrupt(void) {
    restway_interrupt *interrupt = NULL;
    assert_ok(restway_interrupt_create(&interrupt, &failure));
    assert_ok(restway_interrupt_use(interrupt, &failure));
    return interrupt;
}

static void end_interrupt(restway_interrupt *interrupt) {
    assert_ok(restway_interrupt_use(NULL, &failure));
    restway_interrupt_release(interrupt);
}

static volatile sig_atomic_t descriptor_of_handler;

/** What the header recommends: write(2) is safe here. */
static void raise_in_handler(int signal_number) {
    (void)signal_number;
    ssize_t written = write(descriptor_of_handler, "", 1);
    (void)written;
}

static void interrupt__ends_a_wait_from_a_signal_handler(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = raise_in_handler}, before;
    restway_interrupt *interrupt = use_interrupt();
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=60000");
    restway_call *call = NULL;
    descriptor_of_handler = restway_interrupt_descriptor(interrupt);
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    for (int64_t milliseconds = 0; milliseconds <= 60000; milliseconds += 60000) {
        raise(SIGUSR1);
        assert_fails(
            restway_call_wait(call, milliseconds, NULL, &failure), RESTWAY_E_INTERRUPTED,
            "bad/slow");
        assert_int_equal(restway_call_is_complete(call), 0);
    }
    restway_call_cancel(call);
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_CANCELLED, "");
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    end_interrupt(interrupt);
}

/** Raises the interrupt again and again until it is told to stop. */
struct raiser {
    restway_interrupt *interrupt;
    volatile int is_over;
    pthread_t thread;
};

static void *raise_often(void *argument) {
    struct raiser *raiser = argument;
    while (!__atomic_load_n(&raiser->is_over, __ATOMIC_ACQUIRE)) {
        restway_interrupt_raise(raiser->interrupt);
        for (int turn = 0; turn < 50; turn++) sched_yield();
    }
    return NULL;
}

static void interrupt__at_any_moment_loses_no_answer(void **state) {
    (void)state;
    struct raiser raiser = {.interrupt = use_interrupt()};
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises?per_page=5");
    assert_int_equal(pthread_create(&raiser.thread, NULL, raise_often, &raiser), 0);
    for (int round = 0; round < scaled(500); round++) {
        restway_call *call = NULL;
        restway_response *response = NULL;
        restway_status status = RESTWAY_E_INTERRUPTED;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        while (status == RESTWAY_E_INTERRUPTED) {
            status = restway_call_wait(call, 0, &response, NULL);
        }
        assert_int_equal(status, RESTWAY_OK);
        assert_int_equal(restway_response_object_count(response), 5);
        restway_response_release(response);
        restway_call_release(call);
    }
    __atomic_store_n(&raiser.is_over, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(raiser.thread, NULL), 0);
    restway_request_release(request);
    restway_client_release(client);
    end_interrupt(raiser.interrupt);
}

static void interrupt__cancels_what_perform_sent(void **state) {
    (void)state;
    restway_interrupt *interrupt = use_interrupt();
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=60000");
    restway_response *response = POISON;
    restway_interrupt_raise(interrupt);
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_INTERRUPTED,
        "bad/slow");
    assert_null(response);
    restway_request_release(request);
    restway_client_release(client);
    end_interrupt(interrupt);
}

static void interrupt__gives_the_call_that_goes_on(void **state) {
    (void)state;
    restway_interrupt *interrupt = use_interrupt();
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=50");
    restway_response *response = NULL;
    restway_call *call = NULL;
    restway_interrupt_raise(interrupt);
    assert_fails(
        restway_client_perform_interruptibly(client, request, 0, &call, &response, &failure),
        RESTWAY_E_INTERRUPTED, "bad/slow");
    assert_non_null(call);
    assert_null(response);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    restway_call_release(call);
    call = POISON;
    restway_request_release(request);
    request = make_get("status");
    assert_ok(
        restway_client_perform_interruptibly(client, request, 0, &call, &response, &failure));
    assert_null(call);
    restway_response_release(response);
    assert_ok(
        restway_client_perform_interruptibly(client, request, 0, &call, NULL, &failure));
    call = POISON;
    assert_refused(
        restway_client_perform_interruptibly(client, request, -1, &call, &response, &failure));
    assert_null(call);
    assert_null(response);
    assert_refused(
        restway_client_perform_interruptibly(client, request, 0, NULL, &response, &failure));
    assert_refused(
        restway_client_perform_interruptibly(NULL, request, 0, &call, &response, &failure));
    assert_refused(
        restway_client_perform_interruptibly(client, NULL, 0, &call, &response, &failure));
    restway_request_release(request);
    restway_client_release(client);
    end_interrupt(interrupt);
}

static void interrupt__ends_the_wait_for_notices(void **state) {
    (void)state;
    size_t count = 99;
    restway_interrupt *interrupt = use_interrupt();
    restway_client *client = make_client_delivering(RESTWAY_DELIVERY_PROCESS);
    restway_interrupt_raise(interrupt);
    assert_fails(
        restway_client_process(client, -1, &count, &failure), RESTWAY_E_INTERRUPTED, "");
    assert_int_equal(count, 0);
    struct probe probe;
    probe_begin(&probe);
    restway_call_release(
        send_and_complete(client, "status", probe_done, &probe, probe_destroy));
    process_notices(client, 1);
    probe_expect(&probe, RESTWAY_OK);
    restway_client_release(client);
    end_interrupt(interrupt);
}

static void interrupt__ends_the_wait_for_a_batch(void **state) {
    (void)state;
    restway_interrupt *interrupt = use_interrupt();
    restway_client *client = make_client();
    restway_request *request = make_get("bad/slow?ms=60000");
    restway_batch *batch = NULL;
    assert_ok(restway_batch_create(client, &batch, &failure));
    assert_ok(restway_batch_add(batch, request, NULL, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    restway_interrupt_raise(interrupt);
    assert_fails(restway_batch_wait(batch, 0, &failure), RESTWAY_E_INTERRUPTED, "batch");
    restway_batch_cancel(batch);
    restway_batch_release(batch);
    restway_request_release(request);
    restway_client_release(client);
    end_interrupt(interrupt);
}

static void *get_status(void *argument) {
    restway_request *request = make_get("status");
    restway_status *status = argument;
    restway_client *client = make_client();
    *status = restway_client_perform(client, request, 0, NULL, NULL);
    restway_client_release(client);
    restway_request_release(request);
    return NULL;
}

static void interrupt__concerns_only_threads_that_use_it(void **state) {
    (void)state;
    pthread_t thread;
    restway_status status = RESTWAY_E_INTERNAL;
    restway_interrupt *interrupt = use_interrupt();
    restway_interrupt_raise(interrupt);
    assert_int_equal(pthread_create(&thread, NULL, get_status, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(status, RESTWAY_OK);
    end_interrupt(interrupt);
}

static void interrupt_functions__refuse_null(void **state) {
    (void)state;
    assert_refused(restway_interrupt_create(NULL, &failure));
    assert_null(restway_interrupt_retain(NULL));
    restway_interrupt_release(NULL);
    restway_interrupt_raise(NULL);
    assert_int_equal(restway_interrupt_descriptor(NULL), -1);
    assert_ok(restway_interrupt_use(NULL, NULL));
    restway_interrupt *interrupt = use_interrupt();
    restway_interrupt_release(restway_interrupt_retain(interrupt));
    end_interrupt(interrupt);
}

static const struct CMUnitTest tests[] = {
    TEST(interrupt__ends_a_wait_from_a_signal_handler),
    TEST(interrupt__at_any_moment_loses_no_answer),
    TEST(interrupt__cancels_what_perform_sent),
    TEST(interrupt__gives_the_call_that_goes_on),
    TEST(interrupt__ends_the_wait_for_notices),
    TEST(interrupt__ends_the_wait_for_a_batch),
    TEST(interrupt__concerns_only_threads_that_use_it),
    TEST(interrupt_functions__refuse_null),
};

const struct suite interrupt_suite = SUITE(tests);
