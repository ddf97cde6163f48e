/** @file restway/plugin_transport.h
 *  Transports of plugins: performing exchanges. Include restway/plugin.h, whose
 *  restway_plugin_host holds the functions that a transport calls.
 */
#ifndef RESTWAY_PLUGIN_TRANSPORT_H
#define RESTWAY_PLUGIN_TRANSPORT_H

#include "plugin_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Transports: performing exchanges @{
 *
 *  The calls of one exchange, in their order:
 *
 *      host:   start(exchange)
 *      plugin: exchange_read ... exchange_head, exchange_body ..., exchange_trailers,
 *              exchange_completed
 *
 *  If the plugin forwards the exchange to the built-in transport: start and exchange_forward.
 *
 *  Once:      every exchange that was started completes exactly once, whatever happens.
 *  Threads:   each side calls the other from any thread, also from inside a call by the other
 *             side. So neither side holds a lock while it calls, and no call blocks.
 *  Ownership: arguments are borrowed until the call returns. */

/** One header line. The name is a token, the value has no control characters. */
typedef struct restway_plugin_header {
    const char *name;
    const char *value;
} restway_plugin_header;

/** An exchange to perform: one request and its response. The request is complete: a transport
 *  follows no redirect and adds no credential. It adds the headers that HTTP needs (`Host`,
 *  `Content-Length`), and the cookies that it keeps.
 *
 *  The texts are borrowed until `start` returns; the body is read with `exchange_read`. */
typedef struct restway_plugin_exchange {
    size_t struct_size;
    /** Never used twice in a process. */
    uint64_t id;
    const char *method;
    /** Absolute, http or https. */
    const char *url;
    const restway_plugin_header *headers;
    size_t header_count;
    /** The length of the body in bytes; 0 when there is no body, -1 when the length is not known
     *  beforehand. */
    int64_t body_length;
    /** The time limit of the whole exchange; 0 sets no limit. The host enforces this limit, too. */
    int64_t total_milliseconds;
    /** The time limit for making a connection; 0 sets no limit. */
    int64_t connect_milliseconds;
    /** The longest time in which no byte is sent or received; 0 sets no limit. */
    int64_t idle_milliseconds;
    /** Exchanges with a higher priority are sent first; 0 is the default. */
    int32_t priority;
    /** 1 when the transport may send the cookies that it keeps, and may keep the response's
     *  cookies. */
    int32_t uses_cookies;
    /** The user and the password for a Digest challenge (RFC 7616), which the transport answers by
     *  sending the exchange again; both NULL without a user. A transport that cannot do this
     *  passes the response with the challenge to the host. */
    const char *digest_user;
    const char *digest_password;
    /** The time limit from the last byte of the request to the first byte of the response; 0 sets
     *  no limit. */
    int64_t first_byte_milliseconds;
} restway_plugin_exchange;

/** The head of a response, but never of an interim (1xx) response. */
typedef struct restway_plugin_head {
    /** sizeof(restway_plugin_head), set by the side that makes it. */
    size_t struct_size;
    /** 200 to 999. */
    int32_t status;
    /** 10, 11, 20 or 30; 0 when it is not known. */
    int32_t http_version;
    const restway_plugin_header *headers;
    size_t header_count;
} restway_plugin_head;

/** The end of an exchange. Each time counts from the start of the exchange to the end of the phase.
 *  A time is 0 if its phase did not happen or the time is not known. */
typedef struct restway_plugin_end {
    /** sizeof(restway_plugin_end), set by the side that makes it. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_OK after a head and the whole body, or the reason why the response is
     *  missing: RESTWAY_PLUGIN_EXCHANGE_*, RESTWAY_PLUGIN_OUT_OF_MEMORY, or
     *  RESTWAY_PLUGIN_FAILED. */
    int32_t result;
    /** The transport's own number for the result, or 0. */
    int32_t code;
    /** A text that says what happened and where, without credentials; NULL if it is missing. */
    const char *text;
    int64_t name_lookup_microseconds;
    int64_t connect_microseconds;
    int64_t tls_microseconds;
    int64_t first_byte_microseconds;
    int64_t total_microseconds;
    /** The number of bytes of the bodies. */
    int64_t uploaded;
    int64_t downloaded;
    /** 1 when the exchange used an open connection. */
    int32_t reused_connection;
    int32_t reserved;
} restway_plugin_end;

/** Why an exchange has no response. Frozen; append only. */
#define RESTWAY_PLUGIN_EXCHANGE_CANCELLED 100
#define RESTWAY_PLUGIN_EXCHANGE_CLOSED 101
#define RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT 102
#define RESTWAY_PLUGIN_EXCHANGE_RESOLVE 103
#define RESTWAY_PLUGIN_EXCHANGE_CONNECT 104
#define RESTWAY_PLUGIN_EXCHANGE_TLS 105
#define RESTWAY_PLUGIN_EXCHANGE_CONNECTION_LOST 106
#define RESTWAY_PLUGIN_EXCHANGE_PROTOCOL 107
#define RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE 108
#define RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED 109

