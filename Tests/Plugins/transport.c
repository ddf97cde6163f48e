/* Transports without a network, good ones and deliberately bad ones: the option "does" chooses.
 *
 * Their answers are JSON that describes the request: {"id": 7, "method": "GET", "url": "...",
 * "sent": bytes of the request's body, "by": does, ...}.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

static void write_answer(struct job *job, const restway_plugin_exchange *exchange, size_t sent) {
    job->status = strstr(exchange->url, "status/404") != NULL ? 404 : 200;
    if (strstr(exchange->url, "/challenge") != NULL) {
        job->status = 401;
    }
    if (strstr(exchange->url, "/redirect") != NULL) {
        job->status = 302;
    }
    job->length = (size_t)snprintf(
        job->body, sizeof job->body,
        "{\"id\": 7, \"method\": \"%s\", \"url\": \"%.200s\", \"sent\": %zu, \"by\": \"%s\","
        " \"total\": %lld, \"priority\": %d, \"digest\": \"%.40s %.40s\","
        " \"authorization\": \"%.100s\"}",
        exchange->method, exchange->url, sent, job->transport->does,
        (long long)exchange->total_milliseconds, (int)exchange->priority,
        exchange->digest_user == NULL ? "" : exchange->digest_user,
        exchange->digest_password == NULL ? "" : exchange->digest_password,
        header_of(exchange, "Authorization"));
}

const char *header_of(const restway_plugin_exchange *exchange, const char *name) {
    for (size_t index = 0; index < exchange->header_count; index++) {
        if (strcmp(exchange->headers[index].name, name) == 0) {
            return exchange->headers[index].value;
        }
    }
    return "";
}

/* Reads the whole body of a request, a few bytes at a time; twice if it can be rewound. */
static size_t read_body(struct job *job) {
    const restway_plugin_host *host = job->transport->host;
    char buffer[7];
    size_t sent = 0, count = 0;
    while (host->exchange_read(host, job->id, buffer, sizeof buffer, &count)
           == RESTWAY_PLUGIN_READ_BYTES) {
        sent += count;
    }
    if (host->exchange_rewind(host, job->id) == RESTWAY_PLUGIN_OK) {
        size_t again = 0;
        while (host->exchange_read(host, job->id, buffer, sizeof buffer, &count)
               == RESTWAY_PLUGIN_READ_BYTES) {
            again += count;
        }
        sent = again == sent ? sent : 0;
    }
    return sent;
}

void end_job(struct job *job, int32_t result, const char *text) {
    const restway_plugin_host *host = job->transport->host;
    restway_plugin_end end;
    memset(&end, 0, sizeof end);
    end.struct_size = sizeof end;
    end.result = result;
    end.text = text;
    host->exchange_completed(host, job->id, &end);
}

