/** @file restway/api.h
 *  The loaded API document: environments, entities, routes, descriptors. See
 *  docs/API-DOCUMENT.md.
 */
#ifndef RESTWAY_API_H
#define RESTWAY_API_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** A loaded API document. Reference counted; usable from any thread; shared by many clients.
 *
 *  The first client that is made of it freezes it: routes may still be added, but entities and
 *  descriptors may not. */
typedef struct restway_api restway_api;

/** Loads an API document.
 *
 *  `${NAME}` in it stands for a variable of the process's environment, and `include` names other
 *  files; both are read during this call. No other thread may change the environment meanwhile.
 *
 *  @param json      The document, UTF-8, @p length bytes. *Copied*. An empty document (`{"restway":
 *                   1}`) is valid: functions can add entities and routes.
 *  @param out_api   Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG with *all* problems as details of the error, each with its
 *          JSON path (text that is not UTF-8, or not JSON, is one problem at `$`; the name of an
 *          included file stands in front: `more.json: $.routes`);
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Relative paths in the document resolve against the working directory.
 *
 *  Threads: any. Blocks: while included files are read. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_load(
    const char *json, size_t length, restway_api **out_api, restway_error **out_error);

/** Loads an API document from a file; relative paths in it resolve against the file's directory.
 *
 *  @param path    NUL-terminated UTF-8. *Copied*.
 *  @param out_api Receives a handle owned by the caller (+1).
 *  @return As restway_api_load(), and RESTWAY_E_IO when the file cannot be read.
 *
 *  Threads: any. Blocks: while the file is read. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_load_file(
    const char *path, restway_api **out_api, restway_error **out_error);

/** Reports all problems of an API document, without loading it.
 *
 *  @return As restway_api_load().
 *
 *  Threads: any. Blocks: while included files are read. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_check(
    const char *json, size_t length, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_api *restway_api_retain(restway_api *api);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_api_release(restway_api *api);

/** Adds an entity, written as under `entities` in a document.
 *
 *  @param name NUL-terminated UTF-8. *Copied*.
 *  @param json The entity's JSON object, @p length bytes. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG (nothing is added), RESTWAY_E_DUPLICATE, RESTWAY_E_FROZEN,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_entity(
    restway_api *api, const char *name, const char *json, size_t length, restway_error **out_error);

/** Bits of restway_api_add_route(): options for adding a route. */
/** The route replaces the route with the same name, if there is one. Calls that have started keep
 *  the old route; routes that were joined to it keep it, too. */
#define RESTWAY_ROUTE_REPLACE 0x1u

/** Adds a route, written as under `routes` in a document. It may be added after the api is frozen.
 *
 *  @param name  NUL-terminated UTF-8; NULL for a route without a name, which only serves objects.
 *               *Copied*.
 *  @param json  The route's JSON object, @p length bytes. *Copied*.
 *  @param flags RESTWAY_ROUTE_* bits.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG (nothing is added or replaced); RESTWAY_E_DUPLICATE with
 *          domain RESTWAY_DOMAIN_CONFIG (a route has this name, and @p flags does not ask for its
 *          replacement; or an equal route exists); RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_route(
    restway_api *api, const char *name, const char *json, size_t length, uint32_t flags,
    restway_error **out_error);

/** Adds a response descriptor, written as in the list `responses` of a document.
 *
 *  @param json The descriptor's JSON object, @p length bytes. *Copied*.
 *  @return As restway_api_add_entity().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_response(
    restway_api *api, const char *json, size_t length, restway_error **out_error);

/** Adds a request descriptor, written as in the list `requests` of a document.
 *
 *  @param json The descriptor's JSON object, @p length bytes. *Copied*.
 *  @return As restway_api_add_entity().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_request(
    restway_api *api, const char *json, size_t length, restway_error **out_error);

/** Joins two routes into a new one. Its path is the path of @p parent followed by the path of
 *  @p child; everything else comes from the child.
 *
 *  @param name  The new route's name. All three names are NUL-terminated UTF-8 and *Copied*.
 *  @param flags RESTWAY_ROUTE_* bits. The new route may take the place of its parent or child.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ROUTE; RESTWAY_E_DUPLICATE as restway_api_add_route();
 *          RESTWAY_E_CONFIG (a variable stands in both paths, the joined path is longer than 4,096
 *          bytes, or the route would have more than 64 parents one above the other);
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_join_routes(
    restway_api *api, const char *name, const char *parent, const char *child, uint32_t flags,
    restway_error **out_error);

/** Reads a property of a named route that starts with `x-`.
 *
 *  @param out_json   Receives the property's JSON text, NUL-terminated, *Borrowed* from @p api;
 *                    NULL when the route has no such property.
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_route_property(
    const restway_api *api, const char *route, const char *property, const char **out_json,
    size_t *out_length, restway_error **out_error);

/** A section of a document whose members have names. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_section {
    RESTWAY_SECTION_ENVIRONMENTS = 1,
    RESTWAY_SECTION_ENTITIES = 2,
    /** All routes with a name, also those that functions have added. */
    RESTWAY_SECTION_ROUTES = 3,
    /** Not a section: pins the type to 32 bits. */
    RESTWAY_SECTION_PIN_ = 0x7fffffff
} restway_section;

/** Returns how many names a section has.
 *
 *  @param entity The entity that the routes serve, NUL-terminated UTF-8; NULL for all. *Copied*. It
 *                must be NULL for other sections.
 *  @return The number; 0 for NULL, for an unknown section or entity.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_api_name_count(
    const restway_api *api, restway_section section, const char *entity);

/** Returns a name of a section, in the document's order. A route that is added comes last, and one
 *  that is replaced moves to the end.
 *
 *  @param entity As for restway_api_name_count().
 *  @return The name, *Borrowed* from @p api; NULL when @p index is out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_api_name(
    const restway_api *api, restway_section section, const char *entity, size_t index);

/** Gives the loaded document as JSON, or a part of it, such as a key that starts with `x-`.
 *
 *  The document is joined with the files that it includes, and has everything that functions have
 *  added, but for routes without a name. `${NAME}` stands as it was written. The secrets of `auth`
 *  and of headers are replaced by `[redacted]`.
 *
 *  @param pointer    A JSON pointer (RFC 6901), NUL-terminated UTF-8: "" for the whole document,
 *                    `/routes/login/x-note` for a part. *Copied*.
 *  @param out_json   Receives the JSON text, NUL-terminated, *Borrowed* from @p api; NULL when the
 *                    document has no such part.
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_json(
    const restway_api *api, const char *pointer, const char **out_json, size_t *out_length,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