/** The results of `exchange_read`. */
/** At least one byte was read. */
#define RESTWAY_PLUGIN_READ_BYTES 0
/** The body has ended. */
#define RESTWAY_PLUGIN_READ_END 1
/** No bytes are ready: read again when the host has called `body_ready`. */
#define RESTWAY_PLUGIN_READ_LATER 2
/** The body failed. Complete the exchange with RESTWAY_PLUGIN_FAILED: the host knows the reason. */
#define RESTWAY_PLUGIN_READ_FAILED 3

/** The results of `exchange_body`. A transport must obey each of them. */
#define RESTWAY_PLUGIN_BODY_MORE 0
/** The host has taken these bytes. Call no function for this exchange until `resume` or
 *  `cancel`. */
#define RESTWAY_PLUGIN_BODY_PAUSE 1
/** The host takes no more bytes. Complete the exchange with RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE: the
 *  host knows the reason. */
#define RESTWAY_PLUGIN_BODY_STOP 2

typedef struct restway_plugin_host restway_plugin_host;

/** A transport. */
typedef struct restway_plugin_transport {
    size_t struct_size;
    /** Unique among the transports of a client; letters, digits, `-`, `_`. */
    const char *name;
    /** Passed to `open`. */
    void *context;
    /** Makes a transport for a client.
     *
     *  @param host    Lives until `close` has returned and every exchange has completed.
     *  @param options A JSON object as text: the client's options for this transport, or else the
     *                 plugin's own options; "{}" if neither has options.
     *  @param out_transport Passed to the functions below; must not be NULL when this succeeds.
     *  @return RESTWAY_PLUGIN_OK, or another result; the reason names the wrong key. */
    int32_t (*open)(
        void *context, const restway_plugin_host *host, const char *options,
        void **out_transport, restway_plugin_reason *reason);
    /** Starts an exchange. The exchange then completes exactly once, through `exchange_completed`,
     *  also if it could not be started. It may complete before this returns. */
    void (*start)(void *transport, const restway_plugin_exchange *exchange);
    /** Ends an exchange soon, with RESTWAY_PLUGIN_EXCHANGE_CANCELLED unless it completes before.
     *  The id may be unknown, or belong to an exchange that has completed or whose `start` is still
     *  running. */
    void (*cancel)(void *transport, uint64_t exchange);
    /** Continues an exchange after RESTWAY_PLUGIN_BODY_PAUSE. The call may come before
     *  `exchange_body` has returned that result. The id may be unknown. */
    void (*resume)(void *transport, uint64_t exchange);
    /** Tells that the body can be read again after RESTWAY_PLUGIN_READ_LATER. The call may come
     *  before `exchange_read` has returned that result. The id may be unknown. NULL when the
     *  transport reads no bodies. */
    void (*body_ready)(void *transport, uint64_t exchange);
    /** Closes the transport: it soon completes all exchanges with RESTWAY_PLUGIN_EXCHANGE_CLOSED,
     *  and frees everything. The host calls this once, and no other function of this transport
     *  after it. */
    void (*close)(void *transport);
} restway_plugin_transport;

/** The functions that watch a forwarded exchange; they are called before the client sees the same
 *  events. Each function may be NULL. For each exchange they are called one at a time, and
 *  `completed` last. */
typedef struct restway_plugin_watcher {
    /** sizeof(restway_plugin_watcher), set by the plugin. */
    size_t struct_size;
    void *context;
    /** Gives bytes of the request's body as they are sent. The offset is the number of bytes before
     *  them; it returns to 0 when the body is sent again. */
    void (*sent)(
        void *context, uint64_t exchange, int64_t offset, const void *bytes, size_t length);
    void (*head)(void *context, uint64_t exchange, const restway_plugin_head *head);
    /** Gives bytes of the response's body, with their content coding still applied. */
    void (*body)(void *context, uint64_t exchange, const void *bytes, size_t length);
    void (*trailers)(
        void *context, uint64_t exchange, const restway_plugin_header *headers,
        size_t header_count);
    /** @return RESTWAY_PLUGIN_OK: the client receives this result. RESTWAY_PLUGIN_LATER: the client
     *          receives a result when the plugin calls `exchange_completed`. Anything else: the
     *          exchange fails. */
    int32_t (*completed)(void *context, uint64_t exchange, const restway_plugin_end *end);
} restway_plugin_watcher;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
