/* Measures Restway with a fixed number of calls in flight: each completion sends the next request.
 *
 *     restway_async DOCUMENT BASE-URL IN-FLIGHT REQUESTS */
#include "measure.h"
#include "ours.h"

#include <pthread.h>
#include <stdlib.h>

struct run {
    restway_client *client;
    size_t requests;
    /* Notices of one client never overlap, but the first requests are sent while notices run. */
    pthread_mutex_t mutex;
    pthread_cond_t is_done;
    size_t started;
    size_t done;
};

struct slot {
    struct run *run;
    restway_request *request;
};

static void send_next(struct slot *slot);

static void completed(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct slot *slot = context;
    struct run *run = slot->run;
    int goes_on;

    (void)call;
    if (status != RESTWAY_OK) fail("%s", restway_error_message(error));
    ours_check(response);
    pthread_mutex_lock(&run->mutex);
    goes_on = run->started < run->requests;
    if (goes_on) run->started++;
    if (++run->done == run->requests) pthread_cond_signal(&run->is_done);
    pthread_mutex_unlock(&run->mutex);
    if (goes_on) send_next(slot);
}

static void send_next(struct slot *slot) {
    restway_error *error = NULL;

    expect(
        restway_client_send(slot->run->client, slot->request, completed, slot, NULL, NULL, &error),
        &error);
}

static void run_all(struct run *run, struct slot *slots, size_t in_flight, size_t requests) {
    size_t first = in_flight < requests ? in_flight : requests;
    size_t i;

    run->requests = requests;
    run->started = first;
    run->done = 0;
    for (i = 0; i < first; i++) send_next(&slots[i]);
    pthread_mutex_lock(&run->mutex);
    while (run->done < run->requests) pthread_cond_wait(&run->is_done, &run->mutex);
    pthread_mutex_unlock(&run->mutex);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t in_flight = count_argument(argc, argv, 3, "IN-FLIGHT");
    size_t requests = count_argument(argc, argv, 4, "REQUESTS");
    struct slot *slots = calloc(in_flight, sizeof *slots);
    restway_request *companies[COMPANIES];
    struct run run;
    double begun;
    size_t i;

    if (slots == NULL) fail("no memory");
    run.client = ours_client(document, base);
    pthread_mutex_init(&run.mutex, NULL);
    pthread_cond_init(&run.is_done, NULL);
    for (i = 0; i < COMPANIES; i++) companies[i] = ours_company_request(i);
    for (i = 0; i < in_flight; i++) {
        slots[i].run = &run;
        slots[i].request = companies[i % COMPANIES];
    }

    /* The other connections can resume the session of the first one. */
    run_all(&run, slots, 1, 1);
    run_all(&run, slots, in_flight, WARM_UP);
    begun = wall_seconds();
    run_all(&run, slots, in_flight, requests);
    load_print(begun, requests);

    for (i = 0; i < COMPANIES; i++) restway_request_release(companies[i]);
    restway_client_release(run.client);
    free(slots);
    return 0;
}
