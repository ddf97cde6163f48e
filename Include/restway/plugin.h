/** @file restway/plugin.h
 *  What a plugin is made of: a shared object that brings mappers and transports.
 *
 *  A plugin exports one function, restway_plugin_v1(), and links nothing of Restway: all that it
 *  may call comes through tables of function pointers. Every table begins with its size and is
 *  append only. Whoever reads a table looks at no more than its size says, and at no more than it
 *  knows.
 *
 *  With the two that it includes this header stands alone. docs/PLUGINS.md writes a mapper and a
 *  transport step by step. What a host can do says restway_plugin_host.capabilities.
 */
#ifndef RESTWAY_PLUGIN_H
#define RESTWAY_PLUGIN_H

#include "plugin_base.h"
#include "plugin_transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Mappers: bytes to values, and values to bytes @{ */

/** What a sink wants next. Each answer must be obeyed. */
/** Go on. */
#define RESTWAY_PLUGIN_WANT 0
/** Nobody needs it. After `key`: push nothing for its value, go on with the next key. After a
 *  begin: push neither the content nor the end. Other events never answer so. */
#define RESTWAY_PLUGIN_SKIP 1
/** Push nothing more at all, and return RESTWAY_PLUGIN_OK: the host knows why. */
#define RESTWAY_PLUGIN_STOP 2

/** Where a mapper pushes what it reads: exactly one value. A value is a scalar, or begin_object,
 *  for each member key and a value, end_object; or begin_array, values, end_array.
 *
 *  All functions are called on the thread that called `decode`, and none after it has returned.
 *  Pointers are borrowed for the call. Texts are valid UTF-8 and need no NUL. */
typedef struct restway_plugin_sink {
    size_t struct_size;
    /** Handed back to every function. */
    void *context;
    int32_t (*begin_object)(void *context);
    int32_t (*key)(void *context, const char *text, size_t length);
    int32_t (*end_object)(void *context);
    /** @param count How many elements will come; -1 when that is not known. */
    int32_t (*begin_array)(void *context, int64_t count);
    int32_t (*end_array)(void *context);
    int32_t (*null_value)(void *context);
    int32_t (*boolean)(void *context, int32_t truth);
    int32_t (*integer)(void *context, int64_t value);
    int32_t (*real)(void *context, double value);
    int32_t (*string)(void *context, const char *text, size_t length);
    /** For formats that have them: an attribute of bytes takes them as they are, JSON text as
     *  base64. A format that has none pushes its text, as `string`. */
    int32_t (*bytes)(void *context, const void *bytes, size_t length);
    /** Microseconds since 1970-01-01T00:00:00Z. For formats that have dates: an attribute of dates
     *  takes it whatever its text would be, strings and JSON text take ISO 8601. */
    int32_t (*date)(void *context, int64_t microseconds);
    /** A number that neither an int64_t nor a double holds: its text, as in JSON. */
    int32_t (*number_out_of_range)(void *context, const char *text, size_t length);
} restway_plugin_sink;

/** What `decode` keeps to. */
typedef struct restway_plugin_limits {
    size_t struct_size;
    /** How deep objects and arrays may nest, the outermost is 1; also in what is skipped. */
    int64_t nesting_depth_max;
} restway_plugin_limits;

/** What a value that is encoded holds. */
#define RESTWAY_PLUGIN_ITEM_END 0 /**< The value is complete. */
#define RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT 1
#define RESTWAY_PLUGIN_ITEM_KEY 2 /**< text, length */
#define RESTWAY_PLUGIN_ITEM_END_OBJECT 3
#define RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY 4
#define RESTWAY_PLUGIN_ITEM_END_ARRAY 5
#define RESTWAY_PLUGIN_ITEM_NULL 6
#define RESTWAY_PLUGIN_ITEM_BOOLEAN 7 /**< integer: 0 or 1 */
#define RESTWAY_PLUGIN_ITEM_INTEGER 8 /**< integer */
#define RESTWAY_PLUGIN_ITEM_REAL 9    /**< real */
#define RESTWAY_PLUGIN_ITEM_STRING 10 /**< text, length */
#define RESTWAY_PLUGIN_ITEM_BYTES 11  /**< text, length */
#define RESTWAY_PLUGIN_ITEM_DATE 12   /**< integer: microseconds since 1970-01-01T00:00:00Z */
/** text, length: a number that neither an int64_t nor a double holds, as JSON writes it. */
#define RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE 13

