/** @file restway/parsing.h
 *  Answers before they are mapped, and bodies by function: validators, parsers, encoders, and the
 *  mapping of bytes that did not come over HTTP. See docs/PARSING.md.
 */
#ifndef RESTWAY_PARSING_H
#define RESTWAY_PARSING_H

#include "client.h"
#include "mapping.h"
#include "response.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** Says whether an answer is accepted. It is asked about each answer whose status is a success and
 *  that meets the other rules of `validate`, also if the answer comes from the cache.
 *
 *  @param context  As given to restway_api_add_validator().
 *  @param response The answer before it is parsed and mapped. *Borrowed* until this returns. If the
 *                  body is saved or streamed, the response has no body: the function is asked
 *                  before the first byte.
 *  @param answer   *Borrowed* until this returns; it takes a message for a failure.
 *  @return RESTWAY_OK. With any other status the answer is refused: nothing of it is parsed, stored
 *          or kept in the cache, and the call completes with that status
 *          (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define) and
 *          RESTWAY_DOMAIN_VALIDATION.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different responses at the same time. It may call any function; a function
 *  that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_validate_fn)(
    void *context, const restway_response *response, restway_answer *answer);

/** Registers a validator under a name, which `"validate": {"function": ...}` refers to: in a route,
 *  or in the document for all routes. It may be registered after the api is frozen, for routes that
 *  are added then.
 *
 *  A document may name validators that are not registered yet. All of them must be registered when
 *  the first client is made.
 *
 *  @param name    NUL-terminated UTF-8. *Copied*.
 *  @param context Passed to @p validate unchanged.
 *  @param destroy Called once with @p context when the function can no longer be called; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_validator(
    restway_api *api, const char *name, restway_validate_fn validate, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Turns the body of an accepted answer into the value of the response.
 *
 *  @param context    As given to restway_api_add_parser().
 *  @param body       @p length bytes without their content coding, followed by a NUL. *Borrowed*
 *                    until this returns.
 *  @param media_type The Content-Type of the answer; "" if the answer has no
 *                    Content-Type. *Borrowed* until this returns.
 *  @param answer     *Borrowed* until this returns. restway_answer_set_value() sets the value:
 *                    JSON, a string, bytes or any other value that is no object and no list.
 *                    Without it, the value is null.
 *  @return RESTWAY_OK. With any other status the call completes with that status
 *          (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define) and
 *          RESTWAY_DOMAIN_PARSING.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different responses at the same time. It may call any function; a function
 *  that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_parse_fn)(
    void *context, const void *body, size_t length, const char *media_type,
    restway_answer *answer);

/** Registers a parser under a name, which `"parse"` of a route and restway_request_set_parser()
 *  refer to. It may be registered after the api is frozen.
 *
 *  A document may name parsers that are not registered yet. All of them must be registered when the
 *  first client is made.
 *
 *  @param name    NUL-terminated UTF-8; not the name of a built-in parser. *Copied*.
 *  @param context Passed to @p parse unchanged.
 *  @param destroy As for restway_api_add_validator().
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_parser(
    restway_api *api, const char *name, restway_parse_fn parse, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Chooses the parser of the successful answers to a request, in place of its route's.
 *
 *  @param parser "objects", "json", "text", "bytes", "headers", "nothing", or the name of a parser
 *                of the api. NULL takes the route's parser. *Copied*. The name is looked up when
 *                the request is sent (RESTWAY_E_INVALID_ARGUMENT).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_parser(
    restway_request *request, const char *parser, restway_error **out_error);

/** Returns the name of the parser that has read the answer; "objects" also for an answer whose body
 *  was saved or streamed, and for a failed answer. NULL for NULL. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const char *restway_response_parser(const restway_response *response);

/** Reads the value that the parser has made of the body.
 *
 *  @param out_value Receives the value, *Borrowed* from @p response: JSON with the parser "json", a
 *                   string with "text", bytes with "bytes", and the value of the function with a
 *                   parser of the program. It is null with "headers" and "nothing", and with "json"
 *                   if the body is empty. With "objects" it is the value of an answer that holds
 *                   no objects (docs/SHAPES.md), JSON for a list or a map; its kind is
 *                   RESTWAY_VALUE_ABSENT if the answer has no value of its own.
 *  @return RESTWAY_OK, RESTWAY_E_TOO_LARGE (the value has 4 GiB or more), RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_value(
    const restway_response *response, restway_value *out_value, restway_error **out_error);

/** Writes the body of a request in a format of the program.
 *
 *  @param context As given to restway_api_add_encoder().
 *  @param json    The value that would be sent as JSON: the parameters, and the object or the draft
 *                 with its key path. @p length bytes, followed by a NUL. *Borrowed* until this
 *                 returns.
 *  @param answer  *Borrowed* until this returns. restway_answer_set_value() sets the body, which is
 *                 a string or bytes, and restway_answer_set_media_type() its media type.
 *  @return RESTWAY_OK. With any other status nothing is sent, and the call completes with that
 *          status (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define).
 *          Without a body it completes with RESTWAY_E_MAPPING.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different requests at the same time. It may call any function; a function
 *  that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_encode_fn)(
    void *context, const char *json, size_t length, restway_answer *answer);

/** Registers an encoder under a name, which `"encode"` of a route refers to. It may be registered
 *  after the api is frozen, for routes that are added then.
 *
 *  A document may name encoders that are not registered yet. All of them must be registered when
 *  the first client is made.
 *
 *  @param name    NUL-terminated UTF-8. *Copied*.
 *  @param context Passed to @p encode unchanged.
 *  @param destroy As for restway_api_add_validator().
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_encoder(
    restway_api *api, const char *name, restway_encode_fn encode, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Sets the media type of the body that an encoder gives. Without it, the body has the Content-Type
 *  that the request or its route sets, or else "application/octet-stream".
 *
 *  @param media_type NUL-terminated UTF-8. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for the answer of another question, and for
 *          a text that may not stand in a header).
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_media_type(
    restway_answer *answer, const char *media_type, restway_error **out_error);

/** Tells how far restway_client_map() has come, and whether it goes on.
 *
 *  @param context As given in the options.
 *  @param done    How many objects are mapped.
 *  @param total   The number of elements of the lists that have begun; -1 while it is not known.
 *  @return 0 to go on; any other number cancels the mapping, before anything is stored.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function for the first object, after
 *  each 256 objects, and with the last number before anything is stored. */
