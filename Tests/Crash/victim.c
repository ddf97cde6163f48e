/* Enqueues and flushes until it is done or killed; prints what the library reported.
 *
 *     victim DOCUMENT BASE-URL MODE FIRST COUNT LANE
 *
 * MODE work: enqueues COUNT requests, numbered from FIRST, from two threads into lanes LANE.*, and
 * flushes meanwhile;
 * online: like work, but tries each request first; first: like online, but stores each request
 * before it is sent; enqueue: like work, but never flushes; lanes:
 * like enqueue, with many lanes and without objects; fill: like lanes, then flushes until no item
 * is left; serve: flushes until it is killed; drain: flushes until no item is left.
 *
 * Lines: "R" the client is made, "Q <tag>" stored, "D <tag>" delivered, "E <tag> <why>" neither
 * stored nor delivered, "F" nothing is left, "X <why>" it cannot continue. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <restway/restway.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 2
#define ROUNDS_MAX 5000
/* The lanes of each thread, in the mode with many lanes. */
#define LANES 16

static restway_client *client;
static restway_store *store;
static long first, count;
static const char *lanes;
static int flushes, has_many_lanes, stores_first;

/* A line is written with one call, so that it is either complete or missing. */
static void say(const char *format, ...) {
    char line[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
    for (int index = 0; index < length; index++)
        if (line[index] == '\n') line[index] = ' ';
    line[length] = '\n';
    if (write(1, line, (size_t)length + 1) < 0) _exit(3);
}

static void expect(restway_status status, restway_error **error) {
    if (status == RESTWAY_OK) return;
    say("X %s: %s", restway_status_name(status), restway_error_message(*error));
    _exit(2);
}

/* Reports whether the request was stored or delivered. */
static int perform(restway_request *request, const char *tag) {
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_status status;

    if (stores_first)
        expect(restway_request_set_offline(request, RESTWAY_OFFLINE_FIRST, &error), &error);
    status = restway_client_perform(client, request, 0, &response, &error);
    if (status == RESTWAY_OK) {
        say("D %s", tag);
    } else if (status == RESTWAY_E_QUEUED) {
        say("Q %s", tag);
    } else {
        say("E %s %s: %s", tag, restway_status_name(status), restway_error_message(error));
    }
    restway_response_release(response);
    restway_error_release(error);
    restway_request_release(request);
    return status == RESTWAY_OK || status == RESTWAY_E_QUEUED;
}

static void event(int thread, long number) {
    restway_request *request = NULL;
    restway_error *error = NULL;
    long place = has_many_lanes ? number / THREADS % LANES : number % 4 / 2;
    char lane[64], body[160], tag[96];

    snprintf(lane, sizeof lane, "%.20s.%d.%ld", lanes, thread, place);
    snprintf(body, sizeof body, "{\"lane\": \"%s\", \"number\": %ld}", lane, number);
    snprintf(tag, sizeof tag, "%s:%ld", lane, number);
    expect(restway_request_create_route("POST", "events", &request, &error), &error);
    expect(
        restway_request_set_body(request, body, strlen(body), "application/json", &error), &error);
    expect(restway_request_set_lane(request, lane, &error), &error);
    perform(request, tag);
}

/* Prints the new value, and sends it. */
static int send_draft(
    restway_draft *draft, const char *method, const char *title, long number, int version) {
    restway_request *request = NULL;
    restway_error *error = NULL;
    restway_value value = restway_value_int64(version);
    char tag[64];

    expect(restway_draft_set(draft, "version", &value, &error), &error);
    snprintf(tag, sizeof tag, "%s%ld:%d", title, number, version);
    expect(restway_request_create_draft(method, draft, &request, &error), &error);
    return perform(request, tag);
}

static restway_draft *made(const char *entity, long number) {
    restway_draft *draft = NULL;
    restway_error *error = NULL;
    restway_value value = restway_value_int64(number);

    expect(restway_draft_create(store, entity, &draft, &error), &error);
    expect(restway_draft_set(draft, "number", &value, &error), &error);
    return draft;
}

/* Makes an object offline, and changes it before the server has received it. Every other object has
 * a part, which the answer to the same request names, and which is changed as well. */
static void object(long number) {
    restway_draft *thing = made("Thing", number);
    restway_draft *part = number % 2 ? made("Part", number) : NULL;
    restway_error *error = NULL;

    if (part != NULL) expect(restway_draft_add_draft(thing, "part", part, &error), &error);
    // A part that the server never receives cannot be changed there.
    if (send_draft(thing, "POST", "thing", number, 0)) {
        for (int version = 1; version <= 2; version++) {
            if (part != NULL) send_draft(part, "PUT", "part", number, version);
            send_draft(thing, "PUT", "thing", number, version);
        }
    }
    restway_draft_release(part);
    restway_draft_release(thing);
}

static void flush(void) {
    restway_error *error = NULL;

    if (restway_outbox_flush(client, RESTWAY_OUTBOX_FORCE, NULL, NULL, NULL, &error) != RESTWAY_OK)
        say("L %s", restway_error_message(error));
    restway_error_release(error);
}

static void *enqueue(void *context) {
    int thread = (int)(size_t)context;

    for (long number = first + thread; number < first + count; number += THREADS) {
        if (number % 5 == 4 && !has_many_lanes) {
            object(number);
        } else {
            event(thread, number);
        }
        if (flushes && number % 3 == 0) flush();
    }
    return NULL;
}

static void flush_all(int forever) {
    restway_error *error = NULL;
    int32_t needs = 1;

    for (int round = 0; round < ROUNDS_MAX && (needs || forever); round++) {
        flush();
        poll(NULL, 0, 4);
        if (restway_outbox_needs_flushing(client, &needs, &error) != RESTWAY_OK) {
            say("L %s", restway_error_message(error));
            restway_error_release(error);
            error = NULL;
            needs = 1;
        }
    }
    if (!needs) say("F");
}

int main(int argc, char **argv) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_error *error = NULL;
    pthread_t threads[THREADS];
    const char *mode;
    int fills;

    if (argc != 7) return 4;
    mode = argv[3];
    first = atol(argv[4]);
    count = atol(argv[5]);
    lanes = argv[6];
    fills = strcmp(mode, "fill") == 0;
    has_many_lanes = fills || strcmp(mode, "lanes") == 0;
    flushes = strcmp(mode, "enqueue") != 0 && !has_many_lanes;
    stores_first = strcmp(mode, "first") == 0;
    options.base_url = argv[2];
    expect(restway_api_load_file(argv[1], &api, &error), &error);
    expect(restway_client_create(api, &options, &client, &error), &error);
    store = restway_client_store(client);
    if (strcmp(mode, "online") != 0 && !stores_first) {
        expect(
            restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, &error),
            &error);
    }
    say("R");
    for (size_t thread = 0; thread < THREADS; thread++)
        if (pthread_create(&threads[thread], NULL, enqueue, (void *)thread) != 0) return 5;
    for (size_t thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
    if (flushes || fills) flush_all(strcmp(mode, "serve") == 0);
    restway_store_release(store);
    restway_client_release(client);
    restway_api_release(api);
    return 0;
}