void give_head(struct job *job, int32_t status) {
    const restway_plugin_host *host = job->transport->host;
    static const restway_plugin_header headers[] = {
        {"Content-Type", "application/json"}, {"Location", "../elsewhere?a=1"}, {"X-Empty", ""},
        {"WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""}};
    restway_plugin_head head = {sizeof head, status, 11, headers, status == 401 ? 4 : 3};
    host->exchange_head(host, job->id, &head);
}

int32_t give_body(struct job *job, const char *bytes, size_t length) {
    const restway_plugin_host *host = job->transport->host;
    return host->exchange_body(host, job->id, bytes, length);
}

/* Gives a complete and correct answer. */
static void answer(struct job *job) {
    const restway_plugin_host *host = job->transport->host;
    const restway_plugin_header trailer = {"X-Trailer", "behind"};
    const int64_t length = (int64_t)job->length;
    const size_t step = strcmp(job->transport->does, "pieces") == 0 ? 1 : job->length;
    give_head(job, job->status);
    for (size_t offset = 0; offset < job->length; offset += step) {
        if (is_cancelled(job)) {
            end_job(job, RESTWAY_PLUGIN_EXCHANGE_CANCELLED, NULL);
            return;
        }
        if (give_body(job, job->body + offset, step) == RESTWAY_PLUGIN_BODY_STOP) {
            end_job(job, RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE, NULL);
            return;
        }
        host->exchange_progress(host, job->id, 0, 0, (int64_t)(offset + step), length);
    }
    host->exchange_trailers(host, job->id, &trailer, 1);
    end_job(job, RESTWAY_PLUGIN_OK, NULL);
}

/* Threads answer the exchanges. The last one to end frees everything. */
static void *work(void *context) {
    struct transport *transport = context;
    for (;;) {
        pthread_mutex_lock(&transport->mutex);
        while (transport->jobs == NULL && !transport->is_closed) {
            pthread_cond_wait(&transport->condition, &transport->mutex);
        }
        struct job *job = transport->jobs;
        if (job == NULL) {
            break;
        }
        transport->jobs = job->next;
        job->next = transport->running;
        transport->running = job;
        const int is_closed = transport->is_closed;
        pthread_mutex_unlock(&transport->mutex);
        if (is_closed) {
            end_job(job, RESTWAY_PLUGIN_EXCHANGE_CLOSED, NULL);
        } else {
            answer(job);
        }
        pthread_mutex_lock(&transport->mutex);
        for (struct job **place = &transport->running; *place != NULL; place = &(*place)->next) {
            if (*place == job) {
                *place = job->next;
                break;
            }
        }
        pthread_mutex_unlock(&transport->mutex);
        free(job);
    }
    const int is_last = --transport->threads == 0;
    pthread_mutex_unlock(&transport->mutex);
    if (is_last) {
        free_transport(transport);
    }
    return NULL;
}

int is_cancelled(struct job *job) {
    pthread_mutex_lock(&job->transport->mutex);
    const int is_cancelled = job->is_cancelled;
    pthread_mutex_unlock(&job->transport->mutex);
    return is_cancelled;
}

void free_transport(struct transport *transport) {
    pthread_mutex_destroy(&transport->mutex);
    pthread_cond_destroy(&transport->condition);
    free(transport);
}

/* Returns "does" of {"does": "..."}; "answers" without options. */
static int32_t read_options(
    const char *options, struct transport *transport, restway_plugin_reason *reason) {
    const char *key = strstr(options, "\"does\"");
    snprintf(transport->does, sizeof transport->does, "answers");
    if (key != NULL) {
        const char *start = strchr(key + 6, '"');
        const char *end = start == NULL ? NULL : strchr(start + 1, '"');
        if (end == NULL || (size_t)(end - start) > sizeof transport->does) {
            snprintf(reason->text, sizeof reason->text, "does: must be a short string");
            return RESTWAY_PLUGIN_FAILED;
        }
        snprintf(
            transport->does, sizeof transport->does, "%.*s", (int)(end - start - 1), start + 1);
    } else if (strcmp(options, "{}") != 0) {
        snprintf(reason->text, sizeof reason->text, "unknown key in %.100s", options);
        return RESTWAY_PLUGIN_FAILED;
    }
    return RESTWAY_PLUGIN_OK;
}

static int32_t open_transport(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    struct transport *transport = calloc(1, sizeof *transport);
    (void)context;
    if (transport == NULL) {
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    }
    transport->host = host;
    pthread_mutex_init(&transport->mutex, NULL);
    pthread_cond_init(&transport->condition, NULL);
    const int32_t result = read_options(options, transport, reason);
    if (result != RESTWAY_PLUGIN_OK || strcmp(transport->does, "opens nothing") == 0) {
        free_transport(transport);
        return result;
    }
    if (is_one_of(transport->does, "threads pieces")) {
        for (int index = 0; index < 3; index++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, work, transport) == 0) {
                transport->threads++;
                pthread_detach(thread);
            }
        }
    }
    *out_transport = transport;
    return RESTWAY_PLUGIN_OK;
}

