/* Inserts requests one after the other into a plain table, with one transaction each and the
 * pragmas of the outbox.
 *
 *     floor_outbox_enqueue FILE ITEMS */
#include "floor_outbox.h"
#include "measure.h"

#include <stdio.h>

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "FILE");
    size_t items = count_argument(argc, argv, 2, "ITEMS");
    double begun;

    floor_outbox_open(path);
    begun = wall_seconds();
    for (size_t number = 1; number <= items; number++) {
        floor_outbox_run("BEGIN IMMEDIATE");
        floor_outbox_insert(number);
        floor_outbox_run("COMMIT");
    }
    printf("{\"per_second\": %.3f}\n", (double)items / (wall_seconds() - begun));
    floor_outbox_close();
    return 0;
}
