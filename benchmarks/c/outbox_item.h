/* The requests that the programs of the outbox store: the same bytes in all of them. */
#ifndef RESTWAY_BENCHMARKS_OUTBOX_ITEM_H
#define RESTWAY_BENCHMARKS_OUTBOX_ITEM_H

#include <stddef.h>

/* So many lanes, that a batch finds one item in each. */
#define LANES 200

/* In one call. */
#define BATCH 50

struct outbox_item {
    char lane[32];
    char key[40];
    char body[256];
};

/* Item `number`. */
void outbox_item_make(struct outbox_item *item, size_t number);

#endif
