/** @file restway/cache.h
 *  The response cache: it keeps answers of servers and gives them again, as RFC 9111 allows a
 *  private cache, and as the API document says with `cacheTTL` and its other keys. docs/CACHE.md
 *  explains the whole topic.
 *
 *  A client has a cache if its API document has a section `cache`, or if its options have a
 *  cache_path or RESTWAY_CACHE_ON; RESTWAY_CACHE_OFF takes it away. The functions of this header
 *  that need a cache return RESTWAY_E_CONFIG for a client without one. A cache whose file fails
 *  never fails a call: restway_cache_problem() says what is wrong.
 */
#ifndef RESTWAY_CACHE_H
#define RESTWAY_CACHE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** How the cache takes part in one request. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_cache_mode {
    /** The cache answers if it may, and keeps the server's answer if it may. */
    RESTWAY_CACHE_STANDARD = 0,
    /** The server is asked, whatever the cache has, and its answer is kept. */
    RESTWAY_CACHE_RELOAD = 1,
    /** The server is asked whether the answer of the cache still holds. */
    RESTWAY_CACHE_VALIDATE = 2,
    /** The cache neither answers nor keeps the answer. */
    RESTWAY_CACHE_BYPASS = 3,
    /** The cache answers, fresh or stale, and the network is never used. If the cache has no
     *  answer, the call succeeds with a response whose status is 0, and whose state is
     *  RESTWAY_CACHE_STATE_MISSING. */
    RESTWAY_CACHE_ONLY = 4,
    /** The cache answers, fresh or stale. The server is asked only if the cache has no answer. */
    RESTWAY_CACHE_PREFERRED = 5,
    /** Not a mode: pins the type to 32 bits. */
    RESTWAY_CACHE_PIN_ = 0x7fffffff
} restway_cache_mode;

/** Sets what the cache does with a request. Without a cache, it has no effect except for
 *  RESTWAY_CACHE_ONLY, which then finds nothing.
 *
 *  @param mode A restway_cache_mode.
 *  @return RESTWAY_OK, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_cache(
    restway_request *request, restway_cache_mode mode, restway_error **out_error);

/** Sets for how long the answer to a request is fresh, in place of the `cacheTTL` of its route.
 *
 *  @param seconds At most 2,147,483,648; -1 lets the server's headers decide.
 *  @return RESTWAY_OK, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_cache_ttl(
    restway_request *request, int64_t seconds, restway_error **out_error);

/** Sets the key discriminator of a client: a name for the user, or for anything else that makes
 *  equal requests have different answers. Only requests that start with the same discriminator see
 *  an entry. Requests that have started keep the discriminator that they started with.
 *
 *  The outbox sends only requests that were stored with the same discriminator. A client without a
 *  cache may have a discriminator for its outbox. When another user signs in, remove the credential
 *  first (restway_client_set_credential() with NULL), then set the discriminator, then the new
 *  credential: so no stored request goes with the credential of somebody else.
 *
 *  A client with an authorize function (restway_client_set_authorize()) needs a discriminator:
 *  without one, the requests that the function is asked about are neither answered by the cache nor
 *  kept nor shared.
 *
 *  @param discriminator Not empty; NULL for none, which is how a client begins. *Copied*.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG (the client has neither a cache nor an outbox);
 *          RESTWAY_E_CLOSED; RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_cache_discriminator(
    restway_client *client, const char *discriminator, restway_error **out_error);

/** The part of the cache in an answer. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_cache_state {
    /** The cache was not asked. */
    RESTWAY_CACHE_STATE_NONE = 0,
    /** The answer comes from the cache, and is fresh. No server was asked. */
    RESTWAY_CACHE_STATE_HIT = 1,
    /** The answer comes from the cache although it is stale. */
    RESTWAY_CACHE_STATE_STALE = 2,
    /** The answer comes from the cache, and the server has said that it still holds. */
    RESTWAY_CACHE_STATE_VALIDATED = 3,
    /** The answer comes from the server, and is kept. */
    RESTWAY_CACHE_STATE_STORED = 4,
    /** The answer comes from the server, and is not kept. */
    RESTWAY_CACHE_STATE_PASSED = 5,
    /** There is no answer: the cache has none, and the server must not be asked. */
    RESTWAY_CACHE_STATE_MISSING = 6,
    /** The answer comes from the exchange of another call. */
    RESTWAY_CACHE_STATE_SHARED = 7,
    /** Not a state: pins the type to 32 bits. */
    RESTWAY_CACHE_STATE_PIN_ = 0x7fffffff
} restway_cache_state;

