/* Memory between two pages that must not be accessed: an access one byte outside is a crash, which
 * the check reports. */
#ifndef RESTWAY_CHECK_GUARDED_H
#define RESTWAY_CHECK_GUARDED_H

#include <stddef.h>

typedef struct guarded {
    /* The usable bytes; they end where the second page begins. */
    unsigned char *bytes;
    size_t length;
    /* The end of the first page, up to a page before `bytes`. */
    unsigned char *start;
    unsigned char *pages;
    size_t page_bytes;
} guarded;

/* Makes zeroed memory. The texts describe an access outside, for example "reading behind the
 * table". */
guarded guarded_make(size_t length, const char *before, const char *behind);

/* Makes the memory read-only; `what` describes a write. */
void guarded_protect(const guarded *memory, const char *what);

/* Makes the memory inaccessible, until the process ends. */
void guarded_take(const guarded *memory, const char *what);

void guarded_free(guarded *memory);

#endif
