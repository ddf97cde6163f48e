/* Opens an outbox, and asks whether it needs flushing; measures the time, and the heap memory
 * afterwards.
 *
 *     restway_outbox_open DOCUMENT NEEDS-FLUSHING */
#include "measure.h"
#include "ours_outbox.h"

#include <stdio.h>

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    int32_t expected = text_argument(argc, argv, 2, "NEEDS-FLUSHING")[0] == '1', needs = -1;
    restway_error *error = NULL;
    struct outbox_run run;
    size_t before = heap_bytes();
    double begun = wall_seconds();

    outbox_run_begin(&run, document, "http://127.0.0.1:9", 1);
    outbox_expect(restway_outbox_needs_flushing(run.client, &needs, &error), RESTWAY_OK, &error);
    begun = wall_seconds() - begun;
    if (needs != expected) fail("it says %d", (int)needs);
    printf("{\"seconds\": %.9f, \"live_bytes\": %zu}\n", begun, heap_bytes() - before);
    outbox_run_end(&run);
    return 0;
}