/** The cache's description of an answer. */
typedef struct restway_cache_note {
    /** sizeof(restway_cache_note), set by the INIT macro. */
    size_t struct_size;
    /** A restway_cache_state. */
    uint32_t state;
    /** 1 when the server would be asked before the answer is given again in
     *  RESTWAY_CACHE_STANDARD, else 0. */
    int32_t is_stale;
    /** The age of the answer (RFC 9111, section 4.2.3); 0 for an answer that is not kept. */
    int64_t age_seconds;
    /** For how long the answer is fresh, from its origin; 0 for an answer that is not kept. */
    int64_t lifetime_seconds;
} restway_cache_note;

/** Sets the first @p size bytes of @p note to what RESTWAY_CACHE_NOTE_INIT would set. @p size is
 *  the caller's sizeof(restway_cache_note).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_note_init(
    restway_cache_note *note, size_t size, restway_error **out_error);

/** Reads what the cache did for a response.
 *
 *  @param note Must be initialised; the function fills the fields that this version of the struct
 *              has.
 *  @return RESTWAY_OK, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_cache(
    const restway_response *response, restway_cache_note *note, restway_error **out_error);

/** Asks whether the cache has an answer to a request, how old the answer is, and how fresh. Nothing
 *  is sent, and no use of the answer is counted.
 *
 *  @param request *Borrowed*.
 *  @param note    Must be initialised; the function fills the fields that this version of the
 *                 struct has. The state is RESTWAY_CACHE_STATE_HIT (there is a fresh answer),
 *                 RESTWAY_CACHE_STATE_STALE (there is an answer, which is not fresh) or
 *                 RESTWAY_CACHE_STATE_MISSING.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG (the client has no cache); otherwise as
 *          restway_request_to_curl().
 *
 *  Threads: any. Blocks: on the files of the cache and of a SQLite store, and while a worker calls
 *  the program's functions about the body; else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_find(
    restway_client *client, const restway_request *request, restway_cache_note *note,
    restway_error **out_error);

/** Counts of a cache since its client was made, and its present size. */
typedef struct restway_cache_counts {
    /** sizeof(restway_cache_counts), set by the INIT macro. */
    size_t struct_size;
    /** Fresh answers that were given without an exchange. */
    int64_t hits;
    /** Stale answers that were given. */
    int64_t stale_hits;
    /** Answers that were given after the server had said that they still hold. */
    int64_t validations;
    /** Requests that the server had to answer. */
    int64_t misses;
    /** Answers that came from the exchange of another call. */
    int64_t shared;
    /** Answers of servers that were kept. */
    int64_t stored;
    /** Entries that were removed to make room. */
    int64_t evicted;
    /** Entries that an answer or the program has removed or made invalid. */
    int64_t invalidated;
    /** Failures of the storage. */
    int64_t failures;
    /** The entries that the cache has now: in its file or, without a file, in memory. */
    int64_t entries;
    /** The bytes of these entries with their bodies. */
    int64_t bytes;
    /** The entries that are in memory. */
    int64_t memory_entries;
    /** The bytes of the entries that are in memory. */
    int64_t memory_bytes;
} restway_cache_counts;

