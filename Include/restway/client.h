/** @file restway/client.h
 *  The client: one api in one environment, with its connections and its store.
 */
#ifndef RESTWAY_CLIENT_H
#define RESTWAY_CLIENT_H

#include "api.h"
#include "call.h"
#include "event.h"
#include "mapping.h"
#include "network.h"
#include "request.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** A client. Reference counted; usable from any thread. The last release closes it. */
typedef struct restway_client restway_client;

/** A clock for tests: see restway_clock_create(). Reference counted; usable from any thread. */
typedef struct restway_clock restway_clock;

/** Where notices run. A notice is a callback that tells the program something (docs/THREADING.md).
 *  Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_delivery {
    /** On a worker thread of the library, one at a time and in order for each client. */
    RESTWAY_DELIVERY_THREAD = 0,
    /** On the thread that calls restway_client_process(), during that call. */
    RESTWAY_DELIVERY_PROCESS = 1,
    /** No callback runs; restway_client_drain() returns events instead. */
    RESTWAY_DELIVERY_DRAIN = 2,
    /** Not a mode: pins the type to 32 bits. */
    RESTWAY_DELIVERY_PIN_ = 0x7fffffff
} restway_delivery;

/** Bits of restway_client_options.flags: options of a client. */
#define RESTWAY_CLIENT_STRICT_MAPPING 0x1u /**< A mapping issue fails the call. */
#define RESTWAY_CLIENT_NO_COOKIES 0x2u     /**< Cookies are neither kept nor sent. */
#define RESTWAY_CLIENT_NO_REDIRECTS 0x4u   /**< Redirects are returned, not followed. */
/** A DELETE that is answered with 404 or 410 counts as a success: the object is removed from the
 *  store, and the call completes with RESTWAY_OK. */
#define RESTWAY_CLIENT_GONE_IS_DELETED 0x8u
/** While the program says that the server cannot be reached (restway_client_set_reachability()), a
 *  call to it fails at once with RESTWAY_E_CONNECT, unless the outbox may store its request or the
 *  cache answers it. */
#define RESTWAY_CLIENT_FAIL_UNREACHABLE 0x10u
#define RESTWAY_CLIENT_LOAD_PLUGINS 0x100u /**< Loads the plugins that the document names. */

/** Bits of restway_client_options.cache_flags: options of the response cache. */
#define RESTWAY_CACHE_ON 0x1u /**< A cache, even without a file and a document's `cache`. */
/** An answer without a lifetime is fresh for a tenth of the time since its resource was last
 *  modified (RFC 9111, section 4.2.2). */
#define RESTWAY_CACHE_HEURISTICS 0x2u
/** The client has no cache, also if the document has one. No other option of the cache may be set
 *  beside it. */
#define RESTWAY_CACHE_OFF 0x4u

/** Options of restway_client_create(). Start from RESTWAY_CLIENT_OPTIONS_INIT. A field that is 0
 *  takes the value of the API document, or the default if the document has no value. */