/** One step through a value that is encoded. Fields that its kind does not name are zero. */
typedef struct restway_plugin_item {
    /** sizeof(restway_plugin_item), set by the caller. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_ITEM_*. */
    int32_t kind;
    int32_t reserved;
    /** Of a container: how many members or elements follow. */
    int64_t count;
    int64_t integer;
    double real;
    /** Borrowed until the next step; valid UTF-8, but for BYTES. A NUL follows. */
    const char *text;
    size_t length;
} restway_plugin_item;

/** The value that a mapper encodes, one step after the other, and where its bytes go.
 *
 *  Exactly one value: a scalar, or BEGIN_OBJECT, for each member KEY and a value, END_OBJECT; or
 *  BEGIN_ARRAY, values, END_ARRAY; then END. No key stands twice in an object. Both functions are
 *  called on the thread that called `encode`, and not after it has returned. Whoever breaks this
 *  writes nothing: the request fails, and the error names the plugin. */
typedef struct restway_plugin_reader {
    size_t struct_size;
    void *context;
    /** The next step; not asked for again after END. RESTWAY_PLUGIN_OK, or what `encode` then has
     *  to return: the host knows why. */
    int32_t (*next)(void *context, restway_plugin_item *item);
    /** Appends `length` bytes to the body, before or after END. RESTWAY_PLUGIN_OK, or what `encode`
     *  then has to return. */
    int32_t (*write)(void *context, const void *bytes, size_t length);
} restway_plugin_reader;

/** A mapper. `decode` and `encode` may run on many threads at once. */
typedef struct restway_plugin_mapper {
    size_t struct_size;
    /** Unique among the mappers of a client; letters, digits, `-`, `_`. */
    const char *name;
    /** What it reads: lower case, without parameters, separated by spaces; `*+json` stands for
     *  every type with that suffix. The first one is what it writes, unless the request's
     *  Content-Type says another one of them. */
    const char *media_types;
    /** Handed to the functions below. */
    void *context;
    /** Pushes the value that `bytes` holds into `sink`.
     *
     *  Behind the bytes lie 64 more that may be read, whatever they hold. No bytes may make it
     *  crash, hang or leak. */
    int32_t (*decode)(
        void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
        const restway_plugin_limits *limits, restway_plugin_reason *reason);
    /** Reads a value to its END and writes it; NULL when the mapper only reads. A value that the
     *  format cannot hold is RESTWAY_PLUGIN_FAILED, with a reason: never write another one. */
    int32_t (*encode)(
        void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason);
} restway_plugin_mapper;

/** @} */

/** Levels of `log`. */
#define RESTWAY_PLUGIN_LOG_ERROR 1
#define RESTWAY_PLUGIN_LOG_WARNING 2
#define RESTWAY_PLUGIN_LOG_INFO 3
#define RESTWAY_PLUGIN_LOG_DEBUG 4

/** Bits of restway_plugin_host.capabilities: what this host can do. */
#define RESTWAY_PLUGIN_CAN_MAP (1ull << 0)
#define RESTWAY_PLUGIN_CAN_ENCODE (1ull << 1)
#define RESTWAY_PLUGIN_CAN_TRANSPORT (1ull << 2)

/** What the host gives to a plugin. All functions may be called from any thread.
 *
 *  For each exchange: `exchange_head` at most once; then `exchange_body`, any number of times;
 *  `exchange_trailers` at most once after them; `exchange_progress` at any time;
 *  `exchange_completed` exactly once, last. These calls for one exchange never overlap;
 *  `exchange_read` may overlap with them, though not with itself.
 *
 *  What breaks this is not obeyed: the exchange fails with RESTWAY_E_PLUGIN, the log says why, both
 *  name the plugin, and `cancel` is called. A call for an exchange that has completed does nothing
 *  but that log line. An exchange that does not complete within its time-out, or soon after it was
 *  cancelled, stopped or closed, is completed by the host's watchdog. */
