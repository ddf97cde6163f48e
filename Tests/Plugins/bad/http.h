/* The exchanges of transport.c: each has a thread and a connection of its own. */
#ifndef RESTWAY_BAD_HTTP_H
#define RESTWAY_BAD_HTTP_H

typedef struct job {
    struct job *next;
    struct transport *transport;
    uint64_t id;
    char method[16], host[64], path[512], headers[1024];
    const char *kept_url;
    int port;
    int64_t body_length, total_milliseconds, idle_milliseconds;
    atomic_int is_cancelled, is_closed, is_paused, is_stopped, is_failed, is_timed_out;
    atomic_int resumes, readies;
    atomic_int socket;
    struct timespec start;
    char buffer[16384];
    size_t at, end;
} job;

typedef struct transport {
    const restway_plugin_host *host;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job *jobs;
    /* Exchanges, and the host. */
    int users;
    atomic_int is_closed;
    uint64_t unknown;
} transport;

static job *job_make(transport *transport, const restway_plugin_exchange *exchange) {
    job *self = calloc(1, sizeof *self);
    size_t length = 0;
    self->transport = transport;
    self->id = exchange->id;
    self->socket = -1;
    self->kept_url = exchange->url;
    self->body_length = exchange->body_length;
    self->total_milliseconds = exchange->total_milliseconds;
    self->idle_milliseconds = exchange->idle_milliseconds;
    snprintf(self->method, sizeof self->method, "%s", exchange->method);
    sscanf(exchange->url, "http://%63[^:]:%d%511s", self->host, &self->port, self->path);
    for (size_t index = 0; index < exchange->header_count && FAULT != LOSES_HEADERS; index++) {
        length += (size_t)snprintf(
            self->headers + length, sizeof self->headers - length, "%s: %s\r\n",
            exchange->headers[index].name, exchange->headers[index].value);
    }
    clock_gettime(CLOCK_MONOTONIC, &self->start);
    return self;
}

/* The last user frees everything. */
static void leave(transport *self) {
    pthread_mutex_lock(&self->lock);
    const int is_last = --self->users == 0;
    pthread_mutex_unlock(&self->lock);
    if (is_last && FAULT != LEAKS_TRANSPORT && FAULT != SHARES_STATE) {
        free(self);
    }
}

static int has_ended(const job *self) {
    return self->is_cancelled || self->is_closed || self->is_stopped || self->is_failed
        || self->is_timed_out;
}

static int64_t milliseconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* Waits until `counter` has passed `seen`, or the exchange ends. */
static void wait_for(job *self, const atomic_int *counter, int seen) {
    pthread_mutex_lock(&self->transport->lock);
    while (*counter == seen && !has_ended(self)) {
        pthread_cond_wait(&self->transport->changed, &self->transport->lock);
    }
    pthread_mutex_unlock(&self->transport->lock);
}

/* Reads one byte of the response; returns -1 at its end. */
static int next_byte(job *self) {
    if (self->at == self->end) {
        struct pollfd poller = {.fd = self->socket, .events = POLLIN};
        int64_t left = FAULT != IGNORES_IDLE && self->idle_milliseconds > 0
            ? self->idle_milliseconds
            : -1;
        if (FAULT != IGNORES_TIME_OUT && self->total_milliseconds > 0) {
            left = self->total_milliseconds - milliseconds_since(&self->start);
            left = left < 0 ? 0 : left;
        }
        if (poll(&poller, 1, (int)left) == 0) {
            self->is_timed_out = 1;
            return -1;
        }
        const ssize_t got = recv(self->socket, self->buffer, sizeof self->buffer, 0);
        if (got <= 0) {
            return -1;
        }
        self->at = 0;
        self->end = (size_t)got;
    }
    return (unsigned char)self->buffer[self->at++];
}

static int next_line(job *self, char *line, size_t room) {
    size_t length = 0;
    for (int byte = next_byte(self); byte != '\n'; byte = next_byte(self)) {
        if (byte < 0) {
            return 0;
        }
        if (byte != '\r' && length + 1 < room) {
            line[length++] = (char)byte;
        }
    }
    line[length] = '\0';
    return 1;
}

static void send_text(job *self, const char *text, size_t length) {
    send(self->socket, text, length, MSG_NOSIGNAL);
}

/* Sends the body of the request, in chunks. */
static void send_body(job *self) {
    const restway_plugin_host *host = self->transport->host;
    char bytes[8192], size[32];
    while (!has_ended(self)) {
        size_t length = 0;
        const int seen = self->readies;
        const int32_t answer
            = host->exchange_read(host, self->id, bytes, sizeof bytes, &length);
        if (answer == RESTWAY_PLUGIN_READ_LATER) {
            if (FAULT == READS_AFTER_LATER) {
                host->exchange_read(host, self->id, bytes, sizeof bytes, &length);
            }
            wait_for(self, &self->readies, seen);
            continue;
        }
        if (answer == RESTWAY_PLUGIN_READ_FAILED && FAULT != GOES_ON_AFTER_FAILED_READ) {
            self->is_failed = 1;
            return;
        }
        if (answer != RESTWAY_PLUGIN_READ_BYTES) {
            send_text(self, "0\r\n\r\n", 5);
            return;
        }
        if (FAULT != LOSES_REQUEST_BODY) {
            send_text(self, size, (size_t)snprintf(size, sizeof size, "%zx\r\n", length));
            send_text(self, bytes, length);
            send_text(self, "\r\n", 2);
        }
    }
}

