/* Exchanges that a plugin leaves to the host. They get the answers of the server, without a
 * network. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "exchanges.h"
#include "outcome.h"
#include "settings.h"

#define PIECE 16384
#define LINES_MAX 16

static atomic_size_t forwarded_count;

size_t exchanges_forwarded(void) {
    return atomic_load(&forwarded_count);
}

/* An exchange and its watcher. */
typedef struct forwarded {
    exchange *exchange;
    restway_plugin_watcher watcher;
} forwarded;

/* Returns why the exchange ends now; RESTWAY_PLUGIN_OK if it goes on. The lock is held. */
static int32_t reason_to_end(const exchange *self) {
    return self->is_cancelled ? RESTWAY_PLUGIN_EXCHANGE_CANCELLED
        : self->is_closed     ? RESTWAY_PLUGIN_EXCHANGE_CLOSED
        : self->is_stopped    ? RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE
                              : RESTWAY_PLUGIN_OK;
}

/* Waits while the exchange is paused, or for ever; returns why it ends. */
static int32_t go_on(exchange *self, bool is_silent) {
    const int64_t limit = self->request.total_milliseconds > 0 ? self->request.total_milliseconds
                                                               : self->request.idle_milliseconds;
    struct timespec end;
    int32_t result;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += limit / 1000;
    end.tv_nsec += limit % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    pthread_mutex_lock(&self->lock);
    result = reason_to_end(self);
    while (result == RESTWAY_PLUGIN_OK && (is_silent || self->is_paused)) {
        if (is_silent && limit > 0) {
            if (pthread_cond_timedwait(&self->changed, &self->lock, &end) != 0) {
                result = RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT;
                break;
            }
        } else {
            pthread_cond_wait(&self->changed, &self->lock);
        }
        result = reason_to_end(self);
    }
    pthread_mutex_unlock(&self->lock);
    return result;
}

/* Splits "Name: value" lines into headers; `text` is their buffer. */
static size_t headers_of(char *text, restway_plugin_header *headers) {
    size_t count = 0;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *colon = strchr(line, ':');
        if (colon != NULL && count < LINES_MAX) {
            *colon = '\0';
            line[strcspn(line, "\r")] = '\0';
            colon[1 + strcspn(colon + 1, "\r")] = '\0';
            headers[count++] = (restway_plugin_header){line, colon + 1 + strspn(colon + 1, " ")};
        }
    }
    return count;
}

static void send_body(forwarded *self) {
    const request *request = &self->exchange->request;
    for (size_t at = 0; self->watcher.sent != NULL && at < request->body_bytes; at += PIECE) {
        const size_t left = request->body_bytes - at;
        self->watcher.sent(
            self->watcher.context, self->exchange->id, (int64_t)at, request->body + at,
            left < PIECE ? left : PIECE);
    }
}

static void give_head(forwarded *self, const answer *answer) {
    exchange *exchange = self->exchange;
    restway_plugin_header headers[LINES_MAX];
    char lines[1024];
    snprintf(
        lines, sizeof lines, "%sX-Method: %s\r\nX-Seen: checked\r\n", answer->headers,
        exchange->request.method);
    restway_plugin_head head = {
        .struct_size = sizeof head, .status = answer->status, .http_version = 11,
        .headers = headers, .header_count = headers_of(lines, headers)};
    if (self->watcher.head != NULL) {
        self->watcher.head(self->watcher.context, exchange->id, &head);
    }
    pthread_mutex_lock(&exchange->lock);
    exchange_take_head(exchange, &head);
    pthread_mutex_unlock(&exchange->lock);
}

static int32_t give_body(forwarded *self, const answer *answer) {
    exchange *exchange = self->exchange;
    const bool is_echo = answer->kind == ANSWER_ECHO;
    const char *body = is_echo ? exchange->request.body : answer->body;
    const size_t whole = is_echo ? exchange->request.body_bytes : answer->length;
    const size_t length
        = is_echo || answer->kind == ANSWER_WHOLE ? whole : whole / 2;
    const size_t piece = answer->piece > 0 ? answer->piece : PIECE;
    int32_t result = go_on(exchange, false);
    for (size_t at = 0; at < length && result == RESTWAY_PLUGIN_OK; at += piece) {
        const size_t part = piece < length - at ? piece : length - at;
        if (self->watcher.body != NULL) {
            self->watcher.body(self->watcher.context, exchange->id, body + at, part);
        }
        pthread_mutex_lock(&exchange->lock);
        exchange_take_body(exchange, body + at, part);
        exchange->is_paused = exchange->is_paused && !exchange->request.hurries;
        exchange->calls++;
        pthread_cond_broadcast(&exchange->changed);
        pthread_mutex_unlock(&exchange->lock);
        result = go_on(exchange, false);
    }
    return result;
}

