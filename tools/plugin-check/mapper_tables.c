/* Check: a mapper stays within the bounds of the host's tables. */
#include <string.h>

#include "checks.h"
#include "guarded.h"
#include "mapper_subject.h"
#include "outcome.h"

#define MORE 64

/* A table at the end of the accessible memory, `more` bytes larger than this version knows. */
static void *table(size_t bytes, size_t more, const char *before, const char *behind) {
    guarded memory = guarded_make(bytes + more, before, behind);
    const size_t size = bytes + more;
    memset(memory.bytes + bytes, 0xA5, more);
    memcpy(memory.bytes, &size, sizeof size);
    return memory.bytes;
}

static void expect_untouched(const void *table, size_t bytes, size_t more, const char *name) {
    const unsigned char *behind = (const unsigned char *)table + bytes;
    for (size_t index = 0; index < more; index++) {
        require(behind[index] == 0xA5, "writes to fields that a newer host has after its %s", name);
    }
}

static void decode_with_more(
    const restway_plugin_mapper *mapper, const samples *samples, size_t more) {
    decode_tables tables = {
        table(
            sizeof(restway_plugin_sink), more, "using memory before the sink's table",
            "using memory after the sink's table"),
        table(
            sizeof(restway_plugin_limits), more, "using memory before the table of limits",
            "using memory after the table of limits"),
        table(
            sizeof(restway_plugin_reason), more, "using memory before the reason",
            "using memory after the reason"),
    };
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        doing(
            "it reads %s, with tables %s", sample->name,
            more > 0 ? "of a newer host" : "of this version");
        decode_with(mapper, sample->bytes, sample->length, tables);
        /* A body that is refused, to get a reason. */
        decode_with(mapper, sample->bytes, sample->length / 2, tables);
        expect_untouched(tables.sink, sizeof *tables.sink, more, "sink's table");
        expect_untouched(tables.limits, sizeof *tables.limits, more, "table of limits");
        expect_untouched(tables.reason, sizeof *tables.reason, more, "reason");
    }
}

void check_mapper_tables(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    decode_with_more(mapper, samples, 0);
    decode_with_more(mapper, samples, MORE);
}
