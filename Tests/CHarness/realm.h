/** @file realm.h
 *  A realm of the demo API (a part with its own tokens), and a client that gets its tokens
 *  there. */
#ifndef RESTWAY_HARNESS_REALM_H
#define RESTWAY_HARNESS_REALM_H

#include <pthread.h>

#include "harness.h"

struct realm {
    char name[64];
    /** The query of the token request: "?mode=slow". */
    const char *query;
    restway_client *client;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    int refresh_count;
    /** Makes refreshes fail with this reason. */
    const char *failure;
    /** Whether failures are final, and the cause that is attached to them. */
    int is_final;
    void *cause;
    restway_destroy_fn destroy;
    /** Refreshes are kept, so that the test can complete them. */
    int keeps_refresh;
    restway_refresh *refresh;
    /** How many functions are answering a refresh, or wait for its token. */
    int answering_count;
    char token[128];
    char persisted[128];
};

/** Makes a client with the scheme bearer and an invalid token, which refreshes in a realm of its
 *  own. */
void realm_begin(struct realm *realm, restway_delivery delivery, const char *query);

/** Makes a client like realm_begin(), with a clock, which may be NULL. */
void realm_begin_clocked(
    struct realm *realm, restway_delivery delivery, const char *query, restway_clock *clock);
void realm_end(struct realm *realm);

/** Makes a GET request for a path below the realm. */
restway_request *realm_request(struct realm *realm, const char *path);

/** Waits for a refresh that is kept; the caller owns it. */
restway_refresh *realm_wait_refresh(struct realm *realm);

/** Gets a valid token for the realm, on this thread. */
void realm_get_token(struct realm *realm);

/** Returns a counter of the realm: "issued", "accepted", "refused", "refreshing_max". */
int realm_log(struct realm *realm, const char *what);

/** Makes a client of a document with @p sections (`"auth": {...}`) for the demo API. */
restway_client *make_client_of(const char *sections, restway_client_options options);

/** Makes a client like make_client_of(), with a clock that the caller owns and moves. */
restway_client *make_clocked(const char *sections, restway_clock **out_clock);

/** Moves the clock to its next event, and returns how many milliseconds that was. */
int64_t advance_to_next(restway_clock *clock);

#endif
