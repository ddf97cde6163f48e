/** @file restway/auth.h
 *  Authentication: credentials, the questions that a client asks about them, refreshing.
 *  docs/AUTH.md tells the whole story.
 */
#ifndef RESTWAY_AUTH_H
#define RESTWAY_AUTH_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** What a client proves who it is with. Start from RESTWAY_CREDENTIAL_INIT. Which fields count
 *  depends on the scheme of the API document's `auth`. */
typedef struct restway_credential {
    /** sizeof(restway_credential), set by the INIT macro. */
    size_t struct_size;
    /** The user's name; with OAuth 2 the client identifier. NULL keeps what there is. */
    const char *user;
    /** The password; with OAuth 2 the client secret. NULL keeps what there is. */
    const char *password;
    /** The bearer token, the access token or the API key. NULL keeps what there is. */
    const char *token;
    /** The OAuth 2 refresh token. NULL keeps what there is. */
    const char *refresh_token;
    /** How long the token is good for, from now on; it is then refreshed early. 0 is not known. */
    int64_t expires_in_milliseconds;
} restway_credential;

/** A credential that says nothing. */
#define RESTWAY_CREDENTIAL_INIT { sizeof(restway_credential), NULL, NULL, NULL, NULL, 0 }

/** Sets the first @p size bytes of @p credential to what RESTWAY_CREDENTIAL_INIT would set. @p size
 *  is the caller's sizeof(restway_credential).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_credential_init(
    restway_credential *credential, size_t size, restway_error **out_error);

/** Says that the credential has changed: calls that wait for a refresh go out with it at once, a
 *  failure of the one before is forgotten, and a 401 to a request that went out earlier is replayed
 *  with it.
 *
 *  @param credential *Copied*; the copy is overwritten when it is dropped. NULL when the host keeps
 *                    the credential itself and its authorize function knows the new one.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT (also for
 *          text that cannot stand in a header).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_credential(
    restway_client *client, const restway_credential *credential, restway_error **out_error);

/** One send of a call, as authorize functions see it: everything else about it is decided. */
typedef struct restway_exchange restway_exchange;

/** The method; NULL for NULL. *Borrowed*. Threads: as @p exchange. Blocks: never. */
RESTWAY_API const char *restway_exchange_method(const restway_exchange *exchange);

/** The URL with its query, as it goes out; NULL for NULL. *Borrowed*, until a parameter is added.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API const char *restway_exchange_url(const restway_exchange *exchange);

/** The value of a header, by name without regard to case; NULL when there is none. *Borrowed*,
 *  until it is set.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API const char *restway_exchange_header(
    const restway_exchange *exchange, const char *name);

/** The body as it goes out.
 *
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return The bytes, *Borrowed*; NULL when there is no body or it is not in memory.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API const void *restway_exchange_body(
    const restway_exchange *exchange, size_t *out_length);

/** Which send of its call this is: 1 for the first, more for replays and retries; 0 for NULL.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API int32_t restway_exchange_attempt(const restway_exchange *exchange);

/** Sets a header of this send, in place of any of the same name.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks; NULL sends it without that header. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_exchange_set_header(
    restway_exchange *exchange, const char *name, const char *value, restway_error **out_error);

/** Adds a parameter to the query of this send.
 *
 *  @param name  *Copied*.
 *  @param value *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: as @p exchange. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_exchange_add_parameter(
    restway_exchange *exchange, const char *name, const char *value, restway_error **out_error);

/** Asked for every send to a trusted origin, replays and retries included, when all other headers
 *  stand: sets the credential.
 *
 *  @param context  As given to restway_client_set_authorize().
 *  @param exchange *Borrowed* until this returns, for this thread alone.
 *  @return RESTWAY_OK lets it go out; any other status completes the call with that status
 *          (RESTWAY_E_INVALID_ARGUMENT for one that this header does not know).
 *
 *  A question: it is asked on a worker, whatever the delivery mode; for different calls side by
 *  side. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_authorize_fn)(void *context, restway_exchange *exchange);

/** Sets who authorises the sends of a client, in place of the one before; NULL sets nobody. What
 *  the scheme of the API document adds, it adds before.
 *
 *  @param context Passed to @p authorize untouched.
 *  @param destroy Called once with @p context when no send can ask @p authorize any more; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_authorize(
    restway_client *client, restway_authorize_fn authorize, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Asked when a server has answered with a status that is not a success: whether that says that the
 *  credential is no longer good. It is asked before the body is mapped.
 *
 *  @param context As given to restway_client_set_should_replay().
 *  @param error   The HTTP status, the API's own code and message, and the response. *Borrowed*
 *                 until this returns.
 *  @return 1 when the call should go out again with another credential, else 0.
 *
 *  A question, as restway_authorize_fn. */
