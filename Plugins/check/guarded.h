/* Memory between pages that may not be touched: one byte further is a crash, and so a finding. */
#ifndef RESTWAY_CHECK_GUARDED_H
#define RESTWAY_CHECK_GUARDED_H

#include <stddef.h>

typedef struct guarded {
    /* What may be used: it ends where the second of the pages begins. */
    unsigned char *bytes;
    size_t length;
    /* Where the first of the pages ends; up to a page before `bytes`. */
    unsigned char *start;
    unsigned char *pages;
    size_t page_bytes;
} guarded;

/* Zeroed. The texts say what an access outside is, for example "reading behind the table". */
guarded guarded_make(size_t length, const char *before, const char *behind);

/* Makes it read only; `what` says what writing is. */
void guarded_protect(const guarded *memory, const char *what);

/* Nothing of it may be touched any more, to the end of the process. */
void guarded_take(const guarded *memory, const char *what);

void guarded_free(guarded *memory);

#endif
