/* Bodies in the readable form of a cassette: {"json"}, {"text"} or {"base64"}. */
#ifndef RESTWAY_REPLAY_BODY_H
#define RESTWAY_REPLAY_BODY_H

#include <jansson.h>
#include <stddef.h>

#include "redact.h"

struct bytes {
    char *start;
    size_t length;
    size_t capacity;
};

/* Writes `length` bytes at `offset`; the buffer then ends after them. Returns false when out of
 * memory. */
int bytes_put(struct bytes *bytes, size_t offset, const void *from, size_t length);

void bytes_free(struct bytes *bytes);

/* Makes a body for a cassette, without its secrets. Returns a new reference; JSON null for an empty
 * body, NULL when out of memory.
 *
 * @param type   The Content-Type; "" if the exchange has no Content-Type.
 * @param coding The Content-Encoding, which is undone where that is possible; "" without one.
 * @param out_is_decoded 1 when the coding was undone. */
json_t *body_to_json(
    const struct bytes *bytes, const char *type, const char *coding,
    const struct redaction *redaction, int *out_is_decoded);

/* Returns the bytes of a body in a cassette; false when it is not valid. NULL and null give no
 * bytes. */
int body_from_json(json_t *body, struct bytes *out_bytes);

#endif
