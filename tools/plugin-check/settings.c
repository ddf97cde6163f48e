#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "json.h"
#include "samples.h"

#define TIME_OUT_SECONDS 30
#define TIME_OUT_SECONDS_MAX 3600
#define SAMPLE_BYTES_MAX ((size_t)256 << 20)

settings run_settings = {.options = "{}", .time_out_seconds = TIME_OUT_SECONDS};

static const char usage[]
    = "usage: restway-plugin-check PLUGIN.so [--options JSON] [--sample [MAPPER=]FILE]...\n"
      "           [--time-out S] [--url URL] [--only CHECK[,CHECK]...] [--json]\n"
      "       restway-plugin-check --list | --help\n"
      "\n"
      "Checks a Restway plugin against its contract. Each check runs in a process of its own.\n"
      "\n"
      "  --options JSON   the plugin's options, a JSON object\n"
      "  --sample FILE    a body that its mappers, or only MAPPER, must read\n"
      "  --time-out S     how long one check may take, in seconds (30)\n"
      "  --url URL        the server for its transports, instead of the tool's own\n"
      "  --only CHECK     runs only these checks; \"mapper\" selects all checks of that kind\n"
      "  --json           prints the report as one JSON object\n"
      "  --list           lists the checks and what they verify\n"
      "\n"
      "The exit status is 0 if no check failed, 1 if one failed, 2 if the tool could not run.\n";

_Noreturn static void refuse(const char *what, const char *which) {
    fprintf(stderr, "restway-plugin-check: %s%s%s\n", what, which[0] != '\0' ? ": " : "", which);
    exit(2);
}

static void add_sample(char *argument) {
    if (run_settings.sample_count == SAMPLE_FILES_MAX) {
        refuse("too many samples", "");
    }
    sample_file *sample = &run_settings.samples[run_settings.sample_count++];
    char *equals = strchr(argument, '=');
    char *slash = strchr(argument, '/');
    sample->path = argument;
    if (equals != NULL && (slash == NULL || equals < slash)) {
        *equals = '\0';
        sample->mapper = argument;
        sample->path = equals + 1;
    }
    FILE *file = fopen(sample->path, "rb");
    if (file == NULL) {
        refuse(strerror(errno), sample->path);
    }
    size_t room = 0, got = 1;
    while (got > 0) {
        if (sample->length + SLACK > room) {
            room = room * 2 + SLACK * 16;
            sample->bytes = realloc(sample->bytes, room);
        }
        if (sample->bytes == NULL || sample->length > SAMPLE_BYTES_MAX) {
            refuse("too large", sample->path);
        }
        got = fread(sample->bytes + sample->length, 1, SLACK, file);
        sample->length += got;
    }
    if (ferror(file)) {
        refuse("cannot be read", sample->path);
    }
    fclose(file);
}

static void list_checks(void) {
    for (size_t index = 0; index < check_count; index++) {
        printf("%-20s %s\n", checks[index].id, checks[index].claim);
    }
    exit(0);
}

static int seconds_of(const char *text) {
    char *end;
    const long seconds = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || seconds < 1 || seconds > TIME_OUT_SECONDS_MAX) {
        refuse("not a number of seconds from 1 to 3600", text);
    }
    return (int)seconds;
}

static void take_options(const char *text) {
    if (json_members(text, NULL, 0) < 0) {
        refuse("the options are not a JSON object", text);
    }
    run_settings.options = text;
    run_settings.has_options = true;
}

/* Returns whether `id` is the word, or belongs to the kind that the word names. */
static bool means(const char *word, size_t length, const char *id) {
    return strncmp(id, word, length) == 0 && (id[length] == '\0' || id[length] == '.');
}

bool settings_want(const char *id) {
    const char *at = run_settings.only;
    while (at != NULL) {
        const size_t length = strcspn(at, ",");
        if (means(at, length, id)) {
            return true;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return run_settings.only == NULL;
}

static void take_only(const char *words) {
    const char *at = words;
    while (at != NULL) {
        const size_t length = strcspn(at, ",");
        bool is_known = false;
        for (size_t index = 0; index < check_count; index++) {
            is_known = is_known || (length > 0 && means(at, length, checks[index].id));
        }
        if (!is_known) {
            refuse("no check has this name (see --list)", at);
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    run_settings.only = words;
}

void settings_read(int argc, char **argv) {
    static const struct option options[] = {
        {"options", required_argument, NULL, 'o'}, {"sample", required_argument, NULL, 's'},
        {"time-out", required_argument, NULL, 't'}, {"url", required_argument, NULL, 'u'},
        {"only", required_argument, NULL, 'n'},    {"json", no_argument, NULL, 'j'},
        {"list", no_argument, NULL, 'l'},          {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'o': take_options(optarg); break;
        case 's': add_sample(optarg); break;
        case 't': run_settings.time_out_seconds = seconds_of(optarg); break;
        case 'u': run_settings.url = optarg; break;
        case 'n': take_only(optarg); break;
        case 'j': run_settings.as_json = true; break;
        case 'l': list_checks(); break;
        case 'h': fputs(usage, stdout); exit(0);
        default: fputs(usage, stderr); exit(2);
        }
    }
    if (optind != argc - 1) {
        fputs(usage, stderr);
        exit(2);
    }
    run_settings.plugin = realpath(argv[optind], NULL);
    if (run_settings.plugin == NULL) {
        refuse(strerror(errno), argv[optind]);
    }
}