typedef struct restway_client_options {
    /** sizeof(restway_client_options), set by the INIT macro. */
    size_t struct_size;
    /** The environment's name. *Copied*.
     *  Default: NULL, the document's `environment`.
     *  Range: text. */
    const char *environment;
    /** Replaces the environment's base URL. *Copied*. The environment's other settings stay. If the
     *  environment does not trust the new origin, the document's headers, its client certificate
     *  and its credential are left out, and a warning in the log names them.
     *  Default: NULL, the URL of the environment.
     *  Range: text. */
    const char *base_url;
    /** The User-Agent. *Copied*.
     *  Default: NULL, "restway/<version>".
     *  Range: text, the value of a header. */
    const char *user_agent;
    /** Where notices run.
     *  Default: RESTWAY_DELIVERY_THREAD.
     *  Range: a restway_delivery. */
    uint32_t delivery;
    /** The behaviour of the client that differs from the default.
     *  Default: 0.
     *  Range: RESTWAY_CLIENT_* bits. */
    uint32_t flags;
    /** The time limit of each attempt, including redirects and the wait for a credential.
     *  Default: 60,000 ms.
     *  Range: 1 ms or more; -1 sets no limit. */
    int64_t timeout_milliseconds;
    /** The time limit for making a connection.
     *  Default: 10,000 ms.
     *  Range: 1 ms or more; -1 sets no limit. */
    int64_t connect_timeout_milliseconds;
    /** The longest time in which no byte is sent or received, in steps of a second.
     *  Default: 30,000 ms.
     *  Range: 1 ms or more; -1 sets no limit. */
    int64_t idle_timeout_milliseconds;
    /** The size limit of a response body held in memory, both as sent and after decoding. A larger
     *  body fails with RESTWAY_E_TOO_LARGE.
     *  Default: 256 MiB.
     *  Range: 1 byte or more. */
    int64_t body_bytes_max;
    /** The largest number of objects in one response. More objects fail with RESTWAY_E_TOO_LARGE.
     *  Default: 10,000,000.
     *  Range: 1 or more. */
    int64_t objects_max;
    /** The deepest nesting of a JSON body.
     *  Default: 512.
     *  Range: 1 to 2,048. */
    int32_t nesting_depth_max;
    /** The largest number of redirects of one call.
     *  Default: 10.
     *  Range: 1 to 1,000; -1 allows no redirect. */
    int32_t redirects_max;
    /** The largest number of connections of this client.
     *  Default: 256.
     *  Range: 1 to 65,536. */
    int32_t connections_max;
    /** The largest number of connections to one host.
     *  Default: 32.
     *  Range: 1 to 65,536. */
    int32_t connections_per_host_max;
    /** A PEM file with the certificates of trusted authorities, in place of the system's: the same
     *  as ca_file of the TLS settings without an origin (network.h), which must not have a ca_file
     *  or a ca_folder, too. *Copied*.
     *  Default: NULL, the system's authorities.
     *  Range: text. */
    const char *ca_file;
    /** The clock that the client uses for all its times, for tests (retry.h). Kept alive (+1).
     *  Default: NULL, the machine's clock.
     *  Range: a restway_clock. */
    restway_clock *clock;
    /** A seed that makes the waits between attempts repeatable, for tests.
     *  Default: 0, random numbers of the system.
     *  Range: any number. */
    uint64_t random_seed;
    /** The file of a SQLite store (docs/STORES.md), relative to the working directory. It replaces
     *  the store that the document names. *Copied*.
     *  Default: NULL, the document's store.
     *  Range: text. */
    const char *store_path;
    /** The name of the transport, which performs the HTTP exchanges: "libcurl", or a transport of a
     *  plugin (docs/PLUGINS.md). A route that names a transport uses the named transport. *Copied*.
     *  Default: NULL, the transport of the API document.
     *  Range: text. */
    const char *transport;
    /** The options of that transport, as a JSON object. *Copied*.
     *  Default: NULL, the options in the API document, or else those of the transport's plugin.
     *  Range: text. */
    const char *transport_options;
    /** The file of the outbox (docs/OUTBOX.md), relative to the working directory. It replaces the
     *  file that the document names; the document then needs no `outbox`, or an `outbox` without a
     *  path. *Copied*.
     *  Default: NULL, the document's file.
     *  Range: text. */
    const char *outbox_path;
    /** The permissions of the files that the client creates for its store, its outbox and its
     *  cache, without execute permission, for example 0640. The umask does not change them. SQLite
     *  gives the same permissions to its additional files (`-wal`, `-shm`). A file that exists
     *  keeps its permissions (docs/STORES.md).
     *  Default: 0600.
     *  Range: 0600 to 0666. */
    int64_t file_mode;
    /** How the client connects: TLS, proxies and more (network.h, docs/NETWORK.md). *Copied*.
     *  Default: NULL, the settings of the environment in the API document.
     *  Range: a restway_network_options. */
    const restway_network_options *network;
    /** The time limit from the last byte of a request to the first byte of its answer.
     *  Default: no limit.
     *  Range: 1 ms or more; -1 sets no limit. */
    int64_t first_byte_timeout_milliseconds;
    /** The size limit of a response body that is saved in a file (download.h), after decoding. A
     *  larger body fails with RESTWAY_E_TOO_LARGE, and leaves no file.
     *  Default: no limit.
     *  Range: 1 byte or more; -1 sets no limit. */
    int64_t save_bytes_max;
    /** The file of the response cache (cache.h), relative to the working directory. It replaces the
     *  file that the document names, and turns the cache on if the document has none. *Copied*.
     *  Default: NULL, the document's file.
     *  Range: text that is not empty. */
    const char *cache_path;
    /** The limit on the bytes that this file, its log and the bodies beside it take on the disk.
     *  Default: 100 MiB.
     *  Range: 64 KiB to 1 PiB. */
    int64_t cache_bytes_max;
    /** The size limit of the answers that the cache keeps in memory. To keep none there needs a
     *  file.
     *  Default: 16 MiB.
     *  Range: 1 byte or more; -1 keeps none in memory. */
    int64_t cache_memory_bytes_max;
    /** How the cache differs from what the document says.
     *  Default: 0.
     *  Range: RESTWAY_CACHE_* bits. */
    uint32_t cache_flags;
    /** Not used.
     *  Default: 0.
     *  Range: 0. */
    int32_t cache_reserved;
    /** The languages of answers, the preferred one first: `{"de-CH", "de", "en"}` becomes the
     *  default header `Accept-Language: de-CH, de;q=0.9, en;q=0.8`, which
     *  restway_client_set_header() can change. *Copied*.
     *  Default: NULL, the document's `languages`.
     *  Range: an array of texts. */
    const char *const *languages;
    /** Default: 0.
     *  Range: 0 to 10, the length of languages. */
    size_t language_count;
    /** The age at which a call is reported to its observers as too slow (lifecycle.h), unless its
     *  route or its request says otherwise.
     *  Default: no limit.
     *  Range: 1 ms or more; -1 sets no limit. */
    int64_t too_slow_milliseconds;
} restway_client_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_CLIENT_OPTIONS_INIT would set, for
 *  languages without macros. @p size is the caller's sizeof(restway_client_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL; a size that is below the first version's,
 *          above 4,096, or not a multiple of 8).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_options_init(
    restway_client_options *options, size_t size, restway_error **out_error);

