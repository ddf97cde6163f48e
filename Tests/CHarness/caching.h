/** @file caching.h
 *  Clients with a response cache, a clock, and a server whose answers the test chooses.
 */
#ifndef RESTWAY_HARNESS_CACHING_H
#define RESTWAY_HARNESS_CACHING_H

#include "answering.h"
#include "harness.h"

#define THING "{\"id\": 1, \"name\": \"lamp\"}"
#define NEWER_THING "{\"id\": 1, \"name\": \"desk\"}"

struct caching {
    struct answering_server server;
    restway_clock *clock;
    restway_client *client;
    char directory[64];
    /** The file of the cache. */
    char path[96];
};

/** Makes a client of the server whose cache is in memory. The server answers with THING. */
void caching_begin(struct caching *caching);

/** The same, with a cache in a file of its own and nothing in memory, so that every answer comes
 *  out of the file. */
void caching_begin_in_file(struct caching *caching);

/** Replaces the client by another client of the same file. */
void caching_restart(struct caching *caching);

/** Makes a client with @p options, of the server and with the clock. With an outbox it also has the
 *  route "stored", whose PUT may be stored. */
restway_client *caching_client(struct caching *caching, restway_client_options options);

/** Replaces the client by another client, made with @p options; see caching_client(). */
void caching_replace_client(struct caching *caching, restway_client_options options);

void caching_end(struct caching *caching);

/** Moves the clock. */
void caching_pass(struct caching *caching, int seconds);

/** From now on, answers have @p status, the header lines @p headers, each with its line end, and
 *  @p body. */
void caching_answer(
    struct caching *caching, int status, const char *headers, const char *body);

/** Makes a GET request. @p target is the name of a route, or a path that starts with a slash. */
restway_request *caching_request(const char *target);

/** Performs a GET of @p target in @p mode, and checks the state of its answer and how many requests
 *  the server has received up to now. */
#define caching_get(caching, target, mode, state, count) \
    caching_get_at((caching), (target), (mode), (state), (count), NULL, __FILE__, __LINE__)

/** The same, and checks that the body of the answer is @p body. */
#define caching_get_body(caching, target, mode, state, count, body) \
    caching_get_at((caching), (target), (mode), (state), (count), (body), __FILE__, __LINE__)

void caching_get_at(
    struct caching *caching, const char *target, restway_cache_mode mode,
    restway_cache_state state, int count, const char *body, const char *file, int line);

/** Performs @p request, which it releases, and returns the state of its answer. */
restway_cache_state caching_perform(struct caching *caching, restway_request *request);

/** Returns what the cache says about a response. */
restway_cache_note caching_note(const restway_response *response);

/** Returns what the cache has for a GET of @p target. */
restway_cache_note caching_find(struct caching *caching, const char *target);

/** Returns the statistics of the client. */
restway_cache_counts caching_counts(struct caching *caching);

#endif
