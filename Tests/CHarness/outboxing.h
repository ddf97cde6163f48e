/** @file outboxing.h
 *  Clients with an outbox, and a server that answers what the test says.
 */
#ifndef RESTWAY_HARNESS_OUTBOXING_H
#define RESTWAY_HARNESS_OUTBOXING_H

#include "answering.h"
#include "harness.h"

struct outboxing {
    char directory[64];
    char path[96];
    struct answering_server server;
    restway_client *client;
};

/** A client of the server, with an outbox in a file of its own; it delivers as @p mode says. */
void outboxing_begin(struct outboxing *outboxing, restway_delivery mode);

/** Puts a client of the same file in the place of the one before. */
void outboxing_restart(struct outboxing *outboxing, restway_delivery mode);

void outboxing_end(struct outboxing *outboxing);

/** A PUT of `{"name": "a"}` to things/@p number. */
restway_request *outboxing_put(int number);

/** Stores such a request, as the host says that there is no network; answers its item. */
int64_t outboxing_store(struct outboxing *outboxing, int number);

/** Waits until the outbox holds so many items of each kind. */
void outboxing_wait(struct outboxing *outboxing, int64_t waiting, int64_t blocked, int64_t dead);

#endif