/** Makes a client, and opens its store, its outbox and its cache. The client connects to no server
 *  before its first call, unless its outbox holds requests that can be sent: it sends them a moment
 *  later. A file of the cache that cannot be read or written is no error: restway_cache_problem()
 *  tells.
 *
 *  Unless a proxy is set (network.h), the built-in transport uses the proxy that the environment
 *  variables name, as libcurl does (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`;
 *  libcurl-env(3)). If they name no proxy when the client is made, they are not read again.
 *
 *  @param api        Kept alive (+1) by the client. This function freezes it.
 *  @param options    *Copied*; NULL takes the defaults.
 *  @param out_client Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENVIRONMENT, RESTWAY_E_INVALID_URL,
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE (the file of a SQLite store, which the error
 *          names), RESTWAY_E_OUTBOX (the file of the outbox, which the error names), RESTWAY_E_IO
 *          (the file of the cache belongs to another program or to a later version of Restway),
 *          RESTWAY_E_CONFIG (requests are stored offline, but neither an `outbox` in the document
 *          nor outbox_path names a file; or the limits of the cache contradict each other; or
 *          a network setting cannot be used: a file of TLS that is missing or wrong, a proxy that
 *          is no URL, HTTP/3 with a libcurl that does not support it, a file of cookies that cannot
 *          be read or written; the error names the setting), RESTWAY_E_PLUGIN (a plugin does not
 *          load or is not allowed, or a mapper or transport does not exist or does not open; the
 *          error says where the document or the options name it), RESTWAY_E_FORKED (this is a
 *          forked child, and the parent made the api or the clock, or had the file of the store,
 *          the outbox or the cache open; see docs/THREADING.md).
 *
 *  Threads: any. Blocks: while it reads or writes the files of a SQLite store, of an outbox, of a
 *  cache or of the network settings; otherwise never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_create(
    restway_api *api, const restway_client_options *options, restway_client **out_client,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_client *restway_client_retain(restway_client *client);

/** Gives back one reference; the last release closes the client. Notices that were never processed,
 *  and events that were never drained, are then dropped, and their destroy functions run. NULL is
 *  fine. The function may be called inside a callback.
 *
 *  Threads: any. Blocks: while it reads or writes the files of a SQLite store, of an outbox, of a
 *  cache, of cookies or of HSTS; otherwise never. */
