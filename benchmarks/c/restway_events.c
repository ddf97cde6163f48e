/* Maps companies that come as Server-Sent Events, or the same companies as one list.
 *
 *     restway_events DOCUMENT BASE-URL PATH OBJECTS events|list */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <string.h>

static restway_status count_objects(
    void *context, const restway_stream_event *event, int32_t *out_pauses, restway_answer *answer) {
    size_t *count = context;

    (void)out_pauses;
    (void)answer;
    if (event->error) fail("%s", restway_error_message(event->error));
    *count += event->object_count;
    return RESTWAY_OK;
}

static void receive_events(restway_request *request, size_t *count) {
    restway_event_receiver receiver = RESTWAY_EVENT_RECEIVER_INIT;
    restway_error *error = NULL;

    receiver.context = count;
    receiver.receive = count_objects;
    receiver.reconnections_max = -1;
    expect(restway_request_set_event_receiver(request, &receiver, &error), &error);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 3, "PATH");
    size_t objects = count_argument(argc, argv, 4, "OBJECTS");
    int is_stream = strcmp(text_argument(argc, argv, 5, "events|list"), "events") == 0;
    restway_client *client = ours_client(document, base);
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;
    size_t count = 0;
    double begun;
    double seconds;

    if (is_stream) receive_events(request, &count);
    begun = wall_seconds();
    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    if (!is_stream) count = restway_response_object_count(response);
    seconds = wall_seconds() - begun;
    if (count != objects) fail("%zu objects instead of %zu", count, objects);
    printf("{\"seconds\": %.9f}\n", seconds);

    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    return 0;
}
