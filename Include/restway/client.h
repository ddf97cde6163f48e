/** @file restway/client.h
 *  The client: one api in one environment, with its connections and its store.
 */
#ifndef RESTWAY_CLIENT_H
#define RESTWAY_CLIENT_H

#include "api.h"
#include "call.h"
#include "event.h"
#include "request.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** A client. Reference counted; usable from any thread. The last release closes it. */
typedef struct restway_client restway_client;

/** A clock for tests: see restway_clock_create(). Reference counted; usable from any thread. */
typedef struct restway_clock restway_clock;

/** Where notices run (docs/THREADING.md). Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_delivery {
    /** On a worker thread of the library, one at a time and in order for each client. */
    RESTWAY_DELIVERY_THREAD = 0,
    /** On the thread that calls restway_client_process(), when it does. */
    RESTWAY_DELIVERY_PROCESS = 1,
    /** Nowhere: restway_client_drain() gives events instead. */
    RESTWAY_DELIVERY_DRAIN = 2,
    /** Not a mode: pins the type to 32 bits. */
    RESTWAY_DELIVERY_PIN_ = 0x7fffffff
} restway_delivery;

/** Bits of restway_client_options.flags. */
#define RESTWAY_CLIENT_STRICT_MAPPING 0x1u /**< A mapping issue fails the call. */
#define RESTWAY_CLIENT_NO_COOKIES 0x2u     /**< Cookies are neither kept nor sent. */
#define RESTWAY_CLIENT_NO_REDIRECTS 0x4u   /**< A redirect is an answer like any other. */
/** A DELETE that is answered with 404 or 410 has done what it should: the object is removed from
 *  the store, and the call completes with RESTWAY_OK. */
#define RESTWAY_CLIENT_GONE_IS_DELETED 0x8u
#define RESTWAY_CLIENT_LOAD_PLUGINS 0x100u /**< The document's plugins are loaded. */

/** Options of restway_client_create(). Start from RESTWAY_CLIENT_OPTIONS_INIT. A field of 0 takes
 *  what the API document says, else the default. */
typedef struct restway_client_options {
    /** sizeof(restway_client_options), set by the INIT macro. */
    size_t struct_size;
    /** The environment's name; NULL takes the document's `environment`. *Copied*. */
    const char *environment;
    /** Replaces the environment's base URL; NULL keeps it. *Copied*. */
    const char *base_url;
    /** The User-Agent; NULL takes "restway/<version>". *Copied*. */
    const char *user_agent;
    /** A restway_delivery. */
    uint32_t delivery;
    /** RESTWAY_CLIENT_* bits. */
    uint32_t flags;
    /** Of each attempt, redirects and a wait for a credential included. Default 60,000; -1 sets
     *  none. */
    int64_t timeout_milliseconds;
    /** Until a connection stands. Default 10,000; -1 sets none. */
    int64_t connect_timeout_milliseconds;
    /** Without a byte moving, in steps of a second. Default 30,000; -1 sets none. */
    int64_t idle_timeout_milliseconds;
    /** The largest body of a response held in memory, as sent and after decoding; a larger one is
     *  RESTWAY_E_TOO_LARGE. Default 256 MiB. */
    int64_t body_bytes_max;
    /** The most objects of one response; more is RESTWAY_E_TOO_LARGE. Default 10,000,000. */
    int64_t objects_max;
    /** The deepest nesting of a JSON body, 1 to 2,048. Default 512. */
    int32_t nesting_depth_max;
    /** The most redirects of one call. Default 10; -1 allows none. */
    int32_t redirects_max;
    /** The most connections of this client. Default 256. */
    int32_t connections_max;
    /** The most connections to one host. Default 32. */
    int32_t connections_per_host_max;
    /** A file of certificates in PEM that may vouch for servers, in place of the system's; NULL
     *  keeps the system's. *Copied*. */
    const char *ca_file;
    /** What the client measures its times on; NULL: the machine's clock. Kept alive (+1). For
     *  tests: see retry.h. */
    restway_clock *clock;
    /** Makes the waits between attempts repeatable, for tests; 0: the system's chance. */
    uint64_t random_seed;
    /** The file of a SQLite store (docs/STORES.md), in place of what the document says; relative to
     *  the working directory. NULL keeps what the document says. *Copied*. */
    const char *store_path;
    /** What performs the exchanges, by name: "libcurl", or a transport of a plugin
     *  (docs/PLUGINS.md). NULL takes what the API document says. A route's own stands over it.
     *  *Copied*. */
    const char *transport;
    /** A JSON object for that transport; NULL gives it what the API document says, else the options
     *  of its plugin. *Copied*. */
    const char *transport_options;
    /** The file of the outbox (docs/OUTBOX.md), in place of the one that the document names;
     *  relative to the working directory. NULL keeps that. *Copied*. */
    const char *outbox_path;
    /** How long a thread that waits for an answer without a bound (restway_client_perform) looks
     *  for it before it sleeps, where answers come so soon (docs/THREADING.md); at most 1,000,000.
     *  Default 100; -1 lets it sleep at once. The built-in transport, plain HTTP. */
    int64_t busy_poll_microseconds;
} restway_client_options;

