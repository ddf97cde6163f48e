/* Loads API documents, one after the other, and prints the CPU time of each.
 *
 *     restway_documents FILE
 *
 * FILE holds documents, each as its length in decimal, a line end, and its bytes. */
#include "measure.h"

#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_MAX (64u << 20)
#define DOCUMENTS_MAX 100000

/* Returns whether the document was loaded; `*seconds` is the CPU time, also if it was refused. */
static int load(const char *text, size_t length, double *seconds) {
    restway_api *api = NULL;
    restway_error *error = NULL;
    double begun = cpu_seconds();
    restway_status status = restway_api_load(text, length, &api, &error);

    *seconds = cpu_seconds() - begun;
    if (status != RESTWAY_OK && status != RESTWAY_E_CONFIG) {
        fail("a document fails with status %d", (int)status);
    }
    restway_error_release(error);
    restway_api_release(api);
    return status == RESTWAY_OK;
}

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "FILE");
    double *seconds = malloc(DOCUMENTS_MAX * sizeof *seconds);
    char *text = malloc(BYTES_MAX);
    FILE *file = fopen(path, "rb");
    size_t count = 0, loaded = 0, length = 0;
    double slowest = 0, fastest = 0;

    if (seconds == NULL || text == NULL) fail("no memory");
    if (file == NULL) fail("%s cannot be read", path);
    while (count < DOCUMENTS_MAX && fscanf(file, "%zu", &length) == 1) {
        if (fgetc(file) != '\n' || length > BYTES_MAX || fread(text, 1, length, file) != length) {
            fail("%s is broken at document %zu", path, count);
        }
        loaded += (size_t)load(text, length, &seconds[count]);
        if (seconds[count] > slowest) slowest = seconds[count];
        if (count == 0 || seconds[count] < fastest) fastest = seconds[count];
        count++;
    }
    if (count == 0) fail("%s holds no document", path);
    printf(
        "{\"documents\": %zu, \"loaded\": %zu, \"slowest_seconds\": %.9f, "
        "\"fastest_seconds\": %.9f}\n",
        count, loaded, slowest, fastest);
    fclose(file);
    free(text);
    free(seconds);
    return 0;
}
