/** @file restway/plugin_transport.h
 *  Transports of plugins: performing exchanges. Include restway/plugin.h, whose restway_plugin_host
 *  holds the functions that a transport calls.
 */
#ifndef RESTWAY_PLUGIN_TRANSPORT_H
#define RESTWAY_PLUGIN_TRANSPORT_H

#include "plugin_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Transports: performing exchanges @{
 *
 *  One exchange, as host and plugin see it:
 *
 *      host:   start(exchange)
 *      plugin: exchange_read ... exchange_head, exchange_body ..., exchange_trailers,
 *              exchange_completed
 *
 *  or, when the plugin leaves it to the transport that is built in, start and exchange_forward.
 *
 *  Once:      every exchange that was started completes exactly once, whatever happens.
 *  Threads:   either side calls the other from any thread, also from inside a call of the other
 *             one. So neither holds a lock while it calls, and no call blocks.
 *  Ownership: what is given is borrowed until the call returns. */

/** One line of a head. The name is a token, the value has no control characters. */
typedef struct restway_plugin_header {
    const char *name;
    const char *value;
} restway_plugin_header;

/** An exchange to perform. Everything is decided: a transport follows no redirect and adds no
 *  credential. It adds what framing needs (`Host`, `Content-Length`), and cookies that it keeps.
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
    /** Bytes of the body; 0 when there is none, -1 when its length is not known beforehand. */
    int64_t body_length;
    /** Until it completes; 0 sets no limit. The host has a watchdog for this one. */
    int64_t total_milliseconds;
    /** Until a connection stands; 0 sets no limit. */
    int64_t connect_milliseconds;
    /** Without a byte moving; 0 sets no limit. */
    int64_t idle_milliseconds;
    /** Higher goes first; 0 is usual. */
    int32_t priority;
    /** 1 when kept cookies may be sent, and those of the response be kept. */
    int32_t uses_cookies;
    /** What a Digest challenge (RFC 7616) is answered with, by sending the exchange again; both
     *  NULL when there is none. A transport that cannot do that tells of the challenge. */
    const char *digest_user;
    const char *digest_password;
} restway_plugin_exchange;

/** The head of a response; never of an interim (1xx) one. */
typedef struct restway_plugin_head {
    /** sizeof(restway_plugin_head), set by whoever makes it. */
    size_t struct_size;
    /** 200 to 999. */
    int32_t status;
    /** 10, 11, 20 or 30; 0 when it is not known. */
    int32_t http_version;
    const restway_plugin_header *headers;
    size_t header_count;
} restway_plugin_head;

/** How an exchange ended. Times count from its start to the end of their phase; what did not
 *  happen, or is not known, is 0. */
typedef struct restway_plugin_end {
    /** sizeof(restway_plugin_end), set by whoever makes it. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_OK after a head and the whole body, else why there is none:
     *  RESTWAY_PLUGIN_EXCHANGE_*, RESTWAY_PLUGIN_OUT_OF_MEMORY, or RESTWAY_PLUGIN_FAILED. */
    int32_t result;
    /** The transport's own number for that, or 0. */
    int32_t code;
    /** What happened and where, without credentials; NULL when there is nothing to say. */
    const char *text;
    int64_t name_lookup_microseconds;
    int64_t connect_microseconds;
    int64_t tls_microseconds;
    int64_t first_byte_microseconds;
    int64_t total_microseconds;
    /** Bytes of the bodies. */
    int64_t uploaded;
    int64_t downloaded;
    /** 1 when no connection had to be made. */
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

/** What `exchange_read` answers. */
/** There are bytes, at least one. */
#define RESTWAY_PLUGIN_READ_BYTES 0
/** The body has ended. */
#define RESTWAY_PLUGIN_READ_END 1
/** Nothing now: read again when the host has called `body_ready`. */
#define RESTWAY_PLUGIN_READ_LATER 2
/** There will be no more. Complete the exchange with RESTWAY_PLUGIN_FAILED: the host knows why. */
#define RESTWAY_PLUGIN_READ_FAILED 3

/** What `exchange_body` answers. Each answer must be obeyed. */
#define RESTWAY_PLUGIN_BODY_MORE 0
/** These bytes are taken. Tell nothing more of this exchange until `resume` or `cancel`. */
#define RESTWAY_PLUGIN_BODY_PAUSE 1
/** Nothing more is wanted. Complete the exchange with RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE: the host
 *  knows why. */
#define RESTWAY_PLUGIN_BODY_STOP 2

typedef struct restway_plugin_host restway_plugin_host;

/** A transport. */
typedef struct restway_plugin_transport {
    size_t struct_size;
    /** Unique among the transports of a client; letters, digits, `-`, `_`. */
    const char *name;
    /** Handed to `open`. */
    void *context;
    /** Makes one for a client.
     *
     *  @param host    Lives until `close` has returned and every exchange has completed.
     *  @param options A JSON object as text: what the client says for this transport, else the
     *                 plugin's own options; "{}" when there are none.
     *  @param out_transport Handed to the functions below; not NULL when this succeeds.
     *  @return RESTWAY_PLUGIN_OK, or why not; the reason names the key that is wrong. */
    int32_t (*open)(
        void *context, const restway_plugin_host *host, const char *options,
        void **out_transport, restway_plugin_reason *reason);
    /** Starts an exchange. It then completes exactly once, through `exchange_completed`, also when
     *  it could not be started; that may be before this returns. */
    void (*start)(void *transport, const restway_plugin_exchange *exchange);
    /** Ends an exchange soon, with RESTWAY_PLUGIN_EXCHANGE_CANCELLED unless it completes before. An
     *  unknown id, or one that has completed, is fine; so is one whose `start` is still running. */
    void (*cancel)(void *transport, uint64_t exchange);
    /** After RESTWAY_PLUGIN_BODY_PAUSE: go on. May come before `exchange_body` has returned the
     *  pause. An unknown id is fine. */
    void (*resume)(void *transport, uint64_t exchange);
    /** After RESTWAY_PLUGIN_READ_LATER: read again. May come before `exchange_read` has returned
     *  that. An unknown id is fine. NULL when the transport reads no bodies. */
    void (*body_ready)(void *transport, uint64_t exchange);
    /** Completes all exchanges with RESTWAY_PLUGIN_EXCHANGE_CLOSED, soon, and gives everything
     *  back. Called once; no function of this transport is called after it. */
    void (*close)(void *transport);
} restway_plugin_transport;

/** Who sees what becomes of an exchange that was forwarded, before the client does. Each function
 *  may be NULL. They are called one at a time for each exchange, and `completed` last. */
typedef struct restway_plugin_watcher {
    /** sizeof(restway_plugin_watcher), set by the plugin. */
    size_t struct_size;
    void *context;
    /** Bytes of the request's body as they go out, and how many came before them: the offset
     *  returns to 0 when the body is sent again. */
    void (*sent)(
        void *context, uint64_t exchange, int64_t offset, const void *bytes, size_t length);
    void (*head)(void *context, uint64_t exchange, const restway_plugin_head *head);
    /** Bytes of the response's body, content codings not undone. */
    void (*body)(void *context, uint64_t exchange, const void *bytes, size_t length);
    void (*trailers)(
        void *context, uint64_t exchange, const restway_plugin_header *headers,
        size_t header_count);
    /** @return RESTWAY_PLUGIN_OK: the client is told as it is. RESTWAY_PLUGIN_LATER: the client is
     *          told when the plugin calls `exchange_completed`. Else the exchange fails. */
    int32_t (*completed)(void *context, uint64_t exchange, const restway_plugin_end *end);
} restway_plugin_watcher;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
