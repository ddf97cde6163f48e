/** @file mapping.h
 *  The enterprises of the demo API, mapped once: for programs that check side effects of
 *  mapping. */
#ifndef RESTWAY_HEADER_TESTS_MAPPING_H
#define RESTWAY_HEADER_TESTS_MAPPING_H

#include <stddef.h>
#include <stdio.h>

#include <restway/restway.h>

/** Returns how many objects were received, or -1 after a failure, whose reason is on the standard
 *  error stream.
 *
 *  @param meanwhile Called while the response exists; may be NULL.
 */
static long map_enterprises(
    const char *document, const char *base_url, void (*meanwhile)(void)) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    long count = -1;
    options.base_url = base_url;
    if (restway_api_load_file(document, &api, &error)
        || restway_client_create(api, &options, &client, &error)
        || restway_request_create("GET", "enterprises", &request, &error)
        || restway_client_perform(client, request, 10000, &response, &error)) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    } else {
        count = (long)restway_response_object_count(response);
    }
    if (meanwhile != NULL) {
        meanwhile();
    }
    restway_error_release(error);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
    return count;
}

#endif