#include "response.h"

static void connect_to(job *self) {
    struct sockaddr_in address
        = {.sin_family = AF_INET, .sin_port = htons((uint16_t)self->port)};
    inet_pton(AF_INET, self->host, &address.sin_addr);
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pthread_mutex_lock(&self->transport->lock);
    self->socket = made;
    if (has_ended(self)) {
        shutdown(made, SHUT_RDWR);
    }
    pthread_mutex_unlock(&self->transport->lock);
    if (connect(made, (struct sockaddr *)&address, sizeof address) != 0) {
        return;
    }
    if (has_ended(self)) {
        shutdown(made, SHUT_RDWR);
    }
}

static void perform(job *self, restway_plugin_end *end) {
    char head[2048];
    connect_to(self);
    const int length = snprintf(
        head, sizeof head, "%s %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n%s%s\r\n",
        self->method, self->path, self->host, self->port, self->headers,
        self->body_length != 0 ? "Transfer-Encoding: chunked\r\n" : "");
    send_text(self, head, (size_t)length);
    if (self->body_length != 0) {
        send_body(self);
    }
    const int is_whole = !has_ended(self) && read_response(self);
    end->result = self->is_failed   ? RESTWAY_PLUGIN_FAILED
        : self->is_stopped          ? RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE
        : self->is_cancelled        ? RESTWAY_PLUGIN_EXCHANGE_CANCELLED
        : self->is_closed           ? RESTWAY_PLUGIN_EXCHANGE_CLOSED
        : self->is_timed_out        ? RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT
        : is_whole                  ? RESTWAY_PLUGIN_OK
                                    : RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST;
}

static void *wait_for_ever(void *context) {
    for (;;) {
        pause();
    }
    return context;
}

/* Reports the end, and does what the fault does after the end. */
static void complete(job *self, restway_plugin_end *end) {
    const restway_plugin_host *host = self->transport->host;
    char text[600];
    const int is_lost = end->result == RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST;
    if (FAULT == QUOTES_QUERY && end->result != RESTWAY_PLUGIN_OK) {
        snprintf(text, sizeof text, "lost: %s", self->path);
        end->text = text;
    } else if (FAULT == OK_WHEN_BROKEN && is_lost) {
        const restway_plugin_head head = {.struct_size = sizeof head, .status = 200};
        host->exchange_head(host, self->id, &head);
        end->result = RESTWAY_PLUGIN_OK;
    } else if (FAULT == ODD_END && is_lost) {
        end->result = 55;
    } else if (FAULT == NEGATIVE_TIME) {
        end->total_microseconds = -1;
    } else if (FAULT == KEEPS_TEXTS && self->kept_url[0] == '\0') {
        end->code = 1;
    } else if (FAULT == OK_AFTER_STOP && self->is_stopped) {
        end->result = RESTWAY_PLUGIN_OK;
    } else if (FAULT == FAILS_WHEN_CANCELLED && self->is_cancelled) {
        end->result = RESTWAY_PLUGIN_FAILED;
    } else if (FAULT == CANCELS_AT_CLOSE && self->is_closed) {
        end->result = RESTWAY_PLUGIN_EXCHANGE_CANCELLED;
    }
    if (FAULT == NEVER_COMPLETES) {
        return;
    }
    const restway_plugin_head head = {.struct_size = sizeof head, .status = 200};
    const int is_null = FAULT == NULL_END && strstr(self->path, "/empty") != NULL;
    host->exchange_completed(host, self->id, is_null ? NULL : end);
    if (FAULT == COMPLETES_TWICE) {
        host->exchange_completed(host, self->id, end);
    } else if (FAULT == PROGRESS_AFTER_END) {
        host->exchange_progress(host, self->id, 0, 0, 0, 0);
    } else if (FAULT == BODY_AFTER_END) {
        host->exchange_body(host, self->id, "late", 4);
    } else if (FAULT == CALLS_AFTER_CLOSE && self->is_closed) {
        host->exchange_head(host, self->id, &head);
    }
}

static void forget(job *self) {
    transport *transport = self->transport;
    pthread_mutex_lock(&transport->lock);
    job **at = &transport->jobs;
    while (*at != self) {
        at = &(*at)->next;
    }
    *at = self->next;
    if (FAULT != LEAKS_CONNECTION) {
        close(self->socket);
    }
    self->socket = -1;
    pthread_mutex_unlock(&transport->lock);
}

static void *run(void *context) {
    job *self = context;
    transport *transport = self->transport;
    restway_plugin_end end = {.struct_size = sizeof end};
    perform(self, &end);
    const int is_left = FAULT == CLOSE_LEAVES_EXCHANGES && transport->is_closed;
    forget(self);
    if (!is_left) {
        complete(self, &end);
    }
    if (FAULT == LEAKS_THREAD && strstr(self->path, "/chunked") != NULL) {
        wait_for_ever(NULL);
    }
    free(self);
    leave(transport);
    return NULL;
}

#endif
