/** @file restway/auth.h
 *  Authentication: credentials, the functions that a client calls about them, and refreshing.
 *  docs/AUTH.md explains the whole topic.
 */
#ifndef RESTWAY_AUTH_H
#define RESTWAY_AUTH_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** A credential: it proves to the server who the client is. Start from RESTWAY_CREDENTIAL_INIT. The
 *  scheme of the API document's `auth` decides which fields are used. A field that is NULL has no
 *  value in restway_client_set_credential(), which replaces the whole credential. In
 *  restway_refresh_succeed(), it keeps its present value, because a refresh is about the same user.
 */
typedef struct restway_credential {
    /** sizeof(restway_credential), set by the INIT macro. */
    size_t struct_size;
    /** The user's name; with OAuth 2 the client identifier.
     *  Default: NULL.
     *  Range: text. */
    const char *user;
    /** The password; with OAuth 2 the client secret.
     *  Default: NULL.
     *  Range: text. */
    const char *password;
    /** The bearer token, the access token or the API key.
     *  Default: NULL.
     *  Range: text. */
    const char *token;
    /** The OAuth 2 refresh token.
     *  Default: NULL.
     *  Range: text. */
    const char *refresh_token;
    /** How long the token is valid, from now on; the client then refreshes it before it expires.
     *  Default: 0, which means that this is not known.
     *  Range: 1 ms or more. */
    int64_t expires_in_milliseconds;
} restway_credential;

/** Sets the first @p size bytes of @p credential to what RESTWAY_CREDENTIAL_INIT would set. @p size
 *  is the caller's sizeof(restway_credential).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_credential_init(
    restway_credential *credential, size_t size, restway_error **out_error);

/** Replaces the whole credential: nothing of the one before it stays, also nothing that a refresh
 *  has brought. Calls that wait for a refresh are sent with it at once, and a failed refresh of the
 *  earlier credential no longer counts. A request that was sent earlier and is answered with 401 is
 *  replayed with the new credential. Stored requests that wait for a credential are sent.
 *
 *  @param credential *Copied*; the copy is overwritten when it is dropped. NULL, or a credential
 *                    without values, removes the credential: nobody is signed in. If the program
 *                    keeps the credential itself, NULL says that its authorize function has the new
 *                    one. If the credential has no user, it has the `user` or `clientID` of the API
 *                    document and, unless it has a password of its own, the document's password.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT (also for a
 *          field that cannot be sent: a token that a header value cannot hold, another field with a
 *          control character, or, with the schemes `basic` and `digest`, a user name with a colon).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_credential(
    restway_client *client, const restway_credential *credential, restway_error **out_error);

/** One attempt of a call, as authorize functions see it. The request is complete except for its
 *  credential. */
typedef struct restway_exchange restway_exchange;

/** Returns the HTTP method; NULL for NULL. *Borrowed*. Threads: the thread of the question.
 *  Blocks: never. */
RESTWAY_API const char *restway_exchange_method(const restway_exchange *exchange);

/** Returns the URL with its query, as it is sent; NULL for NULL. *Borrowed*, until a parameter is
 *  added.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API const char *restway_exchange_url(const restway_exchange *exchange);

/** Returns the value of a header; the case of the name does not matter. NULL if it is missing.
 *  *Borrowed*, until the header is set.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API const char *restway_exchange_header(
    const restway_exchange *exchange, const char *name);

/** Returns the body as it is sent.
 *
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return The bytes, *Borrowed*; NULL when there is no body or it is not in memory.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API const void *restway_exchange_body(
    const restway_exchange *exchange, size_t *out_length);

/** Returns the number of this attempt of the call: 1 for the first, more for replays and retries; 0
 *  for NULL.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API int32_t restway_exchange_attempt(const restway_exchange *exchange);

/** Sets a header of this attempt, in place of all headers with the same name.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks; NULL removes the header. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_exchange_set_header(
    restway_exchange *exchange, const char *name, const char *value, restway_error **out_error);

/** Adds a parameter to the query of this attempt.
 *
 *  @param name  *Copied*.
 *  @param value *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_exchange_add_parameter(
    restway_exchange *exchange, const char *name, const char *value, restway_error **out_error);

/** Says why this authorize function refuses the attempt. The reason is used only if the function
 *  then returns a status other than RESTWAY_OK. A later call of this function replaces it.
 *
 *  @param reason  A sentence for human readers, which becomes a part of the error's message. It
 *                 must not contain a secret. *Copied*.
 *  @param cause   A pointer that restway_error_cause() returns for the error of the call; may be
 *                 NULL.
 *  @param destroy Called once with @p cause when no error refers to it any more, on any thread;
 *                 this may be after restway_error_release() has returned. May be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_exchange_set_refusal(
    restway_exchange *exchange, const char *reason, void *cause, restway_destroy_fn destroy,
    restway_error **out_error);

/** Adds the credential to a request. It is called for every attempt to a trusted origin, including
 *  replays and retries, after all other headers are set.
 *
 *  @param context  As given to restway_client_set_authorize().
 *  @param exchange *Borrowed* until this returns; only this thread may use it.
 *  @return RESTWAY_OK lets the request be sent; any other status completes the call with that
 *          status (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define).
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different calls at the same time. It may call any function; a function that
 *  blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_authorize_fn)(void *context, restway_exchange *exchange);

/** Sets the authorize function of a client. It replaces an earlier function; NULL removes it. The
 *  scheme of the API document adds its credential before the function is called.
 *
 *  @param context Passed to @p authorize unchanged.
 *  @param destroy Called once with @p context when @p authorize can no longer be called; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_authorize(
    restway_client *client, restway_authorize_fn authorize, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Decides whether an answer means that the credential is no longer valid. It is called when a
 *  server has answered with a status that is not a success, before the body is mapped.
 *
 *  @param context As given to restway_client_set_should_replay().
 *  @param error   The HTTP status, the API's own code and message, and the response. *Borrowed*
 *                 until this returns.
 *  @return 1 if the call should be sent again with another credential, 0 if not. A negative number
 *          means that the function has failed: the document's `auth.replay` then decides.
 *
 *  A question, like restway_authorize_fn. */