struct restway_plugin_host {
    size_t struct_size;
    /** RESTWAY_PLUGIN_ABI_* of the host. */
    uint32_t abi_major;
    uint32_t abi_minor;
    /** RESTWAY_PLUGIN_CAN_*. */
    uint64_t capabilities;
    /** The version of the library, "0.1.0". */
    const char *version;
    /** Writes a line to the host's log. */
    void (*log)(const restway_plugin_host *host, int32_t level, const char *text);
    /** The host's own. */
    void *context;
    void (*exchange_head)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_head *head);
    /** Bytes of the body, content codings not undone.
     *
     *  @return RESTWAY_PLUGIN_BODY_*. */
    int32_t (*exchange_body)(
        const restway_plugin_host *host, uint64_t exchange, const void *bytes, size_t length);
    void (*exchange_trailers)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_header *headers,
        size_t header_count);
    /** Bytes of the bodies so far; a total of 0 is not known. */
    void (*exchange_progress)(
        const restway_plugin_host *host, uint64_t exchange, int64_t uploaded, int64_t upload_total,
        int64_t downloaded, int64_t download_total);
    /** @param end For an exchange that was forwarded NULL says: as it ended. */
    void (*exchange_completed)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_end *end);
    /** The next bytes of the request's body.
     *
     *  @param out_length Receives how many there are; 0 unless the answer is
     *                    RESTWAY_PLUGIN_READ_BYTES.
     *  @return RESTWAY_PLUGIN_READ_*. */
    int32_t (*exchange_read)(
        const restway_plugin_host *host, uint64_t exchange, void *buffer, size_t capacity,
        size_t *out_length);
    /** Reads the request's body from its beginning again.
     *
     *  @return RESTWAY_PLUGIN_OK, or RESTWAY_PLUGIN_FAILED when that body is read but once. */
    int32_t (*exchange_rewind)(const restway_plugin_host *host, uint64_t exchange);
    /** Leaves an exchange to the transport that is built in, which performs it as it would have,
     *  and tells the client. The plugin only watches; but for what RESTWAY_PLUGIN_LATER says, it
     *  calls nothing for this exchange any more. `cancel` and `close` need not do anything for it.
     *
     *  @param watcher The table is copied. Its context lives until `completed` was called, and a
     *                 later `exchange_completed` as well.
     *  @return RESTWAY_PLUGIN_OK; RESTWAY_PLUGIN_FAILED for an exchange whose head has been given,
     *          whose body has been read and cannot be rewound, or that was forwarded before: it
     *          still has to be completed. */
    int32_t (*exchange_forward)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_watcher *watcher);
};

/** What a plugin is and brings. The plugin fills it; its texts and tables live as long as the
 *  process. */
typedef struct restway_plugin {
    /** Set by the host: how much of this it reads. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_ABI_* that the plugin was compiled with. */
    uint32_t abi_major;
    uint32_t abi_minor;
    /** RESTWAY_PLUGIN_CAN_* that it needs of the host. */
    uint64_t required_capabilities;
    /** Unique in the process; letters, digits, `-`, `_`. */
    const char *name;
    const char *version;
    /** An SPDX expression. */
    const char *licence;
    const char *description;
    const restway_plugin_mapper *const *mappers;
    size_t mapper_count;
    const restway_plugin_transport *const *transports;
    size_t transport_count;
    /** Checks and takes the options of the API document, a JSON object as text; NULL when there are
     *  none. The reason names the key that is wrong. */
    int32_t (*configure)(const char *options, restway_plugin_reason *reason);
} restway_plugin;

/** The one function that a plugin exports. Called once for each process.
 *
 *  @param host   Lives as long as the process. Only `log` may be called on this one.
 *  @param plugin Zeroed, but for its size.
 *  @return RESTWAY_PLUGIN_OK, or why the plugin cannot start. */
int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);

/** The type of restway_plugin_v1(). */
typedef int32_t (*restway_plugin_entry_fn)(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);

#ifdef __cplusplus
}
#endif

#endif
