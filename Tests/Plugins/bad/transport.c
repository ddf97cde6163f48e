/* A transport with one fault, which the test that compiles it chooses with -DFAULT=.
 *
 * It speaks HTTP/1.1 without encryption, with one thread and one connection for each
 * exchange. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <restway/plugin.h>

enum fault {
    NONE,
    /* Tables and options. */
    NO_TRANSPORT_NAME, NO_CANCEL, OPENS_NOT, OPENS_AS_NULL, SHARES_STATE, ACCEPTS_UNKNOWN_OPTION,
    DOES_NOT_NAME_OPTION,
    /* Calls. */
    NEVER_COMPLETES, COMPLETES_TWICE, BODY_BEFORE_HEAD, TWO_HEADS, OK_WITHOUT_HEAD,
    BODY_BEHIND_TRAILERS, PROGRESS_AFTER_END, BODY_AFTER_END, OVERLAPS, UNKNOWN_EXCHANGE,
    KEEPS_TEXTS,
    /* Heads and ends. */
    TELLS_INTERIM, HEADER_IS_NO_TOKEN, HEADER_WITH_CONTROL, ODD_END, NEGATIVE_TIME, QUOTES_QUERY,
    OK_WHEN_BROKEN, PROGRESS_GOES_BACK, NULL_END,
    /* Requests and responses. */
    LOSES_BYTE, CHANGES_BODY, OTHER_STATUS, LOSES_TRAILERS, LOSES_HEADERS, FOLLOWS_REDIRECT,
    LOSES_REQUEST_BODY, READS_AFTER_LATER, GOES_ON_AFTER_FAILED_READ, IGNORES_TIME_OUT,
    IGNORES_IDLE,
    /* Answers. */
    IGNORES_PAUSE, NEVER_RESUMES, LOSES_EARLY_RESUME, IGNORES_STOP, OK_AFTER_STOP, IGNORES_CANCEL,
    COMPLETES_IN_CANCEL, FAILS_WHEN_CANCELLED, CRASHES_ON_UNKNOWN, REMEMBERS_UNKNOWN_CANCEL,
    /* Closing. */
    CLOSE_LEAVES_EXCHANGES, CANCELS_AT_CLOSE, CALLS_AFTER_CLOSE, LEAKS_TRANSPORT,
    LEAKS_CONNECTION, LEAKS_THREAD,
};

#ifndef FAULT
#define FAULT NONE
#endif

#include "http.h"

static int32_t open_transport(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    static transport shared;
    (void)context;
    if (FAULT == OPENS_NOT) {
        snprintf(reason->text, sizeof reason->text, "not today");
        return RESTWAY_PLUGIN_FAILED;
    }
    if (strchr(options, '"') != NULL && FAULT != ACCEPTS_UNKNOWN_OPTION) {
        const char *key = strchr(options, '"') + 1;
        snprintf(
            reason->text, sizeof reason->text, "unknown key \"%.*s\"",
            FAULT == DOES_NOT_NAME_OPTION ? 0 : (int)strcspn(key, "\""), key);
        return RESTWAY_PLUGIN_FAILED;
    }
    transport *self = FAULT == SHARES_STATE ? &shared : calloc(1, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->host = host;
    self->users = 1;
    *out_transport = FAULT == OPENS_AS_NULL ? NULL : self;
    return RESTWAY_PLUGIN_OK;
}

static void start(void *context, const restway_plugin_exchange *exchange) {
    transport *self = context;
    job *made = job_make(self, exchange);
    pthread_t thread;
    pthread_mutex_lock(&self->lock);
    made->is_cancelled = FAULT == REMEMBERS_UNKNOWN_CANCEL && self->unknown == exchange->id;
    made->next = self->jobs;
    self->jobs = made;
    self->users++;
    pthread_mutex_unlock(&self->lock);
    if (FAULT == UNKNOWN_EXCHANGE) {
        self->host->exchange_progress(self->host, exchange->id + 77, 0, 0, 0, 0);
    }
    if (pthread_create(&thread, NULL, run, made) == 0) {
        pthread_detach(thread);
    }
}

static job *job_of(transport *self, uint64_t id) {
    job *found = self->jobs;
    while (found != NULL && found->id != id) {
        found = found->next;
    }
    return found;
}

static void cancel(void *context, uint64_t id) {
    transport *self = context;
    pthread_mutex_lock(&self->lock);
    job *found = job_of(self, id);
    const int is_silent = found != NULL && strstr(found->path, "/silent") != NULL;
    if (found != NULL && FAULT != IGNORES_CANCEL) {
        found->is_cancelled = 1;
        shutdown(found->socket, SHUT_RDWR);
    } else if (found == NULL && FAULT == CRASHES_ON_UNKNOWN && id < 2) {
        abort();
    } else if (found == NULL) {
        self->unknown = id;
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    if (FAULT == COMPLETES_IN_CANCEL && is_silent) {
        restway_plugin_end end = {
            .struct_size = sizeof end, .result = RESTWAY_PLUGIN_EXCHANGE_CANCELLED};
        self->host->exchange_completed(self->host, id, &end);
    }
}

static void resume(void *context, uint64_t id) {
    transport *self = context;
    pthread_mutex_lock(&self->lock);
    job *found = job_of(self, id);
    if (found != NULL && (found->is_paused || FAULT != LOSES_EARLY_RESUME)) {
        found->resumes++;
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

static void body_ready(void *context, uint64_t id) {
    transport *self = context;
    pthread_mutex_lock(&self->lock);
    job *found = job_of(self, id);
    if (found != NULL) {
        found->readies++;
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

static void close_transport(void *context) {
    transport *self = context;
    pthread_mutex_lock(&self->lock);
    self->is_closed = 1;
    for (job *each = self->jobs; each != NULL && FAULT != CLOSE_LEAVES_EXCHANGES;
         each = each->next) {
        each->is_closed = 1;
        shutdown(each->socket, SHUT_RDWR);
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    leave(self);
}

static const restway_plugin_transport transport_table = {
    .struct_size = sizeof(restway_plugin_transport),
    .name = FAULT == NO_TRANSPORT_NAME ? NULL : "bare",
    .open = open_transport,
    .start = start,
    .cancel = FAULT == NO_CANCEL ? NULL : cancel,
    .resume = resume,
    .body_ready = body_ready,
    .close = close_transport,
};
static const restway_plugin_transport *const transports[] = {&transport_table};

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_TRANSPORT;
    plugin->name = "bare";
    plugin->transports = transports;
    plugin->transport_count = 1;
    return RESTWAY_PLUGIN_OK;
}
