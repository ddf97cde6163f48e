/* Bodies in the formats that the tool supports itself. */
#ifndef RESTWAY_CHECK_SAMPLE_TEXTS_H
#define RESTWAY_CHECK_SAMPLE_TEXTS_H

#include <stddef.h>

typedef struct sample_text {
    const char *name;
    const char *bytes;
    size_t length;
} sample_text;

extern const sample_text json_texts[];
extern const size_t json_text_count;
extern const sample_text msgpack_texts[];
extern const size_t msgpack_text_count;

/* Bodies that are wrong, or promise more than they hold. */
extern const sample_text hostile_texts[];
extern const size_t hostile_text_count;

#endif
