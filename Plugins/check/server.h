/* A server of HTTP/1.1 on the loopback address, in a process of its own. */
#ifndef RESTWAY_CHECK_SERVER_H
#define RESTWAY_CHECK_SERVER_H

#include <stddef.h>

/* Starts it, once; it ends with the tool. Exits with 2 when that cannot be. */
void server_start(void);
void server_stop(void);

/* "http://127.0.0.1:12345" */
const char *server_url(void);

/* How many requests have come, in any process. */
size_t server_requests(void);

#endif