RESTWAY_API void restway_client_release(restway_client *client);

/** Closes a client. New calls fail with RESTWAY_E_CLOSED, and pending calls complete with
 *  RESTWAY_E_CLOSED. But requests in flight that the outbox may keep are stored (`offline` of their
 *  routes, see docs/OUTBOX.md#when-the-client-is-closed): their calls complete with
 *  RESTWAY_E_QUEUED, and the requests are on the disk when this returns (inside a callback: a
 *  moment later). The observers of the client then end, after the notices that are already due for
 *  them. Closing a client twice is fine. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: while it writes the files of cookies and of HSTS
 *  and, outside of callbacks, the files of an outbox and of a cache; otherwise never. */
RESTWAY_API void restway_client_close(restway_client *client);

/** Sets a default header of a client, in place of an earlier value. Requests that start later send
 *  it to the origin of the environment and to the origins that the environment trusts
 *  (docs/REQUESTS.md). A request keeps the default headers of the moment at which it started.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks or NUL; NULL removes the default header. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_CLOSED, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_header(
    restway_client *client, const char *name, const char *value, restway_error **out_error);

/** Writes the default headers of a client as a JSON object, whose members are their names and
 *  values. The values are real, also those of secrets.
 *
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole object without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_headers(
    restway_client *client, char *buffer, size_t capacity, size_t *out_length,
    restway_error **out_error);

/** Returns the client's store, owned by the caller (+1); NULL for NULL. Threads: any.
 *  Blocks: never. */
RESTWAY_API restway_store *restway_client_store(restway_client *client);

