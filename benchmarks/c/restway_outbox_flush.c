/* Sends stored requests through the batch path.
 *
 *     restway_outbox_flush DOCUMENT BASE-URL ITEMS */
#include "measure.h"
#include "ours_outbox.h"

#include <stdio.h>

static struct outbox_run run;

static void flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error) {
    (void)context;
    if (status != RESTWAY_OK) fail("%s", restway_error_message(error));
    if (restway_outbox_items_count(items) != run.items)
        fail("%zu items were sent", restway_outbox_items_count(items));
    pthread_mutex_lock(&run.mutex);
    run.done++;
    pthread_cond_signal(&run.has_changed);
    pthread_mutex_unlock(&run.mutex);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    restway_error *error = NULL;
    int32_t needs = 1;
    double begun;

    outbox_run_begin(&run, document, base, count_argument(argc, argv, 3, "ITEMS"));
    for (size_t number = 1; number <= run.items; number++) outbox_run_send(&run, number);
    outbox_run_wait(&run, run.items);

    begun = wall_seconds();
    outbox_expect(
        restway_outbox_flush(run.client, 0, flushed, NULL, NULL, &error), RESTWAY_OK, &error);
    outbox_run_wait(&run, run.items + 1);
    printf("{\"per_second\": %.3f}\n", (double)run.items / (wall_seconds() - begun));

    outbox_expect(restway_outbox_needs_flushing(run.client, &needs, &error), RESTWAY_OK, &error);
    if (needs) fail("something is left");
    outbox_run_end(&run);
    return 0;
}
