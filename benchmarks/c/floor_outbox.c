#include "floor_outbox.h"

#include "measure.h"
#include "outbox_item.h"

static sqlite3 *database;
static sqlite3_stmt *insertion;

void floor_outbox_check(int code, int expected) {
    if (code != expected) fail("SQLite: %d: %s", code, sqlite3_errmsg(database));
}

void floor_outbox_run(const char *sql) {
    floor_outbox_check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
}

sqlite3_stmt *floor_outbox_prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;

    floor_outbox_check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    return statement;
}

void floor_outbox_open(const char *path) {
    floor_outbox_check(sqlite3_open(path, &database), SQLITE_OK);
    floor_outbox_run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    floor_outbox_run(
        "CREATE TABLE item (id INTEGER PRIMARY KEY, lane TEXT, method TEXT, path TEXT,"
        " headers TEXT, idempotencyKey TEXT, createdAt INTEGER, body BLOB)");
    insertion = floor_outbox_prepare(
        "INSERT INTO item (lane, method, path, headers, idempotencyKey, createdAt, body)"
        " VALUES (?, 'POST', 'events', 'Content-Type: application/json', ?, ?, ?)");
}

void floor_outbox_close(void) {
    sqlite3_finalize(insertion);
    sqlite3_close_v2(database);
}

void floor_outbox_insert(size_t number) {
    struct outbox_item item;
    int length = 0;

    outbox_item_make(&item, number);
    while (item.body[length]) length++;
    sqlite3_bind_text(insertion, 1, item.lane, -1, SQLITE_STATIC);
    sqlite3_bind_text(insertion, 2, item.key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insertion, 3, (sqlite3_int64)number);
    sqlite3_bind_blob(insertion, 4, item.body, length, SQLITE_STATIC);
    floor_outbox_check(sqlite3_step(insertion), SQLITE_DONE);
    sqlite3_reset(insertion);
}
