/* Jansson as Swift sees it: the type tests that are macros in jansson.h, as functions. */
#ifndef RESTWAY_CJANSSON_SHIMS_H
#define RESTWAY_CJANSSON_SHIMS_H

#include <jansson.h>

/* json_error_t keeps its code in the last byte of text; json_error_code reads it. */
static inline int rw_json_error_code(const json_error_t *error) {
    return (int)json_error_code(error);
}

static inline const char *rw_json_error_text(const json_error_t *error) { return error->text; }

#endif
