/** @file outboxing.h
 *  Clients with an outbox, and a server whose answers the test chooses.
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

/** Makes a client of the server with an outbox in a file of its own and delivery mode @p mode. */
void outboxing_begin(struct outboxing *outboxing, restway_delivery mode);

/** Replaces the client by another client of the same file. */
void outboxing_restart(struct outboxing *outboxing, restway_delivery mode);

/** Replaces the client by another client of the same file, for whose requests no server listens.
 *  Later clients reach the server again. */
void outboxing_restart_without_server(struct outboxing *outboxing, restway_delivery mode);

void outboxing_end(struct outboxing *outboxing);

/** Makes a PUT of `{"name": "a"}` to things/@p number. */
restway_request *outboxing_put(int number);

/** Stores the request of outboxing_put() while the program says that there is no network; returns
 *  its item. */
int64_t outboxing_store(struct outboxing *outboxing, int number);

/** Waits until the outbox holds this many items of each state. */
void outboxing_wait(struct outboxing *outboxing, int64_t waiting, int64_t blocked, int64_t dead);

#endif
