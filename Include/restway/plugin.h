/** @file restway/plugin.h
 *  What a plugin is made of: a shared object that brings mappers and transports.
 *
 *  A plugin exports one function, restway_plugin_v1(), and links nothing of Restway: all that it
 *  may call comes through tables of function pointers. Every table begins with its size and is
 *  append only. Whoever reads a table looks at no more than its size says, and at no more than it
 *  knows.
 *
 *  This header stands alone. docs/PLUGINS.md writes a mapper step by step. The tables of encoding
 *  and of transports are fixed here for plugins to come; see restway_plugin_host.capabilities.
 */
#ifndef RESTWAY_PLUGIN_H
#define RESTWAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. Another major number is refused; a minor one only appends. */
#define RESTWAY_PLUGIN_ABI_MAJOR 1
#define RESTWAY_PLUGIN_ABI_MINOR 0

/** What a function of a plugin or of the host answers. Frozen; append only. */
#define RESTWAY_PLUGIN_OK 0
/** What was asked for cannot be done; the reason says why. */
#define RESTWAY_PLUGIN_FAILED 1
/** Memory could not be had. */
#define RESTWAY_PLUGIN_OUT_OF_MEMORY 2
/** The bytes are not what the media type says. */
#define RESTWAY_PLUGIN_MALFORMED 3
/** Nested deeper than the limit. */
#define RESTWAY_PLUGIN_TOO_DEEP 4

/** Why something failed; whoever calls gives room for it.
 *
 *  A text quotes nothing of a body, and no credentials. */
typedef struct restway_plugin_reason {
    /** sizeof(restway_plugin_reason), set by the caller. */
    size_t struct_size;
    /** NUL-terminated UTF-8; empty when nothing is known. */
    char text[512];
    /** Where in the bytes: line and column from 1, the offset from 0; all 0 when not known. */
    int64_t line;
    int64_t column;
    int64_t byte_offset;
} restway_plugin_reason;

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
    /** For formats that have them. */
    int32_t (*bytes)(void *context, const void *bytes, size_t length);
    /** Microseconds since 1970-01-01T00:00:00Z. For formats that have them. */
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

/** One step through a value that is encoded. */
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
    /** Borrowed until the next step. */
    const char *text;
    size_t length;
} restway_plugin_item;

/** The value that a mapper encodes, one step after the other, and where its bytes go. */
typedef struct restway_plugin_reader {
    size_t struct_size;
    void *context;
    /** The next step. RESTWAY_PLUGIN_OK, or what `encode` then has to return. */
    int32_t (*next)(void *context, restway_plugin_item *item);
    /** Appends to the body. RESTWAY_PLUGIN_OK, or what `encode` then has to return. */
    int32_t (*write)(void *context, const void *bytes, size_t length);
} restway_plugin_reader;

/** A mapper. `decode` and `encode` may run on many threads at once. */
typedef struct restway_plugin_mapper {
    size_t struct_size;
    /** Unique among the mappers of a client; letters, digits, `-`, `_`. */
    const char *name;
    /** What it reads: lower case, without parameters, separated by spaces; `*+json` stands for
     *  every type with that suffix. The first one is what it writes. */
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
    /** Writes a value; NULL when the mapper only reads. */
    int32_t (*encode)(
        void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason);
} restway_plugin_mapper;

/** @} */

/** @name Transports: performing exchanges @{ */

typedef struct restway_plugin_header {
    const char *name;
    const char *value;
} restway_plugin_header;

/** An exchange to perform. All of it is borrowed until `start` returns, but for the body. */
typedef struct restway_plugin_exchange {
    size_t struct_size;
    /** Never used twice. */
    uint64_t id;
    const char *method;
    /** Absolute, http or https. */
    const char *url;
    const restway_plugin_header *headers;
    size_t header_count;
    /** Borrowed until the exchange is completed; NULL when there is none. */
    const void *body;
    size_t body_length;
    /** 0 sets no limit. */
    int64_t total_milliseconds;
    int64_t connect_milliseconds;
    int64_t idle_milliseconds;
    /** Higher goes first; 0 is usual. */
    int32_t priority;
    /** 1 when kept cookies may be sent and kept. */
    int32_t uses_cookies;
} restway_plugin_exchange;

/** Why an exchange has no response, or RESTWAY_PLUGIN_OK. Frozen; append only. */
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

/** What the host says to bytes of a body. */
#define RESTWAY_PLUGIN_BODY_MORE 0
/** Deliver nothing more of this exchange until `resume`. These bytes have been taken. */
#define RESTWAY_PLUGIN_BODY_PAUSE 1
/** Complete the exchange with RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE. */
#define RESTWAY_PLUGIN_BODY_STOP 2

typedef struct restway_plugin_host restway_plugin_host;

/** A transport. The host calls every function from any thread, several at a time, and none blocks.
 *  The plugin may call back from any thread, also before `start` has returned. */
typedef struct restway_plugin_transport {
    size_t struct_size;
    /** Unique among the transports of a client; letters, digits, `-`, `_`. */
    const char *name;
    void *context;
    /** Makes one for a client. `host` lives until `close` has returned and all its exchanges have
     *  completed.
     *
     *  @param options The plugin's options of the API document, as JSON text.
     *  @param out_transport Handed to the functions below. */
    int32_t (*open)(
        void *context, const restway_plugin_host *host, const char *options,
        void **out_transport, restway_plugin_reason *reason);
    /** Starts an exchange. It then completes exactly once, through `exchange_completed`, also when
     *  this failed to start it. */
    void (*start)(void *transport, const restway_plugin_exchange *exchange);
    /** Ends an exchange soon, with RESTWAY_PLUGIN_EXCHANGE_CANCELLED unless it completes before. An
     *  unknown id is fine. */
    void (*cancel)(void *transport, uint64_t exchange);
    /** After RESTWAY_PLUGIN_BODY_PAUSE. An unknown id is fine. */
    void (*resume)(void *transport, uint64_t exchange);
    /** Completes all exchanges with RESTWAY_PLUGIN_EXCHANGE_CLOSED and gives everything back.
     *  Called once; nothing is called after it. */
    void (*close)(void *transport);
} restway_plugin_transport;

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
 *  For each exchange: `exchange_head` at most once, never for a 1xx; then `exchange_body`, any
 *  number of times; `exchange_trailers` at most once after them; `exchange_progress` at any time;
 *  `exchange_completed` exactly once, last. Calls for one exchange never overlap. What breaks this
 *  order is not obeyed, and reported with the plugin's name. */
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
    void (*exchange_head)(
        const restway_plugin_host *host, uint64_t exchange, int32_t status,
        const restway_plugin_header *headers, size_t header_count);
    /** @return RESTWAY_PLUGIN_BODY_*. */
    int32_t (*exchange_body)(
        const restway_plugin_host *host, uint64_t exchange, const void *bytes, size_t length);
    void (*exchange_trailers)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_header *headers,
        size_t header_count);
    /** Bytes of the bodies so far; a total of 0 is not known. */
    void (*exchange_progress)(
        const restway_plugin_host *host, uint64_t exchange, int64_t uploaded, int64_t upload_total,
        int64_t downloaded, int64_t download_total);
    /** @param result RESTWAY_PLUGIN_OK after a head and the whole body, else why there is none.
     *  @param text   What happened and where, without credentials or queries; may be NULL. */
    void (*exchange_completed)(
        const restway_plugin_host *host, uint64_t exchange, int32_t result, const char *text);
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
