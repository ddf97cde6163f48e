/* The host of a transport: starts exchanges, answers the plugin's calls as its script says, and
 * detects violations of the contract. */
#ifndef RESTWAY_CHECK_EXCHANGES_H
#define RESTWAY_CHECK_EXCHANGES_H

#include <pthread.h>
#include <restway/plugin.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"

/* The request, and the answers to the calls of the plugin. */
typedef struct request {
    const char *method;
    /* The path on the tool's server, or a URL. */
    const char *path;
    const char *body;
    size_t body_bytes;
    /* Gives -1 as the length of the body. */
    bool has_unknown_length;
    /* The largest number of bytes of each read; 0 sets no limit. */
    size_t read_bytes;
    /* The numbers of the reads that are answered LATER or FAILED, or NEVER. */
    size_t read_later_at;
    size_t read_fails_at;
    /* Calls body_ready or resume before the answer is given. */
    bool hurries;
    /* The numbers of the calls of exchange_body that get these answers, or NEVER. */
    size_t pause_at;
    size_t stop_at;
    /* The number of the call, of any kind, in which cancel is called, or NEVER. */
    size_t cancel_at;
    int64_t total_milliseconds;
    int64_t idle_milliseconds;
    /* The texts must not be used any more when `start` has returned. */
    bool takes_texts_back;
} request;

#define REQUEST(its_method, its_path)                                                       \
    ((struct request){.method = its_method, .path = its_path, .read_later_at = NEVER,       \
                      .read_fails_at = NEVER, .pause_at = NEVER, .stop_at = NEVER,          \
                      .cancel_at = NEVER})

/* The kinds of faults of calls. One check is responsible for each. */
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
    /* The numbers of all calls, of calls of exchange_body, and of calls of exchange_read. */
    size_t calls, body_calls, reads;
    bool has_head, has_trailers, is_completed, is_paused, is_stopped, is_late, has_failed_read;
    bool is_cancelled, is_closed, is_forwarded, is_left_to_plugin;
    /* The request's body. */
    size_t body_at;
    /* The state of the response. */
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
    /* The first fault of each kind; empty if no call had this fault. */
    char faults[FAULT_KINDS][160];
} exchange;

typedef struct opened {
    const restway_plugin_transport *table;
    void *transport;
    restway_plugin_host host;
    bool is_closed;
} opened;

/* Opens a transport; fails the check if that is impossible. */
opened *transport_open(const restway_plugin_transport *table);
void transport_close(opened *opened);

/* Makes a new exchange, and starts it or not. Exchanges are used again after many others. */
exchange *exchange_make(opened *opened, const request *request);
void exchange_start(exchange *exchange);
exchange *exchange_begin(opened *opened, const request *request);

/* Waits until the exchange has completed; fails the check if it does not. */
void exchange_wait(exchange *exchange);

/* Waits until the exchange has completed or made this many calls; returns true if it made
 * the calls. */
bool exchange_wait_calls(exchange *exchange, size_t calls);
/* Waits until the exchange has completed or was answered PAUSE or LATER; returns true for the
 * answer. */
bool exchange_wait_pause(exchange *exchange);

/* The actions of the host: each calls the function of the table, or acts on a forwarded
 * exchange. */
void exchange_cancel(exchange *exchange);
void exchange_resume(exchange *exchange);
void exchange_body_ready(exchange *exchange);

/* Begins an exchange and waits for it. */
exchange *exchange_perform(opened *opened, const request *request);

/* Returns NULL, or the first fault of a kind of any exchange of the process. */
const char *fault_found(exchange_fault kind);

/* "GET /plain" */
const char *exchange_name(const exchange *exchange);
/* "CANCELLED" */
const char *exchange_result_name(int32_t result);

/* Returns how many exchanges were forwarded in this process. */
size_t exchanges_forwarded(void);

/* For forwarding.c: the calls that the plugin would make itself. */
void exchange_take_head(exchange *exchange, const restway_plugin_head *head);
int32_t exchange_take_body(exchange *exchange, const void *bytes, size_t length);
void exchange_take_trailers(
    exchange *exchange, const restway_plugin_header *headers, size_t count);
void exchange_take_end(exchange *exchange, const restway_plugin_end *end);
void exchange_note(exchange *exchange, exchange_fault kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forwards an exchange; see restway_plugin_host.exchange_forward. */
int32_t exchange_forward(exchange *exchange, const restway_plugin_watcher *watcher);

#endif