int is_one_of(const char *word, const char *words) {
    const char *found = strstr(words, word);
    return found != NULL && *word != '\0';
}

static void start(void *context, const restway_plugin_exchange *exchange) {
    struct transport *transport = context;
    struct job *job = calloc(1, sizeof *job);
    job->transport = transport;
    job->id = exchange->id;
    write_answer(job, exchange, read_body(job));
    if (is_one_of(transport->does, "threads pieces")) {
        pthread_mutex_lock(&transport->mutex);
        struct job **place = &transport->jobs;
        while (*place != NULL) {
            place = &(*place)->next;
        }
        *place = job;
        pthread_cond_signal(&transport->condition);
        pthread_mutex_unlock(&transport->mutex);
        return;
    }
    if (strcmp(transport->does, "answers") == 0) {
        answer(job);
    } else if (strcmp(transport->does, "waits") == 0) {
        pthread_mutex_lock(&transport->mutex);
        job->next = transport->running;
        transport->running = job;
        pthread_mutex_unlock(&transport->mutex);
        return;
    } else {
        misbehave(job);
    }
    free(job);
}

/* Ends the waiting exchanges; a running thread notices the end itself. */
static void cancel(void *context, uint64_t exchange) {
    struct transport *transport = context;
    struct job *waiting = NULL;
    pthread_mutex_lock(&transport->mutex);
    for (struct job **place = &transport->running; *place != NULL; place = &(*place)->next) {
        if ((*place)->id != exchange) {
            continue;
        }
        (*place)->is_cancelled = 1;
        if (strcmp(transport->does, "waits") == 0) {
            waiting = *place;
            *place = waiting->next;
        }
        break;
    }
    for (struct job *job = transport->jobs; job != NULL; job = job->next) {
        job->is_cancelled |= job->id == exchange;
    }
    pthread_mutex_unlock(&transport->mutex);
    if (waiting != NULL) {
        end_job(waiting, RESTWAY_PLUGIN_EXCHANGE_CANCELLED, NULL);
        free(waiting);
    }
}

static void resume(void *context, uint64_t exchange) {
    (void)context;
    (void)exchange;
}

static void close_transport(void *context) {
    struct transport *transport = context;
    pthread_mutex_lock(&transport->mutex);
    transport->is_closed = 1;
    struct job *waiting = transport->threads == 0 ? transport->running : NULL;
    const int has_threads = transport->threads > 0;
    pthread_cond_broadcast(&transport->condition);
    pthread_mutex_unlock(&transport->mutex);
    if (has_threads) {
        return;
    }
    while (waiting != NULL) {
        struct job *next = waiting->next;
        end_job(waiting, RESTWAY_PLUGIN_EXCHANGE_CLOSED, NULL);
        free(waiting);
        waiting = next;
    }
    if (!is_one_of(transport->does, "calls after close")) {
        free_transport(transport);
        return;
    }
    struct job late = {.transport = transport, .id = transport->last};
    give_body(&late, "late", 4);
    end_job(&late, RESTWAY_PLUGIN_OK, NULL);
    free_transport(transport);
}

static const restway_plugin_transport transport_table = {
    sizeof(restway_plugin_transport), "test", NULL, open_transport, start, cancel, resume, NULL,
    close_transport};
static const restway_plugin_transport *const transports[] = {&transport_table};

#ifdef OTHER_NAME
#define NAME OTHER_NAME
#else
#define NAME "test-transport"
#endif

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)reason;
    if ((host->capabilities & RESTWAY_PLUGIN_CAN_TRANSPORT) == 0) {
        return RESTWAY_PLUGIN_FAILED;
    }
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_TRANSPORT;
    plugin->name = NAME;
    plugin->transports = transports;
    plugin->transport_count = 1;
    return RESTWAY_PLUGIN_OK;
}
