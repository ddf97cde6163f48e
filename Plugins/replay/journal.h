/* The journal holds exchanges that are added to a large cassette while it is recorded.
 *
 * A cassette is always written as a whole, so that it is complete at any time. For a long
 * recording, this would write the whole file with each exchange. Above a certain size, exchanges
 * are therefore added to a file beside it, `<cassette>.journal`, one on each line. The cassette is
 * written again when the journal has become as large as the cassette, and at the end. In total this
 * writes about three times the final size.
 *
 * {"restwayJournal": 1, "after": 120}
 * {"request": {...}, "response": {...}}
 *
 * A reader of a cassette also reads its journal, if a journal follows this cassette; the
 * last line counts only if it is complete. */
#ifndef RESTWAY_REPLAY_JOURNAL_H
#define RESTWAY_REPLAY_JOURNAL_H

#include <jansson.h>
#include <restway/plugin.h>

/* The part of a recording that is on the disk. It begins as zero. */
struct journal {
    /* The number of exchanges in the cassette and the journal. */
    size_t count;
    size_t cassette_bytes;
    /* 0 means that there is no journal. */
    size_t bytes;
};

/* Writes the exchanges to the disk that are not there yet.
 *
 * @param exchanges All of them, those before included.
 * @return 0, or the errno of what failed: then they come with the next ones. */
int journal_save(struct journal *journal, const char *path, json_t *exchanges);

/* Ends the recording: the cassette then holds all exchanges, and the journal is removed. */
int journal_end(struct journal *journal, const char *path, json_t *exchanges);

/* Adds the exchanges in the journal of a cassette to its exchanges. */
int32_t journal_read(const char *path, json_t *exchanges, restway_plugin_reason *reason);

#endif
