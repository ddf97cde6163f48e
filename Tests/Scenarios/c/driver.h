/** @file driver.h
 *  A program that reads the steps of a scenario from its standard input, one JSON object in a line,
 *  performs them with the installed library, and writes what came of each, in the same form.
 */
#ifndef RESTWAY_SCENARIO_DRIVER_H
#define RESTWAY_SCENARIO_DRIVER_H

#include <jansson.h>
#include <restway/restway.h>

#define CALLS_MAX 16

/** A call that was sent and that a later step waits for. */
struct sent_call {
    char name[32];
    restway_call *call;
};

struct told_changes;

/** The client of a scenario. */
struct driver {
    /** The step that opened the client; it is opened again in the same way. */
    json_t *opened;
    restway_clock *clock;
    restway_client *client;
    restway_store *store;
    struct sent_call sent[CALLS_MAX];
    size_t sent_count;
    /** What observers were told; NULL as long as there was no observer. */
    struct told_changes *told;
};

/** Ends the program with a message, because the scenario or the driver itself is wrong. */
void give_up(const char *what, const char *which);

/** Ends the program unless @p status is RESTWAY_OK, and releases @p error. */
void must(const char *what, restway_status status, restway_error *error);

#endif
