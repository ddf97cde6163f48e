/* An HTTP/1.1 server on the loopback address, in a process of its own. */
#ifndef RESTWAY_CHECK_SERVER_H
#define RESTWAY_CHECK_SERVER_H

#include <stddef.h>

/* Starts the server, once; it ends with the tool. Exits with status 2 if that is impossible. */
void server_start(void);
void server_stop(void);

/* "http://127.0.0.1:12345" */
const char *server_url(void);

/* Returns how many requests have come from any process. */
size_t server_requests(void);

#endif
