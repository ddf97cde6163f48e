/** @file restway/plugin.h
 *  The interface of plugins. A plugin is a shared object that provides mappers and transports.
 *
 *  A plugin exports one function, restway_plugin_v1(), and does not link to Restway: it calls
 *  Restway through tables of function pointers. Every table begins with its size and is append
 *  only. A reader of a table reads no field beyond that size, and no field that it does not know.
 *
 *  This header needs only the two headers that it includes. docs/PLUGINS.md shows step by step how
 *  to write a mapper and a transport. restway_plugin_host.capabilities says what a host can do. The
 *  host is the Restway library that has loaded the plugin.
 */
#ifndef RESTWAY_PLUGIN_H
#define RESTWAY_PLUGIN_H

#include "plugin_base.h"
#include "plugin_transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Mappers: bytes to values, and values to bytes @{ */

/** The results of the functions of a sink. A mapper must obey each of them. */
/** Continue. */
#define RESTWAY_PLUGIN_WANT 0
/** The host does not need this value. After `key`: push nothing for the value of the key, and
 *  continue with the next key. After begin_object or begin_array: push neither the content nor the
 *  end. Other functions never return this. */
#define RESTWAY_PLUGIN_SKIP 1
/** Push nothing more, and return RESTWAY_PLUGIN_OK: the host knows the reason. */
#define RESTWAY_PLUGIN_STOP 2

/** The sink that receives what a mapper reads: exactly one value. A value is a scalar; or
 *  begin_object, then a key and a value for each member, then end_object; or begin_array, values,
 *  end_array.
 *
 *  The mapper calls all functions on the thread that called `decode`, and no function after
 *  `decode` has returned. Pointers are borrowed for the call. Texts are valid UTF-8 and need no
 *  NUL. */
typedef struct restway_plugin_sink {
    size_t struct_size;
    /** Passed to every function. */
    void *context;
    int32_t (*begin_object)(void *context);
    int32_t (*key)(void *context, const char *text, size_t length);
    int32_t (*end_object)(void *context);
    /** @param count How many elements follow; -1 when this is not known. */
    int32_t (*begin_array)(void *context, int64_t count);
    int32_t (*end_array)(void *context);
    int32_t (*null_value)(void *context);
    int32_t (*boolean)(void *context, int32_t truth);
    int32_t (*integer)(void *context, int64_t value);
    int32_t (*real)(void *context, double value);
    int32_t (*string)(void *context, const char *text, size_t length);
    /** For formats that have bytes: an attribute of type bytes takes them unchanged, JSON text
     *  takes them as base64. A format that has no bytes pushes its text with `string`. */
    int32_t (*bytes)(void *context, const void *bytes, size_t length);
    /** Microseconds since 1970-01-01T00:00:00Z. For formats that have dates: an attribute of type
     *  date takes the date whatever its text format is; strings and JSON text take it as ISO
     *  8601. */
    int32_t (*date)(void *context, int64_t microseconds);
    /** A number that neither an int64_t nor a double can hold, as its JSON text; also a number with
     *  a fraction or an exponent, if restway_plugin_limits.keeps_digits asks for it. An attribute
     *  of type double takes the nearest double, if there is one. JSON text keeps all digits. An
     *  attribute of type `any` keeps all digits, too, if the number is an integer. */
    int32_t (*number_out_of_range)(void *context, const char *text, size_t length);
} restway_plugin_sink;

/** The limits that `decode` must obey. */
typedef struct restway_plugin_limits {
    size_t struct_size;
    /** How deep objects and arrays may nest, also in skipped values. The outermost depth is 1. */
    int64_t nesting_depth_max;
    /** 1 if the host needs the digits of numbers: a mapper whose format writes numbers as digits
     *  pushes those with a fraction or an exponent with `number_out_of_range`, so that no digit is
     *  lost. A mapper that does not know this field pushes them with `real`. */
    int64_t keeps_digits;
} restway_plugin_limits;

/** The kinds of items in a value that is encoded. */
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

/** One part of a value that is encoded. Fields that its kind does not name are zero. */
typedef struct restway_plugin_item {
    /** sizeof(restway_plugin_item), set by the caller. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_ITEM_*. */
    int32_t kind;
    int32_t reserved;
    /** For BEGIN_OBJECT and BEGIN_ARRAY: how many members or elements follow. */
    int64_t count;
    int64_t integer;
    double real;
    /** Borrowed until the next call of `next`. Valid UTF-8, except for BYTES. A NUL follows. */
    const char *text;
    size_t length;
} restway_plugin_item;

/** Gives a mapper the value to encode, one item after the other, and takes the bytes.
 *
 *  There is exactly one value: a scalar; or BEGIN_OBJECT, then KEY and a value for each member,
 *  then END_OBJECT; or BEGIN_ARRAY, values, END_ARRAY. END comes last. An object has each key only
 *  once. The mapper calls both functions on the thread that called `encode`, and not after `encode`
 *  has returned. If it breaks these rules, the request fails, and the error names the plugin. */
typedef struct restway_plugin_reader {
    size_t struct_size;
    void *context;
    /** Reads the next item; must not be called again after END. Returns RESTWAY_PLUGIN_OK, or a
     *  result that `encode` must then return: the host knows the reason. */
    int32_t (*next)(void *context, restway_plugin_item *item);
    /** Appends `length` bytes to the body, before or after END. Returns RESTWAY_PLUGIN_OK, or a
     *  result that `encode` must then return. */
    int32_t (*write)(void *context, const void *bytes, size_t length);
} restway_plugin_reader;

