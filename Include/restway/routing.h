/** @file restway/routing.h
 *  Several clients behind one face: each request goes to the client of its route.
 */
#ifndef RESTWAY_ROUTING_H
#define RESTWAY_ROUTING_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Clients by the names of routes, and a default client for all other requests. It sends nothing
 *  itself: it finds the client that a request is then sent with. Reference counted; usable from any
 *  thread.
 *
 *      restway_client *client = NULL;
 *      if (restway_routing_client_find(routing, request, &client, &error)) return report(error);
 *      restway_status status = restway_client_perform(client, request, 0, &response, &error);
 *      restway_client_release(client);
 *
 *  It has a reference of its own to each of its clients, so that a client stays open at least as
 *  long as it. restway_client_close() closes a client at once, as ever. */
typedef struct restway_routing_client restway_routing_client;

/** Makes a routing client without routes.
 *
 *  @param default_client The client of all requests whose route has no client; NULL for none. Kept
 *                        alive (+1).
 *  @param out_routing    Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_routing_client_create(
    restway_client *default_client, restway_routing_client **out_routing,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_routing_client *restway_routing_client_retain(
    const restway_routing_client *routing);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_routing_client_release(restway_routing_client *routing);

/** Sets the client of a route. One client may have any number of routes.
 *
 *  @param route  The name of a route of the client's API document. *Copied*.
 *  @param client Kept alive (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ROUTE (the client's API document has no such route),
 *          RESTWAY_E_DUPLICATE (the route has a client), RESTWAY_E_INVALID_ARGUMENT,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_routing_client_add(
    restway_routing_client *routing, const char *route, restway_client *client,
    restway_error **out_error);

/** Finds the client of a request: the client of the route that the request names, or else the
 *  default client. A request to a path, or about an object or a draft without a route, names none:
 *  its client is the default client.
 *
 *  @param request    It stays as it is, and its variables are not checked.
 *  @param out_client Receives the client, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ROUTE (no client fits; the message names the route, and
 *          the routes that have clients), RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_routing_client_find(
    const restway_routing_client *routing, const restway_request *request,
    restway_client **out_client, restway_error **out_error);

RESTWAY_END_DECLS

#endif
