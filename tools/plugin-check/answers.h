/* The answers of the tool's server, which are the same for exchanges that a plugin forwards. */
#ifndef RESTWAY_CHECK_ANSWERS_H
#define RESTWAY_CHECK_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum answer_kind {
    /* The whole answer. */
    ANSWER_WHOLE,
    /* The body of the request, sent back. */
    ANSWER_ECHO,
    /* Half of the body, then nothing, while the connection stays open. */
    ANSWER_HALF,
    /* Nothing, while the connection stays open. */
    ANSWER_SILENT,
    /* Half of the body, then the connection is closed. */
    ANSWER_BROKEN,
    /* Nothing: the connection is closed. */
    ANSWER_NOTHING,
} answer_kind;

typedef struct answer {
    const char *path;
    answer_kind kind;
    int status;
    /* Lines of the head, each with its CRLF, in addition to the lines of the framing. */
    const char *headers;
    /* Trailers. The body is then sent in chunks. */
    const char *trailers;
    const char *body;
    size_t length;
    /* How many bytes are sent at once; 0 sends all. */
    size_t piece;
    /* Sent first, unchanged. */
    const char *interim;
} answer;

/* Must be called before any other process or thread is made. */
void answers_make(void);

/* Returns the answer for a path or URL; never NULL. */
const answer *answer_for(const char *path);

/* The number of answers that complete with a response. */
const char *const *whole_answers(size_t *count);

#endif
