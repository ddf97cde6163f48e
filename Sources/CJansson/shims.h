/* Declares Jansson for Swift, with functions for parts that Swift cannot use directly. */
#ifndef RESTWAY_CJANSSON_SHIMS_H
#define RESTWAY_CJANSSON_SHIMS_H

#include <jansson.h>

/* Returns the error code, which json_error_t keeps in the last byte of its text. */
static inline int rw_json_error_code(const json_error_t *error) {
    return (int)json_error_code(error);
}

static inline const char *rw_json_error_text(const json_error_t *error) { return error->text; }

/* Returns whether Jansson is in the same file as this code. If not, the host may share it. dladdr
 * is an extension of glibc, whose feature macros are not set for Swift. */
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
