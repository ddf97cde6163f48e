/* What is added to a large cassette while it is recorded.
 *
 * A cassette is written whole, and so that it is whole at any time; that alone would write a long
 * recording again with each exchange. From a size on, exchanges are therefore added to a file
 * beside it, `<cassette>.journal`, one a line, and the cassette is written anew when that has
 * become as large as itself, and at the end: all in all about three times what it comes to.
 *
 * {"restwayJournal": 1, "after": 120}
 * {"request": {...}, "response": {...}}
 *
 * Whoever reads a cassette reads its journal as well, if there is one that follows it; the last
 * line counts when it is complete. */
#ifndef RESTWAY_REPLAY_JOURNAL_H
#define RESTWAY_REPLAY_JOURNAL_H

#include <jansson.h>
#include <restway/plugin.h>

/* How much of a recording is on the disk. Begins as zero. */
struct journal {
    /* Exchanges, in the cassette or the journal. */
    size_t count;
    size_t cassette_bytes;
    /* 0: there is no journal. */
    size_t bytes;
};

/* Puts the exchanges on the disk that are not there yet.
 *
 * @param exchanges All of them, those before included.
 * @return 0, or the errno of what failed: then they come with the next ones. */
int journal_save(struct journal *journal, const char *path, json_t *exchanges);

/* Nothing more will come: the cassette holds all of it, and there is no journal. */
int journal_end(struct journal *journal, const char *path, json_t *exchanges);

/* Adds what the journal of a cassette has to its exchanges. */
int32_t journal_read(const char *path, json_t *exchanges, restway_plugin_reason *reason);

#endif