typedef int32_t (*restway_should_replay_fn)(void *context, const restway_error *error);

/** Sets the function that recognises an invalid credential, in place of an earlier function. With
 *  NULL the document's `auth.replay` decides; its default is status 401.
 *
 *  @param context Passed to @p should_replay unchanged.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_should_replay(
    restway_client *client, restway_should_replay_fn should_replay, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** A refresh in progress: its owner must get a new credential and then end the refresh. Reference
 *  counted; usable from any thread. A refresh whose last reference is released before it ended has
 *  failed for the time being. */
typedef struct restway_refresh restway_refresh;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_refresh *restway_refresh_retain(restway_refresh *refresh);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_refresh_release(restway_refresh *refresh);

/** Ends a refresh with a new credential: all calls that wait for it are sent, in the order in which
 *  they began to wait.
 *
 *  @param credential The new values. *Copied*. NULL if the program keeps the credential itself.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the refresh is over because it was ended before, its
 *          time limit has passed, a credential was set meanwhile, or the client has been closed;
 *          RESTWAY_E_INVALID_ARGUMENT, also for a field that restway_client_set_credential() would
 *          refuse: the refresh then goes on.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_refresh_succeed(
    restway_refresh *refresh, const restway_credential *credential, restway_error **out_error);

/** Ends a refresh without a credential: all calls that wait for it fail with RESTWAY_E_AUTH,
 *  @p reason and @p cause.
 *
 *  @param reason   A sentence for human readers. It must not contain a secret. *Copied*.
 *  @param is_final 0: the refresh has failed for the time being. Calls that are made within the
 *                  next second fail for the same reason; the first call after it causes a new
 *                  refresh.
 *                  1: no later refresh can bring a credential. Every later call fails at once for
 *                  the same reason, until restway_client_set_credential().
 *  @param cause    A pointer that restway_error_cause() returns for the errors of all calls that
 *                  fail for this reason; may be NULL.
 *  @param destroy  Called once with @p cause when neither the client nor an error refers to it any
 *                  more, on any thread; this may be after restway_error_release() has returned. May
 *                  be NULL. It is not called when this fails.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED as with restway_refresh_succeed();
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_refresh_fail(
    restway_refresh *refresh, const char *reason, int32_t is_final, void *cause,
    restway_destroy_fn destroy, restway_error **out_error);

/** Starts to get a new credential. It is called when one is needed, never while an earlier refresh
 *  of the client is in progress.
 *
 *  @param context As given to restway_client_set_refresh().
 *  @param refresh Owned by this function (+1). The program ends it with restway_refresh_succeed()
 *                 or restway_refresh_fail() and releases it, from any thread, at any time. After
 *                 the document's `auth.refresh.timeoutMilliseconds` (default 30,000) the refresh is
 *                 over and has failed for the time being.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode.
 *  It may send requests through the same client if they are marked with RESTWAY_AUTH_BYPASS or
 *  RESTWAY_AUTH_NONE; other requests would wait for this refresh. */
typedef void (*restway_refresh_fn)(void *context, restway_refresh *refresh);

/** Sets the function that gets new credentials, in place of an earlier function and of the
 *  document's scheme; NULL removes it.
 *
 *  @param context Passed to @p refresh unchanged.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_refresh(
    restway_client *client, restway_refresh_fn refresh, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Stores the tokens that a refresh has brought. It is called before any request is sent with them.
 *
 *  @param context    As given to restway_client_set_persist().
 *  @param credential All present fields of the client's credential. *Borrowed* until this returns.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode;
 *  two calls never overlap. */
typedef void (*restway_persist_fn)(void *context, const restway_credential *credential);

/** Sets the function that stores the tokens of a client. It replaces an earlier function; NULL
 *  removes it.
 *
 *  @param context Passed to @p persist unchanged.
 *  @param destroy As in restway_client_set_authorize().
 *  @return As restway_client_set_authorize().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_persist(
    restway_client *client, restway_persist_fn persist, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** How a request takes part in authentication. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_auth_mode {
    /** The route decides. If it says nothing, the request is authorised, waits for a refresh and is
     *  replayed. */
    RESTWAY_AUTH_DEFAULT = 0,
    /** The request is authorised with the present credential, never waits for a refresh and never
     *  causes one. */
    RESTWAY_AUTH_BYPASS = 1,
    /** The request is sent without a credential. */
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