static void give_trailers(forwarded *self, const answer *answer) {
    restway_plugin_header headers[LINES_MAX];
    char lines[256];
    snprintf(lines, sizeof lines, "%s", answer->trailers);
    const size_t count = headers_of(lines, headers);
    if (self->watcher.trailers != NULL) {
        self->watcher.trailers(self->watcher.context, self->exchange->id, headers, count);
    }
    pthread_mutex_lock(&self->exchange->lock);
    exchange_take_trailers(self->exchange, headers, count);
    pthread_mutex_unlock(&self->exchange->lock);
}

static int32_t give_answer(forwarded *self, const answer *answer) {
    exchange *exchange = self->exchange;
    if (exchange->request.read_fails_at != NEVER) {
        exchange->has_failed_read = true;
        return RESTWAY_PLUGIN_FAILED;
    }
    send_body(self);
    if (run_settings.url == NULL && strstr(exchange->request.path, ":1/") != NULL) {
        return RESTWAY_PLUGIN_EXCHANGE_CONNECT;
    }
    if (answer->kind == ANSWER_NOTHING) {
        return RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST;
    }
    if (answer->kind == ANSWER_SILENT) {
        return go_on(exchange, true);
    }
    give_head(self, answer);
    const int32_t result = give_body(self, answer);
    if (result != RESTWAY_PLUGIN_OK || answer->kind == ANSWER_BROKEN) {
        return result != RESTWAY_PLUGIN_OK ? result : RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST;
    }
    if (answer->kind == ANSWER_HALF) {
        return go_on(exchange, true);
    }
    if (answer->trailers != NULL) {
        give_trailers(self, answer);
    }
    return RESTWAY_PLUGIN_OK;
}

static void *perform(void *context) {
    forwarded self = *(forwarded *)context;
    exchange *exchange = self.exchange;
    free(context);
    restway_plugin_end end = {.struct_size = sizeof end};
    end.result = give_answer(&self, exchange->answer);
    end.text = end.result != RESTWAY_PLUGIN_OK ? "no response" : NULL;
    end.downloaded = (int64_t)exchange->received;
    int32_t answer = RESTWAY_PLUGIN_OK;
    if (self.watcher.completed != NULL) {
        /* The plugin may report its result before this returns. */
        pthread_mutex_lock(&exchange->lock);
        exchange->is_left_to_plugin = true;
        exchange->result = end.result;
        pthread_mutex_unlock(&exchange->lock);
        answer = self.watcher.completed(self.watcher.context, exchange->id, &end);
    }
    if (answer == RESTWAY_PLUGIN_LATER) {
        return NULL;
    }
    end.result = answer == RESTWAY_PLUGIN_OK ? end.result : RESTWAY_PLUGIN_FAILED;
    pthread_mutex_lock(&exchange->lock);
    exchange->is_left_to_plugin = false;
    if (exchange->is_completed) {
        exchange_note(exchange, FAULT_TWICE, "it completes, although it asked the host to do so");
    }
    exchange_take_end(exchange, &end);
    pthread_cond_broadcast(&exchange->changed);
    pthread_mutex_unlock(&exchange->lock);
    return NULL;
}

int32_t exchange_forward(exchange *self, const restway_plugin_watcher *watcher) {
    pthread_t thread;
    forwarded *forwarded = calloc(1, sizeof *forwarded);
    require(forwarded != NULL, "no memory");
    forwarded->exchange = self;
    memcpy(
        &forwarded->watcher, watcher,
        watcher->struct_size < sizeof *watcher ? watcher->struct_size : sizeof *watcher);
    pthread_mutex_lock(&self->lock);
    const bool is_refused = self->has_head || self->is_forwarded || self->is_completed;
    self->is_forwarded = self->is_forwarded || !is_refused;
    self->body_at = 0;
    pthread_mutex_unlock(&self->lock);
    if (is_refused || pthread_create(&thread, NULL, perform, forwarded) != 0) {
        free(forwarded);
        return RESTWAY_PLUGIN_FAILED;
    }
    pthread_detach(thread);
    atomic_fetch_add(&forwarded_count, 1);
    return RESTWAY_PLUGIN_OK;
}
