/* The host of a transport: starts exchanges, answers the plugin's calls as it is told, and sees
 * what breaks the contract. */
#ifndef RESTWAY_CHECK_EXCHANGES_H
#define RESTWAY_CHECK_EXCHANGES_H

#include <pthread.h>
#include <restway/plugin.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"

/* What is asked, and what is answered to the calls of the plugin. */
typedef struct request {
    const char *method;
    /* Of the tool's server, or a URL. */
    const char *path;
    const char *body;
    size_t body_bytes;
    /* -1 is told for the length of the body. */
    bool has_unknown_length;
    /* At most so many bytes for each read; 0 for as many as there is room. */
    size_t read_bytes;
    /* Reads of that number are answered LATER or FAILED; NEVER. */
    size_t read_later_at;
    size_t read_fails_at;
    /* body_ready or resume is called before the answer is given. */
    bool hurries;
    /* Calls of exchange_body of that number are answered so; NEVER. */
    size_t pause_at;
    size_t stop_at;
    /* Call of that number, of any kind: cancel is called from it; NEVER. */
    size_t cancel_at;
    int64_t total_milliseconds;
    int64_t idle_milliseconds;
    /* Its texts may not be touched any more when `start` has returned. */
    bool takes_texts_back;
} request;

#define REQUEST(its_method, its_path)                                                       \
    ((struct request){.method = its_method, .path = its_path, .read_later_at = NEVER,       \
                      .read_fails_at = NEVER, .pause_at = NEVER, .stop_at = NEVER,          \
                      .cancel_at = NEVER})

/* What can be wrong with calls; each is one check's matter. */
typedef enum exchange_fault {
    FAULT_TWICE,
    FAULT_ORDER,
    FAULT_OVERLAP,
    FAULT_LATE,
    FAULT_PAUSED,
    FAULT_STOPPED,
    FAULT_READ,
    FAULT_HEAD,
    FAULT_END,
    FAULT_KINDS,
} exchange_fault;

struct opened;

typedef struct exchange {
    uint64_t id;
    struct opened *opened;
    request request;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int inside;
    atomic_int inside_read;
    /* Calls of all kinds, of exchange_body, of exchange_read. */
    size_t calls, body_calls, reads;
    bool has_head, has_trailers, is_completed, is_paused, is_stopped, is_late, has_failed_read;
    bool is_cancelled, is_closed, is_forwarded, is_left_to_plugin;
    /* The request's body. */
    size_t body_at;
    /* Of the response. */
    int32_t status;
    char headers[2048];
    char trailers[512];
    size_t received;
    /* The first bytes that were received. */
    bool is_as_expected;
    const struct answer *answer;
    const char *expected;
    size_t expected_bytes;
    int64_t progress[2];
    int32_t result;
    char text[256];
    /* Empty, or the first of each kind. */
    char faults[FAULT_KINDS][160];
} exchange;

typedef struct opened {
    const restway_plugin_transport *table;
    void *transport;
    restway_plugin_host host;
    bool is_closed;
} opened;

/* Opens one; fails the check when that cannot be. */
opened *transport_open(const restway_plugin_transport *table);
void transport_close(opened *opened);

/* A new exchange, started or only made. They are used again after many others. */
exchange *exchange_make(opened *opened, const request *request);
void exchange_start(exchange *exchange);
exchange *exchange_begin(opened *opened, const request *request);

/* Waits until it has completed; fails the check when it does not. */
void exchange_wait(exchange *exchange);

/* Waits until it has completed or made so many calls; true for the latter. */
bool exchange_wait_calls(exchange *exchange, size_t calls);
/* The same for its having been answered PAUSE, or LATER. */
bool exchange_wait_pause(exchange *exchange);

/* From the host: what stands in the table, and what it means for one that was forwarded. */
void exchange_cancel(exchange *exchange);
void exchange_resume(exchange *exchange);
void exchange_body_ready(exchange *exchange);

/* begin and wait. */
exchange *exchange_perform(opened *opened, const request *request);

/* NULL, or the first fault of a kind that any exchange of the process has. */
const char *fault_found(exchange_fault kind);

/* "GET /plain" */
const char *exchange_name(const exchange *exchange);
/* "CANCELLED" */
const char *exchange_result_name(int32_t result);

/* How many exchanges were forwarded, in this process. */
size_t exchanges_forwarded(void);

/* For forwarding.c: calls as the plugin would make them. */
void exchange_take_head(exchange *exchange, const restway_plugin_head *head);
int32_t exchange_take_body(exchange *exchange, const void *bytes, size_t length);
void exchange_take_trailers(
    exchange *exchange, const restway_plugin_header *headers, size_t count);
void exchange_take_end(exchange *exchange, const restway_plugin_end *end);
void exchange_note(exchange *exchange, exchange_fault kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forwards it; see restway_plugin_host.exchange_forward. */
int32_t exchange_forward(exchange *exchange, const restway_plugin_watcher *watcher);

#endif