/** Options with nothing but defaults. */
#define RESTWAY_CLIENT_OPTIONS_INIT \
    { \
        sizeof(restway_client_options), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, \
            NULL, 0, NULL, NULL, NULL, NULL, 0 \
    }

/** Sets the first @p size bytes of @p options to what RESTWAY_CLIENT_OPTIONS_INIT would set, for
 *  languages without macros. @p size is the caller's sizeof(restway_client_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL; a size below the first version's, above
 *          4,096, or no multiple of 8).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_options_init(
    restway_client_options *options, size_t size, restway_error **out_error);

/** Makes a client, and opens its store and its outbox. Nothing is connected before its first call,
 *  unless its outbox holds requests that can go out: those do a moment later.
 *
 *  The built-in transport goes through the proxy that the environment names, as libcurl does
 *  (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`; libcurl-env(3)). Where it names none at
 *  this moment, it is not asked again.
 *
 *  @param api        Kept alive (+1) by the client, and frozen by this.
 *  @param options    *Copied*; NULL takes defaults.
 *  @param out_client Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENVIRONMENT, RESTWAY_E_INVALID_URL,
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE (the file of a SQLite store, which the error
 *          names), RESTWAY_E_OUTBOX (the file of the outbox, which the error names),
 *          RESTWAY_E_CONFIG (an outbox_path without an `outbox` in the document),
 *          RESTWAY_E_PLUGIN (one that does not load or is not allowed; a mapper or transport that
 *          there is not, or that does not open; the error says where it is named).
 *
 *  Threads: any. Blocks: on the files of a SQLite store and of an outbox, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_create(
    restway_api *api, const restway_client_options *options, restway_client **out_client,
    restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_client *restway_client_retain(restway_client *client);

/** Gives back one reference; the last one closes the client. Notices that were never processed, and
 *  events that were never drained, are then dropped; their destroy functions run. NULL is fine;
 *  inside a callback it is fine too.
 *
 *  Threads: any. Blocks: on the files of a SQLite store and of an outbox, else never. */
RESTWAY_API void restway_client_release(restway_client *client);

/** Closes a client: new calls are refused with RESTWAY_E_CLOSED, pending ones complete with
 *  RESTWAY_E_CLOSED; then its observers end, whose notices that are due still come. A request that
 *  is just being stored in the outbox still is, and is on the disk when this returns (inside a
 *  callback: a moment later). Closing twice, or NULL, is fine.
 *
 *  Threads: any, also inside any callback. Blocks: outside of callbacks, on the file of an outbox,
 *  else never. */
RESTWAY_API void restway_client_close(restway_client *client);

