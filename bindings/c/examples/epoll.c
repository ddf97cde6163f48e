/* Requests in a program that runs its own loop, with nothing but epoll: events are drained.
 *
 *     cc epoll.c -o epoll $(pkg-config --cflags --libs restway)
 *     examples/with-demo-api ./epoll
 *
 * No callback runs and no lock is needed: everything happens on the thread of the loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <restway/restway.h>

enum { COMPANY_COUNT = 5, EVENT_COUNT_MAX = 16 };

/** Prints the reason of a failure, and releases the error. */
static int give_up(restway_error *error) {
    fprintf(stderr, "%s\n", restway_error_message(error));
    restway_error_release(error);
    return 1;
}

/** Sends a request for one company; its event will carry the number. */
static restway_status ask_for(restway_client *client, int company, restway_error **error) {
    char path[32];
    restway_request *request = NULL;
    void *token = (void *)(uintptr_t)company;
    snprintf(path, sizeof(path), "enterprises/%d", company);
    restway_status status = restway_request_create("GET", path, &request, error);
    if (status == RESTWAY_OK) {
        status = restway_client_send(client, request, NULL, token, NULL, NULL, error);
    }
    restway_request_release(request);
    return status;
}

/** Prints the result of one call; returns whether it failed. */
static int print_event(const restway_event *event) {
    if (event->status != RESTWAY_OK) {
        const char *message = restway_error_message(event->payload.error);
        fprintf(stderr, "company %d: %s\n", (int)event->token, message);
        return 1;
    }
    const restway_object *company = restway_response_object(event->payload.response, 0);
    const char *name = restway_object_string(company, "name");
    printf("company %d: %s\n", (int)event->token, name != NULL ? name : "-");
    return 0;
}

/** The loop: waits until the client's descriptor is readable, then drains the events. */
static int run(restway_client *client, int loop, int pending_count) {
    int failed_count = 0;
    while (pending_count > 0) {
        struct epoll_event ready;
        restway_event events[EVENT_COUNT_MAX];
        size_t count = 0;
        restway_error *error = NULL;
        if (epoll_wait(loop, &ready, 1, -1) < 1) {
            continue; /* A signal arrived. */
        }
        if (restway_client_drain(client, events, EVENT_COUNT_MAX, &count, &error) != RESTWAY_OK) {
            return give_up(error);
        }
        for (size_t index = 0; index < count; index++) {
            failed_count += print_event(&events[index]);
            restway_event_release(&events[index]);
        }
        pending_count -= (int)count;
    }
    return failed_count == 0 ? 0 : 1;
}

/** Sends requests for all companies at once, and handles their events. */
static int fetch_companies(restway_client *client) {
    restway_error *error = NULL;
    struct epoll_event interest;
    int loop = epoll_create1(EPOLL_CLOEXEC);
    interest.events = EPOLLIN;
    interest.data.ptr = client;
    if (loop < 0 ||
        epoll_ctl(loop, EPOLL_CTL_ADD, restway_client_descriptor(client), &interest) != 0) {
        perror("epoll");
        return 1;
    }
    int pending_count = 0;
    for (int company = 1; company <= COMPANY_COUNT && error == NULL; company++) {
        pending_count += ask_for(client, company, &error) == RESTWAY_OK ? 1 : 0;
    }
    int result = run(client, loop, pending_count);
    close(loop);
    return error != NULL ? give_up(error) : result;
}

int main(void) {
    const char *document = getenv("RESTWAY_DEMO_DOCUMENT");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    options.base_url = getenv("RESTWAY_DEMO_URL");
    options.delivery = RESTWAY_DELIVERY_DRAIN;

    restway_status status = restway_api_load_file(
        document != NULL ? document : "examples/demo-api/demo.restway.json", &api, &error);
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, &client, &error);
    }
    restway_api_release(api);
    if (status != RESTWAY_OK) {
        return give_up(error);
    }
    int result = fetch_companies(client);
    restway_client_release(client);
    return result;
}