/** A mapper. `decode` and `encode` may run on many threads at once. */
typedef struct restway_plugin_mapper {
    size_t struct_size;
    /** Unique among the mappers of a client; letters, digits, `-`, `_`. */
    const char *name;
    /** The media types that the mapper reads: lower case, without parameters, separated by spaces;
     *  `*+json` stands for every type with that suffix. The mapper writes the first type, unless
     *  the request's Content-Type is another type of this list. */
    const char *media_types;
    /** Passed to the functions below. */
    void *context;
    /** Reads the value in `bytes` and pushes it into `sink`.
     *
     *  The 64 bytes after `bytes` may be read, too; their content is not defined. No input may make
     *  the function crash, hang or leak. */
    int32_t (*decode)(
        void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
        const restway_plugin_limits *limits, restway_plugin_reason *reason);
    /** Reads a value to its END and writes it; NULL when the mapper only decodes. If the format
     *  cannot hold a value, the function must return RESTWAY_PLUGIN_FAILED with a reason; it must
     *  never write another value instead. When `decode` has read a body that `encode` wrote,
     *  `encode` must write the values of the body with the same bytes: in this way the host writes
     *  an identity into a body that waits in the outbox. */
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

/** The functions that the host gives to a plugin. All of them may be called from any thread.
 *
 *  For each exchange: `exchange_head` at most once; then `exchange_body`, any number of times;
 *  `exchange_trailers` at most once after them; `exchange_progress` at any time;
 *  `exchange_completed` exactly once, last. These calls for one exchange never overlap;
 *  `exchange_read` may overlap with them, though not with itself.
 *
 *  If a plugin breaks these rules, the exchange fails with RESTWAY_E_PLUGIN, the log says why, both
 *  name the plugin, and the host calls `cancel`. A call for an exchange that has completed only
 *  writes that line to the log. If an exchange does not complete within its time limit, or soon
 *  after it was cancelled, stopped or closed, the host completes it. */
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
    /** For the host's own use. */
    void *context;
    void (*exchange_head)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_head *head);
    /** Gives the host bytes of the response's body, with their content coding still applied.
     *
     *  @return RESTWAY_PLUGIN_BODY_*. */
    int32_t (*exchange_body)(
        const restway_plugin_host *host, uint64_t exchange, const void *bytes, size_t length);
    void (*exchange_trailers)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_header *headers,
        size_t header_count);
    /** Tells how many bytes of the bodies were sent and received so far; a total of 0 is not
     *  known. */
    void (*exchange_progress)(
        const restway_plugin_host *host, uint64_t exchange, int64_t uploaded, int64_t upload_total,
        int64_t downloaded, int64_t download_total);
    /** @param end NULL, for an exchange that was forwarded, means that it ends with its own
     *             result. */
    void (*exchange_completed)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_end *end);
    /** Reads the next bytes of the request's body.
     *
     *  @param out_length Receives how many bytes were read; 0 unless the result is
     *                    RESTWAY_PLUGIN_READ_BYTES.
     *  @return RESTWAY_PLUGIN_READ_*. */
    int32_t (*exchange_read)(
        const restway_plugin_host *host, uint64_t exchange, void *buffer, size_t capacity,
        size_t *out_length);
    /** Makes `exchange_read` start at the beginning of the request's body again.
     *
     *  @return RESTWAY_PLUGIN_OK, or RESTWAY_PLUGIN_FAILED when the body can be read only once. */
    int32_t (*exchange_rewind)(const restway_plugin_host *host, uint64_t exchange);
    /** Forwards an exchange to the built-in transport, which performs it and tells the client. The
     *  plugin only watches: except after RESTWAY_PLUGIN_LATER, it calls no function for this
     *  exchange any more. `cancel` and `close` need not do anything for it.
     *
     *  @param watcher The table is copied. Its context must live until `completed` has been called
     *                 and, after RESTWAY_PLUGIN_LATER, until `exchange_completed` has been called.
     *  @return RESTWAY_PLUGIN_OK; RESTWAY_PLUGIN_FAILED for an exchange whose head has been given,
     *          whose body has been read and cannot be rewound, or that was forwarded before. The
     *          plugin must still complete that exchange. */
    int32_t (*exchange_forward)(
        const restway_plugin_host *host, uint64_t exchange, const restway_plugin_watcher *watcher);
};

/** Describes a plugin. The plugin fills this struct; its texts and tables must live as long as the
 *  process. */
typedef struct restway_plugin {
    /** Set by the host: the size of the part that it reads. */
    size_t struct_size;
    /** RESTWAY_PLUGIN_ABI_* that the plugin was compiled with. */
    uint32_t abi_major;
    uint32_t abi_minor;
    /** The RESTWAY_PLUGIN_CAN_* bits that the plugin needs. */
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
    /** Checks and takes the options of the API document, a JSON object as text; NULL when the
     *  plugin takes no options. The reason names the wrong key. */
    int32_t (*configure)(const char *options, restway_plugin_reason *reason);
} restway_plugin;

/** Starts a plugin. It is the only function that a plugin exports, and is called once in each
 *  process.
 *
 *  @param host   Lives as long as the process. Only `log` may be called on this host.
 *  @param plugin Set to zero, except for its size.
 *  @return RESTWAY_PLUGIN_OK, or another result if the plugin cannot start. */
int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);

/** The type of restway_plugin_v1(). */
typedef int32_t (*restway_plugin_entry_fn)(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);

#ifdef __cplusplus
}
#endif

#endif
