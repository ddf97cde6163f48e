/* restway-plugin-check: checks a plugin against the contract of restway/plugin.h.
 *
 * The tool never loads the plugin itself. Each check runs in a process of its own (outcome.h). A
 * crash, a hang or an exit is therefore a finding like any other, and no check is affected by
 * another one.
 */
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "checks.h"
#include "outcome.h"
#include "report.h"
#include "server.h"
#include "settings.h"
#include "started.h"

/* The findings of a process of its own about the plugin. The memory is shared with the tool. */
typedef struct contents {
    char name[65];
    char version[65];
    size_t counts[SUBJECT_TRANSPORT + 1];
    char names[SUBJECT_TRANSPORT + 1][TABLES_MAX][65];
} contents;

static contents *found;

static void take_text(char *room, const char *text) {
    snprintf(room, sizeof found->name, "%s", text != NULL ? text : "");
}

static void look(const void *argument) {
    (void)argument;
    const started *started = plugin_started();
    const restway_plugin *plugin = &started->plugin;
    for (size_t index = 0; index < plugin->mapper_count; index++) {
        take_text(found->names[SUBJECT_MAPPER][index], started->mappers[index].name);
    }
    for (size_t index = 0; index < plugin->transport_count; index++) {
        take_text(found->names[SUBJECT_TRANSPORT][index], started->transports[index].name);
    }
    take_text(found->name, plugin->name);
    take_text(found->version, plugin->version);
    found->counts[SUBJECT_MAPPER] = plugin->mapper_count;
    found->counts[SUBJECT_TRANSPORT] = plugin->transport_count;
}

/* Runs the checks of one kind for one subject. After a failed basic check the rest is skipped.
 * Returns the id of that check, or NULL. */
static const char *run_kind(
    subject_kind kind, size_t number, const char *name, const char *failed) {
    const subject subject = {number};
    for (size_t index = 0; index < check_count; index++) {
        const check *check = &checks[index];
        if (check->kind != kind || !settings_want(check->id)) {
            continue;
        }
        outcome result = {.verdict = VERDICT_SKIPPED};
        if (failed != NULL) {
            snprintf(result.why, sizeof result.why, "%s failed", failed);
        } else {
            result = outcome_of(check->run, &subject);
        }
        report_add(check, name, &result);
        if (check->is_basic && result.verdict == VERDICT_FAILED) {
            failed = check->id;
        }
    }
    return failed;
}

int main(int argc, char **argv) {
    settings_read(argc, argv);
    answers_make();
    found = shared_memory(sizeof *found);
    const outcome looked = outcome_of(look, NULL);
    if (looked.verdict != VERDICT_OK) {
        memset(found->counts, 0, sizeof found->counts);
    }
    report_begin(found->name, found->version);
    const char *failed = run_kind(SUBJECT_PLUGIN, 0, NULL, NULL);
    if (found->counts[SUBJECT_TRANSPORT] > 0 && run_settings.url == NULL) {
        server_start();
    }
    for (subject_kind kind = SUBJECT_MAPPER; kind <= SUBJECT_TRANSPORT; kind++) {
        for (size_t index = 0; index < found->counts[kind]; index++) {
            run_kind(kind, index, found->names[kind][index], failed);
        }
    }
    server_stop();
    return report_end() > 0 ? 1 : 0;
}