/** The client's store, owned by the caller (+1); NULL for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_store *restway_client_store(restway_client *client);

/** A call has completed.
 *
 *  @param context  As given to restway_client_send().
 *  @param call     *Borrowed* until this returns.
 *  @param status   RESTWAY_OK, or restway_error_status(error).
 *  @param response The response when @p status is RESTWAY_OK, else NULL. *Borrowed* until this
 *                  returns.
 *  @param error    NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice: it runs where the client's delivery mode says, never beside another notice of the
 *  client. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_done_fn)(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error);

/** Sends a request and calls @p done exactly once if and only if this returns RESTWAY_OK.
 *
 *  @param client   Borrowed; what the call needs of it lives until @p done has returned.
 *  @param request  *Copied*.
 *  @param done     Runs where the client's delivery mode says; NULL when nobody needs to be told.
 *                  With RESTWAY_DELIVERY_DRAIN it must be NULL: an event comes in its place.
 *  @param context  Passed to @p done untouched; the event's token.
 *  @param destroy  Called once with @p context after @p done has returned, or the event was drained
 *                  or dropped; may be NULL. It is not called when this fails.
 *  @param out_call Receives a handle owned by the caller (+1); NULL forgets the call.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED; RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_AMBIGUOUS_ROUTE,
 *          RESTWAY_E_METHOD_NOT_ALLOWED, RESTWAY_E_MISSING_VARIABLE, RESTWAY_E_INVALID_URL;
 *          RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_MAPPING (what it is about cannot be written into
 *          its body); RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  When the host is asked about the body (an exclusion, a transform), a worker makes it: what is
 *  wrong with it completes the call, which never goes out.
 *
 *  A call completes with RESTWAY_OK (a 2xx status, mapped if a descriptor applies; also what
 *  RESTWAY_CLIENT_GONE_IS_DELETED says), RESTWAY_E_HTTP (any other status), RESTWAY_E_AUTH,
 *  RESTWAY_E_MAPPING, RESTWAY_E_STORE, a status of the transport (30 to 36), RESTWAY_E_TIMEOUT,
 *  RESTWAY_E_CANCELLED or RESTWAY_E_CLOSED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_send(
    restway_client *client, const restway_request *request, restway_done_fn done, void *context,
    restway_destroy_fn destroy, restway_call **out_call, restway_error **out_error);

/** Sends a request and waits for its response: restway_client_send() and restway_call_wait().
 *
 *  @param milliseconds As in restway_call_wait().
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return As both of them.
 *
 *  Threads: any. Blocks: until the call completes or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_perform(
    restway_client *client, const restway_request *request, int64_t milliseconds,
    restway_response **out_response, restway_error **out_error);

/** Runs the notices that are due, on the calling thread: RESTWAY_DELIVERY_PROCESS only.
 *
 *  @param milliseconds How long to wait for the first notice; 0 does not wait, -1 waits without
 *                      end. A closed client with nothing left to tell does not wait.
 *  @param out_count    Receives how many notices ran; may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_WOULD_BLOCK inside a callback; RESTWAY_E_INVALID_ARGUMENT (also
 *          for a client of another delivery mode); RESTWAY_E_FORKED.
 *
 *  Threads: any; of several at once, one at a time runs notices. Blocks: as @p milliseconds says,
 *  and while the notices run. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_process(
    restway_client *client, int64_t milliseconds, size_t *out_count, restway_error **out_error);

/** A file descriptor that is readable (poll, epoll, select) as long as notices wait to be processed
 *  or events to be drained. *Borrowed*: never read, write or close it. -1 for NULL, for a client of
 *  RESTWAY_DELIVERY_THREAD, and in a forked child.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_client_descriptor(const restway_client *client);

/** Takes events out, oldest first: RESTWAY_DELIVERY_DRAIN only. The destroy functions of their
 *  calls run before this returns.
 *
 *  @param events    Room for @p capacity events. What restway_event says is owned by the caller is.
 *  @param capacity  At least 1.
 *  @param out_count Receives how many events were taken; 0 when none waits.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT (also for a client of another delivery mode);
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_drain(
    restway_client *client, restway_event *events, size_t capacity, size_t *out_count,
    restway_error **out_error);

/** Asked once for each call, before it goes out, with a private copy of its request: headers,
 *  parameters, variables, body and time-out may be set, and reach the wire.
 *
 *  @param context As given to restway_client_set_interceptor().
 *  @param request *Borrowed* until this returns.
 *  @return RESTWAY_OK lets the call go on; any other status completes it with that status
 *          (RESTWAY_E_INVALID_ARGUMENT for one that this header does not know).
 *
 *  A question: it is asked on a worker, whatever the delivery mode; for different calls side by
 *  side. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. When the call has
 *  been cancelled or the client closed meanwhile, the answer is dropped. */
typedef restway_status (*restway_intercept_fn)(void *context, restway_request *request);

/** Sets the interceptor of a client, in place of the one before; NULL sets none. Calls that were
 *  sent before keep the one of their time.
 *
 *  @param context Passed to @p intercept untouched.
 *  @param destroy Called once with @p context when no call can ask @p intercept any more; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_interceptor(
    restway_client *client, restway_intercept_fn intercept, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Whether a relationship of an object stays out of the body of a request.
 *
 *  @param context      As given to restway_client_set_exclusion().
 *  @param method       The method of the request. *Borrowed* until this returns, as all of these.
 *  @param path         Its path below the base URL; NULL for another origin.
 *  @param entity       The entity of the object that is being written, not that of the relationship
 *                      which led to it.
 *  @param relationship The relationship of @p entity.
 *  @return 0 to write it; 1, or more, leaves it out; -1, or less, refuses the request: the call
 *          completes with RESTWAY_E_CANCELLED, and nothing is sent.
 *
 *  A question: it is asked on a worker, whatever the delivery mode, when an interceptor has been
 *  asked; for different requests side by side. It may call any function; one that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. When the call has been cancelled or the client closed meanwhile,
 *  the answer is dropped and nothing further is asked. */
typedef int32_t (*restway_exclude_fn)(
    void *context, const char *method, const char *path, const char *entity,
    const char *relationship);

/** Sets who may leave relationships out of requests, in place of the one before; NULL sets nobody.
 *  Calls that were sent before keep the one of their time.
 *
 *  @param exclude Asked about each relationship of each object that is written, but for those that
 *                 a descriptor excludes.
 *  @param context Passed to @p exclude untouched.
 *  @param destroy Called once with @p context when nothing can ask @p exclude any more; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_exclusion(
    restway_client *client, restway_exclude_fn exclude, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

#define RESTWAY_CURL_REVEAL 0x1u /**< Credentials and tokens are written out. */

/** Writes the curl command that would send @p request as @p client would, for a shell: to reproduce
 *  an exchange by hand. Credentials, cookies and tokens are replaced by `[redacted]` unless @p
 *  flags holds RESTWAY_CURL_REVEAL.
 *
 *  @param flags      RESTWAY_CURL_* bits.
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole command without its NUL; may be NULL.
 *  @return As restway_client_send(); RESTWAY_E_WOULD_BLOCK inside a callback, when the host is
 *          asked about the body.
 *
 *  Threads: any. Blocks: on the file of a SQLite store; and while a worker asks the host about the
 *  body; else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_to_curl(
    const restway_request *request, restway_client *client, uint32_t flags, char *buffer,
    size_t capacity, size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif
