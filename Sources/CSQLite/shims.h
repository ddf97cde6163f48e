/* Declares SQLite for Swift, with functions for its write-ahead log and the index of the log. */
#ifndef RESTWAY_CSQLITE_SHIMS_H
#define RESTWAY_CSQLITE_SHIMS_H

#include <sqlite3.h>
#include <stdlib.h>

/* Returns the header of the wal-index, which all connections to a file share
 * (https://sqlite.org/walformat.html, section 2.1). It changes with every commit of any connection.
 * The result is NULL if there is no header, or if it has another version than the one described
 * there. Its address is valid until the connection is closed. */
static inline const volatile unsigned int *rw_wal_index_header(sqlite3 *database) {
    sqlite3_file *file = 0;
    volatile void *region = 0;
    const volatile unsigned int *header;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK)
        return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
        return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return 0;
    header = (const volatile unsigned int *)region;
    return header && header[0] == 3007000 ? header : 0;
}

/* Returns the checksum of the header of the wal-index. */
static inline unsigned long long rw_wal_index_mark(const volatile unsigned int *header) {
    return (unsigned long long)header[10] << 32 | header[11];
}

/* Returns whether a checkpoint has copied all frames into the file. The next commit then overwrites
 * the first frame. */
static inline _Bool rw_wal_index_is_moved(const volatile unsigned int *header) {
    return header[4] > 0 && header[24] == header[4];
}

/* Makes the log at least `bytes` long by appending zeros, which SQLite does not take for frames.
 * Call it only within a write transaction, when no other connection appends. Failures are ignored.
 * Returns the new length of the log. */
static inline sqlite3_int64 rw_wal_reserve(sqlite3 *database, sqlite3_int64 bytes) {
    const int step = 1 << 16;
    sqlite3_file *log = 0;
    char *zeros;
    sqlite3_int64 length = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK)
        return 0;
    if (!log || !log->pMethods || log->pMethods->xFileSize(log, &length) != SQLITE_OK) return 0;
    zeros = length < bytes ? (char *)calloc(1, step) : 0;
    while (zeros && length < bytes) {
        int count = bytes - length < step ? (int)(bytes - length) : step;
        if (log->pMethods->xWrite(log, zeros, count, length) != SQLITE_OK) break;
        length += count;
    }
    free(zeros);
    return length;
}

/* Truncates the log after its last valid frame, but not to less than `kept` bytes. This removes
 * zeros, frames that are older than the first one, and the rest of a transaction that could not be
 * finished. The caller holds a write transaction that has not written, so no other connection
 * appends. Failures are ignored. */
static inline void rw_wal_trim(sqlite3 *database, const volatile unsigned int *header,
                               sqlite3_int64 kept) {
    /* A page of 65,536 bytes is written as 1. */
    const sqlite3_int64 written = ((const volatile unsigned short *)header)[7];
    const sqlite3_int64 page = written == 1 ? 65536 : written;
    const sqlite3_int64 frame = 24 + page;
    const sqlite3_int64 used = 32 + (sqlite3_int64)header[4] * frame;
    sqlite3_file *log = 0;
    sqlite3_int64 length = 0;
    if (page < 512) return;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK)
        return;
    if (!log || !log->pMethods || log->pMethods->xFileSize(log, &length) != SQLITE_OK) return;
    if (length > used && length > kept) log->pMethods->xTruncate(log, used > kept ? used : kept);
}

/* Makes the file at least `bytes` long by appending zeros. The caller is in a write transaction.
 * This function takes the lock of checkpoints (WAL_CKPT_LOCK, number 1, of
 * https://sqlite.org/walformat.html, section 2.3), because a checkpoint writes into the file, too.
 * If another connection holds the lock, that connection is running a checkpoint, and this function
 * does nothing. Returns a result code. */
static inline int rw_reserve_file(sqlite3 *database, sqlite3_int64 bytes) {
    static const char zeros[4096];
    const int lock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE;
    const int unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE;
    sqlite3_file *file = 0;
    sqlite3_int64 length = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) return code;
    if (file->pMethods->xShmLock(file, 1, 1, lock) != SQLITE_OK) return SQLITE_OK;
    code = file->pMethods->xFileSize(file, &length);
    while (code == SQLITE_OK && length < bytes) {
        const sqlite3_int64 left = bytes - length;
        const int count = left < (int)sizeof zeros ? (int)left : (int)sizeof zeros;
        code = file->pMethods->xWrite(file, zeros, count, length);
        length += count;
    }
    file->pMethods->xShmLock(file, 1, 1, unlock);
    return code;
}

/* Reads the first `count` bytes of the file without a lock. Unlike SQLite's own reading it rolls no
 * transaction back and opens no log. If the file is shorter, the rest of `bytes` is zero. Returns
 * the length of the file, or -1 and a result code in `code`. */
static inline sqlite3_int64 rw_read_head(sqlite3 *database, void *bytes, int count, int *code) {
    sqlite3_file *file = 0;
    sqlite3_int64 length = 0;
    *code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (*code == SQLITE_OK && (!file || !file->pMethods)) *code = SQLITE_CANTOPEN;
    if (*code == SQLITE_OK) *code = file->pMethods->xFileSize(file, &length);
    if (*code == SQLITE_OK) *code = file->pMethods->xRead(file, bytes, count, 0);
    if (*code == SQLITE_IOERR_SHORT_READ) *code = SQLITE_OK;
    return *code == SQLITE_OK ? length : -1;
}

/* Sets whether the last connection to close leaves the log unchanged, instead of copying it into
 * the file and removing it. */
static inline void rw_leave_log_at_close(sqlite3 *database, _Bool leaves) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)leaves, (int *)0);
}

/* Sets whether the next VACUUM makes the database empty without reading it. It is done under
 * SQLite's locks, so other connections may have the database open. */
static inline void rw_reset_database(sqlite3 *database, _Bool resets) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, (int)resets, (int *)0);
}

/* Returns the number of valid frames in the log. */
static inline unsigned int rw_wal_index_frame_count(const volatile unsigned int *header) {
    return header[4];
}

/* Returns the number of pages in the database after the last commit. */
static inline unsigned int rw_wal_index_page_count(const volatile unsigned int *header) {
    return header[5];
}

#endif
