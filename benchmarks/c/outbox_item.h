/* The requests that the outbox programs store: the same bytes in all of them. */
#ifndef RESTWAY_BENCHMARKS_OUTBOX_ITEM_H
#define RESTWAY_BENCHMARKS_OUTBOX_ITEM_H

#include <stddef.h>

/* The number of lanes: each item of a batch comes from another lane. */
#define LANES 200

/* The number of items in one batch call. */
#define BATCH 50

struct outbox_item {
    char lane[32];
    char key[40];
    char body[256];
};

/* Makes item `number`. */
void outbox_item_make(struct outbox_item *item, size_t number);

#endif
