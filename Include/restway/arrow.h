/** @file restway/arrow.h
 *  Objects as tables, by the Arrow C Data Interface: consumers read the columns in place.
 *  docs/ARROW.md says which type each column has.
 *
 *  https://arrow.apache.org/docs/format/CDataInterface.html
 */
#ifndef RESTWAY_ARROW_H
#define RESTWAY_ARROW_H

#include "query.h"

RESTWAY_BEGIN_DECLS

/* The structs of the interface, exactly as its specification defines them. Another header may have
 * defined them already. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/** Exports objects of a list, which must all be of one entity, as a struct array with a child for
 *  each attribute and, to a depth, for each relationship.
 *
 *  @param list       Borrowed; the array does not refer to it.
 *  @param first      The index of the first object.
 *  @param count      How many objects to export. Without objects, the array has no children.
 *  @param store      Borrowed; the store that the objects come from.
 *  @param depth      0 exports attributes only; 1 also the related objects with their attributes,
 *                    as structs and as lists of structs; and so on, up to 16.
 *  @param out_schema Receives the type, owned by the caller, who calls its release function once.
 *                    It is released (its release function is NULL) after a failure.
 *  @param out_array  Receives the array, owned by the caller in the same way.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for objects out of range or of several
 *          entities), RESTWAY_E_TOO_LARGE (more than 10,000 columns), RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any; the release functions, too. Blocks: on the file of a SQLite store for a @p depth
 *  above 0, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_list_arrow(
    const restway_list *list, size_t first, size_t count, restway_store *store, int32_t depth,
    struct ArrowSchema *out_schema, struct ArrowArray *out_array, restway_error **out_error);

/** Exports the objects that a query finds, as restway_list_arrow() exports a list. With a @p depth
 *  of 0, the columns of a SQLite store are read without making objects.
 *
 *  @param store Borrowed.
 *  @param query Borrowed.
 *  @param depth, out_schema, out_array As in restway_list_arrow(). Without objects, the array has a
 *               length of 0.
 *  @return As restway_store_query(), and RESTWAY_E_TOO_LARGE.
 *
 *  Threads: any; the release functions, too. Blocks: as restway_store_query(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_query_arrow(
    restway_store *store, const restway_query *query, int32_t depth,
    struct ArrowSchema *out_schema, struct ArrowArray *out_array, restway_error **out_error);

/** Makes a stream that gives one array (the Arrow C Stream Interface).
 *
 *  @param schema     The type, from restway_list_arrow() or restway_store_query_arrow(). The stream
 *                    takes it over; afterwards it is released for the caller.
 *  @param array      The array of that type. The stream takes it over in the same way.
 *  @param out_stream Receives the stream, owned by the caller, who calls its release function once.
 *                    It may be released before or after the array that it has given.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for a schema or an array that is released;
 *          then neither is taken over).
 *
 *  Threads: any; the functions of the stream: any, one at a time. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_arrow_stream(
    struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowArrayStream *out_stream,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