typedef int32_t (*restway_should_replay_fn)(void *context, const restway_error *error);

/** Sets who recognises a dead credential, in place of the one before; with NULL the document's
 *  `auth.replay` does, which by default takes status 401.
 *
 *  @param context Passed to @p should_replay untouched.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_should_replay(
    restway_client *client, restway_should_replay_fn should_replay, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** A refresh under way: whoever holds it is to get a new credential. Reference counted; usable from
 *  any thread. One whose last reference goes before it ended has failed. */
typedef struct restway_refresh restway_refresh;

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_refresh *restway_refresh_retain(restway_refresh *refresh);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_refresh_release(restway_refresh *refresh);

/** Ends a refresh well: everybody who waits goes out, in the order of arrival.
 *
 *  @param credential What is new. *Copied*. NULL when the host keeps the credential itself.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when it is over: ended before, timed out, overtaken by a
 *          credential that was set meanwhile, or the client has been closed;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_refresh_succeed(
    restway_refresh *refresh, const restway_credential *credential, restway_error **out_error);

/** Ends a refresh badly: everybody who waits fails with RESTWAY_E_AUTH and @p reason.
 *
 *  @param reason       A sentence for people; it must hold no secret. *Copied*.
 *  @param is_temporary 0: every later call fails at once with the same reason, until the credential
 *                      changes. 1: the next call tries again.
 *  @return As restway_refresh_succeed().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_refresh_fail(
    restway_refresh *refresh, const char *reason, int32_t is_temporary,
    restway_error **out_error);

/** Asked when a new credential is needed; never while an earlier one of the client is under way.
 *
 *  @param context As given to restway_client_set_refresh().
 *  @param refresh Owned by this function (+1): ended with restway_refresh_succeed() or
 *                 restway_refresh_fail() and released, from any thread, at any time. After the
 *                 document's `auth.refresh.timeoutMilliseconds` (default 30,000) it is over.
 *
 *  A question: it is asked on a worker, whatever the delivery mode. It may send requests through
 *  the same client when they are marked with RESTWAY_AUTH_BYPASS or RESTWAY_AUTH_NONE; others would
 *  wait for this very refresh. */
typedef void (*restway_refresh_fn)(void *context, restway_refresh *refresh);

/** Sets who gets new credentials, in place of the one before and of the document's scheme; NULL
 *  sets nobody.
 *
 *  @param context Passed to @p refresh untouched.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_refresh(
    restway_client *client, restway_refresh_fn refresh, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Told what a refresh has brought, before anything goes out with it: the place to store tokens.
 *
 *  @param context    As given to restway_client_set_persist().
 *  @param credential All of the client's fields, as they stand now. *Borrowed* until this returns.
 *
 *  Asked on a worker, whatever the delivery mode, as questions are; never two at once. */
typedef void (*restway_persist_fn)(void *context, const restway_credential *credential);

/** Sets who stores the tokens of a client, in place of the one before; NULL sets nobody.
 *
 *  @param context Passed to @p persist untouched.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_persist(
    restway_client *client, restway_persist_fn persist, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** How a request takes part in authentication. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_auth_mode {
    /** As the route says; else it is authorised, waits for a refresh and is replayed. */
    RESTWAY_AUTH_DEFAULT = 0,
    /** It is authorised with the credential as it stands, never waits for a refresh and never
     *  causes one. */
    RESTWAY_AUTH_BYPASS = 1,
    /** It goes out without a credential. */
    RESTWAY_AUTH_NONE = 2,
    /** Not a mode: pins the type to 32 bits. */
    RESTWAY_AUTH_PIN_ = 0x7fffffff
} restway_auth_mode;

/** Says how a request takes part in authentication.
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_auth(
    restway_request *request, restway_auth_mode mode, restway_error **out_error);

RESTWAY_END_DECLS

#endif