/** Tells that a call has completed.
 *
 *  @param context  As given to restway_client_send().
 *  @param call     *Borrowed* until this returns.
 *  @param status   RESTWAY_OK, or restway_error_status(error).
 *  @param response The response when @p status is RESTWAY_OK, else NULL. *Borrowed* until this
 *                  returns.
 *  @param error    NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice: it runs where the client's delivery mode says, and never at the same time as another
 *  notice of the client. It may call any function; a function that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_done_fn)(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error);

/** Sends a request. If and only if this returns RESTWAY_OK, the call completes exactly once, and
 *  @p done runs at most once, after that: not at all if the last reference of the client is
 *  released before its notice was processed (RESTWAY_DELIVERY_PROCESS).
 *
 *  @param client   Borrowed; the library keeps what the call needs until @p done has returned.
 *  @param request  *Copied*.
 *  @param done     Runs where the client's delivery mode says; NULL when no callback is needed.
 *                  With RESTWAY_DELIVERY_DRAIN it must be NULL: an event comes in its place.
 *  @param context  Passed to @p done unchanged; it is also the token of the event.
 *  @param destroy  Always called once with @p context: after @p done has returned, or when the
 *                  event was drained, or when the notice or the event was dropped; may be NULL. It
 *                  is not called when this fails.
 *  @param out_call Receives a handle owned by the caller (+1); NULL forgets the call.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED; RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_AMBIGUOUS_ROUTE,
 *          RESTWAY_E_METHOD_NOT_ALLOWED, RESTWAY_E_MISSING_VARIABLE, RESTWAY_E_INVALID_URL;
 *          RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_MAPPING (the object or draft cannot be written
 *          into the body); RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  If the body needs a callback of the program (an exclusion, a transform), a worker thread makes
 *  the body later. A failure there completes the call, and the request is not sent.
 *
 *  A call completes with RESTWAY_OK (a 2xx status, mapped if a descriptor applies; also the case of
 *  RESTWAY_CLIENT_GONE_IS_DELETED, and 304 as the answer to a GET or HEAD with If-None-Match or
 *  If-Modified-Since), RESTWAY_E_HTTP (any other status), RESTWAY_E_QUEUED (the outbox
 *  has stored the request), RESTWAY_E_OUTBOX, RESTWAY_E_AUTH, RESTWAY_E_MAPPING, RESTWAY_E_PLUGIN,
 *  RESTWAY_E_STORE, a status of the transport (30 to 36), RESTWAY_E_TIMEOUT, RESTWAY_E_CANCELLED or
 *  RESTWAY_E_CLOSED; or with the status of a function of the program that refused the request.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_send(
    restway_client *client, const restway_request *request, restway_done_fn done, void *context,
    restway_destroy_fn destroy, restway_call **out_call, restway_error **out_error);

/** Sends a request like restway_client_send(), but delivers the notices of its call (completion,
 *  progress, attempts) in a way of its own, whatever the delivery mode of the client is.
 *
 *  Notices that are delivered in the same way never overlap and keep their order. There is no order
 *  between notices that are delivered in different ways, and they may run at the same time. With
 *  RESTWAY_DELIVERY_PROCESS, restway_client_process() runs the notices; with
 *  RESTWAY_DELIVERY_DRAIN, restway_client_drain() returns events. Both functions then work for a
 *  client of any delivery mode, and restway_client_descriptor() is readable as long as a notice
 *  waits for one of them.
 *
 *  @param delivery How the notices of the call are delivered.
 *  @param done     As in restway_client_send(); NULL with RESTWAY_DELIVERY_DRAIN.
 *  @param context  As in restway_client_send().
 *  @param destroy  As in restway_client_send().
 *  @param out_call As in restway_client_send().
 *  @return As restway_client_send(); RESTWAY_E_OUT_OF_MEMORY (the system has no file descriptor).
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_send_to(
    restway_client *client, const restway_request *request, restway_delivery delivery,
    restway_done_fn done, void *context, restway_destroy_fn destroy, restway_call **out_call,
    restway_error **out_error);

/** Sends a request and waits for its response, like restway_client_send() and restway_call_wait().
 *
 *  @param milliseconds As in restway_call_wait().
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return The statuses of restway_client_send() and of restway_call_wait().
 *
 *  Threads: any. Blocks: until the call completes or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_perform(
    restway_client *client, const restway_request *request, int64_t milliseconds,
    restway_response **out_response, restway_error **out_error);

/** Runs the notices that are due, on the calling thread: those of a client of
 *  RESTWAY_DELIVERY_PROCESS, and those of calls that chose it (restway_client_send_to()).
 *
 *  @param milliseconds How long to wait for the first notice; 0 does not wait, -1 waits without a
 *                      time limit. If the client is closed and no notice is left, the function does
 *                      not wait.
 *  @param out_count    Receives how many notices ran; may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_WOULD_BLOCK inside a callback; RESTWAY_E_INVALID_ARGUMENT (also
 *          for a client of another delivery mode none of whose calls chose it); RESTWAY_E_FORKED.
 *
 *  Threads: any; if several threads call it, one at a time runs notices. Blocks: as @p milliseconds
 *  says, and while the notices run. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_process(
    restway_client *client, int64_t milliseconds, size_t *out_count, restway_error **out_error);

/** Returns a file descriptor that is readable (poll, epoll, select) as long as notices wait to be
 *  processed or events to be drained. *Borrowed*: never read, write or close it. -1 for NULL, for a
 *  client of RESTWAY_DELIVERY_THREAD none of whose calls chose another way
 *  (restway_client_send_to()), and in a forked child.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_client_descriptor(const restway_client *client);

/** Takes events out, oldest first: those of a client of RESTWAY_DELIVERY_DRAIN, and those of calls
 *  that chose it (restway_client_send_to()). The destroy functions of their calls run before this
 *  returns.
 *
 *  @param events    Room for @p capacity events. The caller owns their payloads, as restway_event
 *                   says.
 *  @param capacity  At least 1.
 *  @param out_count Receives how many events were taken; 0 if no event is due.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT (also for a client of another delivery mode none
 *          of whose calls chose it); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_drain(
    restway_client *client, restway_event *events, size_t capacity, size_t *out_count,
    restway_error **out_error);

/** Decides whether a relationship of an object is left out of the body of a request.
 *
 *  @param context      As given to restway_client_set_exclusion().
 *  @param method       The method of the request. *Borrowed* until this returns.
 *  @param path         Its path below the base URL; NULL for another origin. *Borrowed* until this
 *                      returns.
 *  @param entity       The entity of the object that is being written, not the entity of the
 *                      relationship that leads to it. *Borrowed* until this returns.
 *  @param relationship The relationship of @p entity. *Borrowed* until this returns.
 *  @param answer       *Borrowed* until this returns. It takes the message and the cause of a
 *                      refusal.
 *  @return 0 writes the relationship; 1 or more leaves it out; -1 or less refuses the request: the
 *          call completes with RESTWAY_E_CANCELLED, and nothing is sent.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function after the modifier, whatever
 *  the delivery mode, and may call it for different requests at the same time. It may call any
 *  function; a function that blocks returns RESTWAY_E_WOULD_BLOCK. When the call has been cancelled
 *  or the client closed meanwhile, the answer is dropped and the function is not called again. */
