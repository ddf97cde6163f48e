/* The checks: their names, what they verify, and their functions. */
#ifndef RESTWAY_CHECK_CHECKS_H
#define RESTWAY_CHECK_CHECKS_H

#include <stddef.h>

/* The kinds of subjects of a check. */
typedef enum subject_kind { SUBJECT_PLUGIN, SUBJECT_MAPPER, SUBJECT_TRANSPORT } subject_kind;

typedef struct subject {
    /* The index of the plugin's mapper or transport. */
    size_t index;
} subject;

typedef struct check {
    /* "mapper.skip" */
    const char *id;
    subject_kind kind;
    /* The claim that the check verifies, as a sentence. */
    const char *claim;
    /* Runs in a process of its own; see outcome.h. The argument is a subject. */
    void (*run)(const void *subject);
    /* If this check fails, the later checks of its kind are skipped. */
    int is_basic;
} check;

extern const check checks[];
extern const size_t check_count;

/* Each function is in the file of its topic. */
void check_plugin_loads(const void *);
void check_plugin_exports(const void *);
void check_plugin_starts(const void *);
void check_plugin_version(const void *);
void check_plugin_texts(const void *);
void check_plugin_capabilities(const void *);
void check_plugin_tables(const void *);
void check_plugin_older_host(const void *);
void check_plugin_newer_host(const void *);
void check_plugin_exit(const void *);

void check_options_accepted(const void *);
void check_options_unknown(const void *);
void check_options_types(const void *);

void check_mapper_table(const void *);
void check_mapper_samples(const void *);
void check_mapper_events(const void *);
void check_mapper_skip(const void *);
void check_mapper_stop(const void *);
void check_mapper_depth(const void *);
void check_mapper_sizes(const void *);
void check_mapper_truncated(const void *);
void check_mapper_garbage(const void *);
void check_mapper_bounds(const void *);
void check_mapper_reasons(const void *);
void check_mapper_tables(const void *);
void check_mapper_thread(const void *);
void check_mapper_late(const void *);
void check_mapper_repeat(const void *);
void check_mapper_concurrent(const void *);
void check_mapper_memory(const void *);
void check_mapper_descriptors(const void *);
void check_mapper_threads(const void *);

void check_encode_order(const void *);
void check_encode_errors(const void *);
void check_encode_trip(const void *);
void check_encode_again(const void *);

void check_transport_table(const void *);
void check_transport_opens(const void *);
void check_transport_apart(const void *);
void check_transport_texts(const void *);
void check_transport_options(const void *);
void check_transport_completes(const void *);
void check_transport_once(const void *);
void check_transport_order(const void *);
void check_transport_late(const void *);
void check_transport_overlap(const void *);
void check_transport_heads(const void *);
void check_transport_ends(const void *);
void check_transport_answers(const void *);
void check_transport_body(const void *);
void check_transport_time_outs(const void *);
void check_transport_pause(const void *);
void check_transport_stop(const void *);
void check_transport_cancel(const void *);
void check_transport_ids(const void *);
void check_transport_close(const void *);
void check_transport_concurrent(const void *);
void check_transport_memory(const void *);
void check_transport_descriptors(const void *);
void check_transport_threads(const void *);

#endif