/** Sets the first @p size bytes of @p counts to what RESTWAY_CACHE_COUNTS_INIT would set. @p size
 *  is the caller's sizeof(restway_cache_counts).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_counts_init(
    restway_cache_counts *counts, size_t size, restway_error **out_error);

/** Reads the statistics of a cache.
 *
 *  @param counts Must be initialised; the function fills the fields that this version of the
 *                struct has.
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_statistics(
    restway_client *client, restway_cache_counts *counts, restway_error **out_error);

/** Which entries are meant: those that match every field that is set. */
typedef struct restway_cache_filter {
    /** sizeof(restway_cache_filter), set by the INIT macro. */
    size_t struct_size;
    /** The key of one entry, from restway_cache_entry.key.
     *  Default: NULL, any key.
     *  Range: text. */
    const char *key;
    /** An absolute URL: the entries of all requests for it, whatever their method.
     *  Default: NULL, any URL.
     *  Range: text. */
    const char *url;
    /** The name of a route.
     *  Default: NULL, any route.
     *  Range: text. */
    const char *route;
    /** A discriminator; "" for the entries that were kept without a discriminator.
     *  Default: NULL, any discriminator.
     *  Range: text. */
    const char *discriminator;
    /** Entries whose answer is at least this old.
     *  Default: 0, any age.
     *  Range: 1 s or more. */
    int64_t age_seconds_min;
} restway_cache_filter;

/** Sets the first @p size bytes of @p filter to what RESTWAY_CACHE_FILTER_INIT would set. @p size
 *  is the caller's sizeof(restway_cache_filter).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_filter_init(
    restway_cache_filter *filter, size_t size, restway_error **out_error);

/** An entry of the cache: one kept answer. */
typedef struct restway_cache_entry {
    /** sizeof(restway_cache_entry), set by the INIT macro. */
    size_t struct_size;
    /** Names the entry among all entries of the cache. */
    const char *key;
    /** The method of its request. */
    const char *method;
    /** The URL of its request, without the parameters that do not count. */
    const char *url;
    /** The name of its route; NULL for a request without one. */
    const char *route;
    /** Its discriminator; NULL for none. */
    const char *discriminator;
    /** The age of the answer. */
    int64_t age_seconds;
    /** For how long the answer is fresh, from its origin. */
    int64_t lifetime_seconds;
    /** The size of the entry with its body. */
    int64_t bytes;
    /** The HTTP status of the answer. */
    int32_t status;
    /** 1 when the server is asked before the answer is given, else 0. */
    int32_t is_stale;
} restway_cache_entry;

/** Sets the first @p size bytes of @p entry to what RESTWAY_CACHE_ENTRY_INIT would set. @p size is
 *  the caller's sizeof(restway_cache_entry).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_entry_init(
    restway_cache_entry *entry, size_t size, restway_error **out_error);

/** An immutable list of entries. It is reference counted, any thread may use it without a lock, and
 *  it may outlive its client. */
typedef struct restway_cache_entries restway_cache_entries;

/** Lists entries, the newest answer first.
 *
 *  @param filter      Which entries; NULL for all. *Borrowed*.
 *  @param limit       The most entries of the list; 0 for no limit.
 *  @param out_entries Receives a list owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG; RESTWAY_E_INVALID_URL; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_IO (the file cannot be read, which the error names);
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_list(
    restway_client *client, const restway_cache_filter *filter, size_t limit,
    restway_cache_entries **out_entries, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_cache_entries *restway_cache_entries_retain(
    const restway_cache_entries *entries);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_cache_entries_release(restway_cache_entries *entries);

/** Returns the number of entries in the list; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_cache_entries_count(const restway_cache_entries *entries);

/** Reads the entry at position @p index of the list.
 *
 *  @param entry Must be initialised; the function fills the fields that this version of the struct
 *               has. The texts are *Borrowed* from @p entries.
 *  @return RESTWAY_OK; RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT (also if @p index is out of
 *          range).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_entries_read(
    const restway_cache_entries *entries, size_t index, restway_cache_entry *entry,
    restway_error **out_error);

/** Removes entries. An answer to a request that was sent before is not kept either, if it would be
 *  such an entry.
 *
 *  @param filter    Which entries; NULL for all. *Borrowed*.
 *  @param out_count Receives the number of entries that were removed; may be NULL.
 *  @return As restway_cache_list(); RESTWAY_E_IO also if the file cannot be written.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_remove(
    restway_client *client, const restway_cache_filter *filter, size_t *out_count,
    restway_error **out_error);

/** Says what is wrong with the storage of a cache: a file that is corrupt, full, locked or
 *  read-only. The cache then does without the file, and calls go on.
 *
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0. It is "" if nothing is wrong.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole text without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cache_problem(
    restway_client *client, char *buffer, size_t capacity, size_t *out_length,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