typedef int32_t (*restway_map_progress_fn)(void *context, int64_t done, int64_t total);

/** Bits of restway_map_options.flags: options for mapping bytes. */
/** The objects are not stored: they are snapshots in a store of their own, in memory. */
#define RESTWAY_MAP_SNAPSHOTS 0x1u

/** How bytes are mapped. */
typedef struct restway_map_options {
    /** sizeof(restway_map_options), set by the INIT macro. */
    size_t struct_size;
    /** The key path of the object or the list of objects, or the text of a JSON array of keys if a
     *  key contains a dot. With a key path, a value that has nothing there is an error. Only with
     *  an entity.
     *  Default: NULL, the whole value.
     *  Range: text. */
    const char *key_path;
    /** The name of a route, whose descriptors for status 200 map the bytes, in place of an entity.
     *  Default: NULL.
     *  Range: text. */
    const char *route;
    /** The name of the mapper.
     *  Default: NULL, the choice by media_type, as for an answer.
     *  Range: text. */
    const char *mapper;
    /** The media type of the bytes.
     *  Default: NULL, JSON.
     *  Range: text. */
    const char *media_type;
    /** Where the objects go.
     *  Default: 0.
     *  Range: RESTWAY_MAP_* bits. */
    uint32_t flags;
    /** Not used.
     *  Default: 0.
     *  Range: 0. */
    uint32_t reserved;
    /** Tells how far the mapping has come.
     *  Default: NULL.
     *  Range: a function. */
    restway_map_progress_fn progress;
    /** Passed to the function unchanged.
     *  Default: NULL.
     *  Range: any pointer. */
    void *context;
} restway_map_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_MAP_OPTIONS_INIT would set. @p size
 *  is the caller's sizeof(restway_map_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_map_options_init(
    restway_map_options *options, size_t size, restway_error **out_error);

/** Maps bytes that did not come over HTTP by the rules of the api, and stores the objects.
 *
 *  The whole value is mapped and stored, or nothing of it. Transforms, hooks of a route's
 *  descriptors, strict mapping and the limits of the client hold as for an answer.
 *
 *  @param client       *Borrowed*.
 *  @param entity       The entity, or the union of entities, of the objects; NULL with a route.
 *  @param data         @p length bytes. *Copied*. NULL if @p length is 0.
 *  @param options      *Borrowed* until this returns; NULL for the defaults.
 *  @param out_response Receives the result, owned by the caller (+1): a response with status 0 and
 *                      without headers, which has the objects, the results and the mapping issues.
 *  @param out_store    Receives the store of the objects, owned by the caller (+1): the client's,
 *                      or with RESTWAY_MAP_SNAPSHOTS the store of the snapshots. May be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_MAPPING (the bytes cannot be read or mapped, or there is nothing
 *          at the key path; the message says where); RESTWAY_E_HTTP (the bytes hold an error of the
 *          API in place of objects); RESTWAY_E_UNKNOWN_ENTITY; RESTWAY_E_UNKNOWN_ROUTE;
 *          RESTWAY_E_TOO_LARGE; RESTWAY_E_CANCELLED (by @p progress); the
 *          status of a hook; RESTWAY_E_STORE; RESTWAY_E_PLUGIN; RESTWAY_E_CLOSED;
 *          RESTWAY_E_WOULD_BLOCK (inside a callback); RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: until a worker has mapped the bytes and the objects are stored. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_map(
    restway_client *client, const char *entity, const void *data, size_t length,
    const restway_map_options *options, restway_response **out_response,
    restway_store **out_store, restway_error **out_error);

RESTWAY_END_DECLS

#endif
