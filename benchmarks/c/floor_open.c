/* Measures what a new process does before its first request with libcurl alone. The program is not
 * linked with libcurl: loading it is part of the measurement.
 *
 *     floor_open LIBCURL */
#include "measure.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define CURL_GLOBAL_DEFAULT 3L

typedef int (*global_init_fn)(long flags);
typedef void *(*easy_init_fn)(void);

/* ISO C has no cast from an object pointer to a function pointer. */
static void find(void *library, const char *name, void *function, size_t bytes) {
    void *symbol = dlsym(library, name);

    if (symbol == NULL) fail("%s is missing", name);
    memcpy(function, &symbol, bytes);
}

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "LIBCURL");
    global_init_fn global_init;
    easy_init_fn easy_init;
    double begun = wall_seconds();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) fail("%s", dlerror());
    find(library, "curl_global_init", &global_init, sizeof global_init);
    find(library, "curl_easy_init", &easy_init, sizeof easy_init);
    if (global_init(CURL_GLOBAL_DEFAULT) != 0) fail("curl_global_init failed");
    if (easy_init() == NULL) fail("curl_easy_init failed");
    printf("{\"open_seconds\": %.9f}\n", wall_seconds() - begun);
    return 0;
}
