/* Common code of the servers of the benchmarks. */
#ifndef RESTWAY_BENCHMARKS_SERVER_H
#define RESTWAY_BENCHMARKS_SERVER_H

#include <stddef.h>

/* Listens on a free port of the loopback interface and prints it as {"port": ...}. Then calls
 * `serve` with one connection after the other, until the process is killed or no connection can be
 * accepted. Returns the status for the end of the process. */
int serve_connections(void (*serve)(int connection));

/* Sends all bytes; false at the end of the connection. */
int put(int connection, const char *bytes, size_t length);

#endif
