/* A transport that answers a request with its own body, or with its URL if it has no body.
 *
 * The transport has no threads of its own. The calls start, body_ready, resume, cancel and close
 * advance an exchange, one call at a time, and without holding a lock while the host is
 * called. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "template.h"

#define PIECE 4096

typedef struct exchange {
    struct exchange *next;
    uint64_t id;
    /* A thread advances the exchange. Another thread that comes meanwhile sets `is_woken` and
     * leaves. */
    int is_running, is_woken;
    /* RESTWAY_PLUGIN_EXCHANGE_CANCELLED or _CLOSED when the exchange must end. */
    int32_t ends_with;
    int has_read, has_head;
    /* The body: the bytes that were read, and how many of them were given back. */
    char *body;
    size_t length, room, given;
} exchange;

/* Each client has one. */
typedef struct mirror {
    const restway_plugin_host *host;
    pthread_mutex_t lock;
    exchange *exchanges;
    /* The users are the client and each exchange: the last one frees the transport. */
    size_t users;
} mirror;

/* The result of a step; other values are the result with which the exchange ends. */
enum { GO_ON = -1, WAIT = -2 };

static int32_t read_some(mirror *self, exchange *exchange) {
    size_t length = 0;
    if (exchange->room - exchange->length < PIECE) {
        char *grown = realloc(exchange->body, exchange->room * 2 + PIECE);
        if (grown == NULL) {
            return RESTWAY_PLUGIN_OUT_OF_MEMORY;
        }
        exchange->body = grown;
        exchange->room = exchange->room * 2 + PIECE;
    }
    switch (self->host->exchange_read(
        self->host, exchange->id, exchange->body + exchange->length,
        exchange->room - exchange->length, &length)) {
    case RESTWAY_PLUGIN_READ_BYTES:
        exchange->length += length;
        return GO_ON;
    case RESTWAY_PLUGIN_READ_END:
        exchange->has_read = 1;
        return GO_ON;
    case RESTWAY_PLUGIN_READ_LATER:
        return WAIT;
    default:
        return RESTWAY_PLUGIN_FAILED;
    }
}

static int32_t give_some(mirror *self, exchange *exchange) {
    const size_t left = exchange->length - exchange->given;
    const size_t length = left < PIECE ? left : PIECE;
    if (length == 0) {
        return RESTWAY_PLUGIN_OK;
    }
    const char *bytes = exchange->body + exchange->given;
    exchange->given += length;
    switch (self->host->exchange_body(self->host, exchange->id, bytes, length)) {
    case RESTWAY_PLUGIN_BODY_MORE:
        return GO_ON;
    case RESTWAY_PLUGIN_BODY_PAUSE:
        return WAIT;
    default:
        return RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE;
    }
}

static int32_t step(mirror *self, exchange *exchange) {
    static const restway_plugin_header headers[] = {{"Content-Type", "text/plain"}};
    static const restway_plugin_head head = {
        .struct_size = sizeof head, .status = 200, .headers = headers, .header_count = 1};
    if (!exchange->has_read) {
        return read_some(self, exchange);
    }
    if (!exchange->has_head) {
        exchange->has_head = 1;
        self->host->exchange_head(self->host, exchange->id, &head);
        return GO_ON;
    }
    return give_some(self, exchange);
}

static void leave(mirror *self) {
    pthread_mutex_lock(&self->lock);
    const int is_last = --self->users == 0;
    pthread_mutex_unlock(&self->lock);
    if (is_last) {
        pthread_mutex_destroy(&self->lock);
        free(self);
    }
}

/* The exchange can no longer be found, so it can be completed and freed. */
static void complete(mirror *self, exchange *exchange, int32_t result) {
    const restway_plugin_end end = {
        .struct_size = sizeof end, .result = result, .downloaded = (int64_t)exchange->given};
    struct exchange **at = &self->exchanges;
    pthread_mutex_lock(&self->lock);
    while (*at != exchange) {
        at = &(*at)->next;
    }
    *at = exchange->next;
    pthread_mutex_unlock(&self->lock);
    self->host->exchange_completed(self->host, exchange->id, &end);
    free(exchange->body);
    free(exchange);
    leave(self);
}

