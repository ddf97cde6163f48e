/* SQLite as Swift sees it, and a look into the index of its write-ahead log. */
#ifndef RESTWAY_CSQLITE_SHIMS_H
#define RESTWAY_CSQLITE_SHIMS_H

#include <sqlite3.h>
#include <stdlib.h>

/* The header of the wal-index, which all connections to a file share
 * (https://sqlite.org/walformat.html, section 2.1): it differs after every commit, whoever made it.
 * NULL when there is none, or when it is of another version than the one described there. It stays
 * where it is until the connection is closed. */
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

/* The checksum over that header. */
static inline unsigned long long rw_wal_index_mark(const volatile unsigned int *header) {
    return (unsigned long long)header[10] << 32 | header[11];
}

/* Whether a checkpoint has moved all of them: then the next commit overwrites the first. */
static inline _Bool rw_wal_index_is_moved(const volatile unsigned int *header) {
    return header[4] > 0 && header[24] == header[4];
}

/* Makes the log at least so long, by zeros behind its end, which SQLite takes for no frames. Only
 * within a write transaction: then nobody else appends. What fails is left out. The answer is how
 * long it is then. */
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

/* How many frames are valid in the log. */
static inline unsigned int rw_wal_index_frame_count(const volatile unsigned int *header) {
    return header[4];
}

#endif
