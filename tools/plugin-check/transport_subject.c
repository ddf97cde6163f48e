#include "transport_subject.h"

#include <stdlib.h>

#include "answers.h"
#include "checks.h"
#include "outcome.h"
#include "resources.h"
#include "server.h"

#define BODY_BYTES_MAX ((size_t)1 << 20)

/* The number of threads that the plugin keeps running. */
static size_t threads_kept;

const restway_plugin_transport *transport_of(const void *argument) {
    const started *started = plugin_started();
    threads_kept = threads_running();
    return &started->transports[((const subject *)argument)->index];
}

const char *body_of(size_t bytes) {
    static char *body;
    require(bytes <= BODY_BYTES_MAX, "a body of %zu bytes", bytes);
    if (body == NULL) {
        body = malloc(BODY_BYTES_MAX);
        require(body != NULL, "no memory");
        for (size_t index = 0; index < BODY_BYTES_MAX; index++) {
            body[index] = (char)('A' + index % 23);
        }
    }
    return body;
}

bool transport_asks(opened *opened) {
    const size_t before = server_requests() + exchanges_forwarded();
    exchange_perform(opened, &REQUEST("GET", "/plain"));
    return server_requests() + exchanges_forwarded() > before;
}

void transport_end(opened *opened, exchange *const *exchanges, size_t count) {
    transport_close(opened);
    for (size_t index = 0; index < count; index++) {
        exchange_wait(exchanges[index]);
    }
    doing("the threads of %s end", opened->table->name);
    threads_after_wait(threads_kept);
}

void expect_no_fault(exchange_fault kind) {
    const char *fault = fault_found(kind);
    require(fault == NULL, "%s", fault);
}

void perform_usual(opened *opened) {
    size_t count;
    const char *const *paths = whole_answers(&count);
    for (size_t index = 0; index < count; index++) {
        exchange_perform(opened, &REQUEST("GET", paths[index]));
    }
    request post = REQUEST("POST", "/echo");
    const size_t sizes[] = {0, 1, 100000};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        post.body = body_of(sizes[index]);
        post.body_bytes = sizes[index];
        exchange_perform(opened, &post);
    }
}