/* Does everything that is possible now. The thread that set `is_running` calls it. */
static void advance(mirror *self, exchange *exchange) {
    for (;;) {
        pthread_mutex_lock(&self->lock);
        int32_t result = exchange->ends_with;
        /* A function called below may answer "wait", and another thread may call to continue at
         * once. */
        exchange->is_woken = 0;
        pthread_mutex_unlock(&self->lock);
        if (result == GO_ON) {
            result = step(self, exchange);
        }
        if (result == WAIT) {
            pthread_mutex_lock(&self->lock);
            const int goes_on = exchange->is_woken || exchange->ends_with != GO_ON;
            exchange->is_running = goes_on;
            pthread_mutex_unlock(&self->lock);
            if (!goes_on) {
                return;
            }
        } else if (result != GO_ON) {
            complete(self, exchange, result);
            return;
        }
    }
}

/* Wakes the exchange, and takes it over unless another thread has it. The lock is held. */
static int take(exchange *exchange, int32_t ends_with) {
    const int was_running = exchange->is_running;
    exchange->is_woken = 1;
    exchange->ends_with = exchange->ends_with == GO_ON ? ends_with : exchange->ends_with;
    exchange->is_running = 1;
    return !was_running;
}

static void wake(mirror *self, uint64_t id, int32_t ends_with) {
    pthread_mutex_lock(&self->lock);
    exchange *found = self->exchanges;
    while (found != NULL && found->id != id) {
        found = found->next;
    }
    const int is_taken = found != NULL && take(found, ends_with);
    pthread_mutex_unlock(&self->lock);
    if (is_taken) {
        advance(self, found);
    }
}

static int32_t open_mirror(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    const char *key = strchr(options, '"');
    (void)context;
    /* The transport has no options; the plugin's options, which have been checked, may be passed
     * here too. */
    if (key != NULL && strncmp(key, "\"separator\"", 11) != 0) {
        return fail(
            reason, RESTWAY_PLUGIN_FAILED, "unknown option \"%.*s\"", (int)strcspn(key + 1, "\""),
            key + 1);
    }
    mirror *self = calloc(1, sizeof *self);
    if (self == NULL || pthread_mutex_init(&self->lock, NULL) != 0) {
        free(self);
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory");
    }
    self->host = host;
    self->users = 1;
    *out_transport = self;
    return RESTWAY_PLUGIN_OK;
}

static void start(void *transport, const restway_plugin_exchange *asked) {
    static const restway_plugin_end no_memory = {
        .struct_size = sizeof no_memory, .result = RESTWAY_PLUGIN_OUT_OF_MEMORY};
    mirror *self = transport;
    exchange *made = calloc(1, sizeof *made);
    char *url = asked->body_length == 0 ? strdup(asked->url) : NULL;
    if (made == NULL || (asked->body_length == 0 && url == NULL)) {
        free(made);
        free(url);
        self->host->exchange_completed(self->host, asked->id, &no_memory);
        return;
    }
    made->id = asked->id;
    made->is_running = 1;
    made->ends_with = GO_ON;
    made->body = url;
    made->length = made->room = url != NULL ? strcspn(url, "?") : 0;
    made->has_read = url != NULL;
    pthread_mutex_lock(&self->lock);
    self->users++;
    made->next = self->exchanges;
    self->exchanges = made;
    pthread_mutex_unlock(&self->lock);
    advance(self, made);
}

static void cancel(void *transport, uint64_t id) {
    wake(transport, id, RESTWAY_PLUGIN_EXCHANGE_CANCELLED);
}

static void go_on(void *transport, uint64_t id) {
    wake(transport, id, GO_ON);
}

static void close_mirror(void *transport) {
    mirror *self = transport;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        exchange *found = self->exchanges;
        while (found != NULL && !take(found, RESTWAY_PLUGIN_EXCHANGE_CLOSED)) {
            found = found->next;
        }
        pthread_mutex_unlock(&self->lock);
        if (found == NULL) {
            break;
        }
        advance(self, found);
    }
    leave(self);
}

const restway_plugin_transport mirror_transport = {
    .struct_size = sizeof mirror_transport,
    .name = "mirror",
    .open = open_mirror,
    .start = start,
    .cancel = cancel,
    .resume = go_on,
    .body_ready = go_on,
    .close = close_mirror,
};
