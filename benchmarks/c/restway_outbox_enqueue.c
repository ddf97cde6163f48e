/* Stores requests while the program says that the server cannot be reached.
 *
 *     restway_outbox_enqueue DOCUMENT CALLERS ITEMS WAITS
 *
 * CALLERS threads store ITEMS requests in total. Each thread waits for each of its requests (WAITS
 * 1), or for all of them at the end (WAITS 0). */
#include "measure.h"
#include "ours_outbox.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct outbox_run run;
static size_t callers, waits;

static void *call(void *context) {
    size_t first = *(size_t *)context;

    for (size_t number = first; number <= run.items; number += callers) {
        if (waits) {
            outbox_run_perform(&run, number);
        } else {
            outbox_run_send(&run, number);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    pthread_t *threads;
    size_t *first;
    double begun;

    callers = count_argument(argc, argv, 2, "CALLERS");
    outbox_run_begin(&run, document, "http://127.0.0.1:9", count_argument(argc, argv, 3, "ITEMS"));
    waits = text_argument(argc, argv, 4, "WAITS")[0] == '1';
    threads = calloc(callers, sizeof *threads);
    first = calloc(callers, sizeof *first);
    if (!threads || !first) fail("no memory");

    begun = wall_seconds();
    for (size_t index = 0; index < callers; index++) {
        first[index] = index + 1;
        if (pthread_create(&threads[index], NULL, call, &first[index]) != 0) fail("no thread");
    }
    for (size_t index = 0; index < callers; index++) pthread_join(threads[index], NULL);
    if (!waits) outbox_run_wait(&run, run.items);
    printf("{\"per_second\": %.3f}\n", (double)run.items / (wall_seconds() - begun));

    outbox_run_end(&run);
    free(threads);
    free(first);
    return 0;
}