typedef int32_t (*restway_exclude_fn)(
    void *context, const char *method, const char *path, const char *entity,
    const char *relationship, restway_answer *answer);

/** Sets the function that leaves relationships out of requests. It replaces an earlier function;
 *  NULL removes it. Calls that were sent earlier are not affected.
 *
 *  @param exclude Called for each relationship of each object that is written, except relationships
 *                 that a descriptor excludes.
 *  @param context Passed to @p exclude unchanged.
 *  @param destroy Called once with @p context when @p exclude can no longer be called; may be NULL.
 *                 It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_exclusion(
    restway_client *client, restway_exclude_fn exclude, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Bits of restway_request_to_curl(): options for writing a curl command. */
#define RESTWAY_CURL_REVEAL 0x1u /**< Credentials and tokens are not redacted. */

/** Writes a curl command for the shell that sends @p request as @p client does, to reproduce an
 *  exchange by hand. Unless @p flags holds RESTWAY_CURL_REVEAL, `[redacted]` replaces credentials,
 *  cookies and tokens: in headers, in the query, and in members of a JSON or form body whose name
 *  is secret, or has a secret part ("card[token]"). A body that has a JSON media type but is not
 *  valid JSON, or a multipart form without a boundary, is then replaced as a whole. The command has
 *  the options for the network settings that apply to the URL. It never contains a password of
 *  these settings or the user of a proxy.
 *
 *  @param flags      RESTWAY_CURL_* bits.
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole command without its NUL; may be NULL.
 *  @return As restway_client_send(); RESTWAY_E_WOULD_BLOCK inside a callback, if the body needs a
 *          callback of the program.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, and while a worker calls the program's
 *  functions about the body; else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_to_curl(
    const restway_request *request, restway_client *client, uint32_t flags, char *buffer,
    size_t capacity, size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif
