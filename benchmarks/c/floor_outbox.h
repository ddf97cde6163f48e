/* A plain table of requests, for the programs with which the outbox is compared. */
#ifndef RESTWAY_BENCHMARKS_FLOOR_OUTBOX_H
#define RESTWAY_BENCHMARKS_FLOOR_OUTBOX_H

#include <sqlite3.h>
#include <stddef.h>

/* Makes a new file, in WAL mode and with synchronous = FULL. */
void floor_outbox_open(const char *path);

void floor_outbox_close(void);

/* Runs statements; ends the program if they fail. */
void floor_outbox_run(const char *sql);

sqlite3_stmt *floor_outbox_prepare(const char *sql);

/* Ends the program if `code` is not the expected one. */
void floor_outbox_check(int code, int expected);

/* Inserts item `number`, inside a transaction or as a transaction of its own. */
void floor_outbox_insert(size_t number);

#endif
