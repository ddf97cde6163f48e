/* Jansson as Swift sees it: the type tests that are macros in jansson.h, as functions. */
#ifndef RESTWAY_CJANSSON_SHIMS_H
#define RESTWAY_CJANSSON_SHIMS_H

#include <jansson.h>

/* json_error_t keeps its code in the last byte of text; json_error_code reads it. */
static inline int rw_json_error_code(const json_error_t *error) {
    return (int)json_error_code(error);
}

static inline const char *rw_json_error_text(const json_error_t *error) { return error->text; }

/* Whether this Jansson lies in the same file as the code that asks: else the host may share it.
 * dladdr is an extension of glibc, which names no features for Swift. */
static inline int rw_json_is_private(void) {
    struct {
        const char *file;
        void *base;
        const char *symbol;
        void *symbol_address;
    } theirs = {0}, ours = {0};
    extern int dladdr(const void *, void *) __asm__("dladdr");
    return dladdr((const void *)json_loadb, &theirs) != 0
        && dladdr((const void *)rw_json_is_private, &ours) != 0 && theirs.base == ours.base;
}

#endif
