/* Sends or receives one large file, and prints the largest resident memory.
 *
 *     restway_transfer DOCUMENT BASE-URL raw|multipart|gzip|download FILE */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the largest resident memory of this process so far, in bytes. */
static double resident_bytes_max(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double kibibytes = 0;

    if (status == NULL) fail("/proc is missing");
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) kibibytes = strtod(line + 6, NULL);
    }
    fclose(status);
    if (kibibytes <= 0) fail("the kernel does not say VmHWM");
    return kibibytes * 1024;
}

static restway_request *make_request(const char *mode, const char *path) {
    restway_request *request = NULL;
    restway_resource *resource = NULL;
    restway_error *error = NULL;
    int is_multipart = strcmp(mode, "multipart") == 0, is_gzip = strcmp(mode, "gzip") == 0;
    int is_download = strcmp(mode, "download") == 0;

    if (!is_download && !is_multipart && !is_gzip && strcmp(mode, "raw") != 0)
        fail("no such mode: %s", mode);
    expect(
        restway_request_create(
            is_download ? "GET" : is_multipart ? "POST" : "PUT", "file", &request, &error),
        &error);
    expect(restway_request_set_timeout(request, -1, &error), &error);
    if (is_download) {
        expect(restway_request_save_to(request, path, 0, &error), &error);
        return request;
    }
    expect(
        restway_resource_create_file(path, NULL, "application/json", &resource, &error), &error);
    if (is_multipart)
        expect(restway_request_add_file(request, "file", resource, &error), &error);
    else
        expect(restway_request_set_resource(request, resource, 0, &error), &error);
    if (is_gzip) expect(restway_request_set_gzip(request, 1, &error), &error);
    restway_resource_release(resource);
    return request;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *mode = text_argument(argc, argv, 3, "MODE");
    const char *path = text_argument(argc, argv, 4, "FILE");
    restway_client *client = ours_client(document, base);
    restway_request *request = make_request(mode, path);
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    printf("{\"resident_bytes\": %.0f}\n", resident_bytes_max());
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    return 0;
}
