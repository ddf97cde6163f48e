/* Checks that options are accepted, or refused with the name of their key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "json.h"
#include "outcome.h"
#include "settings.h"
#include "started.h"

#define UNKNOWN_KEY "no-such-option"
#define MEMBERS_MAX 64

void check_options_accepted(const void *argument) {
    (void)argument;
    const restway_plugin *plugin = plugin_described();
    if (plugin->configure == NULL && !run_settings.has_options) {
        check_skipped("the plugin takes no options");
    }
    plugin_configure(plugin, run_settings.options);
}

typedef struct bad_options {
    char *text;
    char key[128];
    const char *what;
} bad_options;

static void expect_refusal(const void *argument) {
    const bad_options *bad = argument;
    const restway_plugin *plugin = plugin_described();
    restway_plugin_reason reason = empty_reason();
    doing("it refuses %s", bad->text);
    int32_t result = plugin->configure(bad->text, &reason);
    require(result != RESTWAY_PLUGIN_OK, "%s is accepted: %s", bad->what, bad->text);
    const char *end = memchr(reason.text, '\0', sizeof reason.text);
    require(
        end != NULL && is_utf8(reason.text, (size_t)(end - reason.text)),
        "the reason is no text, for %s", bad->text);
    require(
        strstr(reason.text, bad->key) != NULL, "%s is refused without naming \"%s\": %s", bad->what,
        bad->key, reason_text(&reason));
}

static void skip_without_options(void) {
    const restway_plugin *plugin = plugin_described();
    if (plugin->configure == NULL) {
        check_skipped("the plugin takes no options");
    }
}

/* The options with another text for one value, or with one more member. */
static char *options_with(const json_member *member, const char *value) {
    const char *options = run_settings.options;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    require(file != NULL, "no memory");
    if (member != NULL) {
        fprintf(
            file, "%.*s%s%s", (int)(member->value - options), options, value,
            member->value + member->value_length);
    } else {
        json_member members[1];
        const int count = json_members(options, members, 1);
        const char *end = strrchr(options, '}');
        fprintf(
            file, "%.*s%s\"" UNKNOWN_KEY "\":%s}", (int)(end - options), options,
            count > 0 ? "," : "", value);
    }
    fclose(file);
    return text;
}

void check_options_unknown(const void *argument) {
    (void)argument;
    skip_without_options();
    bad_options bad = {options_with(NULL, "1"), UNKNOWN_KEY, "an unknown key"};
    in_process_of_its_own(expect_refusal, &bad);
    free(bad.text);
}

void check_options_types(const void *argument) {
    (void)argument;
    skip_without_options();
    json_member members[MEMBERS_MAX];
    const int count = json_members(run_settings.options, members, MEMBERS_MAX);
    if (count <= 0) {
        check_skipped("no options are given: see --options");
    }
    for (int index = 0; index < count; index++) {
        const json_member *member = &members[index];
        const char *other = *member->value == '{' ? "[7]" : "{\"wrong\":7}";
        bad_options bad = {.text = options_with(member, other), .what = "a value of another type"};
        snprintf(bad.key, sizeof bad.key, "%.*s", (int)member->key_length, member->key);
        in_process_of_its_own(expect_refusal, &bad);
        free(bad.text);
    }
}
