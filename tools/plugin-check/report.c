#include "report.h"

#include <stdio.h>

#include "json.h"
#include "settings.h"

static size_t counts[VERDICT_SKIPPED + 1];
static size_t added;

static const char *const words[] = {"none", "ok", "FAILED", "skipped"};

void report_begin(const char *name, const char *version) {
    if (!run_settings.as_json) {
        printf("%s", run_settings.plugin);
        if (name[0] != '\0') {
            printf(" (%s%s%s)", name, version[0] != '\0' ? " " : "", version);
        }
        printf("\n");
        return;
    }
    printf("{\"plugin\": ");
    json_write_string(stdout, run_settings.plugin);
    printf(", \"name\": ");
    json_write_string(stdout, name);
    printf(", \"version\": ");
    json_write_string(stdout, version);
    printf(", \"checks\": [");
}

static void add_json(const check *check, const char *subject, const outcome *outcome) {
    printf("%s\n  {\"check\": \"%s\", \"subject\": ", added > 0 ? "," : "", check->id);
    json_write_string(stdout, subject != NULL ? subject : "");
    printf(", \"result\": \"%s\", \"why\": ", words[outcome->verdict]);
    json_write_string(stdout, outcome->why);
    printf("}");
}

/* A reason may have several lines. */
static void print_in_one_line(const char *text) {
    for (; *text != '\0'; text++) {
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
}

void report_add(const check *check, const char *subject, const outcome *outcome) {
    if (run_settings.as_json) {
        add_json(check, subject, outcome);
    } else {
        printf("%-8s %-20s", words[outcome->verdict], check->id);
        if (subject != NULL) {
            printf(" %s", subject);
        }
        if (outcome->why[0] != '\0') {
            printf(": ");
            print_in_one_line(outcome->why);
        }
        printf("\n");
    }
    fflush(stdout);
    counts[outcome->verdict]++;
    added++;
}

size_t report_end(void) {
    const size_t ok = counts[VERDICT_OK], failed = counts[VERDICT_FAILED];
    const size_t skipped = counts[VERDICT_SKIPPED];
    if (run_settings.as_json) {
        printf(
            "\n], \"ok\": %zu, \"failed\": %zu, \"skipped\": %zu}\n", ok, failed, skipped);
    } else {
        printf(
            "%zu checks: %zu ok, %zu FAILED, %zu skipped\n", added, ok, failed, skipped);
    }
    return failed;
}
