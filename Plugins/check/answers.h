/* What the tool's server answers; the same for exchanges that a plugin forwards. */
#ifndef RESTWAY_CHECK_ANSWERS_H
#define RESTWAY_CHECK_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum answer_kind {
    /* All of it. */
    ANSWER_WHOLE,
    /* The body of the request. */
    ANSWER_ECHO,
    /* Half of the body, then nothing while the connection stands. */
    ANSWER_HALF,
    /* Nothing while the connection stands. */
    ANSWER_SILENT,
    /* Half of the body, then the connection is closed. */
    ANSWER_BROKEN,
    /* The connection is closed. */
    ANSWER_NOTHING,
} answer_kind;

typedef struct answer {
    const char *path;
    answer_kind kind;
    int status;
    /* Lines of the head, each with its CRLF; beside those of the framing. */
    const char *headers;
    /* Lines behind the body; it then goes in chunks. */
    const char *trailers;
    const char *body;
    size_t length;
    /* So many bytes at once; 0 for all. */
    size_t piece;
    /* Sent before, as it is. */
    const char *interim;
} answer;

/* Before any other process or thread is made. */
void answers_make(void);

/* For a path or URL; never NULL. */
const answer *answer_for(const char *path);

/* Those that complete with a response. */
const char *const *whole_answers(size_t *count);

#endif
