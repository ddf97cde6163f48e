/* A program of version 0.1.0. program-0.1.0.s is this file as gcc compiled it with the headers of
 * that version: every later library must run it. It uses structs of each kind: options, events,
 * values that are passed and returned, and a callback with its context.
 *
 *     program DOCUMENT URL
 */
#include <inttypes.h>
#include <poll.h>
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>

static void expect(restway_status status, restway_error *error) {
    if (status != RESTWAY_OK) {
        printf("%s: %s\n", restway_status_name(status), restway_error_message(error));
        exit(1);
    }
}

static restway_status shout(void *context, const restway_value *value, restway_answer *answer) {
    restway_error *error = NULL;
    restway_value text = restway_value_string("LOUD");
    (*(int *)context)++;
    if (value->kind == RESTWAY_VALUE_NULL) return RESTWAY_OK;
    return restway_answer_set_value(answer, &text, &error);
}

int main(int count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    restway_value five = restway_value_int64(5);
    restway_event event;
    restway_value values[2];
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = NULL;
    restway_error *error = NULL;
    size_t events = 0;
    int calls = 0;
    if (count != 3) return 2;
    expect(restway_api_load_file(arguments[1], &api, &error), error);
    expect(restway_api_add_transform(api, "shout", shout, NULL, &calls, NULL, &error), error);
    expect(restway_api_add_attribute(api, "Enterprise", "shouted", "name", RESTWAY_TYPE_STRING,
                                     NULL, "shout", &error), error);
    options.base_url = arguments[2];
    options.delivery = RESTWAY_DELIVERY_DRAIN;
    options.connections_max = 2;
    options.language_count = 0;
    expect(restway_client_create(api, &options, &client, &error), error);
    restway_api_release(api);

    expect(restway_request_create("GET", "enterprises", &request, &error), error);
    expect(restway_request_set_parameter(request, "per_page", &five, &error), error);
    expect(restway_client_send(client, request, NULL, &five, NULL, NULL, &error), error);
    while (events == 0) {
        struct pollfd waiting = {restway_client_descriptor(client), POLLIN, 0};
        if (poll(&waiting, 1, 60000) <= 0) return 3;
        expect(restway_client_drain(client, &event, 1, &events, &error), error);
    }
    printf("event %" PRIu32 ", status %" PRIu32 ", token %d\n", event.kind, event.status,
           event.token == (uint64_t)(uintptr_t)&five);
    for (size_t i = 0; i < restway_response_object_count(event.payload.response); i++) {
        const restway_object *company = restway_response_object(event.payload.response, i);
        uint32_t indices[2];
        indices[0] = (uint32_t)restway_object_attribute_index(company, "itemID");
        indices[1] = (uint32_t)restway_object_attribute_index(company, "shouted");
        expect(restway_object_read(company, indices, 2, values, &error), error);
        printf("%" PRId64 " %.4s\n", values[0].as.integer, values[1].as.text);
    }
    expect(restway_response_timings(event.payload.response, &timings, &error), error);
    printf("took %s\n", timings.total_microseconds > 0 ? "some time" : "no time");
    printf("%d transforms\n", calls);
    restway_event_release(&event);
    restway_request_release(request);
    restway_client_release(client);
    printf("%" PRId64 " handles\n", restway_debug_live_handles());
    return 0;
}
