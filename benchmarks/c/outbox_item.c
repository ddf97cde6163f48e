#include "outbox_item.h"

#include <stdio.h>

void outbox_item_make(struct outbox_item *item, size_t number) {
    snprintf(item->lane, sizeof item->lane, "lane %zu", number % LANES);
    snprintf(
        item->key, sizeof item->key, "%08zx-0000-4000-8000-%012zx",
        number * 2654435761u % 0xffffffff, number);
    snprintf(
        item->body, sizeof item->body,
        "{\"number\": %zu, \"name\": \"Company %zu\", \"city\": \"Coimbra\", \"active\": true, "
        "\"about\": \"steel paper glass grain light water stone cloth\", \"revenue\": %zu.25}",
        number, number, number * 7);
}
