/* Reads a response, for http.h. */
#ifndef RESTWAY_BAD_RESPONSE_H
#define RESTWAY_BAD_RESPONSE_H

#define LINES_MAX 24

typedef struct lines {
    char text[LINES_MAX][256];
    restway_plugin_header headers[LINES_MAX];
    size_t count;
} lines;

/* Reads lines until an empty one; returns false at the end of the connection. */
static int read_lines(job *self, lines *lines) {
    lines->count = 0;
    while (lines->count < LINES_MAX) {
        char *line = lines->text[lines->count];
        if (!next_line(self, line, sizeof lines->text[0])) {
            return 0;
        }
        if (*line == '\0') {
            return 1;
        }
        char *value = line + strcspn(line, ":");
        *value++ = '\0';
        value += strspn(value, " ");
        if (FAULT == HEADER_IS_NO_TOKEN && strcasecmp(line, "Content-Type") == 0) {
            line[1] = ' ';
        } else if (FAULT == HEADER_WITH_CONTROL && strcasecmp(line, "Content-Type") == 0) {
            value[0] = '\r';
        }
        lines->headers[lines->count++] = (restway_plugin_header){line, value};
    }
    return 0;
}

static const char *value_of(const lines *lines, const char *name) {
    for (size_t index = 0; index < lines->count; index++) {
        if (strcasecmp(lines->headers[index].name, name) == 0) {
            return lines->headers[index].value;
        }
    }
    return NULL;
}

static void *progress_elsewhere(void *context) {
    job *self = context;
    const restway_plugin_host *host = self->transport->host;
    for (int index = 0; index < 20; index++) {
        host->exchange_progress(host, self->id, 0, 0, (int64_t)self->at, 0);
    }
    return NULL;
}

/* Gives the host a part of the body, and obeys its answer. */
static void give(job *self, const char *bytes, size_t length) {
    const restway_plugin_host *host = self->transport->host;
    const int seen = self->resumes;
    char changed[16384];
    memcpy(changed, bytes, length);
    changed[0] ^= FAULT == CHANGES_BODY;
    const int32_t answer = host->exchange_body(host, self->id, changed, length);
    if (answer == RESTWAY_PLUGIN_BODY_STOP && FAULT != IGNORES_STOP) {
        self->is_stopped = 1;
    } else if (answer == RESTWAY_PLUGIN_BODY_PAUSE && FAULT != IGNORES_PAUSE) {
        pthread_mutex_lock(&self->transport->lock);
        self->is_paused = 1;
        pthread_mutex_unlock(&self->transport->lock);
        wait_for(self, &self->resumes, FAULT == NEVER_RESUMES ? seen + 1000 : seen);
        while (FAULT == NEVER_RESUMES && !has_ended(self)) {
            wait_for(self, &self->resumes, self->resumes);
        }
        self->is_paused = 0;
    }
    if (FAULT == PROGRESS_GOES_BACK) {
        host->exchange_progress(host, self->id, 0, 0, 5, 0);
        host->exchange_progress(host, self->id, 0, 0, 4, 0);
    }
}

/* Reads this many bytes, in parts as they arrive. */
static int give_bytes(job *self, size_t count) {
    while (count > 0 && !has_ended(self)) {
        const int first = next_byte(self);
        if (first < 0) {
            return 0;
        }
        size_t length = self->end - --self->at;
        length = length < count ? length : count;
        give(self, self->buffer + self->at, length - (FAULT == LOSES_BYTE && length == count));
        self->at += length;
        count -= length;
    }
    return !has_ended(self);
}

static int give_chunks(job *self, lines *lines) {
    const restway_plugin_host *host = self->transport->host;
    char line[64];
    for (;;) {
        if (!next_line(self, line, sizeof line)) {
            return 0;
        }
        const size_t size = strtoul(line, NULL, 16);
        if (size == 0) {
            break;
        }
        if (!give_bytes(self, size) || !next_line(self, line, sizeof line)) {
            return 0;
        }
    }
    if (!read_lines(self, lines)) {
        return 0;
    }
    if (FAULT != LOSES_TRAILERS) {
        host->exchange_trailers(host, self->id, lines->headers, lines->count);
    }
    if (FAULT == BODY_BEHIND_TRAILERS) {
        host->exchange_body(host, self->id, "", 0);
    }
    return 1;
}

static void give_head(job *self, const lines *lines, int status) {
    const restway_plugin_host *host = self->transport->host;
    restway_plugin_head head = {
        .struct_size = sizeof head, .status = status + (FAULT == OTHER_STATUS),
        .http_version = 11, .headers = lines->headers, .header_count = lines->count};
    if (FAULT == BODY_BEFORE_HEAD) {
        host->exchange_body(host, self->id, "", 0);
    }
    if (FAULT != OK_WITHOUT_HEAD) {
        host->exchange_head(host, self->id, &head);
    }
    if (FAULT == TWO_HEADS) {
        host->exchange_head(host, self->id, &head);
    }
}

/* Returns false when there is no complete response. */
static int read_response(job *self) {
    const restway_plugin_host *host = self->transport->host;
    lines lines;
    char line[256];
    int status = 0;
    do {
        if (!next_line(self, line, sizeof line) || sscanf(line, "HTTP/1.1 %d", &status) != 1
            || !read_lines(self, &lines)) {
            return 0;
        }
        if (status < 200 && FAULT == TELLS_INTERIM) {
            break;
        }
    } while (status < 200);
    if (FAULT == FOLLOWS_REDIRECT && status == 302) {
        status = 200;
    }
    give_head(self, &lines, status);
    if (FAULT == OK_WITHOUT_HEAD) {
        return 1;
    }
    if (FAULT == OVERLAPS) {
        pthread_t thread;
        const int is_made = pthread_create(&thread, NULL, progress_elsewhere, self) == 0;
        for (int index = 0; index < 20; index++) {
            host->exchange_progress(host, self->id, 0, 0, (int64_t)self->at, 0);
        }
        is_made ? pthread_join(thread, NULL) : 0;
    }
    const char *length = value_of(&lines, "Content-Length");
    if (value_of(&lines, "Transfer-Encoding") != NULL) {
        return give_chunks(self, &lines);
    }
    return give_bytes(self, length != NULL ? strtoul(length, NULL, 10) : 0);
}

#endif
