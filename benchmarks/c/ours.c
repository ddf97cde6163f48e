#include "ours.h"

#include "measure.h"

#include <stdio.h>

void expect(restway_status status, restway_error *const *error) {
    if (status != RESTWAY_OK)
        fail("%s: %s", restway_status_name(status), restway_error_message(*error));
}

restway_client *ours_client(const char *document, const char *base) {
    return ours_client_with_file(document, base, NULL);
}

restway_client *ours_client_with_file(
    const char *document, const char *base, const char *store_path) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;

    options.base_url = base;
    options.store_path = store_path;
    expect(restway_api_load_file(document, &api, &error), &error);
    expect(restway_client_create(api, &options, &client, &error), &error);
    restway_api_release(api);
    return client;
}

void ours_plugin(const char *name) {
    restway_error *error = NULL;

    expect(restway_plugin_load(name, NULL, &error), &error);
}

restway_request *ours_request(const char *path) {
    restway_request *request = NULL;
    restway_error *error = NULL;

    expect(restway_request_create("GET", path, &request, &error), &error);
    return request;
}

restway_request *ours_company_request(size_t slot) {
    char path[64];

    snprintf(path, sizeof path, "companies/%zu", slot % COMPANIES + 1);
    return ours_request(path);
}

restway_response *ours_perform(restway_client *client, const char *path) {
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    restway_request_release(request);
    return response;
}

void ours_check(const restway_response *response) {
    if (restway_response_object_count(response) != 1)
        fail("%zu objects instead of 1", restway_response_object_count(response));
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
}
